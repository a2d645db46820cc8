// SPDX-License-Identifier: LGPL-2.1-or-later
// Naive loops from the definitions in cleanup.h: every step looks at its whole window at every pixel.
#include "kernels/cleanup/cleanup.h"

#include <algorithm>
#include <vector>

namespace vigil::cleanup {
namespace {

// The set F: one entry a pixel.
struct Set {
  int width, height;
  std::vector<bool> member;

  Set(int w, int h) : width(w), height(h), member(std::size_t(w) * h) {}
  std::vector<bool>::reference at(int x, int y) { return member[std::size_t(y) * width + x]; }
  bool at(int x, int y) const { return member[std::size_t(y) * width + x]; }

  struct Count {
    int members, pixels;
  };
  // Of the window of 2r+1 x 2r+1 around a pixel, as far as it is inside the picture.
  Count count(int x, int y, int r) const {
    Count c{0, 0};
    for (int j = std::max(y - r, 0); j <= std::min(y + r, height - 1); j++)
      for (int i = std::max(x - r, 0); i <= std::min(x + r, width - 1); i++) {
        c.members += at(i, j);
        c.pixels++;
      }
    return c;
  }
  template <class Rule>
  void step(int r, Rule rule) {
    if (r == 0) return;
    Set next(width, height);
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++) next.at(x, y) = rule(count(x, y, r));
    *this = next;
  }
  void median(int r) {
    step(r, [](Count c) { return 2 * c.members > c.pixels; });
  }
  void erode(int r) {
    step(r, [](Count c) { return c.members == c.pixels; });
  }
  void dilate(int r) {
    step(r, [](Count c) { return c.members > 0; });
  }
};

class Reference final : public Cleanup {
 public:
  Reference(int width, int height) : width_(width), height_(height) { check_size(width, height); }

  void apply(Plane<std::uint8_t> mask, Plane<const std::uint8_t> watch, const Params &params,
             Queue &) override {
    check_planes(width_, height_, mask, watch);
    const Radii radii = resolve(params);
    const auto ignored = [&](int x, int y) { return watch.data && watch.row(y)[x] == 0; };
    Set f(width_, height_);
    for (int y = 0; y < height_; y++)
      for (int x = 0; x < width_; x++) f.at(x, y) = mask.row(y)[x] == 255 && !ignored(x, y);
    f.median(radii.median);
    f.erode(radii.open);
    f.dilate(radii.open);
    f.dilate(radii.close);
    f.erode(radii.close);
    for (int y = 0; y < height_; y++)
      for (int x = 0; x < width_; x++) {
        std::uint8_t &p = mask.row(y)[x];
        p = ignored(x, y) ? 0 : f.at(x, y) ? 255 : p == 255 ? 0 : p;
      }
  }

 private:
  int width_, height_;
};

} // namespace

std::unique_ptr<Cleanup> make_reference(int width, int height) {
  return std::make_unique<Reference>(width, height);
}

} // namespace vigil::cleanup
