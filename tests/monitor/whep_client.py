# SPDX-License-Identifier: LGPL-2.1-or-later
"""A viewer of WebRTC by aiortc, which knows nothing of GStreamer, and what its pictures and sound say about time."""
import asyncio
import contextlib
import re
import time

try:
    import aioice.ice
    import aiortc
    import numpy
    MISSING = None
    # aioice leaves loopback out, and a test's network may have no other address.
    _others = aioice.ice.get_host_addresses
    aioice.ice.get_host_addresses = lambda *a, **k: _others(*a, **k) or ["127.0.0.1"]
except ImportError as error:
    aiortc = numpy = None
    MISSING = f"no aiortc for this python3 ({error}); python3 -m pip install aiortc numpy"

BITS, BEEP = 24, 0.1


def clock_of(grey, near):
    """When the picture was drawn, by its bars: UTC seconds."""
    row = grey[grey.shape[0] // 20]
    bits = [int(row[int((i + 0.5) * len(row) / BITS)]) > 125 for i in range(BITS)]
    shown = sum(1 << (BITS - 1 - i) for i, bit in enumerate(bits) if bit) / 1000
    whole = (1 << BITS) / 1000
    return shown + round((near - shown) / whole) * whole


class Viewer:
    def __init__(self, ask, camera, stream="record", sound=True, headers=None, uncovered=False):
        """`ask(method, path, body, headers)` gives (status, body, headers)."""
        self.ask, self.camera, self.headers = ask, camera, headers or {}
        self.query = f"stream={stream}" + ("&uncovered=1" if uncovered else "")
        self.pc = aiortc.RTCPeerConnection()
        self.pictures = []  # (arrived, drawn, pts, white), UTC seconds
        self.sounds = []  # (arrived, pts, loud)
        self.sound, self.closed, self.location, self.tasks = sound, False, None, []
        self.size = None

    async def begin(self):
        self.pc.addTransceiver("video", direction="recvonly")
        if self.sound:
            self.pc.addTransceiver("audio", direction="recvonly")
        self.pc.on("track", self._track)
        await self.pc.setLocalDescription(await self.pc.createOffer())
        self.clicked = time.time()
        status, body, headers = await asyncio.to_thread(self.ask, "POST", f"/api/cameras/{self.camera}/whep?{self.query}", self.pc.localDescription.sdp,
                                                        {"Content-Type": "application/sdp", **self.headers})
        if status != 201:
            await self.pc.close()
            return status, body
        self.location, self.answer = headers["Location"], body.decode()
        self.answered = time.time()
        await self.pc.setRemoteDescription(aiortc.RTCSessionDescription(sdp=self.answer, type="answer"))
        return status, self.answer

    def _track(self, track):
        self.tasks.append(asyncio.ensure_future(self._read(track)))

    async def _read(self, track):
        while True:
            try:
                frame = await track.recv()
            except aiortc.mediastreams.MediaStreamError:
                self.closed = True
                return
            now, shown = time.time(), frame.pts * float(frame.time_base)
            if track.kind == "video":
                grey = frame.reformat(format="gray8").to_ndarray()
                self.size = (grey.shape[1], grey.shape[0])
                self.pictures.append((now, clock_of(grey, now), shown, int(grey[grey.shape[0] * 3 // 4, grey.shape[1] // 2]) > 125))
            else:
                samples = frame.to_ndarray().reshape(-1)[::2 if len(frame.layout.channels) == 2 else 1].astype(float)
                rate = frame.sample_rate
                for i in range(0, len(samples) - rate // 200 + 1, rate // 200):
                    self.sounds.append((now, shown + i / rate, float(numpy.abs(samples[i:i + rate // 200]).mean()) > 1500))

    async def until(self, what, condition, seconds=40):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise AssertionError(f"{what}: not within {seconds} s; {len(self.pictures)} pictures, {len(self.sounds)} pieces of sound, {self.pc.connectionState}")
            await asyncio.sleep(0.05)

    async def end(self, say=True):
        if say and self.location:
            await asyncio.to_thread(self.ask, "DELETE", f"/api/cameras/{self.camera}/{self.location}", None, self.headers)
        for t in self.tasks:
            t.cancel()
        await self.pc.close()

    def late(self):
        return [arrived - drawn for arrived, drawn, _, _ in self.pictures]


class Counter(Viewer):
    """Takes part without decoding: it decrypts each packet, counts pictures and what is missing, and says that it is there."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, sound=False, **kwargs)
        self.seen = self.missing = 0  # pictures; packets
        self.take = lambda payload: None  # what each packet holds
        self.payload = self.next = None

    async def begin(self):
        said = await super().begin()
        if said[0] == 201:
            self.payload = next(int(payloads[0]) for kind, _, payloads, _ in media_of(said[1]) if kind == "video")
            transport = self.pc.getTransceivers()[0].receiver.transport
            transport._handle_rtp_data = self._packet  # aiortc's own way would cost several times what the program costs
            self.tasks.append(asyncio.ensure_future(self._report(transport)))
        return said

    async def _packet(self, data, arrival_time_ms=0):
        if data[1] & 0x7F != self.payload:
            return
        number = int.from_bytes(data[2:4], "big")
        if self.next is not None:
            self.missing += (number - self.next) % 65536 if (number - self.next) % 65536 < 32768 else -1  # one that was late is not missing
        if self.next is None or (number - self.next) % 65536 < 32768:
            self.next = (number + 1) % 65536
        self.seen += data[1] >> 7
        extended = 4 + 4 * int.from_bytes(data[14 + 4 * (data[0] & 15):16 + 4 * (data[0] & 15)], "big") if data[0] & 16 else 0
        self.take(data[12 + 4 * (data[0] & 15) + extended:])

    async def _report(self, transport):
        while True:
            await asyncio.sleep(2)
            with contextlib.suppress(ConnectionError):
                await transport._send_rtp(bytes(aiortc.rtp.RtcpRrPacket(ssrc=1, reports=[])))


def media_of(answer):
    """The answer's lines m=, as (kind, port, payloads, codec of the first)."""
    out = []
    for part in re.split(r"(?m)^(?=m=)", answer)[1:]:
        kind, port, _, *payloads = part.splitlines()[0][2:].split()
        codec = re.search(rf"a=rtpmap:{payloads[0]} ([^/\r\n]+)", part)
        out.append((kind, int(port), payloads, codec[1] if codec else None))
    return out
