"""A supervisor in the foreground, as `replenisher run` is one: `python whole.py DATA`, for signals from outside."""

import asyncio
import sys
from datetime import timedelta
from pathlib import Path

from replenisher.engine.run import run
from replenisher.engine.supervisor import Plan, Service

HERE = Path(__file__).parent
WEB = "import http.server as web, os; web.test(web.SimpleHTTPRequestHandler, port=int(os.environ['SANDBOX_PORT']))"

plan = Plan(
    data=Path(sys.argv[1]),
    agent=Service([sys.executable, str(HERE / "lab.py"), "leave"]),
    sandbox=Service([sys.executable, "-c", WEB], health="/"),
    inactivity=timedelta(seconds=1),
    deployment_path="",
)


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


raise SystemExit(asyncio.run(run(plan, say)))
