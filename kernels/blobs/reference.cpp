// SPDX-License-Identifier: LGPL-2.1-or-later
// Naive loops from the definition in blobs.h: each pixel of F that has no component yet starts one, which is
// flooded.
#include "kernels/blobs/definitions.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace vigil::blobs {
namespace {

class Reference final : public Finder {
 public:
  explicit Reference(const Config &config) : config_(config) { check_config(config); }

  void apply(Plane<const std::uint8_t> mask, const Params &params, const Extras &extras, Results &results,
             Queue &) override {
    check_call(config_, mask, extras, results);
    find_all(mask, params.neighbours);
    std::uint32_t min_area = std::max(params.min_area, 1u);
    const auto reported = [&](const std::vector<int> &c) { return c.size() >= min_area; };
    while (std::count_if(components_.begin(), components_.end(), reported) > config_.most) min_area *= 2;

    Results::Head &head = results.head();
    head = {0, between(mask), std::uint32_t(components_.size()), 0, min_area, 0};
    const CellMap &map = extras.map;
    if (map.cells) std::fill_n(map.cells, map.columns * map.rows, 0);
    for (const std::vector<int> &c : components_) {
      head.foreground += c.size();
      if (!reported(c)) continue;
      results.memory()[head.blobs++] = describe(c, extras.picture);
      for (const int p : c)
        if (map.cells)
          map.cells[p / config_.width / map.size * map.columns + p % config_.width / map.size] = 1;
    }
    if (!extras.labels.data) return;
    for (int y = 0; y < config_.height; y++) std::fill_n(extras.labels.row(y), config_.width, 0);
    for (const std::vector<int> &c : components_)
      for (const int p : c) extras.labels.row(p / config_.width)[p % config_.width] = c[0] + 1;
  }

 private:
  std::uint64_t between(Plane<const std::uint8_t> mask) const {
    std::uint64_t n = 0;
    for (int y = 0; y < config_.height; y++)
      for (int x = 0; x < config_.width; x++) n += mask.row(y)[x] != 0 && mask.row(y)[x] != 255;
    return n;
  }

  void find_all(Plane<const std::uint8_t> mask, Neighbours neighbours) {
    std::vector<bool> seen(std::size_t(config_.width) * std::size_t(config_.height));
    components_.clear();
    for (int first = 0; first < config_.width * config_.height; first++) {
      std::vector<int> members;
      const auto visit = [&](int x, int y) {
        if (x < 0 || y < 0 || x >= config_.width || y >= config_.height || mask.row(y)[x] != 255) return;
        const int p = y * config_.width + x;
        if (seen[std::size_t(p)]) return;
        seen[std::size_t(p)] = true;
        members.push_back(p);
      };
      visit(first % config_.width, first / config_.width);
      for (std::size_t i = 0; i < members.size(); i++) // grows while the component does
        for (int dy = -1; dy <= 1; dy++)
          for (int dx = -1; dx <= 1; dx++)
            if (neighbours == Neighbours::eight || std::abs(dx) + std::abs(dy) == 1)
              visit(members[i] % config_.width + dx, members[i] / config_.width + dy);
      if (!members.empty()) components_.push_back(std::move(members));
    }
  }

  Blob describe(const std::vector<int> &members, const ConstImage &picture) const {
    Blob b;
    int left = config_.width, top = config_.height, right = -1, bottom = -1;
    for (const int p : members) {
      const int x = p % config_.width, y = p / config_.width;
      left = std::min(left, x);
      top = std::min(top, y);
      right = std::max(right, x);
      bottom = std::max(bottom, y);
      b.sum_x += std::uint64_t(x);
      b.sum_y += std::uint64_t(y);
      b.sum_xx += std::uint64_t(x) * std::uint64_t(x);
      b.sum_xy += std::uint64_t(x) * std::uint64_t(y);
      b.sum_yy += std::uint64_t(y) * std::uint64_t(y);
      if (picture.data[0])
        for (int i = 0; i < 3; i++) b.sum_colour[i] += colour_at(picture, x, y).c[i];
    }
    b.x = left;
    b.y = top;
    b.width = right - left + 1;
    b.height = bottom - top + 1;
    b.area = std::uint32_t(members.size());
    b.first = std::uint32_t(members[0]);
    return b;
  }

  Config config_;
  std::vector<std::vector<int>> components_; // pixels as y * width + x, the first one first
};

} // namespace

std::unique_ptr<Finder> make_reference(const Config &config) {
  return std::make_unique<Reference>(config);
}

} // namespace vigil::blobs
