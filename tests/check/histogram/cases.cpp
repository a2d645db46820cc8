// SPDX-License-Identifier: LGPL-2.1-or-later
// Counts and drawings against the reference; all is integer, so equality is exact.
#include "kernels/histogram/histogram.h"

#include "common/error.h"
#include "tests/check/checker.h"

#include <algorithm>
#include <cstring>

namespace vigil::histogram {
namespace {

using check::Checker;
using check::Picture;

constexpr PixelFormat formats[] = {PixelFormat::gray8, PixelFormat::rgba,   PixelFormat::bgra,
                                   PixelFormat::nv12,  PixelFormat::i420,   PixelFormat::gray16,
                                   PixelFormat::p010,  PixelFormat::rgba64, PixelFormat::i420_10};
const char *name_of(PixelFormat f) {
  constexpr const char *names[] = {"gray8",  "rgba", "bgra",   "nv12",   "i420",
                                   "gray16", "p010", "rgba64", "i420_10"};
  return names[int(f)];
}

// Counts in memory that the device may copy to.
class HostCounts {
 public:
  explicit HostCounts(Device &device) : device_(device), data_(device.allocate_host(sizeof(Counts))) {
    std::memset(data_, 0xa5, sizeof(Counts));
  }
  ~HostCounts() { device_.release_host(data_); }
  HostCounts(const HostCounts &) = delete;
  HostCounts &operator=(const HostCounts &) = delete;
  Counts *get() const { return static_cast<Counts *>(data_); }

 private:
  Device &device_;
  void *data_;
};

void same(Checker &c, const std::string &what, const Counts &want, const Counts &got) {
  const auto compare = [&](const char *set, const Bins &w, const Bins &g) {
    for (int v = 0; v < bins; v++)
      if (w[v] != g[v]) return c.fail(text(what, ": ", set, " has ", g[v], " at ", v, ", not ", w[v]));
  };
  constexpr const char *sets[] = {"channel 0", "channel 1", "channel 2"};
  for (int i = 0; i < 3; i++) compare(sets[i], want.channel[i], got.channel[i]);
  compare("the intensity", want.intensity, got.intensity);
}

struct Size {
  int width, height, padding, offset;
};
constexpr Size sizes[] = {{1, 1, 0, 0},    {2, 3, 1, 0},     {7, 5, 3, 1},      {33, 17, 13, 4},
                          {256, 64, 0, 0}, {641, 137, 7, 3}, {1024, 768, 0, 0}, {1283, 717, 12, 0}};

void run_random(Checker &c) {
  const auto host = open_cpu(1);
  const auto host_queue = host->make_queue();
  const auto reference = make_reference();
  const auto counter = make_opencl(c.device);
  const HostCounts got(c.device);
  Counts want;
  for (const PixelFormat format : formats)
    for (const Size &s : sizes)
      for (const bool flat : {false, true}) {
        const std::string what = text(name_of(format), " ", s.width, "x", s.height, flat ? " flat" : "");
        Picture picture(c, format, s.width, s.height, s.padding * (is_16_bit(format) ? 2 : 1));
        picture.bytes = c.noise(picture.bytes.size());
        if (flat) std::fill(picture.bytes.begin(), picture.bytes.end(), std::uint8_t(c.rng()));
        picture.send();
        reference->count(picture.host(), *host_queue);
        reference->fetch(&want, *host_queue);
        for (const char *turn : {" first", " again", " third"}) {
          counter->count(picture.device(), c.queue());
          counter->fetch(got.get(), c.queue());
          c.queue().wait();
          same(c, what + turn, want, *got.get());
        }
        for (const int wanted : {64, 256}) {
          Panel panel = panel_for(s.width, s.height, wanted);
          if (s.padding) panel.line = 3;
          reference->draw(picture.host(), panel, *host_queue);
          counter->draw(picture.device(), panel, c.queue());
          const std::vector<std::uint8_t> drawn = picture.bytes;
          picture.fetch();
          c.expect(picture.bytes == drawn, text(what, ": the drawing of ", wanted, " bins differs"));
        }
      }
}

// A part of a larger picture, at an odd address.
void run_parts(Checker &c) {
  const auto host = open_cpu(1);
  const auto host_queue = host->make_queue();
  const HostCounts got(c.device);
  Counts want;
  Picture picture(c, PixelFormat::gray8, 700, 300, 5);
  picture.bytes = c.noise(picture.bytes.size());
  picture.send();
  const auto crop = [](const Image &i) {
    return ConstImage{PixelFormat::gray8, 613, 211, {i.plane(0).row(9) + 7}, {i.stride[0]}};
  };
  const auto reference = make_reference(), counter = make_opencl(c.device);
  reference->count(crop(picture.host()), *host_queue);
  reference->fetch(&want, *host_queue);
  counter->count(crop(picture.device()), c.queue());
  counter->fetch(got.get(), c.queue());
  c.queue().wait();
  same(c, "a part", want, *got.get());
}

void run_refused(Checker &c) {
  const auto counter = make_opencl(c.device);
  Picture picture(c, PixelFormat::gray8, 32, 16);
  const Image good = picture.device();
  Image bad = good;
  bad.width = 0;
  c.refused("an empty picture", [&] { counter->count(bad, c.queue()); });
  bad = good;
  bad.data[0] = nullptr;
  c.refused("a picture without memory", [&] { counter->count(bad, c.queue()); });
  {
    Picture deep(c, PixelFormat::gray16, 16, 16, 1);
    c.refused("16 bits at odd addresses", [&] { counter->count(deep.device(), c.queue()); });
  }
  c.refused("a panel outside", [&] { counter->draw(good, {0, 0, 33, 8, 1, 256}, c.queue()); });
  c.refused("a panel at an odd place", [&] { counter->draw(good, {1, 0, 8, 8, 1, 256}, c.queue()); });
  c.refused("100 bins", [&] { counter->draw(good, {0, 0, 8, 8, 1, 100}, c.queue()); });
}

// Pictures as they may be: evenly random, a photograph's slow changes, and one level alone, where all
// counters are one.
void run_bench(Checker &c) {
  if (!c.benching()) throw check::Skip{"only with --bench"};
  struct {
    const char *name;
    int width, height;
  } const frames[] = {{"720p", 1280, 720}, {"1080p", 1920, 1080}};
  const HostCounts counts(c.device);
  const auto measure = [&](const std::string &label, Counter &counter, PixelFormat format, int width,
                           int height, const char *kind, bool fetch) {
    Picture picture(c, format, width, height);
    for (std::size_t i = 0; i < picture.bytes.size(); i++)
      picture.bytes[i] = *kind == 'f'   ? 128
                         : *kind == 'r' ? std::uint8_t(c.rng())
                                        : std::uint8_t(i % 7 + i / 9000);
    picture.send();
    c.queue().wait();
    c.time(
        text(label, " ", kind, fetch ? ", counts fetched" : ""), double(width) * height,
        [&] {
          counter.count(picture.device(), c.queue());
          if (fetch) counter.fetch(counts.get(), c.queue());
        },
        {}, 20);
  };
  for (const auto &f : frames)
    for (const PixelFormat format :
         {PixelFormat::rgba, PixelFormat::nv12, PixelFormat::p010, PixelFormat::rgba64})
      for (const char *kind : {"random", "slopes", "flat"}) {
        const auto counter = make_opencl(c.device);
        measure(text(name_of(format), " ", f.name), *counter, format, f.width, f.height, kind, false);
        if (*kind == 'r')
          measure(text(name_of(format), " ", f.name), *counter, format, f.width, f.height, kind, true);
      }
  const Shape shapes[] = {{256, 1, 4},  {256, 8, 4},  {256, 8, 2},  {512, 2, 2},  {512, 8, 2},
                          {1024, 1, 1}, {1024, 2, 1}, {1024, 4, 1}, {1024, 8, 1}, {1024, 4, 2}};
  for (const Shape &shape : shapes) {
    const auto counter = make_opencl(c.device, shape);
    for (const char *kind : {"random", "flat"})
      measure(text("rgba 720p, ", shape.groups, " x ", shape.group, ", ", shape.copies, " copies"), *counter,
              PixelFormat::rgba, 1280, 720, kind, false);
  }
}

check::Register random_case{{"histogram/random", run_random, {Backend::opencl}}};
check::Register parts_case{{"histogram/parts", run_parts, {Backend::opencl}}};
check::Register refused_case{{"histogram/refused", run_refused, {Backend::opencl}}};
check::Register bench_case{{"histogram/bench", run_bench, {Backend::opencl}}};

} // namespace
} // namespace vigil::histogram
