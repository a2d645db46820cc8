// SPDX-License-Identifier: LGPL-2.1-or-later
// An offer of WebRTC to the server, its answer, and a DELETE at the end: WHEP to watch, and in the same way to speak.
import { signIn } from "./api.js";
import { t } from "./text.js";

/** The server's answer to a request that it did not grant. `later`: the same request may succeed after a while. */
export class Refused extends Error {
  static async by(response) {
    if (response.status === 401) signIn.dispatchEvent(new Event("needed"));
    const words = await response.json().then(({ error }) => error, () => null);
    const refused = new Refused(words ?? t("The server answered {status}", { status: response.status }));
    refused.later = response.status === 429 || response.status === 503;
    return refused;
  }
}

/** Resolves with how to end it once the server has answered; that, too, resolves at the end. The offer does not wait for the browser's addresses: it speaks first, and the server
 * answers to where it hears it. Only a TURN server needs them, and gets them later. */
export async function connect(connection, path, signal = null) {
  let place = null;
  const end = () => {
    connection.close();
    const ended = place && fetch(place, { method: "DELETE", keepalive: true }).catch(() => {});
    place = null;
    return ended;
  };
  try {
    const addresses = [];
    const tellAddresses = () => {
      if (!place || !addresses.length || connection.iceGatheringState !== "complete") return;
      fetch(place, { method: "PATCH", body: addresses.splice(0).join(""), headers: { "Content-Type": "application/trickle-ice-sdpfrag" } }).catch(() => {});
    };
    connection.addEventListener("icecandidate", ({ candidate }) => {
      if (candidate?.candidate && candidate.address && !candidate.address.endsWith(".local")) addresses.push(`a=${candidate.candidate}\r\n`);
      if (!candidate) tellAddresses();
    });
    await connection.setLocalDescription(await connection.createOffer());
    const response = await fetch(path, { method: "POST", body: connection.localDescription.sdp, headers: { "Content-Type": "application/sdp" }, signal, cache: "no-store" });
    if (response.status !== 201) throw await Refused.by(response);
    place = new URL(response.headers.get("location"), response.url).href;
    const answer = await response.text();
    tellAddresses();
    signal?.throwIfAborted();
    await connection.setRemoteDescription({ type: "answer", sdp: answer });
    return end;
  } catch (error) {
    end();
    throw error;
  }
}
