"""The engine's room: installing, starting, watching and reading restate-server.
What runs on the engine (handlers) and what the product means (domain, tools) do not live here."""
