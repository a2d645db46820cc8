// SPDX-License-Identifier: LGPL-2.1-or-later
// The formulas of registration.h in double precision, all shifts of the range tried, then turns from the
// best.
#include "common/turned.h"
#include "kernels/registration/handover.h"
#include "kernels/registration/host_look.h"
#include "kernels/registration/points.h"

#include <algorithm>
#include <cmath>

namespace vigil::registration {
namespace {

class Reference final : public Registration {
 public:
  void set_background(const ConstImage &background, Queue &) override { points_.choose(background); }
  void find(const ConstImage &frame, AppliedShift *sway, AppliedShift *host_copy, Queue &) override {
    points_.check(frame);
    const Match found = found_in(frame);
    *sway = {handover_.step(found), found};
    if (host_copy) *host_copy = *sway;
  }
  void forget() override { handover_.forget(); }

 private:
  Match found_in(const ConstImage &frame) {
    if (points_.count() < least_points) return {{}, points_.count(), 0, 0};
    const double rest = score(frame, {});
    const int range = range_of(std::max(frame.width, frame.height));
    Shift best;
    double most = 0;
    for (int y = -range; y <= range; y++)
      for (int x = -range; x <= range; x++)
        if (const double s = score(frame, {x, y}); s > most) {
          most = s;
          best = {x, y};
        }
    Near near{{{}, static_cast<float>(rest)}, {best, static_cast<float>(most)}, {}};
    const auto of = [&](Shift s) { return score(frame, s); };
    search_turned(HostLook(of, points_.reach(), std::max(frame.width, frame.height)), near, {});
    return found_by(near, points_.count());
  }

  double score(const ConstImage &frame, Shift s) const {
    const int r = points_.reach();
    const auto inside = [&](int x, int y) { return x >= 0 && x < frame.width && y >= 0 && y < frame.height; };
    const Turned places(s, frame.width, frame.height);
    double sum = 0;
    int seen = 0;
    for (const EdgePoint &p : points_.all()) {
      const auto [x, y] = s.is_turned() ? places.of(p.x, p.y) : Position{p.x + s.x, p.y + s.y};
      const int across = p.down ? 0 : r, down = p.down ? r : 0;
      if (!inside(x - across, y - down) || !inside(x + across, y + down)) continue;
      seen++;
      const double b = p.difference;
      const double f =
          ghost::luma_at(frame, x + across, y + down) - ghost::luma_at(frame, x - across, y - down);
      if (f * b > 0) sum += std::min(std::abs(f), std::abs(b)) / std::max(std::abs(f), std::abs(b));
    }
    return 2 * seen >= points_.count() ? sum / seen : 0;
  }

  Points points_;
  Handover handover_;
};

} // namespace

std::unique_ptr<Registration> make_reference() {
  return std::make_unique<Reference>();
}

} // namespace vigil::registration
