// SPDX-License-Identifier: LGPL-2.1-or-later
// What the page knows of the cameras: kept by the live connection, asked for once at the start. "cameras" is dispatched when one
// comes or goes, "camera" (detail: Camera) when one changed.
import { live } from "./live.js";

class Store extends EventTarget {
  cameras = new Map();
  version = null; // Version, after the start

  get admin() {
    return this.version?.role === "admin";
  }

  /** Whether this visitor may keep events, and switch cameras. */
  get operator() {
    return this.admin || this.version?.role === "operator";
  }

  setAll(list) {
    const before = [...this.cameras.keys()].join();
    this.cameras = new Map(list.map((camera) => [camera.name, camera]));
    if (before !== [...this.cameras.keys()].join()) this.dispatchEvent(new Event("cameras"));
    for (const camera of list) this.#changed(camera);
  }

  set(camera) {
    const known = this.cameras.has(camera.name);
    this.cameras.set(camera.name, camera);
    if (!known) this.dispatchEvent(new Event("cameras"));
    this.#changed(camera);
  }

  drop(name) {
    if (this.cameras.delete(name)) this.dispatchEvent(new Event("cameras"));
  }

  #changed(camera) {
    this.dispatchEvent(new CustomEvent("camera", { detail: camera }));
  }
}

export const store = new Store();
/** What people call a camera. Its name stays that of addresses, files and topics. */
export const titleOf = (name) => store.cameras.get(name)?.title ?? name;
live.addEventListener("hello", ({ detail }) => store.setAll(detail.cameras));
live.addEventListener("camera", ({ detail }) => store.set(detail.camera));
live.addEventListener("removed", ({ detail }) => store.drop(detail.name));
