# Agent and sandbox in one image; docker-compose.yml starts each with its own command.
FROM python:3.13-slim

WORKDIR /app
COPY pyproject.toml constraints.txt ./
COPY services ./services
RUN pip install --no-cache-dir --constraint constraints.txt . \
    && useradd --create-home replenisher \
    && install --directory --owner=replenisher /data
USER replenisher
WORKDIR /data
VOLUME /data
ENV PYTHONUNBUFFERED=1 REPLENISHER_DATA=/data REPLENISHER_AGENT_HOST=0.0.0.0 REPLENISHER_AGENT_PORT=9080
EXPOSE 9080
# SIGTERM ends it in order
CMD ["python", "-m", "replenisher.serve"]
