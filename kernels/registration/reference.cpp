// SPDX-License-Identifier: LGPL-2.1-or-later
// The formulas of registration.h in double precision, all shifts of the range tried.
#include "kernels/ghost/luma.h"
#include "kernels/registration/points.h"

#include <cmath>

namespace vigil::registration {
namespace {

class Reference final : public Registration {
 public:
  void know(const ConstImage &background) override { points_.choose(background); }
  Found find(const ConstImage &frame) override {
    points_.check(frame);
    Found found{{}, points_.count(), 0, 0};
    if (points_.count() < least_points) return found;
    found.score = found.at_rest = score(frame, {});
    const int range = range_of(std::max(frame.width, frame.height));
    Shift best;
    double most = 0;
    for (int y = -range; y <= range; y++)
      for (int x = -range; x <= range; x++)
        if (const double s = score(frame, {x, y}); s > most) {
          most = s;
          best = {x, y};
        }
    if (most < least_score || most < found.at_rest + margin) return found;
    found.shift = best;
    found.score = most;
    return found;
  }
  void forget() override {}

 private:
  double score(const ConstImage &frame, Shift s) const {
    const int r = points_.reach();
    const auto inside = [&](int x, int y) { return x >= 0 && x < frame.width && y >= 0 && y < frame.height; };
    double sum = 0;
    int seen = 0;
    for (const Point &p : points_.all()) {
      const int x = p.x + s.x, y = p.y + s.y, across = p.down ? 0 : r, down = p.down ? r : 0;
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
};

} // namespace

std::unique_ptr<Registration> make_reference() {
  return std::make_unique<Reference>();
}

} // namespace vigil::registration
