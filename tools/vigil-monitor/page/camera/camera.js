// SPDX-License-Identifier: LGPL-2.1-or-later
// One camera: its live picture with what is drawn on it, what changed, its events, and next to it everything that can be set.
import { choice, emptyState, h, icon, iconButton, setText } from "../app/dom.js";
import { addKeys } from "../app/keyboard.js";
import { live } from "../app/live.js";
import { failure, notice } from "../app/notice.js";
import { Picture } from "../app/picture.js";
import { address, go } from "../app/router.js";
import { store, titleOf } from "../app/store.js";
import { t } from "../app/text.js";
import { fullTime, span, timeOfDay } from "../app/time.js";
import { LiveVideo } from "../app/video.js";
import { Areas } from "./areas.js";
import { areaList } from "./arealist.js";
import { controls } from "./controls.js";
import { Draw } from "./draw.js";
import { facts } from "./facts.js";
import { History } from "./history.js";
import { Ptz } from "./ptz.js";
import { Restless } from "./restless.js";
import { kinds, kindWord } from "./shapes.js";
import { stateTitle } from "./states.js";
import { strip } from "./strip.js";
import { Talk } from "./talk.js";
import { timeline } from "./timeline.js";
import { Trouble } from "./trouble.js";

const viewWords = { live: [t("Live"), t("the camera's own stream, with its sound")], plain: [t("Plain"), t("the picture as it is")], overlay: [t("Overlay"), t("what moves in red, shadows blue, boxes green")],
  mask: [t("Mask"), t("white: foreground, grey: shadow")], background: [t("Background"), t("what the model has learnt")], uncovered: [t("Uncovered"), t("without privacy; the audit log names each view")] };

export function camera(root, { names: [name], query }, signal) {
  if (!store.cameras.has(name)) {
    root.append(emptyState("camera", t("There is no camera “{name}”", { name: name ?? "" }), h("a", { href: "#/wall" }, t("Back to the wall"))));
    live.watch({ cameras: [] });
    return;
  }
  const editable = store.admin;
  const now = () => store.cameras.get(name);

  // The picture and what stands over it. The video begins before anything else is made, and its request goes before all others.
  const role = { view: "viewer" }[store.version?.role] ?? store.version?.role;
  const possible = () => ["live", ...now().views, ...(now().covered?.uncovered_for.includes(role) ? ["uncovered"] : [])];
  let view = query.get("view") ?? localStorage.getItem("view") ?? "live";
  if (!possible().includes(view)) view = "live";
  const age = h("span", { class: "hint number stage-age" });
  const reason = h("div", { class: "stage-reason", role: "status" });
  const picture = new Picture(t("Live picture of {camera}", { camera: titleOf(name) }), (record) => {
    stage.classList.add("seen");
    stage.classList.toggle("moving", record.motion);
  });
  // The camera's own stream; where neither WebRTC nor MP4 shows it, its pictures as JPEG.
  const isVideo = () => view === "live" || view === "uncovered";
  let tiles = !isVideo();
  const tileView = () => (view === "live" ? "plain" : view);
  const way = h("span", { class: "stage-way hint", role: "status" });
  const sound = iconButton("sound-off", t("Sound on"), () => listen(!video.listening), { keys: "s", hidden: true });
  const inMp4 = () => now().sound === "aac"; // browsers play no other kind in a live MP4
  const offersSound = () => { sound.hidden = way.dataset.way === "jpeg" || !((way.dataset.way === "webrtc" && video.hasSound) || inMp4()); };
  const video = new LiveVideo(name, { soundInMp4: inMp4, uncovered: () => view === "uncovered", label: t("Live video of {camera}", { camera: titleOf(name) }),
    onseen: () => {
      stage.classList.add("seen");
      showVideo(true);
    },
    onway: ({ way: by, words, why, sound: has }) => {
      const shows = now().state === "online"; // else the reason over the picture says enough
      setText(way, !shows ? "" : why.length ? `${words} (${why.join("; ")})` : words);
      way.title = way.textContent;
      way.dataset.way = by;
      offersSound();
      sound.disabled = !shows;
      if (tiles !== (by === "jpeg")) { // a camera that was refused for a while plays later
        tiles = by === "jpeg";
        showVideo(!tiles);
        watch();
      }
      if (video.listening && !has && by === "webrtc" && inMp4()) {
        video.start("mse", t("WebRTC: it has no sound of the kind {kind}", { kind: now().sound }));
      }
    } });
  const listen = (wanted) => {
    const before = way.dataset.way;
    video.listen(wanted);
    sound.replaceChildren(icon(wanted ? "sound" : "sound-off"));
    sound.title = `${wanted ? t("Sound off") : t("Sound on")} (s)`;
    sound.setAttribute("aria-label", wanted ? t("Sound off") : t("Sound on"));
    sound.setAttribute("aria-pressed", String(wanted));
    if (before === "mse") video.start("mse", way.textContent.replace(/^MP4 ?\(?|\)$/g, "")); // with sound in the stream, or without
    else if (wanted && before === "webrtc" && !video.hasSound) video.start("mse", t("WebRTC: it has no sound of the kind {kind}", { kind: now().sound }));
  };
  const showVideo = (shown) => stage.classList.toggle("plays", shown);
  const begin = () => {
    if (tiles || now().state !== "online") video.stop();
    else video.start();
  };
  begin();

  const history = new History();
  const areas = new Areas(now(), history);
  const draw = new Draw(areas, editable, signal);
  const list = areaList(areas, draw, editable, signal);
  const restless = editable ? new Restless(areas, history, signal) : null; // those who may mask are asked
  const set = controls(name, history, editable, signal);
  const about = facts(name, editable);
  const trouble = new Trouble();
  const ptz = new Ptz(name, signal);
  const talk = new Talk(name, signal, (speaks) => { video.element.muted = speaks || !video.listening; }); // nobody hears the own words come back
  const stage = h("div", { class: "stage" }, picture.canvas, video.element, restless?.layer ?? "", draw.element, ptz.layer, reason, trouble.element, ptz.bar, talk.element);
  const shape = ({ width, height }) => stage.style.setProperty("--ratio", width && height ? width / height : 16 / 9);
  const watch = () => live.watch(tiles ? { cameras: [name], view: tileView() } : { cameras: [name], pictures: 0 });
  const keepSoundsPlace = () => { // until the video plays, so that nothing moves then
    sound.hidden = tiles || !now().sound;
    sound.disabled = true;
  };
  const play = () => {
    tiles = !isVideo();
    setText(way, "");
    delete way.dataset.way;
    keepSoundsPlace();
    showVideo(false);
    begin();
    watch();
  };
  const choose = (next) => {
    if (!possible().includes(next)) return;
    view = next;
    if (next !== "uncovered") localStorage.setItem("view", next); // nobody comes to it unawares
    for (const input of views.querySelectorAll("input")) input.checked = input.value === next;
    play();
  };
  const views = choice(t("View"), Object.entries(viewWords).filter(([value]) => value !== "uncovered" || possible().includes(value)).map(([value, [words, hint]]) => ({ value, words, hint, disabled: !possible().includes(value) })), view, choose);

  // The head.
  const all = [...store.cameras.keys()];
  const neighbour = (step) => all[(all.indexOf(name) + step + all.length) % all.length];
  const take = (way) => history[way]().then((words) => words && notice(t(way === "undo" ? "Taken back: {what}" : "Done again: {what}", { what: words }), { stay: 2500 })).catch(failure);
  const undo = iconButton("undo", t("Undo"), () => take("undo"), { keys: "Control+z", disabled: true });
  const redo = iconButton("redo", t("Redo"), () => take("redo"), { keys: "Control+y", disabled: true });
  history.addEventListener("change", () => {
    undo.disabled = history.undoWords === null;
    redo.disabled = history.redoWords === null;
    undo.title = history.undoWords ? t("Undo {what} (Ctrl+Z)", { what: history.undoWords }) : t("Undo (Ctrl+Z)");
    redo.title = history.redoWords ? t("Redo {what} (Ctrl+Y)", { what: history.redoWords }) : t("Redo (Ctrl+Y)");
  });
  const shapesShown = h("input", { type: "checkbox", checked: true, onchange: () => draw.element.classList.toggle("unshown", !shapesShown.checked) });
  const heading = h("h1", {}, titleOf(name));
  const head = h("div", { class: "view-head" }, h("a", { class: "button icon-only quiet", href: "#/wall", "aria-label": t("Back to the wall"), title: t("Back to the wall (Esc)") }, icon("wall")),
    heading,
    all.length > 1 && h("span", { class: "neighbours" }, h("a", { class: "button icon-only quiet", href: address("camera", [neighbour(-1)]), "aria-label": t("Previous camera"), title: `${titleOf(neighbour(-1))} ([)` }, icon("back")),
      h("a", { class: "button icon-only quiet", href: address("camera", [neighbour(1)]), "aria-label": t("Next camera"), title: `${titleOf(neighbour(1))} (])` }, icon("next"))),
    h("span", { class: "grow" }), way, age,
    h("span", { class: "head-tools" }, ptz.button, talk.button, sound, h("label", { class: "tick" }, shapesShown, t("Areas")), editable && [undo, redo],
      iconButton("full", t("Full screen"), () => (document.fullscreenElement ? document.exitFullscreen() : stage.requestFullscreen()), { keys: "f" })), views);

  // What can be set, in three parts.
  const parts = { areas: [t("Areas"), list.element], controls: [t("Controls"), set.element], camera: [t("Camera"), about.element] };
  const panel = h("section", { class: "side panel", "aria-label": t("Settings") });
  const showPart = (key) => {
    localStorage.setItem("panel", key);
    for (const [other, [, element]] of Object.entries(parts)) element.hidden = other !== key;
    for (const input of tabs.querySelectorAll("input")) input.checked = input.value === key;
  };
  const remembered = localStorage.getItem("panel");
  const part = parts[remembered] ? remembered : "areas";
  const tabs = choice(t("Settings of"), Object.entries(parts).map(([value, [words]]) => ({ value, words })), part, showPart);
  panel.append(h("div", { class: "tabs" }, tabs, !editable && h("span", { class: "hint" }, t("Shown only: sign in as an administrator to change"))), ...Object.values(parts).map(([, element]) => element));
  showPart(part);

  const changes = strip(name, signal);
  root.append(head, h("div", { class: "camera-columns" }, h("div", { class: "camera-main" }, h("div", { class: "stage-room" }, stage), restless?.element, changes, timeline(name, signal)), panel));

  const tell = (camera) => {
    setText(heading, camera.title);
    about.tell(camera);
    changes.hidden = !camera.analysed;
    areas.tell(camera);
    restless?.tell(camera);
    if (camera.width && camera.width / camera.height !== shape.last) {
      shape.last = camera.width / camera.height;
      draw.resize(camera.width, camera.height);
      shape(camera);
    }
    if (!possible().includes(view)) choose("live"); // its roles are others now
    const back = stage.dataset.state && stage.dataset.state !== "online" && camera.state === "online";
    stage.dataset.state = camera.state;
    if (isVideo()) {
      stage.classList.toggle("moving", camera.motion);
      if (back) play(); // at once, and by the best way again
      else if (way.dataset.way) offersSound(); // which may be known only after the first picture
      if (camera.state !== "online") {
        setText(way, "");
        sound.disabled = true;
      }
    }
    trouble.tell(camera);
    ptz.tell(camera);
    talk.tell(camera);
    stage.classList.toggle("troubled", trouble.element.childElementCount > 0);
    reason.replaceChildren(...(camera.state === "online" ? [] : [icon("offline"), h("strong", {}, stateTitle(camera.state)),
      h("span", { title: fullTime(camera.since) }, t("since {time}", { time: timeOfDay(camera.since) })), camera.reason && h("span", {}, camera.reason)].filter(Boolean)));
  };
  shape(now());
  tell(now());
  store.addEventListener("camera", ({ detail }) => { if (detail.name === name) tell(detail); }, { signal });
  store.addEventListener("cameras", () => { if (!store.cameras.has(name)) { notice(t("Camera {name} is not configured any more", { name })); go("wall"); } }, { signal });
  live.addEventListener("picture", ({ detail }) => { if (tiles && detail.camera === name && detail.view === tileView()) picture.show(detail); }, { signal });
  const timer = setInterval(() => {
    trouble.tick();
    setText(age, tiles && picture.frames ? (picture.age() < 1 ? t("{n} ms", { n: Math.round(picture.age() * 1000) }) : span(picture.age())) : "");
  }, 1000);
  signal.addEventListener("abort", () => clearInterval(timer));
  let lost = false;
  live.addEventListener("state", () => {
    if (live.connected && lost && isVideo()) play();
    lost = !live.connected;
  }, { signal });
  age.title = t("From the capture of a frame to this page");
  signal.addEventListener("abort", () => video.stop());
  addEventListener("pagehide", () => video.stop(), { signal });

  addKeys(t("Camera {name}", { name: titleOf(name) }), [
    { keys: ["Escape"], words: t("stop drawing, or back to the wall"), run: () => ptz.steer(false) || draw.draftKey("Escape") || (areas.selected ? areas.select(null) : go("wall")) },
    ...ptz.keys,
    ...talk.keys,
    { keys: ["["], words: t("previous camera"), run: () => go("camera", [neighbour(-1)]) },
    { keys: ["]"], words: t("next camera"), run: () => go("camera", [neighbour(1)]) },
    { keys: ["v"], words: t("live video"), run: () => choose("live") },
    { keys: ["s"], words: t("sound on or off"), run: () => { if (!sound.hidden && !sound.disabled) listen(!video.listening); } },
    { keys: ["p"], words: t("plain picture"), run: () => choose("plain") },
    { keys: ["o"], words: t("overlay"), run: () => choose("overlay") },
    { keys: ["m"], words: t("mask"), run: () => choose("mask") },
    { keys: ["b"], words: t("background"), run: () => choose("background") },
    { keys: ["f"], words: t("full screen"), run: () => (document.fullscreenElement ? document.exitFullscreen() : stage.requestFullscreen()) },
    ...(editable ? [
      ...Object.entries(kinds).map(([kind, { key }]) => ({ keys: [key], words: t("draw a {kind}", { kind: kindWord(kind) }), run: () => { showPart("areas"); list.start(kind); } })),
      { keys: ["Enter"], words: t("close what is drawn"), run: () => draw.draftKey("Enter") },
      { keys: ["Backspace"], words: t("take back the last corner"), run: () => draw.draftKey("Backspace") },
      { keys: ["Control+z"], words: t("undo"), run: () => take("undo") },
      { keys: ["Control+y", "Control+Z"], words: t("redo"), run: () => take("redo") },
    ] : []),
    { keys: ["/"], words: t("find a property"), run: () => { showPart("controls"); set.focusSearch(); } },
  ], signal);
  keepSoundsPlace();
  watch();
}
