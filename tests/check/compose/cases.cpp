// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures from frames and masks: the reference on one made by hand, every backend against it on random ones.
// All is integer, so equality is exact, also in the bytes next to the picture.
#include "kernels/compose/compose.h"

#include "common/error.h"
#include "tests/check/checker.h"

#include <algorithm>
#include <limits>

namespace vigil::compose {
namespace {

using check::Checker;
using check::Picture;
using enum PixelFormat;

constexpr PixelFormat formats[] = {gray8, rgba, bgra, nv12, i420};

// A picture that starts `offset` bytes into every plane of a larger one, so that addresses are not aligned
// and writes next to it show.
struct Crop {
  Picture picture;
  int width, height, offset;

  Crop(Checker &c, PixelFormat format, int w, int h, int padding, int off)
      : picture(c, format, w + 2 * off, h, padding), width(w), height(h), offset(off) {
    picture.bytes = c.noise(picture.bytes.size());
  }
  Image of(Image i) const {
    i.width = width;
    for (int p = 0; p < plane_count(i.format); p++) i.data[p] += offset;
    return i;
  }
  Image host() { return of(picture.host()); }
  Image device() { return of(picture.device()); }
};

void paint_mask(Checker &c, Plane<std::uint8_t> mask) {
  const auto below = [&](int n) { return int(c.rng() % std::uint64_t(n)); };
  for (int y = 0; y < mask.height; y++) std::fill_n(mask.row(y), mask.width, 0);
  for (int n = 3 + mask.width * mask.height / 400; n > 0; n--) {
    const int x = below(mask.width), y0 = below(mask.height), value = below(3) ? 255 : below(256);
    for (int y = y0; y < std::min(mask.height, y0 + 1 + below(20)); y++)
      std::fill_n(mask.row(y) + x, std::min(mask.width - x, 1 + below(30)), value);
  }
}

Style random_style(Checker &c) {
  const auto colour = [&] {
    return Colour{std::uint8_t(c.rng()), std::uint8_t(c.rng()), std::uint8_t(c.rng())};
  };
  const auto strength = [&] {
    constexpr int special[] = {0, 1, 255, 256, -5, 300};
    return c.rng() % 2 ? int(c.rng() % 257) : special[c.rng() % std::size(special)];
  };
  return {colour(), {colour(), strength()}, {colour(), strength()}, colour(), int(c.rng() % 5)};
}

std::vector<DrawnBox> random_boxes(Checker &c, int width, int height) {
  const auto from_to = [&](int a, int b) { return a + int(c.rng() % std::uint64_t(b - a + 1)); };
  std::vector<DrawnBox> boxes;
  for (int n = from_to(0, 6); n > 0; n--)
    boxes.push_back(
        {from_to(-5, width + 1), from_to(-5, height + 1), from_to(-1, width), from_to(-1, height)});
  constexpr int least = std::numeric_limits<int>::min(), most = std::numeric_limits<int>::max();
  if (from_to(0, 3) == 0) boxes.push_back({least, least, most, most});
  if (from_to(0, 3) == 0) boxes.push_back({1, 2, most, most});
  if (from_to(0, 3) == 0) boxes.insert(boxes.end(), max_boxes, {width / 2, height / 2, 3, 3});
  return boxes;
}

struct Size {
  int width, height, padding, offset;
};
constexpr Size sizes[] = {{1, 1, 0, 0},   {2, 2, 1, 0},     {7, 5, 3, 1},    {33, 17, 1, 0},
                          {64, 48, 0, 0}, {130, 71, 16, 8}, {641, 37, 7, 5}, {1042, 33, 0, 4}};

void compare(Checker &c, Composer &fast, PixelFormat format, const Size &s, bool overlay, bool in_place) {
  const auto reference = make_reference();
  const auto host = open_cpu(1);
  const auto host_queue = host->make_queue();
  Crop frame(c, format, s.width, s.height, s.padding, s.offset),
      out(c, format, s.width, s.height, s.padding, s.offset),
      mask(c, gray8, s.width, s.height, s.padding, s.offset);
  paint_mask(c, mask.host().plane(0));
  Style style = random_style(c);
  if (c.rng() % 8 == 0) style.line = std::numeric_limits<int>::max();
  const std::vector<DrawnBox> boxes = random_boxes(c, s.width, s.height);
  for (Crop *p : {&frame, &out, &mask}) p->picture.send();
  Crop &result = in_place ? frame : out;
  const auto run = [&](Composer &composer, auto of, Queue &queue) {
    const ConstImage from = of(frame);
    const Plane<const std::uint8_t> m = of(mask).plane(0);
    if (overlay)
      composer.overlay(from, m, boxes, style, of(result), queue);
    else
      composer.foreground(from, m, style, of(result), queue);
  };
  run(
      fast, [](Crop &p) { return p.device(); }, c.queue());
  run(
      *reference, [](Crop &p) { return p.host(); }, *host_queue);
  const std::vector<std::uint8_t> want = result.picture.bytes;
  result.picture.fetch();
  const auto &got = result.picture.bytes;
  if (got == want) return;
  const auto at = std::mismatch(want.begin(), want.end(), got.begin()).first - want.begin();
  c.fail(text(overlay ? "overlay" : "foreground", in_place ? " in place" : "", ", format ", int(format), ", ",
              s.width, "x", s.height, ": byte ", at, " (rows of ", result.host().stride[0],
              ", the first begins at ", s.offset, ") is ", int(got[at]), ", not ", int(want[at])));
}

void measure(Checker &c) {
  struct {
    const char *name;
    int width, height;
  } const frames[] = {{"1080p", 1920, 1080}, {"4K", 3840, 2160}};
  const Style style{{0, 0, 0}, {{255, 0, 0}, 128}, {{0, 0, 255}, 64}, {255, 255, 0}, 2};
  const char *names[] = {"gray8", "rgba", "bgra", "nv12", "i420"};
  const auto composer = make(c.device);
  for (const auto &f : frames)
    for (const PixelFormat format : {gray8, rgba, nv12, i420}) {
      Crop frame(c, format, f.width, f.height, 0, 0), out(c, format, f.width, f.height, 0, 0),
          mask(c, gray8, f.width, f.height, 0, 0);
      paint_mask(c, mask.host().plane(0));
      for (Crop *p : {&frame, &out, &mask}) p->picture.send();
      std::vector<DrawnBox> boxes;
      for (int i = 0; i < 16; i++) boxes.push_back({100 * i, 50 * i, 120, 200});
      const double pixels = double(f.width) * f.height;
      const Plane<const std::uint8_t> m = mask.device().plane(0);
      c.time(
          text("foreground ", names[int(format)], " ", f.name), pixels,
          [&] { composer->foreground(frame.device(), m, style, out.device(), c.queue()); }, {}, 20);
      c.time(
          text("overlay, 16 boxes ", names[int(format)], " ", f.name), pixels,
          [&] { composer->overlay(frame.device(), m, boxes, style, out.device(), c.queue()); }, {}, 20);
    }
}

void run_random(Checker &c) {
  const auto fast = make(c.device);
  for (const Size &s : sizes)
    for (const PixelFormat format : formats)
      for (const bool in_place : {false, true}) {
        compare(c, *fast, format, s, false, in_place);
        for (int i = 0; i < 3; i++) compare(c, *fast, format, s, true, in_place);
      }
  if (c.benching()) measure(c);
}

// One row of 5x1 pixels: background, shadow, foreground, and a box of one pixel over the last two.
void run_by_hand(Checker &c) {
  const Style style{{9, 8, 7}, {{200, 100, 50}, 128}, {{0, 0, 100}, 64}, {1, 2, 3}, 1};
  const std::vector<std::uint8_t> mask = {0, 50, 255, 0, 255};
  const DrawnBox box{3, -4, 2, 9};
  struct Example {
    PixelFormat format;
    std::vector<std::uint8_t> frame, foreground, overlay; // all planes, 5x1 without padding
  };
  const Example examples[] = {
      {gray8, {10, 20, 30, 40, 50}, {9, 9, 30, 9, 50}, {10, 15, 115, 1, 1}},
      {rgba,
       {10, 20, 30, 40, 10, 20, 30, 40, 10, 20, 30, 40, 10, 20, 30, 40, 10, 20, 30, 40},
       {9, 8, 7, 40, 9, 8, 7, 40, 10, 20, 30, 40, 9, 8, 7, 40, 10, 20, 30, 40},
       {10, 20, 30, 40, 8, 15, 48, 40, 105, 60, 40, 40, 1, 2, 3, 40, 1, 2, 3, 40}},
      {bgra,
       {30, 20, 10, 40, 30, 20, 10, 40, 30, 20, 10, 40, 30, 20, 10, 40, 30, 20, 10, 40},
       {7, 8, 9, 40, 7, 8, 9, 40, 30, 20, 10, 40, 7, 8, 9, 40, 30, 20, 10, 40},
       {30, 20, 10, 40, 48, 15, 8, 40, 40, 60, 105, 40, 3, 2, 1, 40, 3, 2, 1, 40}},
      // chroma stands for pixels 0-1 (shadow), 2-3 (foreground and the box), 4 (foreground and the box)
      {i420,
       {10, 20, 30, 40, 50, 60, 70, 80, 60, 70, 80},
       {9, 9, 30, 9, 50, 8, 70, 80, 7, 70, 80},
       {10, 15, 115, 1, 1, 45, 2, 2, 70, 3, 3}},
      {nv12,
       {10, 20, 30, 40, 50, 60, 60, 70, 70, 80, 80},
       {9, 9, 30, 9, 50, 8, 7, 70, 70, 80, 80},
       {10, 15, 115, 1, 1, 45, 70, 2, 3, 2, 3}},
  };
  const auto host = open_cpu(1);
  const auto host_queue = host->make_queue();
  for (const Example &e : examples) {
    Picture frame(c, e.format, 5, 1), out(c, e.format, 5, 1), m(c, gray8, 5, 1);
    const auto set = [&](Picture &p, const std::vector<std::uint8_t> &values) {
      const Image i = p.host();
      std::size_t n = 0;
      for (int k = 0; k < plane_count(i.format); k++)
        for (std::ptrdiff_t b = 0; b < row_bytes(i.format, k, 5); b++) i.data[k][b] = values[n++];
    };
    const auto is = [&](const char *what, const std::vector<std::uint8_t> &values) {
      const Image i = out.host();
      std::vector<std::uint8_t> got;
      for (int k = 0; k < plane_count(i.format); k++)
        got.insert(got.end(), i.data[k], i.data[k] + row_bytes(i.format, k, 5));
      for (std::size_t n = 0; n < values.size(); n++)
        if (got[n] != values[n])
          return c.fail(text(what, ", format ", int(e.format), ": sample ", n, " is ", int(got[n]), ", not ",
                             int(values[n])));
    };
    set(frame, e.frame);
    set(m, mask);
    frame.send();
    m.send();
    const auto reference = make_reference(), fast = make(c.device);
    reference->foreground(frame.host(), m.host().plane(0), style, out.host(), *host_queue);
    is("foreground by the reference", e.foreground);
    reference->overlay(frame.host(), m.host().plane(0), {&box, 1}, style, out.host(), *host_queue);
    is("overlay by the reference", e.overlay);
    out.send();
    fast->foreground(frame.device(), m.device().plane(0), style, out.device(), c.queue());
    out.fetch();
    is("foreground", e.foreground);
    fast->overlay(frame.device(), m.device().plane(0), {&box, 1}, style, out.device(), c.queue());
    out.fetch();
    is("overlay", e.overlay);
  }
}

void run_refusals(Checker &c) {
  Picture frame(c, rgba, 8, 8), other(c, bgra, 8, 8), large(c, rgba, 9, 8), mask(c, gray8, 8, 8),
      tall(c, gray8, 8, 9);
  const auto composer = make(c.device);
  const auto refused = [&](const char *what, const Image &from, Plane<const std::uint8_t> m,
                           const Image &to) {
    c.refused(what, [&] { composer->overlay(from, m, {}, {}, to, c.queue()); });
    c.refused(what, [&] { composer->foreground(from, m, {}, to, c.queue()); });
  };
  const auto m = mask.device().plane(0);
  refused("a result of another format", frame.device(), m, other.device());
  refused("a result of another size", frame.device(), m, large.device());
  refused("a mask of another size", frame.device(), tall.device().plane(0), frame.device());
  refused("a mask without memory", frame.device(), {nullptr, 8, 8, 8}, frame.device());
  refused("a frame of no pixels", {rgba, 0, 0}, {nullptr, 0, 0, 0}, {rgba, 0, 0});
}

check::Register random_case{{"compose/random", run_random, {Backend::cpu, Backend::cuda, Backend::gl}}};
check::Register by_hand_case{{"compose/by-hand", run_by_hand, {Backend::cpu, Backend::cuda, Backend::gl}}};
check::Register refusal_case{{"compose/refusals", run_refusals, {Backend::cpu, Backend::cuda, Backend::gl}}};

} // namespace
} // namespace vigil::compose
