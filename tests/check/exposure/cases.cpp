// SPDX-License-Identifier: LGPL-2.1-or-later
// Exposure: lines that were drawn on are found again, with half of the picture covered; every backend against
// the reference; the frame mapped to the byte.
#include "kernels/exposure/exposure.h"

#include "common/error.h"
#include "tests/check/bordered.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace vigil::exposure {
namespace {

using check::Checker;
using check::Picture;

constexpr PixelFormat formats[] = {PixelFormat::gray8, PixelFormat::rgba, PixelFormat::bgra,
                                   PixelFormat::nv12, PixelFormat::i420};
struct Size {
  int width, height, padding;
};
constexpr Size sizes[] = {{1, 1, 0}, {40, 30, 3}, {321, 243, 1}, {640, 480, 0}};

// A smooth background with some texture, and the frame that a camera of this gain, offset and noise makes of
// it; `covered` (0..1) of the columns show something else.
void paint(Checker &c, Picture &background, Picture &frame, double gain, double offset, double covered,
           int noise) {
  background.bytes = c.noise(background.bytes.size());
  for (std::size_t i = 0; i < background.bytes.size(); i++)
    background.bytes[i] = static_cast<std::uint8_t>(40 + background.bytes[i] / 4 + (i / 7) % 90);
  const Image b = background.host(), f = frame.host();
  for (int p = 0; p < plane_count(b.format); p++)
    for (int y = 0; y < plane_rows(p, b.height); y++)
      for (int k = 0; k < row_bytes(b.format, p, b.width); k++) {
        std::uint8_t &known = b.plane(p).row(y)[k];
        if (p > 0) known = static_cast<std::uint8_t>(96 + known / 3); // pale, so that little is clipped
        const bool other = k < covered * double(row_bytes(b.format, p, b.width));
        const double shaken = noise ? double(c.rng() % std::uint64_t(2 * noise + 1)) - noise : 0;
        const int zero = p > 0 ? 128 : 0;
        const double v =
            other ? double(c.rng() % 256) : gain * (known - zero) + zero + (p > 0 ? 0 : offset) + shaken;
        f.plane(p).row(y)[k] = static_cast<std::uint8_t>(std::clamp(std::lround(v), 0L, 255L));
      }
}

Lines fetch(Checker &c, const Exposure &e) {
  Lines l;
  c.device.download(&l, e.lines(), sizeof l, c.queue());
  c.queue().wait();
  return l;
}

void run_random(Checker &c) {
  const auto host = open_cpu(1);
  const auto host_queue = host->make_queue();
  for (const Size &s : sizes)
    for (const PixelFormat f : formats)
      for (const int channels : {1, 3}) {
        if (f == PixelFormat::gray8 && channels == 3) continue;
        const auto reference = make_reference();
        const auto exposure = make(c.device);
        const std::shared_ptr<void> host_copy(c.device.allocate_host(sizeof(Lines)),
                                              [&](void *p) { c.device.release_host(p); });
        exposure->set_host_copy(static_cast<Lines *>(host_copy.get()));
        for (int frame = 0; frame < 4; frame++) {
          Picture background(c, f, s.width, s.height, s.padding), in(c, f, s.width, s.height, s.padding),
              want(c, f, s.width, s.height, s.padding), got(c, f, s.width, s.height, s.padding);
          const double gain = std::uniform_real_distribution(0.5, 1.6)(c.rng);
          const double offset = std::uniform_real_distribution(-20., 20.)(c.rng);
          paint(c, background, in, gain, offset, frame == 3 ? 1. : 0.4, 4);
          background.send();
          in.send();
          reference->apply(in.host(), background.host(), channels, want.host(), *host_queue);
          const ConstImage result =
              exposure->apply(in.device(), background.device(), channels, got.device(), c.queue());
          const Lines lines = fetch(c, *exposure);
          const std::string what =
              text(s.width, "x", s.height, ", format ", int(f), ", ", channels, " channels, frame ", frame);
          c.expect(*static_cast<const Lines *>(host_copy.get()) == lines,
                   what + ": other lines were host_copy");
          for (int k = 0; k < channels; k++) {
            const Line &l = lines.channel[k], &r = reference->lines()->channel[k];
            c.expect(std::abs(l.gain - r.gain) < 0.004 && std::abs(l.offset - r.offset) < 0.5 &&
                         std::abs(l.agreeing - r.agreeing) < 0.01 && std::abs(l.weight - r.weight) < 0.02 &&
                         std::abs(l.left[0] - r.left[0]) < 0.05 && std::abs(l.left[1] - r.left[1]) < 0.05,
                     text(what, ", channel ", k, ": gain ", l.gain, " offset ", l.offset, " agreeing ",
                          l.agreeing, " weight ", l.weight, " left ", l.left[0], " ", l.left[1], ", not ",
                          r.gain, " ", r.offset, " ", r.agreeing, " ", r.weight, " ", r.left[0], " ",
                          r.left[1]));
          }
          if (result.data[0] == in.device().data[0]) continue; // nothing to undo
          // The same lines give the same bytes.
          const auto exact = make_reference();
          got.fetch();
          for (int p = 0; p < plane_count(f); p++) {
            const int bytes = int(row_bytes(f, p, s.width)), rows = plane_rows(p, s.height);
            const Plane<const std::uint8_t> w{want.host().data[p], bytes, rows, want.host().stride[p]},
                g{got.host().data[p], bytes, rows, got.host().stride[p]};
            c.near_pixels(text(what, ", plane ", p), w, g, 2);
          }
          reference->set(lines, *host_queue); // the next frame fades from the same place
        }
      }
}

// Through a shift the background is what the shifted frame shows of it, byte for byte.
void run_shifted(Checker &c) {
  for (const Size &s : {sizes[1], sizes[2], sizes[3]})
    for (const PixelFormat f : formats)
      for (const Shift shift : {Shift{4, -2}, Shift{-15, 7}, Shift{32, 32}, Shift{-1, -32}}) {
        constexpr int border = 32;
        check::Bordered background(c, f, s.width, s.height, border, s.padding);
        Picture shown(c, f, s.width, s.height), in(c, f, s.width, s.height, s.padding),
            want(c, f, s.width, s.height), got(c, f, s.width, s.height, s.padding);
        Picture all_in(c, f, s.width + 2 * border, s.height + 2 * border, s.padding);
        paint(c, background.whole, all_in, 1.3, -9, 0.2, 2);
        background.show(shift, shown.host());
        check::Bordered seen(c, f, s.width, s.height, border, s.padding);
        seen.whole.bytes = all_in.bytes;
        seen.show(shift, in.host());
        for (Picture *p : {&background.whole, &shown, &in}) p->send();
        const int channels = f == PixelFormat::gray8 ? 1 : 3;
        const auto plain = make(c.device), through = make(c.device);
        const check::KnownShift known(c, shift);
        const ConstImage seen_plain =
            plain->apply(in.device(), shown.device(), channels, want.device(), c.queue());
        const ConstImage seen_through = through->apply(in.device(), {background.device(), known.get()},
                                                       channels, got.device(), c.queue());
        const std::string what =
            text(s.width, "x", s.height, ", format ", int(f), ", shift ", shift.x, ",", shift.y);
        c.expect(fetch(c, *plain) == fetch(c, *through), what + ": other lines");
        const std::uint8_t *const frame = in.device().data[0];
        c.expect((seen_plain.data[0] == frame) == (seen_through.data[0] == frame), what + ": one is mapped");
        if (seen_plain.data[0] == frame) continue; // too few samples for a line in the smallest
        want.fetch();
        got.fetch();
        for (int p = 0; p < plane_count(f); p++) {
          const int bytes = int(row_bytes(f, p, s.width)), rows = plane_rows(p, s.height);
          const Plane<const std::uint8_t> w{want.host().data[p], bytes, rows, want.host().stride[p]},
              g{got.host().data[p], bytes, rows, got.host().stride[p]};
          c.near_pixels(text(what, ", plane ", p), w, g, 0);
        }
      }
}

// With the lines given, the mapping is exact: a background without usable samples keeps them (faded).
void run_mapping(Checker &c) {
  const auto host = open_cpu(1);
  const auto host_queue = host->make_queue();
  for (const Size &s : sizes)
    for (const PixelFormat f : formats)
      for (const int channels : {1, 3}) {
        if (f == PixelFormat::gray8 && channels == 3) continue;
        Picture background(c, f, s.width, s.height, s.padding), in(c, f, s.width, s.height, s.padding),
            want(c, f, s.width, s.height, s.padding), got(c, f, s.width, s.height, s.padding);
        in.bytes = c.noise(in.bytes.size());
        background.bytes = c.noise(background.bytes.size());
        for (auto &v : background.bytes) v = v < 128 ? std::uint8_t(v % lowest) : std::uint8_t(255 - v % 9);
        in.send();
        background.send();
        Lines given;
        for (Line &l : given.channel)
          l = {std::uniform_real_distribution(0.3f, 3.f)(c.rng),
               std::uniform_real_distribution(-60.f, 60.f)(c.rng),
               1,
               1,
               {}};
        const auto reference = make_reference();
        const auto exposure = make(c.device);
        reference->set(given, *host_queue);
        exposure->set(given, c.queue());
        reference->apply(in.host(), background.host(), channels, want.host(), *host_queue);
        const ConstImage result =
            exposure->apply(in.device(), background.device(), channels, got.device(), c.queue());
        got.fetch();
        if (result.data[0] == in.device().data[0]) got.bytes = in.bytes;
        for (int p = 0; p < plane_count(f); p++) {
          const int bytes = int(row_bytes(f, p, s.width)), rows = plane_rows(p, s.height);
          const Plane<const std::uint8_t> w{want.host().data[p], bytes, rows, want.host().stride[p]},
              g{got.host().data[p], bytes, rows, got.host().stride[p]};
          c.same_pixels(
              text(s.width, "x", s.height, ", format ", int(f), ", ", channels, " channels, plane ", p), w, g,
              0);
        }
      }
}

// What was drawn on is found again, whichever of the picture's halves is covered.
void run_recovery(Checker &c) {
  for (const PixelFormat f : {PixelFormat::gray8, PixelFormat::rgba, PixelFormat::i420})
    for (const double gain : {0.4, 0.7, 1., 1.4})
      for (const double covered : {0., 0.45}) {
        Picture background(c, f, 320, 240), in(c, f, 320, 240), out(c, f, 320, 240);
        paint(c, background, in, gain, 5, covered, 3);
        background.send();
        in.send();
        const auto exposure = make(c.device);
        exposure->apply(in.device(), background.device(), f == PixelFormat::gray8 ? 1 : 3, out.device(),
                        c.queue());
        const Line l = fetch(c, *exposure).channel[0];
        const double worst = std::max(std::abs((l.gain - gain) * 40 + l.offset - 5),
                                      std::abs((l.gain - gain) * 180 + l.offset - 5));
        c.expect(l.agreeing > 0 && worst < 3,
                 text("format ", int(f), ", gain ", gain, ", ", covered, " covered: found gain ", l.gain,
                      ", offset ", l.offset, ", agreeing ", l.agreeing));
      }
}

// Patches of colours, seen by a camera that clips R, G and B before it makes Y, U and V of them: in every
// matrix, range and order of chroma the frame becomes the background again, also where it was clipped.
struct Camera {
  const char *name;
  double kr, kb;
  bool full_range, v_first;
};
constexpr Camera cameras[] = {{"BT.601", 0.299, 0.114, false, false},
                              {"BT.601, V first", 0.299, 0.114, false, true},
                              {"BT.709", 0.2126, 0.0722, false, false},
                              {"BT.601, full range", 0.299, 0.114, true, false}};
constexpr int patch = 16; // pixels

void photograph(const std::vector<std::array<int, 3>> &patches, double gain, const Camera &k, Picture &p) {
  const Image out = p.host();
  const double scale = k.full_range ? 255 : 219, chroma = k.full_range ? 255 : 224,
               black = k.full_range ? 0 : 16;
  for (int y = 0; y < out.height; y++)
    for (int x = 0; x < out.width; x++) {
      const auto &rgb = patches[std::size_t(y / patch * (out.width / patch) + x / patch)];
      double seen[3];
      for (int i = 0; i < 3; i++) seen[i] = std::min(gain * rgb[std::size_t(i)], 255.) / 255;
      const double luma = k.kr * seen[0] + (1 - k.kr - k.kb) * seen[1] + k.kb * seen[2];
      const double u = 128 + chroma * (seen[2] - luma) / (2 * (1 - k.kb)),
                   v = 128 + chroma * (seen[0] - luma) / (2 * (1 - k.kr));
      out.plane(0).row(y)[x] = static_cast<std::uint8_t>(std::lround(black + scale * luma));
      const bool pairs = out.format == PixelFormat::nv12;
      std::uint8_t *const first = out.plane(1).row(y / 2) + (pairs ? x / 2 * 2 : x / 2);
      std::uint8_t *const second = pairs ? first + 1 : out.plane(2).row(y / 2) + x / 2;
      *first = static_cast<std::uint8_t>(std::clamp(std::lround(k.v_first ? v : u), 0L, 255L));
      *second = static_cast<std::uint8_t>(std::clamp(std::lround(k.v_first ? u : v), 0L, 255L));
    }
}

void run_clipped(Checker &c) {
  constexpr int width = 320, height = 240;
  std::vector<std::array<int, 3>> patches(std::size_t(width / patch) * (height / patch));
  for (auto &p : patches)
    for (int &v : p) v = 30 + static_cast<int>(c.rng() % 200);
  for (const Camera &k : cameras)
    for (const PixelFormat f : {PixelFormat::nv12, PixelFormat::i420}) {
      Picture background(c, f, width, height), in(c, f, width, height), out(c, f, width, height);
      photograph(patches, 1, k, background);
      photograph(patches, 1.4, k, in);
      background.send();
      in.send();
      const auto exposure = make(c.device);
      exposure->set_colours(colours_for(k.kr, k.kb, k.full_range, k.v_first));
      exposure->apply(in.device(), background.device(), 3, out.device(), c.queue());
      out.fetch();
      const Line l = fetch(c, *exposure).channel[0];
      c.expect(std::abs(l.gain - 1.4) < 0.02 && l.agreeing > 0.95,
               text(k.name, ", format ", int(f), ": gain ", l.gain, ", agreeing ", l.agreeing));
      for (int p = 0; p < plane_count(f); p++) {
        const int bytes = int(row_bytes(f, p, width)), rows = plane_rows(p, height);
        const Plane<const std::uint8_t> want{background.host().data[p], bytes, rows,
                                             background.host().stride[p]},
            got{out.host().data[p], bytes, rows, out.host().stride[p]};
        c.near_pixels(text(k.name, ", format ", int(f), ", plane ", p), want, got, 5);
      }
    }
}

// Light that fades slowly is left to the model; what jumps is undone, and then handed over slowly; of what
// swings hardly anything is.
void run_following(Checker &c) {
  constexpr int frames = 600;
  const auto worst_of = [&](int from, int to) { // the largest deviation that is undone while the light halves
    const auto exposure = make(c.device);
    float worst = 0;
    for (int n = 0; n < frames; n++) {
      Picture background(c, PixelFormat::gray8, 160, 120), in(c, PixelFormat::gray8, 160, 120),
          out(c, PixelFormat::gray8, 160, 120);
      const double part = std::clamp(double(n - from) / (to - from), 0., 1.);
      paint(c, background, in, 1 - 0.1 * part, 0, 0, 2);
      background.send();
      in.send();
      exposure->apply(in.device(), background.device(), 1, out.device(), c.queue());
      const Line l = fetch(c, *exposure).channel[0];
      for (int k = 0; k < 2; k++) worst = std::max(worst, std::abs(deviation(l, k) - l.left[k]));
    }
    return worst;
  };
  const float slow = worst_of(0, frames), jump = worst_of(100, 101);
  c.expect(slow < 8 && jump > 20, text("of 26 levels, ", slow, " were undone when they came in ", frames,
                                       " frames, and ", jump, " when they came at once"));

  // By 60 levels to each side: the way of `left` over four seconds up and four seconds down, again and again.
  const auto left_of = [](int period, bool chroma) {
    Line l;
    float most = 0;
    for (int n = 0; n < 2 * period; n++) {
      const float offset = 60.f * static_cast<float>(std::sin(2 * 3.14159265 * n / period));
      l = settled({1.f, offset, 1.f, 1.f, {}}, l, 10, 100, true, chroma);
      most = std::max(most, std::abs(l.left[0]));
    }
    return most;
  };
  const float quick = left_of(200, false), lasting = left_of(2000, false), chroma = left_of(2000, true);
  c.expect(quick < 4 && lasting > 30 && chroma > 10 && chroma < lasting,
           text("of 60 levels that come and go in 200 frames ", quick, " were left to the model, in 2000 ",
                lasting, ", and of chroma ", chroma));
}

// A line that explains little more than no change does nothing.
void run_disbelief(Checker &c) {
  const Line asked{1.06f, -20.f, 0.45f, 0, {}}, before{};
  c.expect(table_for(settled(asked, before, 99, 129, true, false)).is_identity(),
           "a line of little use was undone");
  c.expect(!table_for(settled(asked, before, 30, 129, true, false)).is_identity(),
           "a useful line was not undone");
}

void run_table(Checker &c) {
  c.expect(table_for({1.f, 0.f, 1.f, 1, {}}).is_identity(), "a line that changes nothing is no identity");
  c.expect(table_for({1.f, 1.9f, 1.f, 1, {}}).is_identity(), "a deviation within the slack is undone");
  const Table t = table_for({2.f, 10.f, 1.f, 1, {}});
  for (const int v : {30, 60, 120, 200}) {
    const double want = (v - 10) / 2.;
    c.expect(std::abs(t(v) - want) <= slack + 1,
             text("gain 2, offset 10: ", v, " became ", t(v), ", not ", want));
  }
  c.expect(corrected(t, 255, 200) == 200 && corrected(t, 255, 90) == t(255), "clipped samples");
  try {
    Picture a(c, PixelFormat::gray8, 8, 8), b(c, PixelFormat::gray8, 9, 8);
    make(c.device)->apply(a.device(), b.device(), 1, a.device(), c.queue());
    c.fail("a background of another size was not refused");
  } catch (const Error &e) {
    c.expect(std::string(e.what()).find("9x8") != std::string::npos, e.what());
  }
}

void run_times(Checker &c) {
  if (!c.benching()) throw check::Skip{"only with --bench"};
  for (const PixelFormat f : {PixelFormat::gray8, PixelFormat::rgba, PixelFormat::nv12})
    for (const double gain : {1., 1.3}) {
      Picture background(c, f, 1920, 1080), in(c, f, 1920, 1080), out(c, f, 1920, 1080);
      paint(c, background, in, gain, 0, 0.2, 3);
      background.send();
      in.send();
      const auto exposure = make(c.device);
      const int channels = f == PixelFormat::gray8 ? 1 : 3;
      c.time(
          text("1080p, format ", int(f), ", gain ", gain), 1920. * 1080,
          [&] { exposure->apply(in.device(), background.device(), channels, out.device(), c.queue()); }, {},
          10);
    }
}

const check::Register cases[] = {
    check::Register{{"exposure/random", run_random, {Backend::cpu, Backend::cuda, Backend::gl}}},
    check::Register{{"exposure/shifted", run_shifted, {Backend::cpu, Backend::cuda, Backend::gl}}},
    check::Register{{"exposure/mapping", run_mapping, {Backend::cpu, Backend::cuda, Backend::gl}}},
    check::Register{{"exposure/recovery", run_recovery, {Backend::cpu, Backend::cuda, Backend::gl}}},
    check::Register{{"exposure/clipped", run_clipped, {Backend::cpu, Backend::cuda, Backend::gl}}},
    check::Register{{"exposure/table", run_table, {Backend::cpu, Backend::cuda, Backend::gl}}},
    check::Register{{"exposure/following", run_following, {Backend::cpu, Backend::cuda, Backend::gl}}},
    check::Register{{"exposure/disbelief", run_disbelief}},
    check::Register{{"exposure/times", run_times, {Backend::cpu, Backend::cuda, Backend::gl}}},
};

} // namespace
} // namespace vigil::exposure
