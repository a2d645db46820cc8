// SPDX-License-Identifier: LGPL-2.1-or-later
// Times of mog on a moving scene: 16 frames in turn, after 100 frames of warm-up. One measurement is of 16
// frames submitted without a pause, so that the cost of starting and stopping the clock does not count as a
// kernel's; times are those of one call, so of 8 frames for a group of 8.
#include "common/error.h"
#include "kernels/mog/mog.h"
#include "tests/check/bordered.h"
#include "tests/check/mog/moving_scene.h"
#include "tests/check/mog/served.h"

#include <algorithm>
#include <optional>

namespace vigil::mog {
namespace {

using check::Checker;
using check::Picture;
using enum PixelFormat;

constexpr int frame_count = 16;

struct Speed {
  Method method;
  PixelFormat format;
  int channels, components, width, height;
  Precision precision;
  int group;
  std::optional<Shift> shift{}; // of all frames
};

const char *name_of(PixelFormat f) {
  constexpr const char *names[] = {"gray8", "rgba", "bgra", "nv12", "i420"};
  return names[int(f)];
}

void measure(Checker &c, std::vector<Picture> &frames, std::vector<Picture> &masks, const Speed &s) {
  if (!served(c, s.precision)) return;
  const auto model = make(c.device, {s.width, s.height, s.channels, s.method, s.precision, s.components});
  const Params params{.detect_shadows = false};
  std::optional<check::KnownShift> shift;
  if (s.shift) shift.emplace(c, *s.shift);
  const auto run = [&] {
    std::vector<Step> group;
    for (int i = 0; i < s.group; i++) {
      const auto at = (model->frames + i) % frame_count;
      group.push_back({frames[at].device(), masks[at].device().plane(0),
                       learning_rate(params, model->frames + i + 1), shift ? shift->get() : nullptr});
    }
    model->apply(group, params, {}, c.queue());
  };
  const std::uint64_t warm_up = c.device.backend() == Backend::cuda ? 100 : 16;
  while (model->frames < warm_up) run();
  const std::string shifted = s.shift ? text(", shifted by ", s.shift->x, ",", s.shift->y, ", turned by ",
                                             s.shift->turn, ",", s.shift->zoom)
                                      : "";
  const std::string in_groups = s.group > 1 ? text(", a group of ", s.group) : "";
  c.time(text(mog::name_of(s.method), " ", name_of(s.format), s.channels == 3 ? " colour" : "", " K",
              s.components, " ", s.width, "x", s.height, " ", name_of(s.precision), in_groups, shifted),
         double(s.width) * s.height * s.group, run, {}, std::max(frame_count / s.group, 1));
}

using PictureSet = std::pair<std::vector<Picture>, std::vector<Picture>>;
PictureSet picture_set(Checker &c, PixelFormat f, int width, int height) {
  const MovingScene scene(1);
  PictureSet set;
  for (int t = 0; t < frame_count; t++) {
    set.first.emplace_back(c, f, width, height);
    scene.paint(set.first.back().host(), t);
    set.first.back().send();
    set.second.emplace_back(c, gray8, width, height);
  }
  c.queue().wait();
  return set;
}

// Source A, figure 10: what a group of frames saves, for each size of it.
void run_groups(Checker &c) {
  if (!c.benching()) throw check::Skip{"only with --bench"};
  const int width = 1920, height = 1080;
  auto [frames, masks] = picture_set(c, gray8, width, height);
  for (const int components : {3, 5})
    for (const Precision p : {Precision::double_, Precision::single, Precision::compact})
      for (const int group : {1, 2, 4, 8, 16, 32})
        measure(c, frames, masks, {Method::mog, gray8, 1, components, width, height, p, group});
}

// Source B, figure 11: the time of a frame over its size. The paper names no sizes but five of its eleven.
void run_resolutions(Checker &c) {
  if (!c.benching()) throw check::Skip{"only with --bench"};
  for (const auto &[width, height] : {std::pair{160, 120},
                                      {240, 180},
                                      {320, 240},
                                      {400, 300},
                                      {480, 360},
                                      {640, 480},
                                      {768, 576},
                                      {1024, 768},
                                      {1280, 720},
                                      {1920, 1080},
                                      {2560, 1440}}) {
    auto [frames, masks] = picture_set(c, rgba, width, height);
    measure(c, frames, masks, {Method::zivkovic, rgba, 3, 5, width, height, Precision::single, 1});
  }
}

// What it costs that a frame lies shifted against the model: not at all, by a shift of none that the device
// knows, by whole words and between them, and turned.
void run_shifts(Checker &c) {
  if (!c.benching()) throw check::Skip{"only with --bench"};
  const int width = 1920, height = 1080;
  for (const PixelFormat f : {rgba, nv12, gray8}) {
    auto [frames, masks] = picture_set(c, f, width, height);
    const bool luma = f == gray8;
    for (const std::optional<Shift> s :
         {std::optional<Shift>{}, {Shift{}}, {Shift{32, -16}}, {Shift{-29, 15}}, {Shift{-5, 3, 12, 4}}}) {
      if (s && s->is_turned() && c.device.backend() != Backend::cpu) continue;
      measure(c, frames, masks,
              {Method::zivkovic, f, luma ? 1 : 3, 5, width, height, Precision::single, 1, s});
      if (luma) measure(c, frames, masks, {Method::mog, f, 1, 3, width, height, Precision::compact, 1, s});
    }
  }
}

void run_speed(Checker &c) {
  if (!c.benching()) throw check::Skip{"only with --bench"};
  using enum Precision;
  using enum Method;
  const bool gpu = c.device.backend() == Backend::cuda;
  for (const auto &[width, height] : {std::pair{1920, 1080}, {3840, 2160}}) {
    if (!gpu && width > 1920) continue; // minutes of warm-up
    {
      auto [frames, masks] = picture_set(c, rgba, width, height);
      for (const Precision p : {single, compact, double_})
        measure(c, frames, masks, {zivkovic, rgba, 3, 5, width, height, p, 1});
      measure(c, frames, masks, {zivkovic, rgba, 3, 5, width, height, single, 8});
      measure(c, frames, masks, {zivkovic, rgba, 3, 5, width, height, compact, 8});
      measure(c, frames, masks, {zivkovic, rgba, 1, 5, width, height, single, 1});
    }
    {
      auto [frames, masks] = picture_set(c, nv12, width, height);
      measure(c, frames, masks, {zivkovic, nv12, 3, 5, width, height, single, 1});
    }
    auto [frames, masks] = picture_set(c, gray8, width, height);
    for (const Precision p : {single, compact, double_})
      measure(c, frames, masks, {mog, gray8, 1, 3, width, height, p, 1});
    for (const Precision p : {single, compact})
      measure(c, frames, masks, {mog, gray8, 1, 3, width, height, p, 8});
    measure(c, frames, masks, {mog, gray8, 1, 5, width, height, single, 1});
    measure(c, frames, masks, {zivkovic, gray8, 1, 5, width, height, single, 1});
  }
}

const check::Register groups{{"mog/groups", run_groups, {Backend::cuda}}};
const check::Register resolutions{{"mog/resolutions", run_resolutions}};
const check::Register shifts{{"mog/shifts", run_shifts}};
const check::Register registered{{"mog/bench", run_speed, every_backend}};

} // namespace
} // namespace vigil::mog
