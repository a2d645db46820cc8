// SPDX-License-Identifier: LGPL-2.1-or-later
// All cameras at once, as large as the window allows.
import { h } from "../app/dom.js";
import { addKeys } from "../app/keyboard.js";
import { live } from "../app/live.js";
import { noCamera } from "../app/nocamera.js";
import { notice } from "../app/notice.js";
import { store } from "../app/store.js";
import { t } from "../app/text.js";
import { latest } from "./latest.js";
import { columnsFor } from "./layout.js";
import { Tile } from "./tile.js";

const gap = 6;
const sideWidth = 284; // of the newest events, at the right or below; wall.css has the same
const sideHeight = 128;
const mostVideos = 25; // of the 32 views that the server gives one address
const apart = 200; // ms between two that begin: the server begins eight at once

export function wall(root, to, signal) {
  let tiles = new Map();
  let columns = 1;
  const grid = h("div", { class: "wall-grid" });
  const side = latest(signal);
  const frame = h("div", { class: "wall" }, grid, side.element);
  root.append(h("h1", { class: "unseen" }, t("Wall")), frame);
  const sideShown = () => localStorage.getItem("latest") !== "off";
  const showSide = (shown) => { side.element.hidden = !shown; arrange(); };
  side.element.hidden = !sideShown();

  const arrange = () => {
    if (!tiles.size) return;
    const { clientWidth, clientHeight } = frame;
    const [width, height] = [clientWidth - 2 * gap, clientHeight - 2 * gap];
    const narrow = clientWidth < 640;
    // The newest events lie at the right of the tiles or below them, wherever they leave the tiles larger.
    const right = columnsFor(tiles.size, width - sideWidth - gap, height, gap);
    const below = columnsFor(tiles.size, width, height - sideHeight - gap, gap);
    const sideways = right.tile > below.tile;
    const layout = narrow || side.element.hidden ? columnsFor(tiles.size, width, height, gap) : sideways ? right : below;
    columns = narrow ? 1 : layout.columns;
    frame.dataset.newest = narrow || side.element.hidden ? "none" : sideways ? "right" : "below";
    grid.style.setProperty("--columns", columns);
    grid.classList.toggle("fits", layout.fits && !narrow);
    const tile = Math.floor(narrow ? grid.clientWidth : layout.tile);
    grid.style.setProperty("--tile", `${tile}px`);
    grid.style.setProperty("--row", `${Math.floor((tile * 9) / 16)}px`);
  };
  const fill = () => {
    const before = tiles;
    tiles = new Map([...store.cameras.values()].map((camera) => [camera.name, before.get(camera.name) ?? new Tile(camera)]));
    if (tiles.size) grid.replaceChildren(...[...tiles.values()].map((tile) => tile.element));
    else grid.replaceChildren(noCamera());
    for (const [name, tile] of before) if (!tiles.has(name)) tile.stop();
    arrange();
    play();
  };
  // Live video of the small streams, or pictures: these need one connection for all cameras.
  const asVideo = () => localStorage.getItem("wall-video") === "on" && tiles.size <= mostVideos;
  const play = () => {
    const wanted = asVideo();
    let after = 0;
    for (const tile of tiles.values()) {
      if (wanted) tile.play(after, play);
      else tile.stop();
      after += apart;
    }
    const pictures = !wanted || [...tiles.values()].some((tile) => tile.failed);
    live.watch({ cameras: [...tiles.keys()], ...(pictures ? {} : { pictures: 0 }) });
  };
  const observer = new ResizeObserver(arrange);
  observer.observe(frame);
  const timer = setInterval(() => { tiles.forEach((tile) => tile.tick()); side.tick(); }, 1000);
  const stop = () => tiles.forEach((tile) => tile.stop());
  signal.addEventListener("abort", () => { observer.disconnect(); clearInterval(timer); stop(); });
  addEventListener("pagehide", stop, { signal });

  store.addEventListener("cameras", fill, { signal });
  store.addEventListener("camera", ({ detail }) => { if (tiles.get(detail.name)?.tell(detail) && asVideo()) play(); }, { signal });
  live.addEventListener("picture", ({ detail }) => tiles.get(detail.camera)?.show(detail), { signal });

  const move = (step) => {
    const links = [...tiles.values()].map((tile) => tile.link);
    const at = links.indexOf(document.activeElement);
    links[Math.max(0, Math.min(links.length - 1, at < 0 ? 0 : at + step()))]?.focus();
  };
  addKeys(t("Wall"), [
    { keys: ["ArrowLeft"], words: t("camera to the left"), run: () => move(() => -1) },
    { keys: ["ArrowRight"], words: t("camera to the right"), run: () => move(() => 1) },
    { keys: ["ArrowUp"], words: t("camera above"), run: () => move(() => -columns) },
    { keys: ["ArrowDown"], words: t("camera below"), run: () => move(() => columns) },
    { keys: ["l"], words: t("show or hide the newest events"), run: () => {
      localStorage.setItem("latest", sideShown() ? "off" : "on");
      showSide(sideShown());
    } },
    { keys: ["v"], words: t("live video of the small streams, or pictures"), run: () => {
      localStorage.setItem("wall-video", localStorage.getItem("wall-video") === "on" ? "off" : "on");
      if (asVideo() || localStorage.getItem("wall-video") === "off") play();
      else notice(t("Live video is for walls of at most {n} cameras", { n: mostVideos }));
    } },
    { keys: ["f"], words: t("full screen"), run: () => (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen()) },
  ], signal);
  fill();
}
