// SPDX-License-Identifier: LGPL-2.1-or-later
// Addresses after the '#': #/wall, #/camera/door, #/events?camera=door&id=... Each view is a function (root, place, signal)
// that fills `root`; `signal` aborts when the view is left.
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a '%' that somebody typed
  }
}

export function place() {
  const [path, search = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [view = "", ...names] = path.split("/").map(decode);
  return { view: view || "wall", names, query: new URLSearchParams(search) };
}

export function address(view, names = [], values = {}) {
  const search = new URLSearchParams(Object.entries(values).filter(([, v]) => v)).toString();
  return `#/${[view, ...names].map(encodeURIComponent).join("/")}${search ? `?${search}` : ""}`;
}

export function go(...to) {
  location.hash = address(...to);
}

/** Changes the address without a new view: for a filter or a selection. */
export function rewrite(...to) {
  history.replaceState(null, "", address(...to));
}

export function route(views, root, onchange) {
  let leave = null;
  const show = () => {
    leave?.abort();
    leave = new AbortController();
    const to = place();
    const view = views[to.view] ?? views.wall;
    root.replaceChildren();
    root.className = `view view-${to.view}`;
    scrollTo(0, 0);
    onchange(to);
    view(root, to, leave.signal);
  };
  addEventListener("hashchange", show);
  show();
  return () => { leave.abort(); removeEventListener("hashchange", show); };
}
