// SPDX-License-Identifier: LGPL-2.1-or-later
// The reference and the backends of mog for the CPU and OpenGL against mog.bin: masks and backgrounds that
// other programs made (make_mog.py says which, and describes the file). Usage: golden-mog FILE
#include "kernels/mog/mog.h"
#include "tests/golden/golden_file.h"
#include "tests/golden/golden_main.h"
#include "tests/golden/on_device.h"

#include "common/error.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>

namespace vigil::mog {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Properties = std::map<std::string, std::string>;

struct Case {
  std::string name;
  Config config;
  Params params;
  Bytes masks;      // [frame][pixel]
  Bytes background; // [pixel][channel]
};
struct Golden {
  int width = 0, height = 0, count = 0;
  Bytes frames; // [frame][pixel], R G B 255
  std::vector<Case> cases;
  std::size_t pixels() const { return std::size_t(width) * height; }
};

const std::string &value_of(const Properties &p, const std::string &name, const std::string &key) {
  const auto found = p.find(key);
  if (found == p.end()) fail(Error::Kind::bad_data, "case ", name, " says nothing of ", key);
  return found->second;
}

// A case names every parameter, so that it does not change its meaning when a default changes.
Case parse_case(std::istringstream &line, int width, int height) {
  Case c;
  line >> c.name;
  Properties p;
  for (std::string word; line >> word;) {
    const auto equals = word.find('=');
    if (equals == std::string::npos) fail(Error::Kind::bad_data, "case ", c.name, ": ", word);
    p[word.substr(0, equals)] = word.substr(equals + 1);
  }
  const auto number = [&](const char *key) { return std::stof(value_of(p, c.name, key)); };
  for_each_param(params_table, [&](int, const auto &entry) {
    using T = typename std::remove_cvref_t<decltype(entry)>::Value;
    c.params.*entry.field = static_cast<T>(number(entry.name));
  });
  c.config = {.width = width,
              .height = height,
              .channels = int(number("channels")),
              .method = value_of(p, c.name, "method") == "mog" ? Method::mog : Method::zivkovic,
              .components = int(number("components"))};
  return c;
}

Golden read(const char *path) {
  test::GoldenFile file(path);
  Golden g;
  file.each_line([&](const std::string &what, std::istringstream &line) {
    if (what == "frames") line >> g.width >> g.height >> g.count;
    if (what == "case") g.cases.push_back(parse_case(line, g.width, g.height));
  });
  const std::size_t samples = g.pixels() * g.count;
  const Bytes rgb = file.take(3 * samples);
  for (std::size_t i = 0; i < samples; i++)
    g.frames.insert(g.frames.end(), {rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2], 255});
  for (Case &c : g.cases) {
    const Bytes codes = file.take(samples / 4);
    const std::uint8_t values[] = {0, std::uint8_t(c.params.shadow_value), 255, 255};
    for (std::size_t i = 0; i < samples; i++) c.masks.push_back(values[codes[i / 4] >> (i % 4 * 2) & 3]);
    c.background = file.take(g.pixels() * c.config.channels);
  }
  return g;
}

struct Outcome {
  std::size_t different = 0; // pixels of all masks
  int off = 0;               // the greatest difference of two background samples, in grey levels
};

Outcome replay(Device &device, Model &model, const Golden &g, const Case &c, Queue &queue) {
  Outcome outcome;
  const test::OnDevice<std::uint8_t> seen(device, g.pixels()), drawn(device, g.pixels() * 4);
  const std::ptrdiff_t row = std::ptrdiff_t{4} * g.width;
  for (int t = 0; t < g.count; t++) {
    const test::OnDevice<std::uint8_t> pixels(
        device, std::span(&g.frames[4 * g.pixels() * t], 4 * g.pixels()), queue);
    const ConstImage frame{PixelFormat::rgba, g.width, g.height, {pixels.data()}, {row}};
    const Step step{frame, {seen.data(), g.width, g.height, g.width}, learning_rate(c.params, t + 1)};
    model.apply({&step, 1}, c.params, {}, queue);
    const Bytes mask = seen.fetch(queue);
    for (std::size_t i = 0; i < mask.size(); i++) outcome.different += mask[i] != c.masks[g.pixels() * t + i];
  }
  const bool colour = c.config.channels == 3;
  model.background({colour ? PixelFormat::rgba : PixelFormat::gray8,
                    g.width,
                    g.height,
                    {drawn.data()},
                    {colour ? row : g.width}},
                   queue);
  const Bytes background = drawn.fetch(queue);
  for (std::size_t i = 0; i < c.background.size(); i++)
    outcome.off =
        std::max(outcome.off, std::abs(c.background[i] - background[colour ? i / 3 * 4 + i % 3 : i]));
  return outcome;
}

struct Candidate {
  const char *name;
  std::unique_ptr<Model> (*make)(Device &, Config);
};
constexpr Candidate candidates[] = {
    {"reference", [](Device &, Config c) { return make_reference(c); }},
    {"cpu single",
     [](Device &d, Config c) {
       c.precision = Precision::single;
       return make_cpu(d, c);
     }},
    {"cpu double",
     [](Device &d, Config c) {
       c.precision = Precision::double_;
       return make_cpu(d, c);
     }},
};
constexpr Candidate in_gl = {"gl single", [](Device &d, Config c) {
                               c.precision = Precision::single;
                               return make_gl(d, c);
                             }};

// One pixel in a thousand may differ: a distance that is a tie in one arithmetic is not in another.
constexpr double agreement = 0.999;

int run(const char *path) {
  const Golden golden = read(path);
  if (golden.cases.empty()) fail(Error::Kind::bad_data, path, " holds no case");
  const double pixels = double(golden.pixels()) * golden.count;
  int failures = 0;
  const auto try_out = [&](Device &device, const Candidate &candidate) {
    const auto queue = device.make_queue();
    std::size_t different = 0;
    for (const Case &c : golden.cases) {
      const auto model = candidate.make(device, c.config);
      const Outcome o = replay(device, *model, golden, c, *queue);
      different += o.different;
      const bool good = double(o.different) <= (1 - agreement) * pixels && o.off <= 1;
      failures += !good;
      std::printf("%s %-10s %-18s %zu of %.0f mask pixels differ, background within %d\n",
                  good ? "ok  " : "FAIL", candidate.name, c.name.c_str(), o.different, pixels, o.off);
    }
    std::printf("     %-10s agreement %.5f\n", candidate.name,
                1 - double(different) / (pixels * double(golden.cases.size())));
  };
  const auto cpu = open_cpu();
  for (const Candidate &candidate : candidates) try_out(*cpu, candidate);
  test::where_there_is_gl([&](Device &gl) { try_out(gl, in_gl); });
  return failures ? 1 : 0;
}

} // namespace
} // namespace vigil::mog

int main(int argc, char **argv) {
  return vigil::test::golden_main(argc, argv, vigil::mog::run);
}
