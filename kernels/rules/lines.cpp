// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/rules/by_id.h"
#include "kernels/rules/watch.h"

#include <algorithm>

namespace vigil::rules {

void Watch::step_line(std::size_t i, double seconds) {
  LineState &l = lines_[i];
  const Line &rule = rules_.lines[i];
  for (const Known &k : known_) {
    if (!k.here || !k.found) continue;
    Path *const p = &obtain(l.paths, k.id);
    const int before = p->sum;
    for (std::size_t c = 0; c + 1 < rule.points.size(); c++)
      p->sum += crossing(rule.points[c], rule.points[c + 1], k.from, k.begin) +
                crossing(rule.points[c], rule.points[c + 1], k.before, k.at);
    if (distance_to_line(rule.points, k.at) < settings_.hysteresis) {
      p->away_since = -1;
      continue;
    }
    if (p->away_since < 0 || p->sum != before) p->away_since = seconds;
    if (p->sum == 0 || seconds - p->away_since < settings_.settle_time / 1000.) continue;
    const Direction d = p->sum > 0 ? Direction::forward : Direction::backward;
    p->sum = 0;
    if (!matters(rule.filter, k)) continue;
    (d == Direction::forward ? l.total.forward : l.total.backward)++;
    Event e = event(Kind::line_cross, l.name, k);
    e.direction = d;
    e.forward = l.total.forward;
    e.backward = l.total.backward;
    events_.push_back(e);
    if (rule.wrong_way != d) continue;
    e.kind = Kind::wrong_way;
    events_.push_back(e);
  }
}

} // namespace vigil::rules
