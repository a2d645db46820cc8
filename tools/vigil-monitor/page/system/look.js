// SPDX-License-Identifier: LGPL-2.1-or-later
// What a stream shows before it is a camera's: the server opens it for some seconds.
import { post } from "../app/api.js";
import { h, setText } from "../app/dom.js";
import { number, t } from "../app/text.js";

const codecs = { h264: "H.264", h265: "H.265", jpeg: "JPEG", raw: "RAW", opus: "Opus", aac: "AAC", pcma: "G.711", pcmu: "G.711" };
const short = (n) => number(n, { maximumFractionDigits: n < 10 ? 1 : 0 });

function keyWords(stream) {
  if (stream.codec === "jpeg" || stream.codec === "raw") return t("Each frame is a whole picture");
  if (stream.key_seconds) return t("A key frame every {n} s", { n: short(stream.key_seconds) });
  return t("No two key frames in {n} s", { n: short(stream.seconds) });
}

function figure(stream) {
  const title = stream.record && stream.detect ? t("Looked at and recorded") : stream.record ? t("Recorded") : t("Looked at");
  const facts = stream.codec && [[codecs[stream.codec] ?? stream.codec, stream.width && `${stream.width} × ${stream.height}`, stream.fps && t("{n} frames/s", { n: short(stream.fps) })].filter(Boolean).join(", "),
    keyWords(stream), stream.sound ? t("With sound ({codec})", { codec: codecs[stream.sound] ?? stream.sound }) : t("Without sound")];
  return h("figure", { class: "look" }, stream.picture && h("img", { src: `data:image/jpeg;base64,${stream.picture}`, alt: t("Picture of this stream") }),
    h("figcaption", {}, h("strong", {}, title), facts && h("ul", {}, facts.map((fact) => h("li", {}, fact))),
      stream.why && h("p", { class: "look-fault" }, t("This stream cannot be used: {why}", { why: stream.why })), stream.warnings.map((words) => h("p", { class: "hint" }, words))));
}

/** An element that shows the streams of `body`, a request's, and a function that looks again. */
export function look(body) {
  const state = h("p", { class: "hint", role: "status" });
  const streams = h("div", { class: "looks" });
  let asked = 0, busy = false;
  const again = async () => {
    asked++;
    if (busy) return; // what is asked for meanwhile comes after
    busy = true;
    for (let mine = 0; mine !== asked;) {
      mine = asked;
      setText(state, t("The stream is opened…"));
      let shown = [];
      try {
        shown = (await post("api/streams/look", body())).streams.map(figure);
      } catch (error) {
        shown = [h("p", { class: "look-fault" }, error.message)];
      }
      if (mine === asked) streams.replaceChildren(...shown);
    }
    setText(state, "");
    busy = false;
  };
  return { element: h("div", {}, state, streams), again };
}
