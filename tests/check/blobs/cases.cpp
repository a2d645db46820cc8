// SPDX-License-Identifier: LGPL-2.1-or-later
// Blobs: the reference on masks made by hand, every backend against it on random and on nasty ones. All is
// integer, so equality is exact.
#include "kernels/blobs/blobs.h"

#include "common/error.h"
#include "tests/check/blobs/patterns.h"
#include "tests/check/checker.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace vigil::blobs {
namespace {

using check::Checker;
using check::Picture;

// A mask inside a larger one, so that addresses are not aligned and what lies next to it must not count.
struct Size {
  int width, height, padding, offset;
};
constexpr Size sizes[] = {{1, 1, 0, 0},    {2, 2, 0, 0},     {7, 5, 3, 1},     {1, 200, 3, 0},
                          {300, 1, 0, 1},  {32, 64, 0, 0},   {33, 65, 31, 0},  {64, 48, 0, 3},
                          {128, 64, 0, 0}, {129, 65, 15, 0}, {255, 193, 1, 0}, {641, 137, 7, 3},
                          {640, 480, 0, 0}};

std::string show(const Blob &b) {
  return text("(", b.x, ",", b.y, " ", b.width, "x", b.height, " area ", b.area, " first ", b.first, " sums ",
              b.sum_x, " ", b.sum_y, " ", b.sum_xx, " ", b.sum_xy, " ", b.sum_yy, " colours ",
              b.sum_colour[0], " ", b.sum_colour[1], " ", b.sum_colour[2], ")");
}

struct Asked {
  Params params;
  int most = 4096;
  bool picture = false, labels = false, map = false;
};

void same_results(Checker &c, const std::string &what, Results &want, Results &got) {
  const auto number = [&](const char *name, auto w, auto g) {
    if (w != g) c.fail(text(what, ": ", name, " is ", g, ", not ", w));
  };
  number("foreground", want.head().foreground, got.head().foreground);
  number("what is neither 0 nor 255", want.head().between, got.head().between);
  number("the number of components", want.head().components, got.head().components);
  number("the least area", want.head().min_area, got.head().min_area);
  number("the number of blobs", want.head().blobs, got.head().blobs);
  const auto w = want.blobs(), g = got.blobs();
  if (w.size() != g.size()) return;
  const auto differ = std::mismatch(w.begin(), w.end(), g.begin());
  if (differ.first != w.end())
    c.fail(text(what, ": blob ", differ.first - w.begin(), " is ", show(*differ.second), ", not ",
                show(*differ.first)));
}

// Memory of the device with a copy on the host.
struct Both {
  Both(Checker &checker, std::size_t bytes) : c(checker), host(bytes, 77), device(c.device, bytes) {
    c.device.upload(device.as(), host.data(), bytes, c.queue());
  }
  std::vector<std::uint8_t> fetched() {
    std::vector<std::uint8_t> out(host.size());
    c.device.download(out.data(), device.as(), out.size(), c.queue());
    c.queue().wait();
    return out;
  }
  Checker &c;
  std::vector<std::uint8_t> host;
  DeviceBuffer device;
};

constexpr PixelFormat formats[] = {PixelFormat::gray8, PixelFormat::rgba, PixelFormat::bgra,
                                   PixelFormat::nv12, PixelFormat::i420};

void compare(Checker &c, const Size &s, const Pattern &pattern, const Asked &asked, PixelFormat format) {
  Picture memory(c, PixelFormat::gray8, s.width + s.offset, s.height + s.offset, s.padding);
  std::fill(memory.bytes.begin(), memory.bytes.end(), 255);
  const auto crop = [&](const Image &i) -> Mask {
    return {i.plane(0).row(s.offset) + s.offset, s.width, s.height, i.stride[0]};
  };
  pattern.paint(c.rng, crop(memory.host()));
  memory.send();
  Picture picture(c, format, s.width, s.height, s.padding);
  picture.bytes = c.noise(picture.bytes.size());
  picture.send();
  const std::size_t row = std::size_t(s.width) * 4 + 12;
  Both labels(c, row * std::size_t(s.height));
  constexpr int cell = 16;
  const int columns = (s.width - 1) / cell + 1, rows = (s.height - 1) / cell + 1;
  Both map(c, std::size_t(columns) * std::size_t(rows));
  const std::shared_ptr<void> copy(c.device.allocate_host(map.host.size()),
                                   [&](void *p) { c.device.release_host(p); });
  auto *const map_copy = static_cast<std::uint8_t *>(copy.get());
  std::fill_n(map_copy, map.host.size(), std::uint8_t{7});
  const auto extras = [&](const Image &p, std::uint8_t *l, std::uint8_t *m) {
    Extras e;
    if (asked.picture) e.picture = p;
    if (asked.labels)
      e.labels = {static_cast<std::int32_t *>(static_cast<void *>(l)), s.width, s.height,
                  std::ptrdiff_t(row)};
    if (asked.map) e.map = {m, cell, columns, rows, m == map.host.data() ? nullptr : map_copy};
    return e;
  };
  const Config config{s.width, s.height, asked.most};
  const auto host = open_cpu(1);
  Results want(*host, config), got(c.device, config);
  make_reference(config)->apply(crop(memory.host()), asked.params,
                                extras(picture.host(), labels.host.data(), map.host.data()), want,
                                *host->make_queue());
  const auto finder = make(c.device, config);
  for (int again = 0; again < 2; again++) // nothing is left over from the mask before
    finder->apply(crop(memory.device()), asked.params,
                  extras(picture.device(), labels.device.as<std::uint8_t>(), map.device.as<std::uint8_t>()),
                  got, c.queue());
  c.queue().wait();
  const std::string what = text(pattern.name, " ", s.width, "x", s.height, ", ",
                                asked.params.neighbours == Neighbours::eight ? 8 : 4, " neighbours, area ",
                                asked.params.min_area, "+, at most ", asked.most);
  same_results(c, what, want, got);
  c.expect(labels.host == labels.fetched(), text(what, ": labels differ"));
  c.expect(map.host == map.fetched(), text(what, ": the maps of cells differ"));
  if (asked.map)
    c.expect(std::equal(map.host.begin(), map.host.end(), map_copy), text(what, ": the map's copy differs"));
}

void run_patterns(Checker &c) {
  int turn = 0;
  for (const Size &s : sizes)
    for (const Pattern &p : patterns)
      for (const Neighbours n : {Neighbours::eight, Neighbours::four}) {
        const PixelFormat format = formats[turn % 5];
        turn++;
        compare(c, s, p, {{1, n}, 1 << 17, true, true, true}, format);
        compare(
            c, s, p,
            {{std::uint32_t(c.rng() % 40), n}, 1 + int(c.rng() % 50), turn % 2 == 0, false, turn % 3 == 0},
            format);
      }
}

// A picture of 4K against the reference, once each.
void run_large(Checker &c) {
  for (const int i : {2, 4, 8, 9})
    compare(c, {3840, 2160, 0, 0}, patterns[i], {{50, Neighbours::eight}, 4096}, PixelFormat::gray8);
  compare(c, {32767, 3, 1, 0}, patterns[4], {{2, Neighbours::four}, 4096, false, true}, PixelFormat::gray8);
  compare(c, {3, 32767, 1, 0}, patterns[4], {{2, Neighbours::eight}, 4096, true}, PixelFormat::rgba);
}

void run_by_hand(Checker &c) {
  const std::vector<std::string> rows = {"#..##", ".#..#", "#....", "..#.#", "..###"};
  Picture mask(c, PixelFormat::gray8, 5, 5);
  for (int y = 0; y < 5; y++)
    for (int x = 0; x < 5; x++)
      mask.host().plane(0).row(y)[x] = rows[std::size_t(y)][std::size_t(x)] == '#' ? 255 : 254;
  mask.send();
  const Config config{5, 5, 16};
  const auto check = [&](Neighbours n, std::uint32_t min_area, std::vector<Blob> want,
                         std::uint32_t components) {
    const auto same = [&](const char *who, Results &got) {
      const auto b = got.blobs();
      c.expect(got.head().components == components && got.head().foreground == 11 && got.head().between == 14,
               text(who, ": ", got.head().components, " components, ", got.head().foreground, " pixels, ",
                    got.head().between, " others"));
      if (b.size() != want.size()) return c.fail(text(who, ": ", b.size(), " blobs, not ", want.size()));
      for (std::size_t i = 0; i < want.size(); i++)
        c.expect(b[i] == want[i], text(who, ": blob ", i, " is ", show(b[i]), ", not ", show(want[i])));
    };
    const auto host = open_cpu(1);
    Results reference(*host, config), got(c.device, config);
    make_reference(config)->apply(mask.host().plane(0), {min_area, n}, {}, reference, *host->make_queue());
    same("the reference", reference);
    make(c.device, config)->apply(mask.device().plane(0), {min_area, n}, {}, got, c.queue());
    c.queue().wait();
    same("the backend", got);
  };
  const Blob cup{
      2, 3, 3, 2, 5, 17, 2 + 4 + 2 + 3 + 4, 18, 4 + 16 + 4 + 9 + 16, 6 + 12 + 8 + 12 + 16, 9 + 9 + 16 * 3,
      {}};
  const Blob hook{3, 0, 2, 2, 3, 3, 11, 1, 41, 4, 1, {}};
  const Blob zigzag{0, 0, 2, 3, 3, 0, 1, 3, 1, 1, 5, {}};
  check(Neighbours::eight, 0, {cup, zigzag, hook}, 3);
  check(Neighbours::eight, 4, {cup}, 3);
  check(Neighbours::four, 2, {cup, hook}, 5);

  const Moments m = moments(cup);
  const auto near = [&](const char *what, double got, double want) {
    c.expect(std::fabs(got - want) < 1e-12, text(what, " is ", got, ", not ", want));
  };
  near("x", m.x, 3.5);
  near("y", m.y, 4.1);
  near("xx", m.xx, 0.8);
  near("xy", m.xy, 0);
  near("yy", m.yy, 0.24);
}

// Sums at the far corner of the largest picture keep their last digit.
void run_moments(Checker &c) {
  Blob b{32000, 32000, 3, 1, 3, 0, 96003, 96000, 0, 0, 0, {}};
  for (std::uint64_t x = 32000; x < 32003; x++) {
    b.sum_xx += x * x;
    b.sum_xy += x * 32000;
    b.sum_yy += 32000ull * 32000;
  }
  const Moments m = moments(b);
  c.expect(m.x == 32001.5 && m.y == 32000.5 && std::fabs(m.xx - 2. / 3) < 1e-12 && m.xy == 0 && m.yy == 0,
           text("moments are ", m.x, " ", m.y, " ", m.xx, " ", m.xy, " ", m.yy));
  c.expect(moments({}).x == 0, "nothing has no moments");
}

void run_refusals(Checker &c) {
  c.refused("a mask of 0x5", [&] { make(c.device, {0, 5}); });
  c.refused("a mask too wide", [&] { make(c.device, {32768, 5}); });
  c.refused("no blobs", [&] { make(c.device, {5, 5, 0}); });
  Picture small(c, PixelFormat::gray8, 8, 8), large(c, PixelFormat::gray8, 9, 8);
  const Config config{8, 8};
  const auto made = make(c.device, config);
  Results results(c.device, config), none;
  const auto mask = small.device().plane(0);
  c.refused("a mask of another size",
            [&] { made->apply(large.device().plane(0), {}, {}, results, c.queue()); });
  c.refused("no mask", [&] { made->apply({nullptr, 8, 8, 8}, {}, {}, results, c.queue()); });
  c.refused("no results", [&] { made->apply(mask, {}, {}, none, c.queue()); });
  c.refused("a picture of another size", [&] {
    Extras e;
    e.picture = large.device();
    made->apply(mask, {}, e, results, c.queue());
  });
  c.refused("too few cells", [&] {
    Extras e;
    e.map = {small.device().data[0], 4, 2, 1};
    made->apply(mask, {}, e, results, c.queue());
  });
}

void run_bench(Checker &c) {
  if (!c.benching()) throw check::Skip{"times only"};
  struct {
    const char *name;
    int width, height;
  } const frames[] = {{"1080p", 1920, 1080}, {"4K", 3840, 2160}};
  for (const auto &f : frames)
    for (const Pattern &p : patterns) {
      Picture mask(c, PixelFormat::gray8, f.width, f.height);
      p.paint(c.rng, mask.host().plane(0));
      mask.send();
      const Config config{f.width, f.height};
      Results results(c.device, config);
      const auto finder = make(c.device, config);
      c.time(
          text(p.name, " ", f.name), double(f.width) * f.height,
          [&] {
            finder->apply(mask.device().plane(0), {100, Neighbours::eight}, {}, results, c.queue());
          },
          {}, 20);
    }
}

check::Register pattern_case{{"blobs/patterns", run_patterns, {Backend::cpu, Backend::cuda, Backend::gl}}};
check::Register large_case{{"blobs/large", run_large, {Backend::cpu, Backend::cuda, Backend::gl}}};
check::Register by_hand_case{{"blobs/by-hand", run_by_hand, {Backend::cpu, Backend::cuda, Backend::gl}}};
check::Register moment_case{{"blobs/moments", run_moments, {Backend::cpu}}};
check::Register refusal_case{{"blobs/refusals", run_refusals, {Backend::cpu, Backend::cuda, Backend::gl}}};
check::Register bench_case{{"blobs/times", run_bench, {Backend::cpu, Backend::cuda, Backend::gl}}};

} // namespace
} // namespace vigil::blobs
