// SPDX-License-Identifier: LGPL-2.1-or-later
// Chains on p010: bytes as the reference's; colours that are known; what no stage changes stays.
#include "common/device_cast.h"
#include "kernels/filter/chain.h"
#include "tests/check/checker.h"
#include "tests/check/filter/compare.h"

#include <cmath>
#include <cstring>

namespace vigil::filter {
namespace {

using check::Checker;
using check::Picture;
using enum PixelFormat;

struct Known {
  const char *name;
  Coding coding;
  int red[3], white; // Y U V of R alone, and Y of white
};
constexpr Known codings[] = {{"BT.709", {}, {250, 409, 960}, 940},
                             {"BT.601", {0.299, 0.114, false}, {326, 361, 960}, 940},
                             {"BT.2020, full range", {0.2627, 0.0593, true}, {269, 369, 1023}, 1023}};

int sample(const Image &p, int plane, int x, int y) {
  return reinterpret_cast<const std::uint16_t *>(p.plane(plane).row(y))[x];
}
void put(const Image &p, int plane, int x, int y, int level) {
  reinterpret_cast<std::uint16_t *>(p.plane(plane).row(y))[x] = static_cast<std::uint16_t>(level << 6);
}

void run_random(Checker &c) {
  auto &device = device_cast<ClDevice>(c.device);
  struct Size {
    int width, height, padding;
  };
  for (const Known &k : codings)
    for (const char *text_of :
         {"", "gaussian sigma=1.2 ! saturation amount=1.5", "median ! denoise ! sepia"}) {
      const Chain chain = parse(text_of);
      ClChain fast(device, chain, p010, tuning::Mode::off, 0, 0, k.coding);
      for (const Size &s : {Size{1, 1, 0}, {2, 1, 1}, {5, 7, 3}, {64, 32, 0}, {131, 77, 1}}) {
        fast.forget();
        compare_with_reference(
            c, fast, chain, p010, s.width, s.height, s.padding,
            [&] { return text("\"", text_of, "\", ", k.name); }, k.coding);
      }
    }
}

void run_known(Checker &c) {
  auto &device = device_cast<ClDevice>(c.device);
  constexpr int width = 98, height = 46;
  for (const Known &k : codings) {
    Picture in(c, p010, width, height), out(c, p010, width, height);
    const auto filtered = [&](const char *chain) {
      in.send();
      ClChain(device, parse(chain), p010, tuning::Mode::off, 0, 0, k.coding)
          .apply(in.device(), out.device(), c.queue());
      out.fetch();
    };
    const auto expect_all = [&](const char *what, int y, int u, int v) {
      const Image p = out.host();
      for (int row = 0; row < height; row++)
        for (int x = 0; x < width; x++) {
          const int got[3] = {sample(p, 0, x, row), sample(p, 1, x / 2 * 2, row / 2),
                              sample(p, 1, x / 2 * 2 + 1, row / 2)};
          if (got[0] == y << 6 && got[1] == u << 6 && got[2] == v << 6) continue;
          return c.fail(text(k.name, ": ", what, " is ", got[0] / 64., ",", got[1] / 64., ",", got[2] / 64.,
                             " at ", x, ",", row, ", not ", y, ",", u, ",", v));
        }
    };
    in.bytes = c.noise(in.bytes.size());
    filtered("matrix rr=0 gg=0 bb=0 ro=1");
    expect_all("red", k.red[0], k.red[1], k.red[2]);
    filtered("brightness amount=1");
    expect_all("white", k.white, 512, 512);
    // Any grey, and colours that R G B have: near the middle each chroma within 100 of 512.
    const Image p = in.host();
    for (int row = 0; row < height; row++)
      for (int x = 0; x < width; x++) put(p, 0, x, row, 300 + int(c.rng() % 400));
    for (int row = 0; row < height / 2; row++)
      for (int x = 0; x < width; x++) put(p, 1, x, row, 412 + int(c.rng() % 201));
    for (const char *chain : {"", "invert ! invert"}) {
      filtered(chain);
      int changed = 0;
      for (int plane = 0; plane < 2; plane++)
        for (int row = 0; row < plane_rows(plane, height); row++)
          for (int x = 0; x < width; x++)
            changed += sample(p, plane, x, row) != sample(out.host(), plane, x, row);
      c.expect(changed == 0, text(k.name, ": \"", chain, "\" changes ", changed, " samples"));
    }
  }
}

void run_p010(Checker &c) {
  run_random(c);
  run_known(c);
}

check::Register p010_case{{"filter/p010", run_p010, {Backend::opencl}}};

} // namespace
} // namespace vigil::filter
