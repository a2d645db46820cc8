// SPDX-License-Identifier: LGPL-2.1-or-later
// The reference and the statistics of kernels/histogram against histogram.bin, which numpy made
// (make_histogram.py describes the file). Counts must be equal. Usage: golden-histogram FILE
#include "common/error.h"
#include "kernels/histogram/statistics.h"
#include "tests/golden/golden_file.h"
#include "tests/golden/golden_main.h"

#include <cmath>
#include <cstdio>
#include <sstream>
#include <vector>

namespace vigil::histogram {
namespace {

struct Case {
  int bits = 0, channels = 0, width = 0, height = 0;
  Levels levels;
  Statistics want;
};

bool same(const Statistics &a, const Statistics &b) {
  const auto near = [](double x, double y) { return std::abs(x - y) < 1e-9; };
  return near(a.mean, b.mean) && near(a.median, b.median) && near(a.contrast, b.contrast) &&
         near(a.clipped_dark, b.clipped_dark) && near(a.clipped_bright, b.clipped_bright) &&
         near(a.metered, b.metered) && near(a.bright_end, b.bright_end);
}

int run(const char *path) {
  test::GoldenFile file(path);
  std::vector<Case> cases;
  file.each_line([&](const std::string &what, std::istringstream &line) {
    Case c;
    Statistics &s = c.want;
    line >> c.bits >> c.channels >> c.width >> c.height >> c.levels.black >> c.levels.white >> s.mean >>
        s.median >> s.contrast >> s.clipped_dark >> s.clipped_bright >> s.metered >> s.bright_end;
    if (!line || what != "picture") fail(Error::Kind::bad_data, "no picture: ", line.str());
    cases.push_back(c);
  });
  if (cases.empty()) fail(Error::Kind::bad_data, path, " holds no picture");
  const auto device = open_cpu(1);
  const auto queue = device->make_queue();
  const auto counter = make_reference();
  int failures = 0;
  for (const Case &c : cases) {
    const int pixel = (c.channels == 3 ? 4 : 1) * c.bits / 8;
    using enum PixelFormat;
    const PixelFormat format = c.bits == 16      ? (c.channels == 3 ? rgba64 : gray16)
                               : c.channels == 3 ? rgba
                                                 : gray8;
    std::vector<std::uint8_t> pixels = file.take(std::size_t(c.width) * c.height * pixel);
    Counts want;
    for (int i = 0; i < c.channels; i++) file.take(want.channel[i].data(), sizeof(Bins));
    file.take(want.intensity.data(), sizeof(Bins));
    const ConstImage image{format, c.width, c.height, {pixels.data()}, {std::ptrdiff_t(c.width) * pixel}};
    Counts got;
    counter->count(image, *queue);
    counter->fetch(&got, *queue);
    const bool counts = got == want, numbers = same(statistics(got, c.channels, c.levels), c.want);
    std::printf("%s %dx%d, %d channels of %d bits: counts %s, statistics %s\n",
                counts && numbers ? "ok  " : "FAIL", c.width, c.height, c.channels, c.bits,
                counts ? "equal" : "DIFFER", numbers ? "equal" : "DIFFER");
    failures += !counts || !numbers;
  }
  return failures ? 1 : 0;
}

} // namespace
} // namespace vigil::histogram

int main(int argc, char **argv) {
  return vigil::test::golden_main(argc, argv, vigil::histogram::run);
}
