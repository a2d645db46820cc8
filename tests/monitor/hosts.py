# SPDX-License-Identifier: LGPL-2.1-or-later
"""Several hosts on one machine: network namespaces, joined by a bridge. Needs root, unshare and ip; nothing outlives the program that made
them, since it runs in namespaces of its own."""
import contextlib
import ctypes
import os
import pathlib
import shutil
import socket
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from vigiltest import skip  # pylint: disable=wrong-import-position

CLONE_NEWNET = 0x40000000
INSIDE = "VIGIL_TEST_HOSTS"


def start_apart():
    """Starts this program again in a network and a mount namespace of its own, and returns there. Returns why not where that cannot be."""
    if os.environ.get(INSIDE):
        return None
    for tool in "unshare", "ip":
        if not shutil.which(tool) and not shutil.which(tool, path="/usr/sbin:/sbin"):
            return f"no {tool}"
    probe = subprocess.run(["unshare", "-n", "-m", "true"], capture_output=True, text=True, check=False)
    if probe.returncode:
        return f"no namespaces: {probe.stderr.strip()}"
    os.environ[INSIDE] = "1"
    os.execvp("unshare", ["unshare", "-n", "-m", sys.executable, *sys.argv])


def need_own_network():
    """Goes on in a network of its own, in which loopback is up, or ends the test as skipped."""
    if why_not := start_apart():
        skip(f"this test needs a network of its own: {why_not}")
    ip("link", "set", "lo", "up")


def ip(*words):
    subprocess.run(["ip", *words], check=True, timeout=20)


class Host:
    """A network with one address. `prefix` comes before the command of a program that is to run there."""

    def __init__(self, name, address):
        self.name, self.address, self.prefix = name, address, ["ip", "netns", "exec", name]
        ip("netns", "add", name)
        ip("link", "add", f"to-{name}", "type", "veth", "peer", "name", "eth0", "netns", name)
        ip("link", "set", f"to-{name}", "master", "lan", "up")
        for words in (["addr", "add", f"{address}/24", "dev", "eth0"], ["link", "set", "eth0", "up"], ["link", "set", "lo", "up"]):
            ip("-n", name, *words)

    @contextlib.contextmanager
    def entered(self):
        """This thread is in the host's network meanwhile."""
        libc = ctypes.CDLL(None, use_errno=True)
        with open("/proc/thread-self/ns/net", "rb") as here, open(f"/run/netns/{self.name}", "rb") as there:
            def go(to):
                if libc.setns(to.fileno(), CLONE_NEWNET):
                    raise OSError(ctypes.get_errno(), "setns")
            go(there)
            try:
                yield
            finally:
                go(here)


def make(*names):
    """Hosts of these names, on one network."""
    subprocess.run(["mount", "-t", "tmpfs", "none", "/run"], check=True, timeout=20)  # in our own mount namespace
    os.makedirs("/run/netns")
    ip("link", "set", "lo", "up")
    ip("link", "add", "lan", "type", "bridge")
    ip("link", "set", "lan", "up")
    return [Host(name, f"10.77.0.{i + 1}") for i, name in enumerate(names)]


def have_interface():
    """An interface in a network that has none but loopback, as WebRTC in browsers needs. Returns why not where that cannot be."""
    if [name for _, name in socket.if_nameindex() if name != "lo"]:
        return None
    try:
        ip("link", "add", "vigil0", "type", "veth", "peer", "name", "vigil1")
        for words in (["link", "set", "lo", "up"], ["addr", "add", "10.78.0.1/24", "dev", "vigil0"], ["link", "set", "vigil0", "up"], ["link", "set", "vigil1", "up"],
                      ["route", "add", "default", "dev", "vigil0"]):
            ip(*words)
    except (OSError, subprocess.CalledProcessError) as error:
        return f"no network interface but loopback, and none can be made: {error}"
    return None
