# SPDX-License-Identifier: LGPL-2.1-or-later
"""A real MQTT broker for tests, and the messages that it received."""
import pathlib
import shutil
import subprocess
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from vigiltest import free_port  # pylint: disable=wrong-import-position

PROGRAM = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin")
MISSING = None if PROGRAM and shutil.which("mosquitto_sub") else "no mosquitto and mosquitto_sub (packages mosquitto, mosquitto-clients)"


class Broker:
    """Runs while it is entered; .messages has (topic, payload) of all messages, in order."""

    def __init__(self, *topics):
        self.port = free_port()
        self.messages = []
        self.topics = topics

    def __enter__(self):
        self.broker = subprocess.Popen([PROGRAM, "-p", str(self.port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        subscriptions = [word for topic in self.topics for word in ("-t", topic)]
        # Until the broker listens mosquitto_sub is refused; it is started again then.
        command = ["mosquitto_sub", "-p", str(self.port), "-F", "%t\t%p", *subscriptions]
        self.reader = threading.Thread(target=self._read, args=(command,), daemon=True)
        self.ended = threading.Event()
        self.listener = None
        self.reader.start()
        return self

    def _read(self, command):
        while not self.ended.wait(0.1):
            self.listener = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace")
            for line in self.listener.stdout:
                topic, _, payload = line.rstrip("\n").partition("\t")
                self.messages.append((topic, payload))
            self.listener.wait()

    def payloads(self, topic):
        return [payload for t, payload in list(self.messages) if t == topic]

    def __exit__(self, *_):
        self.ended.set()
        if self.listener:
            self.listener.kill()
        self.reader.join(5)
        self.broker.kill()
        self.broker.wait(10)
