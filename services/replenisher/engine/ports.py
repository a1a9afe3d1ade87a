"""TCP ports on loopback: finding free ones and asking whether one is taken.
Who listens on which is decided by server.py and supervisor.py."""

from __future__ import annotations

import contextlib
import socket

LOOPBACK = "127.0.0.1"


def free_ports(count: int) -> list[int]:
    """`count` different ports that nobody listened on a moment ago; all are held until the last is found."""
    with contextlib.ExitStack() as held:
        ports: list[int] = []
        for _ in range(count):
            listener = held.enter_context(socket.socket(socket.AF_INET, socket.SOCK_STREAM))
            listener.bind((LOOPBACK, 0))
            ports.append(listener.getsockname()[1])
        return ports


def is_free(port: int, host: str = LOOPBACK) -> bool:
    """Whether a server could listen there now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except OSError:
            return False
        return True
