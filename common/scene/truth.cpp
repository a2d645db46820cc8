// SPDX-License-Identifier: LGPL-2.1-or-later
// What happened between two moments, from where the actors were.
#include "common/scene/truth.h"

#include <algorithm>
#include <iterator>

namespace vigil::scene {
namespace {

// Whether the way from a to b goes over the line, and where. A point on the line counts as beyond it.
bool crosses(ScenePoint a, ScenePoint b, ScenePoint from, ScenePoint to, bool &forward, ScenePoint &where) {
  const auto side = [](ScenePoint p, ScenePoint q, ScenePoint r) {
    return (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x);
  };
  const float before = side(from, to, a), after = side(from, to, b);
  if ((before < 0) == (after < 0)) return false;
  const float t = before / (before - after);
  where = {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
  const float length2 = (to.x - from.x) * (to.x - from.x) + (to.y - from.y) * (to.y - from.y);
  const float along = ((where.x - from.x) * (to.x - from.x) + (where.y - from.y) * (to.y - from.y)) / length2;
  forward = before < 0;
  return along >= 0 && along <= 1;
}

} // namespace

Kind kind_of(const Actor &a) {
  return a.kind;
}
int id_of(const Actor &a) {
  return std::max(a.id, 1);
}

std::vector<Incident> incidents_between(std::vector<Actor> before, std::vector<Actor> now,
                                        const Camera &camera, int width, int height) {
  using What = Incident::What;
  const auto by_id = [](const Actor &a, const Actor &b) { return id_of(a) < id_of(b); };
  std::sort(before.begin(), before.end(), by_id);
  std::sort(now.begin(), now.end(), by_id);
  std::vector<Incident> all;
  const auto add = [&](What what, const Actor &a, double since) {
    all.push_back({what, id_of(a), kind_of(a), false, 0, 0, 0, since, a.owner});
  };
  const auto both = [&](const Actor &b, const Actor &n) {
    if (b.since >= 0 && b.since != n.since) add(What::stay_end, b, b.since);
    if (n.since >= 0 && b.since != n.since) add(What::stay_begin, n, n.since);
    const Camera::Seen from = camera.see({b.at.x, b.at.y, 0}), to = camera.see({n.at.x, n.at.y, 0});
    if (from.scale <= 0 || to.scale <= 0) return;
    for (int i = 0; i < int(std::size(lines)); i++) {
      const Line &l = lines[i];
      const auto w = float(width), h = float(height);
      bool forward = false;
      ScenePoint where{};
      if (crosses(from.at, to.at, {l.x1 * w, l.y1 * h}, {l.x2 * w, l.y2 * h}, forward, where))
        all.push_back({What::cross, id_of(n), kind_of(n), forward, i, where.x, where.y, 0, 0});
    }
  };
  auto b = before.begin();
  auto n = now.begin();
  while (b != before.end() || n != now.end()) {
    if (n == now.end() || (b != before.end() && by_id(*b, *n))) {
      if (b->kind == Kind::bag)
        add(What::object_removed, *b, b->since);
      else if (b->since >= 0)
        add(What::stay_end, *b, b->since);
      b++;
    } else if (b == before.end() || by_id(*n, *b)) {
      if (n->kind == Kind::bag)
        add(What::object_left, *n, n->since);
      else if (n->since >= 0)
        add(What::stay_begin, *n, n->since);
      n++;
    } else {
      both(*b++, *n++);
    }
  }
  return all;
}

} // namespace vigil::scene
