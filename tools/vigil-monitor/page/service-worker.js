// SPDX-License-Identifier: LGPL-2.1-or-later
// The service worker: shows offline.html while the server is away, and messages that the server sends by push. It keeps only
// the files of offline.html. Pictures, the API and the page itself always come from the server.
importScripts("events/labels.js");
const version = "@PAGE_VERSION@"; // embed_files.py puts in the program's version and a hash of all files
const scope = new URL(self.registration.scope);
const ours = `vigil ${scope.pathname} `; // caches of another prefix of this address are not ours
const cacheName = ours + version;
const shell = ["offline.html", "app/offline.js", "app/first-paint.js", "app/dom.js", "app/text.js", "app/time.js", "style/tokens.css", "style/base.css",
  "style/offline.css", "favicon.svg", "icons.svg"].map((path) => new URL(path, scope).href);
const languages = ["de", "fr", "es", "it"];
shell.push(...languages.map((name) => new URL(`texts/${name}.json`, scope).href));
const away = [502, 503, 504]; // a proxy's answers while the server is not there

self.addEventListener("install", (event) => {
  const fill = async () => (await caches.open(cacheName)).addAll(shell.map((address) => new Request(address, { cache: "reload" })));
  event.waitUntil(fill().then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const clean = async () => {
    for (const name of await caches.keys()) if (name.startsWith(ours) && name !== cacheName) await caches.delete(name);
    await self.clients.claim();
  };
  event.waitUntil(clean());
});

const kept = async (address) => (await caches.open(cacheName)).match(address);

/** The place; while the server is away, offline.html. */
async function visit(request, place) {
  try {
    const answer = await fetch(request);
    if (!away.includes(answer.status)) return answer;
  } catch {
    // below
  }
  // Its files are named relative to the root of the page.
  return place === "" ? await kept(new URL("offline.html", scope).href) ?? Response.error() : Response.redirect(scope.href);
}

async function file(request) {
  try {
    const answer = await fetch(request);
    if (answer.ok || answer.status === 304) return answer;
  } catch {
    // below
  }
  return await kept(request.url) ?? Response.error();
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const address = new URL(request.url);
  if (request.method !== "GET" || address.origin !== scope.origin || !address.pathname.startsWith(scope.pathname)) return;
  const place = address.pathname.slice(scope.pathname.length);
  if (request.mode === "navigate") {
    if (!/^(api\/|metrics$|healthz$)/.test(place)) event.respondWith(visit(request, place === "index.html" ? "" : place));
  } else if (shell.includes(address.origin + address.pathname)) {
    event.respondWith(file(request));
  }
});

// Messages. The server sends facts; their words are made here, in the language of the page.
async function translator(language) {
  let texts = {};
  if (languages.includes(language)) {
    const answer = await kept(new URL(`texts/${language}.json`, scope).href);
    if (answer) texts = await answer.json();
  }
  return (text, values = {}) => (texts[text] ?? text).replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}

/** The event's picture as a data: address; undefined where it cannot be had, as from outside of the house. */
async function pictureOf(id) {
  try {
    const answer = await fetch(new URL(`api/events/${encodeURIComponent(id)}/thumbnail.jpg`, scope), { credentials: "same-origin", signal: AbortSignal.timeout(4000) });
    if (!answer.ok) return undefined;
    const bytes = new Uint8Array(await answer.arrayBuffer());
    let text = "";
    for (let at = 0; at < bytes.length; at += 4096) text += String.fromCharCode(...bytes.subarray(at, at + 4096));
    return `data:image/jpeg;base64,${btoa(text)}`;
  } catch {
    return undefined;
  }
}

async function show(message) {
  const language = message.language || self.navigator.language.split("-")[0];
  const t = await translator(language);
  const usual = { icon: new URL("icons/icon-192.png", scope).href, badge: new URL("icons/badge-96.png", scope).href, lang: language };
  if (message.kind !== "events" || !message.events?.length) {
    return self.registration.showNotification(t("A test of Vigil"), { ...usual, body: t("Messages of this server arrive on this device."), tag: "test", data: { place: "#/system" } });
  }
  const { events, count } = message;
  const clock = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
  const label = (event) => (globalThis.labelTexts[event.label] ? t(globalThis.labelTexts[event.label]) : event.label);
  const cameras = message.cameras.join(", ");
  const title = count === 1 ? t("{label} at {camera}", { label: label(events[0]), camera: cameras }) : t("{n} events: {cameras}", { n: count, cameras });
  const lines = events.map((event) => [clock.format(event.time * 1000), count > 1 && label(event), message.cameras.length > 1 && event.camera].filter(Boolean).join(" "));
  if (count > events.length) lines.push(t("and {n} more", { n: count - events.length }));
  return self.registration.showNotification(title, { ...usual, body: lines.join("\n"), image: await pictureOf(events[0].id), timestamp: events[0].time * 1000,
    tag: `events of ${cameras}`, renotify: true, data: { place: count === 1 ? `#/events?id=${encodeURIComponent(events[0].id)}` : "#/review" } });
}

self.addEventListener("push", (event) => {
  let message = {};
  try {
    message = event.data?.json() ?? {};
  } catch {
    // It is shown as a message without events: browsers require that each message is shown.
  }
  event.waitUntil(show(message));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const { place = "#/events" } = event.notification.data ?? {};
  const open = async () => {
    const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
    const page = pages.find((client) => client.url.startsWith(scope.href));
    if (!page) return self.clients.openWindow(scope.href + place);
    page.postMessage({ place });
    return page.focus();
  };
  event.waitUntil(open());
});
