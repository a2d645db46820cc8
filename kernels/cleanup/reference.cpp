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
  Set dilated(int r) const {
    Set wide = *this;
    wide.dilate(r);
    return wide;
  }
};

class Reference final : public Cleanup {
 public:
  Reference(int width, int height) : width_(width), height_(height) { check_size(width, height); }

  void apply(Plane<std::uint8_t> mask, Plane<const std::uint8_t> watch, const Params &params,
             const SmallObjects &small, Queue &) override {
    check_planes(width_, height_, mask, watch, small);
    const Radii radii = resolve(params);
    const auto ignored = [&](int x, int y) { return watch.data && watch.row(y)[x] == 0; };
    Set f(width_, height_);
    for (int y = 0; y < height_; y++)
      for (int x = 0; x < width_; x++) f.at(x, y) = mask.row(y)[x] == 255 && !ignored(x, y);
    Set persistent = step_small(f, small);
    f.median(radii.median);
    f.erode(radii.open);
    f.dilate(radii.open);
    f.dilate(radii.close);
    f.erode(radii.close);
    if (small.seen) find_small(f, persistent, small);
    for (int y = 0; y < height_; y++)
      for (int x = 0; x < width_; x++) {
        std::uint8_t &p = mask.row(y)[x];
        p = ignored(x, y) ? 0 : f.at(x, y) ? 255 : p == 255 ? 0 : p;
      }
  }

  void restore(Plane<std::uint8_t> mask, Plane<const std::uint8_t> watch, const std::uint32_t *kept,
               Queue &) override {
    check_planes(width_, height_, mask, watch, {});
    check_kept(kept);
    for (int y = 0; y < height_; y++)
      for (int x = 0; x < width_; x++)
        if ((kept[word_at(x, y)] >> x % 32 & 1) && !(watch.data && watch.row(y)[x] == 0))
          mask.row(y)[x] = 255;
  }

 private:
  std::size_t word_at(int x, int y) const { return std::size_t(y) * row_words(width_) + x / 32; }
  // C(t); empty without small objects.
  Set step_small(const Set &f, const SmallObjects &small) {
    Set now = f;
    now.median(1);
    Set persistent = now;
    const Set one = earlier_[0].dilated(small_reach), two = earlier_[1].dilated(small_reach);
    for (std::size_t i = 0; i < now.member.size(); i++)
      persistent.member[i] = small.seen && now.member[i] && one.member[i] && two.member[i];
    earlier_[1] = small.seen ? earlier_[0] : Set(width_, height_);
    earlier_[0] = small.seen ? now : Set(width_, height_);
    return persistent;
  }
  void find_small(const Set &f, const Set &persistent, const SmallObjects &small) const {
    const Set near = f.dilated(small_reach);
    std::fill_n(small.seen, small.grid.cells(), std::uint8_t{0});
    if (small.allowed) std::fill_n(small.kept, std::size_t(height_) * row_words(width_), 0u);
    for (int y = 0; y < height_; y++)
      for (int x = 0; x < width_; x++) {
        if (!persistent.at(x, y)) continue;
        const int cell = y / small.grid.size * small.grid.columns + x / small.grid.size;
        if (!near.at(x, y)) small.seen[cell] = 1;
        const auto keep = small.allowed ? KeepSmall(small.allowed[cell]) : KeepSmall::none;
        if (keep == KeepSmall::all || (keep == KeepSmall::near_others && near.at(x, y)))
          small.kept[word_at(x, y)] |= 1u << x % 32;
      }
  }

  int width_, height_;
  Set earlier_[2] = {{width_, height_}, {width_, height_}}; // S(t-1), S(t-2)
};

} // namespace

std::unique_ptr<Cleanup> make_reference(int width, int height) {
  return std::make_unique<Reference>(width, height);
}

} // namespace vigil::cleanup
