// SPDX-License-Identifier: LGPL-2.1-or-later
// Requests to the server, as docs/api/openapi.json describes them. An answer that is no success becomes an Error with the
// server's own words; 401 also tells the page to show its login.
import { t } from "./text.js";
export class Refused extends Error {
  constructor(status, words) {
    super(words);
    this.status = status;
  }
}

export const signIn = new EventTarget(); // "needed" when a request was refused for want of a token

async function words(response) {
  try {
    return (await response.json()).error ?? t("The server answered {status}", { status: response.status });
  } catch {
    return t("The server answered {status}", { status: `${response.status} ${response.statusText}`.trim() });
  }
}

async function request(method, path, { body, signal, keepalive } = {}) {
  let response;
  try {
    response = await fetch(path, { method, signal, keepalive, cache: "no-store",
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body) });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(0, method === "GET" ? t("The server cannot be reached. The page tries again.") : t("The server cannot be reached. Try it again when it is back."));
  }
  if (!response.ok) {
    if (response.status === 401 && path !== "api/login" && path !== "api/password") signIn.dispatchEvent(new Event("needed"));
    throw new Refused(response.status, await words(response));
  }
  return response.json();
}

export const get = (path, signal) => request("GET", path, { signal });
export const put = (path, body) => request("PUT", path, { body });
export const patch = (path, body) => request("PATCH", path, { body });
export const post = (path, body = {}, keepalive = false) => request("POST", path, { body, keepalive });
export const remove = (path, keepalive = false) => request("DELETE", path, { keepalive });

/** Path of one camera: cameraPath("door", "zones", "steps"). */
export const cameraPath = (...parts) => `api/cameras/${parts.map(encodeURIComponent).join("/")}`;
export const eventPath = (id, ...parts) => `api/events/${[id, ...parts].map(encodeURIComponent).join("/")}`;

/** Query from an object; what is empty is left out. */
export function query(values) {
  const kept = Object.entries(values).filter(([, v]) => v !== undefined && v !== null && v !== "");
  return kept.length ? `?${new URLSearchParams(kept.map(([k, v]) => [k, String(v)]))}` : "";
}
