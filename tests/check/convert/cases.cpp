// SPDX-License-Identifier: LGPL-2.1-or-later
// Every byte as the reference makes it; and the reference against the formulas in floating point.
#include "common/error.h"
#include "kernels/convert/high_bytes.h"
#include "kernels/convert/rgba.h"
#include "tests/check/checker.h"

#include <algorithm>
#include <cmath>

namespace vigil::convert {
namespace {

using check::Checker;
using check::Picture;

constexpr PixelFormat formats[] = {PixelFormat::rgba, PixelFormat::bgra, PixelFormat::gray8,
                                   PixelFormat::nv12, PixelFormat::i420};
struct Size {
  int width, height;
};
constexpr Size sizes[] = {{1, 1}, {2, 1}, {1, 2}, {3, 5}, {31, 9}, {64, 48}, {131, 97}, {640, 361}};
const Matrix matrices[] = {{}, matrix_for(0.2126, 0.0722, false), matrix_for(0.299, 0.114, true)};

void run_all(Checker &c) {
  const auto converter = make(c.device);
  const auto reference = make_reference();
  for (const Size &s : sizes)
    for (const PixelFormat f : formats)
      for (const int padding : {0, 1, 16}) {
        Picture from(c, f, s.width, s.height, padding),
            to(c, PixelFormat::rgba, s.width, s.height, 4 * padding),
            want(c, PixelFormat::rgba, s.width, s.height, 4 * padding);
        from.bytes = c.noise(from.bytes.size());
        from.send();
        const Conversion how{matrices[c.rng() % std::size(matrices)], c.rng() % 2 == 0};
        reference->apply(from.host(), how, want.host(), c.queue());
        converter->apply(from.device(), how, to.device(), c.queue());
        to.fetch();
        const auto bytes = [&](Picture &p) {
          const Plane<std::uint8_t> plane = p.host().plane(0);
          return Plane<const std::uint8_t>{plane.data, 4 * plane.width, plane.height, plane.stride};
        };
        c.same_pixels(text("format ", int(f), ", ", s.width, "x", s.height, ", padding ", padding),
                      bytes(want), bytes(to), 0);
      }
}

// One grey and one colour that the standards give: 16/128/128 is black and 235/128/128 white; and random
// colours within one level.
void run_reference(Checker &c) {
  const auto reference = make_reference();
  const double kr = 0.2126, kb = 0.0722;
  for (int i = 0; i < 2000; i++) {
    const double full = i % 2 ? 1 : 0, y = c.rng() % 256, u = c.rng() % 256, v = c.rng() % 256;
    const std::uint8_t planes[3] = {std::uint8_t(y), std::uint8_t(u), std::uint8_t(v)};
    const ConstImage from{PixelFormat::i420, 1, 1, {&planes[0], &planes[1], &planes[2]}, {1, 1, 1}};
    std::uint8_t got[4];
    reference->apply(from, {matrix_for(kr, kb, full > 0), false}, {PixelFormat::rgba, 1, 1, {got}, {4}},
                     c.queue());
    const double Y = full > 0 ? y / 255 : (y - 16) / 219, scale = full > 0 ? 255 : 224;
    const double Cb = (u - 128) / scale, Cr = (v - 128) / scale;
    const double r = Y + 2 * (1 - kr) * Cr, b = Y + 2 * (1 - kb) * Cb,
                 g = (Y - kr * r - kb * b) / (1 - kr - kb);
    const double want[4] = {r, g, b, 1};
    for (int k = 0; k < 4; k++) {
      const double level = std::clamp(255 * want[k], 0., 255.);
      c.expect(std::abs(level - got[k]) < 0.52,
               text("YUV ", y, " ", u, " ", v, ": channel ", k, " is ", int(got[k]), ", not ", level));
    }
  }
  const Matrix standard = matrix_for(0.299, 0.114, false);
  c.expect(standard == Matrix{}, "the default matrix is not that of BT.601");
}

void run_errors(Checker &c) {
  const auto reference = make_reference();
  std::vector<std::uint8_t> memory(64 * 64 * 8);
  const auto fails = [&](const char *what, PixelFormat f, int width, PixelFormat to, const char *part) {
    try {
      reference->apply({f, width, 8, {memory.data(), memory.data(), memory.data()}, {64, 64, 64}}, {},
                       {to, 8, 8, {memory.data()}, {64}}, c.queue());
      c.fail(text(what, " is accepted"));
    } catch (const Error &e) {
      c.expect(std::string(e.what()).find(part) != std::string::npos, text(what, ": ", e.what()));
    }
  };
  fails("a wider picture", PixelFormat::nv12, 9, PixelFormat::rgba, "9x8");
  fails("a result in nv12", PixelFormat::nv12, 8, PixelFormat::nv12, "rgba");
  fails("16 bits", PixelFormat::p010, 8, PixelFormat::rgba, "16 bits");
}

void run_times(Checker &c) {
  if (!c.benching()) throw check::Skip{"only with --bench"};
  const auto converter = make(c.device);
  for (const PixelFormat f : formats) {
    Picture from(c, f, 1920, 1080), to(c, PixelFormat::rgba, 1920, 1080);
    from.bytes = c.noise(from.bytes.size());
    from.send();
    c.time(
        text("1080p, format ", int(f)), 1920. * 1080,
        [&] { converter->apply(from.device(), {}, to.device(), c.queue()); }, {}, 10);
  }
  const auto high_bytes = make_high_bytes(c.device);
  Picture from(c, PixelFormat::p010, 1920, 1080), to(c, PixelFormat::nv12, 1920, 1080);
  from.bytes = c.noise(from.bytes.size());
  from.send();
  c.time(
      "1080p, p010 to nv12", 1920. * 1080, [&] { high_bytes->apply(from.device(), to.device(), c.queue()); },
      {}, 10);
}

// All sizes, at addresses that are no multiples of 4 too.
void run_high_bytes(Checker &c) {
  const auto converter = make_high_bytes(c.device);
  const auto reference = make_high_bytes_reference();
  for (const Size &s : sizes)
    for (const int padding : {0, 2, 16}) {
      Picture from(c, PixelFormat::p010, s.width, s.height, padding),
          to(c, PixelFormat::nv12, s.width, s.height, padding / 2),
          want(c, PixelFormat::nv12, s.width, s.height, padding / 2);
      from.bytes = c.noise(from.bytes.size());
      from.send();
      reference->apply(from.host(), want.host(), c.queue());
      converter->apply(from.device(), to.device(), c.queue());
      to.fetch();
      for (int i = 0; i < 2; i++) {
        const auto bytes = [&](Picture &p) {
          const Plane<std::uint8_t> plane = p.host().plane(i);
          return Plane<const std::uint8_t>{plane.data, int(row_bytes(PixelFormat::nv12, i, s.width)),
                                           plane.height, plane.stride};
        };
        c.same_pixels(text(s.width, "x", s.height, ", padding ", padding, ", plane ", i), bytes(want),
                      bytes(to), 0);
      }
    }
}

// Samples whose bytes are known, and what is refused.
void run_high_bytes_reference(Checker &c) {
  const auto reference = make_high_bytes_reference();
  const std::uint8_t luma[] = {0x40, 0x10, 0xff, 0xeb}, chroma[] = {0x00, 0x80, 0xc0, 0x7f};
  std::uint8_t y[2], uv[2];
  const ConstImage from{PixelFormat::p010, 2, 1, {luma, chroma}, {4, 4}};
  reference->apply(from, {PixelFormat::nv12, 2, 1, {y, uv}, {2, 2}}, c.queue());
  c.expect(y[0] == 16 && y[1] == 235 && uv[0] == 128 && uv[1] == 127, "the upper bytes are others");
  const auto refused = [&](const char *what, PixelFormat f, PixelFormat to, int width) {
    try {
      reference->apply({f, 2, 1, {luma, chroma}, {4, 4}}, {to, width, 1, {y, uv}, {2, 2}}, c.queue());
      c.fail(text(what, " is accepted"));
    } catch (const Error &e) {
      c.expect(e.kind() == Error::Kind::bad_setting, e.what());
    }
  };
  refused("nv12 in", PixelFormat::nv12, PixelFormat::nv12, 2);
  refused("p010 out", PixelFormat::p010, PixelFormat::p010, 2);
  refused("another size", PixelFormat::p010, PixelFormat::nv12, 3);
}

const check::Register cases[] = {
    check::Register{{"convert/high-bytes-reference", run_high_bytes_reference, {Backend::cpu}}},
    check::Register{{"convert/high-bytes", run_high_bytes, {Backend::cpu, Backend::cuda, Backend::gl}}},
    check::Register{{"convert/reference", run_reference, {Backend::cpu}}},
    check::Register{{"convert/errors", run_errors, {Backend::cpu}}},
    check::Register{{"convert/bytes", run_all, {Backend::cpu, Backend::cuda, Backend::gl}}},
    check::Register{{"convert/times", run_times, {Backend::cpu, Backend::cuda, Backend::gl}}},
};

} // namespace
} // namespace vigil::convert
