// SPDX-License-Identifier: LGPL-2.1-or-later
// A camera's own stream in a <video>: by WebRTC, or else by Media Source Extensions. Which one is chosen here, by what works. Where neither
// does, `onway` says so, and JPEG pictures take the video's place.
import { cameraPath, query } from "./api.js";
import { h } from "./dom.js";
import { t } from "./text.js";
import { connect, Refused } from "./webrtc.js";

const firstWithin = 8000; // ms: a picture, from the click on
const stalledAfter = 6000; // ms without a new picture
const again = 1000; // ms until the next try
const laterAfter = 5000; // ms until what the server refuses for now is asked for again
const goodFor = 20000; // ms: what worked so long is tried again when it breaks off
const behind = 1.2; // seconds behind the newest picture, of MP4
const kept = 20; // seconds of MP4 behind what is shown

class No extends Error {} // a way that does not work; the message says why

/** WHEP. Resolves with how to end it once the server has answered. */
async function byWebRtc(video, { name, stream, signal, broken }) {
  if (!("RTCPeerConnection" in window)) throw new No(t("this browser has no WebRTC"));
  const connection = new RTCPeerConnection();
  const media = new MediaStream();
  connection.addEventListener("track", ({ track, receiver }) => {
    if ("jitterBufferTarget" in receiver) receiver.jitterBufferTarget = 0;
    else if ("playoutDelayHint" in receiver) receiver.playoutDelayHint = 0;
    media.addTrack(track);
  });
  connection.addTransceiver("video", { direction: "recvonly" });
  connection.addTransceiver("audio", { direction: "recvonly" });
  const end = await connect(connection, `${cameraPath(name, "whep")}${query({ stream })}`, signal);
  video.srcObject = media;
  connection.addEventListener("connectionstatechange", () => {
    if (connection.connectionState === "failed" || connection.connectionState === "closed") broken(t("the connection broke off"));
  });
  const sound = connection.getTransceivers().some((t) => t.receiver.track.kind === "audio" && (t.currentDirection ?? "inactive") !== "inactive");
  return { end, sound };
}

/** Fragmented MP4 into a source buffer. */
async function byMp4(video, { name, stream, signal, sound, broken }) {
  const Source = window.ManagedMediaSource ?? window.MediaSource;
  if (!Source) throw new No(t("this browser has no Media Source Extensions"));
  const stop = new AbortController();
  const either = AbortSignal.any ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  const response = await fetch(`${cameraPath(name, "live.mp4")}${query({ stream, sound: sound ? 1 : undefined })}`, { signal: either, cache: "no-store" });
  if (!response.ok) throw await Refused.by(response);
  const type = response.headers.get("Content-Type");
  const end = () => { stop.abort(); if (video.src) URL.revokeObjectURL(video.src); };
  if (!Source.isTypeSupported(type)) {
    end();
    throw new No(t("this browser does not play {type}", { type }));
  }
  const source = new Source();
  video.disableRemotePlayback = true; // ManagedMediaSource needs that
  video.srcObject = null;
  video.src = URL.createObjectURL(source);
  await new Promise((resolve) => source.addEventListener("sourceopen", resolve, { once: true }));
  const buffer = source.addSourceBuffer(type);
  const done = () => new Promise((resolve, reject) => {
    buffer.addEventListener("updateend", resolve, { once: true });
    buffer.addEventListener("error", () => reject(new No(t("the browser cannot read the stream"))), { once: true });
  });
  const read = async () => {
    const reader = response.body.getReader();
    for (;;) {
      const { done: over, value } = await reader.read();
      if (over) return broken(t("the stream ended"));
      let wait = done();
      buffer.appendBuffer(value);
      await wait;
      if (!buffer.buffered.length) continue;
      const newest = buffer.buffered.end(buffer.buffered.length - 1);
      if (newest - video.currentTime > behind) video.currentTime = newest - 0.2;
      if (buffer.buffered.start(0) < video.currentTime - 2 * kept) {
        wait = done();
        buffer.remove(0, video.currentTime - kept);
        await wait;
      }
    }
  };
  read().catch((error) => { if (!either.aborted) broken(error.message); });
  return { end, sound };
}

const ways = { webrtc: ["WebRTC", byWebRtc], mse: ["MP4", byMp4] };

export class LiveVideo {
  #name;
  #stream;
  #onway;
  #soundInMp4;
  #onseen;
  #run = null;
  #listen = false;
  hasSound = false; // what plays has sound, heard or not

  /** `onway({ way, words, why, sound, later })` when a way works, or none does (way: "jpeg"); `why` has what failed before. `later`: the server
   * may show the camera after a while, and it is asked again until stop(). `onseen()` with the first picture of each try. */
  constructor(name, { stream = "record", label, soundInMp4 = () => false, onway = () => {}, onseen = () => {} }) {
    this.#name = name;
    this.#stream = stream;
    this.#onway = onway;
    this.#soundInMp4 = soundInMp4;
    this.#onseen = onseen;
    this.element = h("video", { class: "picture", "aria-label": label, playsinline: true });
    this.element.muted = true;
    this.element.autoplay = true;
  }

  /** Shows the camera, by the best way from this one on. `why`: why not by a better one. */
  start(first = "webrtc", why = "") {
    this.stop();
    this.#run = new AbortController();
    this.#follow(this.#run, Object.keys(ways).indexOf(first), why ? [why] : []);
  }

  stop() {
    this.#run?.abort();
    this.#run = null;
    this.element.srcObject = null;
    this.element.removeAttribute("src");
    this.element.load();
  }

  /** Sound is heard on request. */
  listen(wanted) {
    this.#listen = wanted;
    this.element.muted = !wanted;
    if (wanted) this.element.play().catch(() => {});
  }

  get listening() {
    return this.#listen;
  }

  async #follow(run, first, why) {
    while (await this.#tryWays(run, first, [...why])) await new Promise((resolve) => setTimeout(resolve, laterAfter));
  }

  /** Resolves when no way works any more: true if it is worth trying again later. */
  async #tryWays(run, first, why) {
    let later = false;
    const keys = Object.keys(ways);
    for (let i = Math.max(0, first); i < keys.length && !run.signal.aborted;) {
      const [words, way] = ways[keys[i]];
      const began = Date.now();
      let reason = null;
      try {
        reason = await this.#show(run, way, (sound) => {
          this.hasSound = sound;
          this.#onway({ way: keys[i], words, why, sound });
        });
      } catch (error) {
        if (run.signal.aborted) return false;
        reason = error.message;
        later ||= Boolean(error.later);
      }
      if (run.signal.aborted) return false;
      if (Date.now() - began < goodFor) {
        why.push(`${words}: ${reason}`);
        i++;
      } else {
        await new Promise((resolve) => setTimeout(resolve, again));
      }
    }
    if (run.signal.aborted) return false;
    this.#onway({ way: "jpeg", words: "JPEG", why, sound: false, later });
    return later;
  }

  /** One try. Resolves with the reason when it breaks off. */
  async #show(run, way, works) {
    const { element } = this;
    let watch = 0;
    let over;
    const ended = new Promise((resolve) => { over = resolve; });
    const stop = () => over("");
    run.signal.addEventListener("abort", stop, { once: true });
    let shown = null;
    try {
      shown = await way(element, { name: this.#name, stream: this.#stream, signal: run.signal, sound: this.#listen && this.#soundInMp4(), broken: over });
      element.muted = !this.#listen;
      element.play().catch(() => {});
      let last = Date.now();
      let seen = false;
      const picture = () => {
        last = Date.now();
        if (!seen) {
          seen = true;
          this.#onseen();
          works(shown.sound);
        }
        if (!run.signal.aborted) element.requestVideoFrameCallback?.(picture);
      };
      if (element.requestVideoFrameCallback) element.requestVideoFrameCallback(picture);
      else element.addEventListener("timeupdate", picture, { signal: run.signal });
      watch = setInterval(() => {
        if (document.hidden) last = Date.now(); // a page that nobody sees draws nothing
        if (!seen && Date.now() - last > firstWithin) over(t("no picture came within {n} seconds", { n: firstWithin / 1000 }));
        if (seen && Date.now() - last > stalledAfter) over(t("the pictures stopped"));
      }, 500);
      return await ended;
    } finally {
      clearInterval(watch);
      run.signal.removeEventListener("abort", stop);
      shown?.end();
    }
  }
}
