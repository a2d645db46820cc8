// SPDX-License-Identifier: LGPL-2.1-or-later
// Every backend of mog against the reference: lock-step on random input over the declared ranges.
#include "kernels/mog/mog.h"

#include "common/error.h"
#include "tests/check/checker.h"

namespace vigil::mog {
namespace {

using check::Checker;
using check::Picture;

struct Size {
  int width, height, padding;
};
constexpr Size sizes[] = {{1, 1, 0}, {7, 5, 3}, {33, 17, 1}, {64, 48, 0}, {130, 70, 13}, {641, 37, 7}};

// Frames that give the models something to do: a few levels with noise around them, some pixels far off.
void paint(Picture &p, Checker &c, int frame) {
  std::normal_distribution<float> noise(0.f, 6.f);
  for (std::size_t i = 0; i < p.bytes.size(); i++) {
    const int level = int(i * 37 % 200) + 20;
    const bool jump = c.rng() % 8 == 0;
    const float v =
        jump ? float(c.rng() % 256) : float(level) * (frame % 16 > 12 ? 0.7f : 1.f) + noise(c.rng);
    p.bytes[i] = static_cast<std::uint8_t>(std::clamp(v, 0.f, 255.f));
  }
}

std::string label(const Config &k, PixelFormat f) {
  return text(name_of(k.method), " ", k.channels == 3 ? "colour" : "luma", " format ", int(f),
              " K=", k.components, " precision ", int(k.precision), " ", k.width, "x", k.height);
}

// Before each frame the backend gets the reference's state, so that one tie does not grow into many.
void lock_step(Checker &c, const Config &config, PixelFormat format, const Params &params, int padding,
               double tolerance) {
  auto reference = make_reference(config);
  auto model = make(c.device, config);
  const auto host = open_cpu(1);
  const auto host_queue = host->make_queue();
  Picture frame(c, format, config.width, config.height, padding),
      want(c, PixelFormat::gray8, config.width, config.height),
      got(c, PixelFormat::gray8, config.width, config.height, padding);
  std::int64_t different = 0, all = 0;
  for (int t = 1; t <= 12; t++) {
    paint(frame, c, t);
    frame.send();
    State state = reference->save(*host_queue);
    model->load(state, c.queue());
    const double rate = learning_rate(params, t);
    const Step expected{frame.host(), want.host().plane(0), rate},
        actual{frame.device(), got.device().plane(0), rate};
    reference->apply({&expected, 1}, params, {}, *host_queue);
    model->apply({&actual, 1}, params, {}, c.queue());
    got.fetch();
    for (int y = 0; y < config.height; y++)
      for (int x = 0; x < config.width; x++)
        different += want.host().plane(0).row(y)[x] != got.host().plane(0).row(y)[x];
    all += std::int64_t(config.width) * config.height;
  }
  if (double(different) > tolerance * double(all) + 1)
    c.fail(
        text(label(config, format), ": ", different, " of ", all, " mask pixels differ from the reference"));
}

void run_lock_step(Checker &c) {
  using enum PixelFormat;
  for (const Method method : {Method::zivkovic, Method::mog})
    for (const Size s : sizes)
      for (const PixelFormat f : {gray8, rgba, bgra, nv12, i420})
        for (const int channels : {1, 3}) {
          if (channels == 3 && (f == gray8 || method == Method::mog)) continue;
          const int components = 1 + int(c.rng() % max_components);
          const Params params = random_params<Params>(params_table, c.rng);
          lock_step(c, {s.width, s.height, channels, method, Precision::single, components}, f, params,
                    s.padding, 1e-4);
        }
}

check::Register lock_step_case{{"mog/lock-step", run_lock_step}};

} // namespace
} // namespace vigil::mog
