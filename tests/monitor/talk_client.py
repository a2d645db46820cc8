# SPDX-License-Identifier: LGPL-2.1-or-later
"""Somebody who speaks by WebRTC: aiortc, with a tone. As a program: talk_client.py PORT CAMERA TOKEN HERTZ, which speaks until it is killed."""
import asyncio
import http.client
import pathlib
import sys
import time
from fractions import Fraction

import whep_client

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from vigiltest import answer_of  # pylint: disable=wrong-import-position

MISSING = whep_client.MISSING
if not MISSING:
    import aiortc
    import av
    import numpy

    class Tone(aiortc.mediastreams.MediaStreamTrack):
        kind = "audio"

        def __init__(self, hertz, rate=8000):
            super().__init__()
            self.hertz, self.rate, self.at, self.begun = hertz, rate, 0, None

        async def recv(self):
            self.begun = self.begun or time.monotonic()
            n = self.rate // 50
            await asyncio.sleep(max(0, self.begun + self.at / self.rate - time.monotonic()))
            wave = 10000 * numpy.sin(2 * numpy.pi * self.hertz * (self.at + numpy.arange(n)) / self.rate)
            frame = av.AudioFrame.from_ndarray(wave.astype(numpy.int16).reshape(1, -1), format="s16", layout="mono")
            frame.sample_rate, frame.pts, frame.time_base = self.rate, self.at, Fraction(1, self.rate)
            self.at += n
            return frame


class Speaker:
    def __init__(self, ask, camera, hertz, codecs=None, headers=None):
        """`ask(method, path, body, headers)` gives (status, body, headers). `codecs`: what is offered alone, as ["PCMA"]."""
        self.ask, self.camera, self.headers, self.location, self.answer = ask, camera, headers or {}, None, None
        self.pc = aiortc.RTCPeerConnection()
        transceiver = self.pc.addTransceiver(Tone(hertz), direction="sendonly")
        if codecs:
            transceiver.setCodecPreferences([c for c in aiortc.RTCRtpSender.getCapabilities("audio").codecs if c.name in codecs])

    async def begin(self):
        await self.pc.setLocalDescription(await self.pc.createOffer())
        status, body, headers = await asyncio.to_thread(self.ask, "POST", f"/api/cameras/{self.camera}/talk", self.pc.localDescription.sdp,
                                                        {"Content-Type": "application/sdp", **self.headers})
        if status != 201:
            await self.pc.close()
            return status, body.decode()
        self.location, self.answer = headers["Location"], body.decode()
        await self.pc.setRemoteDescription(aiortc.RTCSessionDescription(sdp=self.answer, type="answer"))
        return status, self.answer

    def lose(self, one_of):
        """From now on one packet of so many is lost on its way."""
        transport = self.pc.getTransceivers()[0].sender.transport
        send, seen = transport._send_rtp, [0]

        async def lossy(data):
            seen[0] += 1
            if seen[0] % one_of or not 0 <= data[1] & 0x7F < 64:  # RTCP passes
                await send(data)
        transport._send_rtp = lossy

    async def end(self, say=True):
        found = None
        if say and self.location:
            found = (await asyncio.to_thread(self.ask, "DELETE", f"/api/cameras/{self.camera}/{self.location}", None, self.headers))[0]
        await self.pc.close()
        return found


async def main(port, camera, token, hertz):
    def ask(*question, **more):
        return answer_of(http.client.HTTPConnection("127.0.0.1", int(port), timeout=30), *question, **more)
    print(*await Speaker(ask, camera, float(hertz), headers={"Authorization": f"Bearer {token}"}).begin(), flush=True)
    await asyncio.sleep(600)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
