// SPDX-License-Identifier: LGPL-2.1-or-later
// Clean-up: the reference on masks made by hand, every backend against it on random ones. All is integer, so
// equality is exact.
#include "kernels/cleanup/cleanup.h"

#include "common/error.h"
#include "tests/check/checker.h"

#include <algorithm>
#include <optional>

namespace vigil::cleanup {
namespace {

using check::Checker;
using check::Picture;

// Blobs, holes, specks and shadow, so that every step has something to remove and something to keep.
void paint(Checker &c, Plane<std::uint8_t> p) {
  const auto below = [&](int n) { return int(c.rng() % std::uint64_t(n)); };
  for (int y = 0; y < p.height; y++) std::fill_n(p.row(y), p.width, 0);
  for (int n = 4 + p.width * p.height / 200; n > 0; n--) {
    const int size = 1 + below(40), x0 = below(p.width), y0 = below(p.height);
    const int x1 = std::min(p.width, x0 + 1 + below(size)), y1 = std::min(p.height, y0 + 1 + below(size));
    const int value = below(3) == 0 ? 0 : below(4) == 0 ? 127 : 255;
    for (int y = y0; y < y1; y++) std::fill(p.row(y) + x0, p.row(y) + x1, value);
  }
  for (int n = p.width * p.height / 10; n > 0; n--)
    p.row(below(p.height))[below(p.width)] =
        static_cast<std::uint8_t>(below(2) ? 255 * below(2) : below(256));
}

// A picture inside a larger one, so that addresses are not aligned and writes next to it show.
struct Crop {
  Picture picture;
  int x, y, width, height;

  Crop(Checker &c, int w, int h, int padding, int offset)
      : picture(c, PixelFormat::gray8, w + offset, h + offset, padding), x(offset), y(offset), width(w),
        height(h) {}
  Plane<std::uint8_t> of(const Image &image) const {
    return {image.plane(0).row(y) + x, width, height, image.stride[0]};
  }
  Plane<std::uint8_t> host() { return of(picture.host()); }
  Plane<std::uint8_t> device() { return of(picture.device()); }
};

struct Size {
  int width, height, padding, offset;
};
constexpr Size sizes[] = {{1, 1, 0, 0},      {2, 3, 5, 1},    {33, 17, 1, 0},
                          {64, 48, 0, 0},    {31, 70, 2, 3},  {130, 70, 13, 5},
                          {96, 130, 16, 16}, {641, 37, 7, 0}, {1100, 45, 4, 4}};

void compare(Checker &c, Cleanup &fast, Cleanup &reference, const Size &s, const Params &params,
             bool ignoring) {
  Crop mask(c, s.width, s.height, s.padding, s.offset), watch(c, s.width, s.height, s.padding, s.offset);
  mask.picture.bytes = c.noise(mask.picture.bytes.size());
  paint(c, mask.host());
  paint(c, watch.host());
  for (int y = 0; y < s.height; y++) // most pixels are watched
    for (int x = 0; x < s.width; x++) watch.host().row(y)[x] ^= 255;
  mask.picture.send();
  watch.picture.send();
  const auto none = Plane<std::uint8_t>{};
  fast.apply(mask.device(), ignoring ? watch.device() : none, params, c.queue());
  const auto host = open_cpu(1);
  reference.apply(mask.host(), ignoring ? watch.host() : none, params, *host->make_queue());
  const std::vector<std::uint8_t> want = mask.picture.bytes;
  mask.picture.fetch();
  if (mask.picture.bytes == want) return;
  const auto stride = mask.picture.host().stride[0];
  const auto at = std::mismatch(want.begin(), want.end(), mask.picture.bytes.begin()).first - want.begin();
  c.fail(text("median ", params.median, ", open ", params.open, ", close ", params.close,
              ignoring ? ", with ignored pixels, " : ", ", s.width, "x", s.height, ": at ",
              at % stride - mask.x, ",", at / stride - mask.y, " is ", int(mask.picture.bytes[at]), ", not ",
              int(want[at])));
}

std::size_t kept_bytes(int width, int height) {
  return sizeof(std::uint32_t) * std::size_t(row_words(width)) * std::size_t(height);
}

void measure(Checker &c) {
  struct {
    const char *name;
    int width, height;
  } const frames[] = {{"1080p", 1920, 1080}, {"4K", 3840, 2160}};
  const Params all[] = {{9, 1, 7}, {9, 0, 0}, {0, 1, 7}, {31, 15, 15}};
  for (const auto &f : frames) {
    Crop mask(c, f.width, f.height, 0, 0);
    paint(c, mask.host());
    mask.picture.send();
    const auto made = make(c.device, f.width, f.height);
    for (const Params &p : all)
      c.time(
          text("median ", p.median, " open ", p.open, " close ", p.close, " ", f.name),
          double(f.width) * f.height, [&] { made->apply(mask.device(), {}, p, c.queue()); }, {}, 20);
    // A calm picture: an object of a few pixels here and there.
    const cell_grid::Grid grid = cell_grid::grid_for(f.width, f.height);
    const DeviceBuffer allowed(c.device, std::size_t(grid.cells())),
        seen(c.device, std::size_t(grid.cells())), kept_memory(c.device, kept_bytes(f.width, f.height));
    auto *const set = kept_memory.as<std::uint32_t>();
    c.device.fill(allowed.as<void>(), int(KeepSmall::all), allowed.bytes(), c.queue());
    for (int y = 0; y < f.height; y++) std::fill_n(mask.host().row(y), f.width, std::uint8_t{0});
    for (int n = 0; n < 40; n++)
      for (int y = 0; y < 4; y++) std::fill_n(mask.host().row(20 * n + y) + 40 * n, 4, std::uint8_t{255});
    mask.picture.send();
    const SmallObjects small{grid, allowed.as<const std::uint8_t>(), seen.as<std::uint8_t>(), set};
    for (const bool kept : {false, true})
      c.time(
          text(kept ? "small objects kept, " : "small objects not kept, ", f.name),
          double(f.width) * f.height,
          [&] {
            made->apply(mask.device(), {}, {}, kept ? small : SmallObjects{}, c.queue());
            if (kept) made->restore(mask.device(), {}, set, c.queue());
          },
          {}, 20);
  }
}

void run_random(Checker &c) {
  for (const Size &s : sizes) {
    const auto fast = make(c.device, s.width, s.height);
    const auto reference = make_reference(s.width, s.height);
    const auto run = [&](const Params &p, bool ignoring) { compare(c, *fast, *reference, s, p, ignoring); };
    run({}, false);
    run({}, true);
    run({2 * max_radius + 1, max_radius, max_radius}, true);
    run({9, 1, 7}, false);
    run({0, 0, 1 + int(c.rng() % max_radius)}, false);
    run({0, 1 + int(c.rng() % max_radius), 0}, true);
    for (int i = 0; i < 3; i++) run(random_params<Params>(params_table, c.rng), i % 2);
    run({1000, -3, 1}, false); // out of range: the nearest end
  }
  if (c.benching()) measure(c);
}

// Rows of a mask: '#' is foreground, 's' shadow, '.' background. In `ignored` '#' marks an ignored pixel.
struct Example {
  const char *what;
  Params params;
  std::vector<std::string> mask, ignored, want;
};
const std::vector<Example> examples = {
    {"an opening removes a speck and keeps a square",
     {0, 1, 0},
     {"#.....", ".s.###", "...###", "...###"},
     {},
     {"......", ".s.###", "...###", "...###"}},
    {"an opening keeps what only the picture's border cuts",
     {0, 1, 0},
     {"##..", "##..", "...."},
     {},
     {"##..", "##..", "...."}},
    {"a closing fills a gap of two, also over shadow",
     {0, 0, 1},
     {"##s.##", "##..##", "##..##"},
     {},
     {"######", "######", "######"}},
    {"a closing does not fill a gap of three", {0, 0, 1}, {"#...#"}, {}, {"#...#"}},
    {"a median needs more than half of the pixels inside",
     {3, 0, 0},
     {"##", "..", ".."},
     {},
     {"..", "..", ".."}},
    {"a median counts four pixels at a corner and six at a border",
     {3, 0, 0},
     {"##.", "#..", "..."},
     {},
     {"#..", "...", "..."}},
    {"an even median is the next odd one", {2, 0, 0}, {"###", "#.#", "###"}, {}, {"###", "###", "###"}},
    {"ignored pixels are not foreground, nor are they when a step fills them",
     {0, 0, 1},
     {"#s#"},
     {".#."},
     {"#.#"}},
    {"ignored foreground does not help a median", {3, 0, 0}, {"###", "###"}, {"#..", "#.."}, {".##", ".##"}},
};

void run_examples(Checker &c) {
  for (const Example &e : examples) {
    const int width = int(e.mask[0].size()), height = int(e.mask.size());
    Picture mask(c, PixelFormat::gray8, width, height), watch(c, PixelFormat::gray8, width, height),
        want(c, PixelFormat::gray8, width, height);
    const auto value = [](char k) { return std::uint8_t(k == '#' ? 255 : k == 's' ? 50 : 0); };
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++) {
        mask.host().plane(0).row(y)[x] = value(e.mask[y][x]);
        want.host().plane(0).row(y)[x] = value(e.want[y][x]);
        watch.host().plane(0).row(y)[x] = !e.ignored.empty() && e.ignored[y][x] == '#' ? 0 : 1;
      }
    mask.send();
    watch.send();
    make(c.device, width, height)
        ->apply(mask.device().plane(0), watch.device().plane(0), e.params, c.queue());
    const auto host = open_cpu(1);
    make_reference(width, height)
        ->apply(mask.host().plane(0), watch.host().plane(0), e.params, *host->make_queue());
    c.same_pixels(text("the reference: ", e.what), want.host().plane(0), mask.host().plane(0), 0);
    mask.fetch();
    c.same_pixels(e.what, want.host().plane(0), mask.host().plane(0), 0);
  }
}

// Objects of a few pixels that pass, specks that do not persist, and blobs: a sequence of masks.
void paint_small(Checker &c, Plane<std::uint8_t> p, int frame) {
  const auto below = [&](int n) { return int(c.rng() % std::uint64_t(n)); };
  for (int y = 0; y < p.height; y++) std::fill_n(p.row(y), p.width, std::uint8_t{0});
  const auto square = [&](int x0, int y0, int size, std::uint8_t value) {
    for (int y = std::max(y0, 0); y < std::min(y0 + size, p.height); y++)
      for (int x = std::max(x0, 0); x < std::min(x0 + size, p.width); x++) p.row(y)[x] = value;
  };
  for (int n = 0; n < 3 + p.width * p.height / 2000; n++)
    square((n * 37 + frame * (n % 5)) % (p.width + 8) - 4, (n * 53 + frame * (n % 3)) % (p.height + 8) - 4,
           2 + n % 4, 255);
  square(frame * 3, p.height / 2, 15, 255);
  for (int n = p.width * p.height / 60; n > 0; n--)
    p.row(below(p.height))[below(p.width)] = below(3) ? 255 : 127;
}

// A small object that stays or moves a little is kept from its third mask on, where it may be, and comes into
// the mask by restore() alone.
void run_small_objects(Checker &c) {
  const auto host = open_cpu(1);
  const auto host_queue = host->make_queue();
  for (const Size &s : sizes) {
    const cell_grid::Grid grid = cell_grid::grid_for(s.width, s.height);
    const auto cells = std::size_t(grid.cells());
    const auto fast = make(c.device, s.width, s.height);
    const auto reference = make_reference(s.width, s.height);
    const std::size_t words = kept_bytes(s.width, s.height) / sizeof(std::uint32_t);
    const DeviceBuffer allowed(c.device, cells), seen(c.device, cells), kept(c.device, 4 * words);
    std::vector<std::uint8_t> where(cells), want_seen(cells), have_seen(cells);
    std::vector<std::uint32_t> want_kept(words), have_kept(words);
    std::uint64_t restored = 0;
    for (int frame = 0; frame < 8; frame++) {
      const auto fails = [&](const char *how) {
        c.fail(text("small objects, ", s.width, "x", s.height, ", mask ", frame, ": ", how));
      };
      Crop mask(c, s.width, s.height, s.padding, s.offset), plain(c, s.width, s.height, s.padding, s.offset),
          watch(c, s.width, s.height, s.padding, s.offset);
      paint_small(c, mask.host(), frame);
      for (int y = 0; y < s.height; y++) // some are ignored
        for (int x = 0; x < s.width; x++) watch.host().row(y)[x] = x % 16 < 13 || frame < 6;
      watch.picture.send();
      const bool ignoring = frame > 2;
      const auto ignored = ignoring ? watch.device() : Plane<std::uint8_t>{},
                 ignored_host = ignoring ? watch.host() : Plane<std::uint8_t>{};
      for (std::uint8_t &w : where) w = c.rng() % 3; // KeepSmall
      plain.picture.bytes = mask.picture.bytes;
      mask.picture.send();
      c.device.upload(allowed.as(), where.data(), cells, c.queue());
      const Params params = frame % 2 ? Params{} : Params{5, 1, 2};
      SmallObjects on_device{grid, allowed.as<const std::uint8_t>(), seen.as<std::uint8_t>(),
                             kept.as<std::uint32_t>()};
      SmallObjects on_host{grid, where.data(), want_seen.data(), want_kept.data()};
      if (frame == 3) on_device.allowed = on_host.allowed = nullptr;
      if (frame == 3) on_device.kept = on_host.kept = nullptr;
      if (frame == 4) on_device = on_host = {}; // without small objects: nothing is remembered
      fast->apply(mask.device(), ignored, params, on_device, c.queue());
      reference->apply(mask.host(), ignored_host, params, on_host, *host_queue);
      make_reference(s.width, s.height)->apply(plain.host(), ignored_host, params, *host_queue);
      std::vector<std::uint8_t> want = mask.picture.bytes;
      if (want != plain.picture.bytes) fails("the reference has small objects before they are restored");
      mask.picture.fetch();
      if (mask.picture.bytes != want) fails("another mask");
      if (frame == 4) continue;
      c.device.download(have_seen.data(), seen.as(), cells, c.queue());
      c.queue().wait();
      if (have_seen != want_seen) fails("other cells are seen");
      if (frame == 3) continue;
      c.device.download(have_kept.data(), kept.as(), kept.bytes(), c.queue());
      c.queue().wait();
      if (have_kept != want_kept) fails("others are kept");
      fast->restore(mask.device(), ignored, kept.as<const std::uint32_t>(), c.queue());
      reference->restore(mask.host(), ignored_host, want_kept.data(), *host_queue);
      want = mask.picture.bytes;
      for (std::size_t i = 0; i < want.size(); i++)
        restored += want[i] == 255 && plain.picture.bytes[i] != 255;
      mask.picture.fetch();
      if (mask.picture.bytes != want) fails("another mask once they are restored");
      for (int y = 0; ignoring && y < s.height; y++)
        for (int x = 0; x < s.width; x++)
          if (watch.host().row(y)[x] == 0 && mask.host().row(y)[x] != 0) return fails("an ignored pixel");
    }
    if (s.width * s.height > 9000 && restored == 0)
      c.fail(text("small objects, ", s.width, "x", s.height, ": none was restored"));
  }
}

void run_refusals(Checker &c) {
  c.refused("a picture of 0x5", [&] { make(c.device, 0, 5); });
  Picture small(c, PixelFormat::gray8, 8, 8), large(c, PixelFormat::gray8, 9, 8);
  const auto made = make(c.device, 8, 8);
  c.refused("a mask of another size", [&] { made->apply(large.device().plane(0), {}, {}, c.queue()); });
  c.refused("ignored pixels of another size",
            [&] { made->apply(small.device().plane(0), large.device().plane(0), {}, c.queue()); });
  const DeviceBuffer cells(c.device, 1);
  c.refused("a grid of another size", [&] {
    made->apply(small.device().plane(0), {}, {},
                {cell_grid::grid_for(9, 8), nullptr, cells.as<std::uint8_t>(), nullptr}, c.queue());
  });
  c.refused("small objects to be kept nowhere", [&] {
    const auto *const allowed = cells.as<const std::uint8_t>();
    made->apply(small.device().plane(0), {}, {},
                {cell_grid::grid_for(8, 8), allowed, cells.as<std::uint8_t>(), nullptr}, c.queue());
  });
  c.refused("small objects from nowhere",
            [&] { made->restore(small.device().plane(0), {}, nullptr, c.queue()); });
  c.refused("small objects for a mask of another size",
            [&] { made->restore(large.device().plane(0), {}, cells.as<const std::uint32_t>(), c.queue()); });
  c.refused("no mask", [&] { made->apply({nullptr, 8, 8, 8}, {}, {}, c.queue()); });
}

check::Register random_case{{"cleanup/random", run_random, {Backend::cpu, Backend::cuda, Backend::gl}}};
check::Register small_case{
    {"cleanup/small-objects", run_small_objects, {Backend::cpu, Backend::cuda, Backend::gl}}};
check::Register example_case{{"cleanup/by-hand", run_examples, {Backend::cpu, Backend::cuda, Backend::gl}}};
check::Register refusal_case{{"cleanup/refusals", run_refusals, {Backend::cpu, Backend::cuda, Backend::gl}}};

} // namespace
} // namespace vigil::cleanup
