// SPDX-License-Identifier: LGPL-2.1-or-later
// What gpucheck --bench times: a moving scene (noise sigma 5, 17 % foreground), after 100 frames.
#include "kernels/mog/moving_scene.h"

#include "common/error.h"
#include "kernels/mog/mog.h"
#include "tests/check/checker.h"

namespace vigil::mog {
namespace {

using check::Checker;
using check::Picture;

struct Size {
  const char *name;
  int width, height;
};

// 16 different frames in turn, so that neither frames nor masks are left in a cache by the last call.
void time(Checker &c, const Config &config, PixelFormat format, const char *format_name, Size size,
          int group) {
  const MovingScene scene(1);
  std::vector<std::unique_ptr<Picture>> frames, masks;
  for (int i = 0; i < 16; i++) {
    frames.push_back(std::make_unique<Picture>(c, format, config.width, config.height));
    masks.push_back(std::make_unique<Picture>(c, PixelFormat::gray8, config.width, config.height));
    scene.paint(frames.back()->host(), i);
    frames.back()->send();
  }
  c.queue().wait();
  const auto model = make(c.device, config);
  Params params;
  params.detect_shadows = false;
  params.background_sigma = 4.f;
  const auto run = [&](int count) {
    std::vector<Step> steps;
    for (int i = 0; i < count; i++) {
      const auto at = (model->frames + i) % frames.size();
      steps.push_back(
          {frames[at]->device(), masks[at]->device().plane(0), learning_rate(params, model->frames + i + 1)});
    }
    model->apply(steps, params, {}, c.queue());
  };
  while (model->frames < 100) run(1);
  const char *precision[] = {"single", "double", "compact"};
  c.time(text(name_of(config.method), " ", format_name, " K", config.components, " ", size.name, " ",
              precision[int(config.precision)], group > 1 ? text(" group of ", group) : ""),
         double(config.width) * config.height * group, [&] { run(group); });
}

void run_bench(Checker &c) {
  if (!c.benching()) throw check::Skip{"only with --bench"};
  constexpr Size full{"1080p", 1920, 1080}, quad{"4K", 3840, 2160};
  using enum Precision;
  const bool cpu = c.device.backend() == Backend::cpu;
  for (const Size s : {full, quad}) {
    if (cpu && s.width > 1920) continue;
    for (const Precision p : {single, compact, double_}) {
      time(c, {s.width, s.height, 3, Method::zivkovic, p, 5}, PixelFormat::rgba, "rgba", s, 1);
      time(c, {s.width, s.height, 3, Method::zivkovic, p, 5}, PixelFormat::nv12, "nv12", s, 1);
      time(c, {s.width, s.height, 1, Method::zivkovic, p, 5}, PixelFormat::gray8, "gray8", s, 1);
      time(c, {s.width, s.height, 1, Method::mog, p, 3}, PixelFormat::gray8, "gray8", s, 1);
      time(c, {s.width, s.height, 1, Method::mog, p, 5}, PixelFormat::gray8, "gray8", s, 1);
      time(c, {s.width, s.height, 1, Method::mog, p, 3}, PixelFormat::gray8, "gray8", s, 8);
      time(c, {s.width, s.height, 3, Method::zivkovic, p, 5}, PixelFormat::rgba, "rgba", s, 8);
    }
  }
}

check::Register bench{{"mog/bench", run_bench}};

} // namespace
} // namespace vigil::mog
