// SPDX-License-Identifier: LGPL-2.1-or-later
// The service worker: shows offline.html while the server is away, and messages that the server sends by push. It keeps only
// the files of offline.html. Pictures, the API and the page itself always come from the server.
const version = "@PAGE_VERSION@"; // embed_files.py puts in the program's version and a hash of all files
const scope = new URL(self.registration.scope);
const ours = `vigil ${scope.pathname} `; // caches of another prefix of this address are not ours
const cacheName = ours + version;
const shell = ["offline.html", "app/offline.js", "app/first-paint.js", "app/dom.js", "app/text.js", "app/time.js", "style/tokens.css", "style/base.css",
  "style/offline.css", "favicon.svg", "icons.svg"].map((path) => new URL(path, scope).href);
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
