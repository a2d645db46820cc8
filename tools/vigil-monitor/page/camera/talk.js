// SPDX-License-Identifier: LGPL-2.1-or-later
// Speaks to a camera while a button or key is held. The connection stays for some seconds after that, so that the next word is heard at once.
import { cameraPath } from "../app/api.js";
import { h, icon, iconButton, setText } from "../app/dom.js";
import { failure, notice } from "../app/notice.js";
import { store } from "../app/store.js";
import { t } from "../app/text.js";
import { connect } from "../app/webrtc.js";

const key = "w";
const stays = 8000; // ms after the last word

export class Talk {
  #name;
  #onspeak;
  #held = new Set();
  #session = null; // {track, stop, end, connected, seen}
  #ends = 0; // the timer
  #last = Promise.resolve(); // when the session before has ended

  /** `onspeak(speaks)`: the microphone is open, or no longer. */
  constructor(name, signal, onspeak) {
    this.#name = name;
    this.#onspeak = onspeak;
    const hold = (what) => (e) => { e.preventDefault(); this.#hold(what); };
    const release = (what) => () => this.#release(what);
    this.button = iconButton("microphone", t("Hold to speak"), () => {}, { keys: key, hidden: true, class: "button icon-only talk-button", "aria-pressed": "false",
      onpointerdown: (e) => {
        if (e.button !== 0) return;
        this.button.setPointerCapture(e.pointerId);
        this.#hold("pointer");
      },
      onpointerup: release("pointer"), onpointercancel: release("pointer"), onlostpointercapture: release("pointer"), oncontextmenu: (e) => e.preventDefault(),
      onkeydown: (e) => { if (e.key === " " || e.key === "Enter") hold("button")(e); }, onkeyup: release("button"), onblur: release("button") });
    this.word = h("span", {});
    this.element = h("div", { class: "talk-word", role: "status", hidden: true }, icon("microphone"), this.word);
    addEventListener("keyup", (e) => this.#release(e.code), { signal });
    addEventListener("blur", () => this.#releaseAll(), { signal });
    document.addEventListener("visibilitychange", () => { if (document.hidden) this.#releaseAll(); }, { signal });
    addEventListener("pagehide", () => this.#end(), { signal });
    signal.addEventListener("abort", () => this.#end());
  }

  tell(camera) {
    this.button.hidden = !(store.operator && camera.talk);
    this.button.disabled = camera.state !== "online";
    if (this.#session) {
      if (camera.spoken_to) this.#session.seen = true;
      else if (this.#session.seen) {
        this.#end();
        notice(t("The connection to speak to the camera has ended"), { bad: true });
      }
    }
    if (this.button.hidden || this.button.disabled) this.#end();
    this.#busy = camera.spoken_to;
    this.#show();
  }
  #busy = false; // somebody speaks

  get keys() {
    return [{ keys: [key], words: t("speak to the camera, while it is held"), when: () => !this.button.hidden && !this.button.disabled, run: (e) => e.repeat || this.#hold(e.code) }];
  }

  #hold(what) {
    if (this.button.hidden || this.button.disabled || this.#held.has(what)) return;
    if (!navigator.mediaDevices?.getUserMedia) {
      notice(t("Browsers give the microphone only to pages by HTTPS, or of this machine (localhost). Open this page by HTTPS to speak."), { bad: true, stay: 10000 });
      return;
    }
    this.#held.add(what);
    this.#follow();
  }

  #release(what) {
    if (this.#held.delete(what)) this.#follow();
  }

  #releaseAll() {
    if (!this.#held.size) return;
    this.#held.clear();
    this.#follow();
  }

  get #speaks() { return this.#held.size > 0; }

  #follow() {
    clearTimeout(this.#ends);
    if (this.#speaks && !this.#session) this.#begin().catch(failure);
    if (this.#session?.track) this.#session.track.enabled = this.#speaks;
    if (!this.#speaks && this.#session) this.#ends = setTimeout(() => this.#end(), stays);
    this.#onspeak(this.#speaks);
    this.#show();
  }

  async #begin() {
    const stop = new AbortController();
    const session = { track: null, stop, end: null, connected: false, seen: false };
    this.#session = session;
    try {
      await this.#last;
      const microphone = await navigator.mediaDevices.getUserMedia({ audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true } });
      [session.track] = microphone.getAudioTracks();
      session.track.enabled = this.#speaks;
      stop.signal.addEventListener("abort", () => session.track.stop());
      if (stop.signal.aborted) session.track.stop();
      stop.signal.throwIfAborted();
      const connection = new RTCPeerConnection();
      const sender = connection.addTransceiver(session.track, { direction: "sendonly" });
      const g711 = RTCRtpSender.getCapabilities("audio").codecs.filter(({ mimeType }) => /\/pcm[ua]$/i.test(mimeType)); // what cameras take
      if (g711.length) sender.setCodecPreferences?.(g711);
      connection.addEventListener("connectionstatechange", () => {
        session.connected = connection.connectionState === "connected";
        if (connection.connectionState === "failed" && this.#session === session) {
          this.#end();
          notice(t("The connection to speak to the camera has ended"), { bad: true });
        }
        this.#show();
      });
      session.end = await connect(connection, cameraPath(this.#name, "talk")); // whole: nobody else can speak before its end
      if (stop.signal.aborted) session.end();
    } catch (error) {
      if (this.#session === session) this.#end();
      else session.track?.stop();
      if (error.name === "NotAllowedError") throw new Error(t("This browser does not let the page use the microphone"));
      if (error.name === "NotFoundError") throw new Error(t("This device has no microphone"));
      throw error;
    }
  }

  #end() {
    clearTimeout(this.#ends);
    const speaks = this.#speaks;
    this.#held.clear();
    const session = this.#session;
    this.#session = null;
    if (session) {
      session.stop.abort();
      this.#last = session.end?.() ?? Promise.resolve();
    }
    if (speaks) this.#onspeak(false);
    this.#show();
  }

  #show() {
    const own = this.#session !== null, open = own && this.#speaks && this.#session.connected;
    this.button.setAttribute("aria-pressed", String(this.#speaks));
    this.button.classList.toggle("speaks", open);
    this.element.classList.toggle("speaks", open);
    this.element.hidden = !(own && this.#speaks) && !(this.#busy && !own);
    setText(this.word, own ? (open ? t("Speak now") : t("Connecting to speak…")) : t("Somebody speaks to this camera"));
  }
}
