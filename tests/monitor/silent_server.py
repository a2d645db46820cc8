# SPDX-License-Identifier: LGPL-2.1-or-later
"""Ports of this machine that take connections and never answer, or whose packets the kernel drops."""
import socket


def listener(stack, backlog):
    """The port of a server that answers nothing, until `stack` (contextlib.ExitStack) ends."""
    s = stack.enter_context(socket.socket())
    s.bind(("127.0.0.1", 0))
    s.listen(backlog)
    return s.getsockname()[1]


def fill(stack, port):
    """Until the kernel drops what asks for a connection."""
    for _ in range(20):
        s = stack.enter_context(socket.socket())
        s.settimeout(0.5)
        try:
            s.connect(("127.0.0.1", port))
        except TimeoutError:
            return
    raise AssertionError("twenty connections, and none was dropped")


def dropping(stack):
    """The port of a server that no packet reaches."""
    port = listener(stack, 0)
    fill(stack, port)
    return port
