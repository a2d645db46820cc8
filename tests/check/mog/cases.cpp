// SPDX-License-Identifier: LGPL-2.1-or-later
// Every backend of mog against the reference and against itself: masks in lock-step and in long runs, groups,
// saved states, the background picture, errors. The cases know no backend.
#include "kernels/mog/mog.h"

#include "common/error.h"
#include "common/turned.h"
#include "tests/check/checker.h"
#include "tests/check/mog/moving_scene.h"
#include "tests/check/mog/served.h"

namespace vigil::mog {
namespace {

using check::Checker;
using check::Picture;
using enum PixelFormat;

struct Size {
  int width, height, padding;
};
constexpr Size sizes[] = {{1, 1, 0}, {7, 5, 3}, {33, 17, 1}, {64, 48, 0}, {130, 70, 13}, {641, 37, 7}};
constexpr PixelFormat formats[] = {gray8, rgba, bgra, nv12, i420};
constexpr Precision precisions[] = {Precision::single, Precision::double_, Precision::compact};

std::string label(const Config &k, PixelFormat f) {
  return text(name_of(k.method), " ", k.channels == 3 ? "colour" : "luma", " format ", int(f),
              " K=", k.components, " ", name_of(k.precision), " ", k.width, "x", k.height);
}
bool possible(Method m, PixelFormat f, int channels) {
  return channels == 1 || (f != gray8 && m == Method::zivkovic);
}

// Frames that give the models something to do: a few levels with noise around them, some pixels far off, and
// times in shade.
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

// Blocks that learn at another rate, in both memories.
struct Rates {
  Rates(Checker &c, int width, int height) {
    at.size = 8 << c.rng() % 4;
    at.columns = (width + at.size - 1) / at.size;
    for (float &f : at.factor) f = std::uniform_real_distribution<float>(0.f, 2.f)(c.rng);
    bytes.resize(std::size_t(at.columns) * ((height + at.size - 1) / at.size));
    for (auto &b : bytes) b = c.rng() % 2 ? std::uint8_t(1 + c.rng() % 255) : 0;
    memory = DeviceBuffer(c.device, bytes.size());
    c.device.upload(memory.as(), bytes.data(), bytes.size(), c.queue());
  }
  RateMap host() const { return with(bytes.data()); }
  RateMap device() const { return with(memory.as<const std::uint8_t>()); }

 private:
  RateMap with(const std::uint8_t *map) const {
    RateMap r = at;
    r.map = map;
    return r;
  }
  RateMap at;
  std::vector<std::uint8_t> bytes;
  DeviceBuffer memory;
};

std::int64_t count_different(Plane<const std::uint8_t> a, Plane<const std::uint8_t> b) {
  std::int64_t n = 0;
  for (int y = 0; y < a.height; y++)
    for (int x = 0; x < a.width; x++) n += a.row(y)[x] != b.row(y)[x];
  return n;
}

// Before each frame the backend gets the reference's state, so that one tie does not grow into many.
void lock_step(Checker &c, const Config &config, PixelFormat format, const Params &params, int padding,
               double tolerance) {
  auto reference = make_reference(config);
  auto model = make(c.device, config);
  const auto host = open_cpu(1);
  const auto host_queue = host->make_queue();
  const Rates rates(c, config.width, config.height);
  Picture frame(c, format, config.width, config.height, padding), want(c, gray8, config.width, config.height),
      got(c, gray8, config.width, config.height, padding);
  std::int64_t different = 0, all = 0;
  for (int t = 1; t <= 12; t++) {
    paint(frame, c, t);
    frame.send();
    const bool mapped = t > 8;
    model->load(reference->save(*host_queue), c.queue());
    const double rate = learning_rate(params, t);
    const Step expected{frame.host(), want.host().plane(0), rate},
        actual{frame.device(), got.device().plane(0), rate};
    reference->apply({&expected, 1}, params, mapped ? rates.host() : RateMap{}, *host_queue);
    model->apply({&actual, 1}, params, mapped ? rates.device() : RateMap{}, c.queue());
    got.fetch();
    different += count_different(want.host().plane(0), got.host().plane(0));
    all += std::int64_t(config.width) * config.height;
  }
  c.expect(model->frames == 12, text(label(config, format), ": ", model->frames, " frames learnt, not 12"));
  if (double(different) > tolerance * double(all) + 1)
    c.fail(
        text(label(config, format), ": ", different, " of ", all, " mask pixels differ from the reference"));
}

void run_lock_step(Checker &c, Precision precision, double tolerance) {
  for (const Method method : {Method::zivkovic, Method::mog})
    for (const Size s : sizes)
      for (const PixelFormat f : formats)
        for (const int channels : {1, 3}) {
          if (!possible(method, f, channels)) continue;
          const int components = 1 + int(c.rng() % max_components);
          const Params params = random_params<Params>(params_table, c.rng);
          lock_step(c, {s.width, s.height, channels, method, precision, components}, f, params, s.padding,
                    tolerance);
        }
}
void run_lock_step_single(Checker &c) {
  run_lock_step(c, Precision::single, 1e-4);
}
void run_lock_step_double(Checker &c) {
  run_lock_step(c, Precision::double_, 1e-5);
}
// The stored values are rounded: samples within a rounding of a threshold may fall on its other side.
void run_lock_step_compact(Checker &c) {
  run_lock_step(c, Precision::compact, 1e-2);
}

// A model, its frames' masks and nothing else: what the long runs need.
struct Run {
  Run(Checker &c, const Config &config, PixelFormat format, std::unique_ptr<Model> m, bool on_host)
      : model(std::move(m)), checker(c), frame(c, format, config.width, config.height),
        mask(c, gray8, config.width, config.height), on_host_(on_host) {}
  void step(const MovingScene &scene, int t, const Params &params) {
    scene.paint(frame.host(), t);
    const double rate = learning_rate(params, t);
    if (on_host_) {
      const Step s{frame.host(), mask.host().plane(0), rate};
      model->apply({&s, 1}, params, {}, checker.queue());
      return;
    }
    frame.send();
    const Step s{frame.device(), mask.device().plane(0), rate};
    model->apply({&s, 1}, params, {}, checker.queue());
    mask.fetch();
  }
  std::unique_ptr<Model> model;
  Checker &checker;
  Picture frame, mask;

 private:
  bool on_host_;
};

// 600 frames without any help, history 500: the masks after frame 50 against another model's.
void long_run(Checker &c, const Config &config, PixelFormat format, std::unique_ptr<Model> other,
              bool on_host, const char *other_name, double tolerance) {
  const MovingScene scene(c.rng());
  Run a(c, config, format, make(c.device, config), false), b(c, config, format, std::move(other), on_host);
  const Params params;
  std::int64_t different = 0, all = 0, foreground = 0;
  for (int t = 1; t <= 600; t++) {
    a.step(scene, t, params);
    b.step(scene, t, params);
    if (t <= 50) continue;
    different += count_different(a.mask.host().plane(0), b.mask.host().plane(0));
    all += std::int64_t(config.width) * config.height;
    for (const std::uint8_t m : a.mask.bytes) foreground += m != 0;
  }
  const double share = double(different) / double(all);
  if (!(share <= tolerance))
    c.fail(text(label(config, format), ": ", 100 * share, " % of the mask pixels differ from ", other_name,
                ", ", 100 * tolerance, " % may"));
  const double seen = double(foreground) / double(all); // a mask of one value agrees with anything
  c.expect(seen > 0.02 && seen < 0.5, text(label(config, format), ": ", 100 * seen, " % foreground"));
}

struct Kind {
  Method method;
  PixelFormat format;
  int channels, components;
};
constexpr Kind long_kinds[] = {{Method::mog, gray8, 1, 3},
                               {Method::mog, gray8, 1, 5},
                               {Method::zivkovic, gray8, 1, 5},
                               {Method::zivkovic, rgba, 3, 5},
                               {Method::zivkovic, nv12, 3, 4}};

void run_free(Checker &c) {
  for (const Kind &k : long_kinds) {
    const Config config{104, 60, k.channels, k.method, Precision::single, k.components};
    long_run(c, config, k.format, make_reference(config), true, "the reference's", 1e-3);
  }
}
void run_compact(Checker &c) {
  for (const Kind &k : long_kinds) {
    const Config config{104, 60, k.channels, k.method, Precision::compact, k.components};
    Config single = config;
    single.precision = Precision::single;
    long_run(c, config, k.format, make(c.device, single), false, "precision single's", 5e-3);
  }
}

// What one model says to `count` frames taken in groups of `group`.
std::vector<std::vector<std::uint8_t>> masks_of(Checker &c, Model &model, const Params &params,
                                                std::vector<Picture> &frames, const Rates &rates, int group,
                                                int padding) {
  const Config &k = model.config();
  std::vector<Picture> masks;
  for (std::size_t i = 0; i < frames.size(); i++) masks.emplace_back(c, gray8, k.width, k.height, padding);
  for (int first = 0; first < int(frames.size()); first += group) {
    std::vector<Step> steps;
    for (int i = first; i < std::min(first + group, int(frames.size())); i++)
      steps.push_back({frames[i].device(), masks[i].device().plane(0),
                       learning_rate(params, model.frames + 1 + i - first)});
    model.apply(steps, params, rates.device(), c.queue());
  }
  std::vector<std::vector<std::uint8_t>> all;
  for (Picture &m : masks) {
    m.fetch();
    std::vector<std::uint8_t> tight;
    for (int y = 0; y < k.height; y++) {
      const std::uint8_t *row = m.host().plane(0).row(y);
      tight.insert(tight.end(), row, row + k.width);
    }
    all.push_back(std::move(tight));
  }
  return all;
}
std::vector<Picture> noisy_frames(Checker &c, PixelFormat format, Size s, int count) {
  std::vector<Picture> frames;
  for (int t = 1; t <= count; t++) {
    frames.emplace_back(c, format, s.width, s.height, s.padding);
    paint(frames.back(), c, t);
    frames.back().send();
  }
  return frames;
}
bool same(const State &a, const State &b) {
  return a.frames == b.frames && a.active == b.active && a.weight == b.weight && a.variance == b.variance &&
         a.mean == b.mean;
}

// Every kind of model, with random sizes, formats and settings.
template <class Fn>
void each_config(Checker &c, Fn fn) {
  for (const Method method : {Method::zivkovic, Method::mog})
    for (const Precision precision : precisions)
      for (const int channels : {1, 3})
        for (int k = 1; k <= max_components; k++) {
          if ((method == Method::mog && channels == 3) || !served(c, precision)) continue;
          const Size s = sizes[c.rng() % std::size(sizes)];
          const PixelFormat f = formats[channels == 3 ? 1 + c.rng() % 4 : c.rng() % 5];
          Params params = random_params<Params>(params_table, c.rng);
          params.learning_rate = c.rng() % 2 ? -1.f : std::uniform_real_distribution<float>(0.f, 0.1f)(c.rng);
          fn(Config{s.width, s.height, channels, method, precision, k}, f, params, s);
        }
}

void run_windowed(Checker &c) {
  each_config(c, [&](const Config &config, PixelFormat f, const Params &params, Size s) {
    auto frames = noisy_frames(c, f, s, 40);
    const Rates rates(c, s.width, s.height);
    const auto one = make(c.device, config);
    const auto want = masks_of(c, *one, params, frames, rates, 1, 0);
    const State end = one->save(c.queue());
    // Other strides, too: they choose other memory accesses, and must not choose other results.
    for (const auto &[group, padding] : {std::pair{8, 0}, {32, 5}, {int(1 + c.rng() % 32), 0}, {1, 3}}) {
      const auto model = make(c.device, config);
      const auto got = masks_of(c, *model, params, frames, rates, group, padding);
      c.expect(got == want, text(label(config, f), ": groups of ", group, " give other masks"));
      c.expect(same(model->save(c.queue()), end),
               text(label(config, f), ": groups of ", group, " end elsewhere"));
    }
  });
}

// Frames shifted against the model: masks as the reference's, pixels of the model outside of the frame as
// they were, groups of several shifts as one frame after another.
void run_shifted(Checker &c) {
  const auto host = open_cpu(1);
  const auto host_queue = host->make_queue();
  each_config(c, [&](const Config &config, PixelFormat f, const Params &params, Size s) {
    constexpr int count = 12;
    auto frames = noisy_frames(c, f, s, count);
    const Rates rates(c, s.width, s.height);
    std::vector<Shift> shifts;
    for (int t = 0; t < count; t++)
      shifts.push_back(t < 2 ? Shift{} : Shift{int(c.rng() % 41) - 20, int(c.rng() % 41) - 20});
    shifts[3] = {s.width, 0}; // outside of the frame
    shifts[4] = {0, -s.height - 1};
    const auto any = [&](int most) { return int(c.rng() % std::uint64_t(2 * most + 1)) - most; };
    const int turn = std::max(std::max(s.width, s.height) * 7 / 200, 1); // 2 degrees
    if (c.device.backend() == Backend::cpu)
      for (std::size_t t = 6; t < count; t++)
        shifts[t] = {t < 8 ? 0 : any(20), t < 8 ? 0 : any(20), t == 6 ? turn : any(turn),
                     t == 7 ? turn : any(turn)};
    const DeviceBuffer memory(c.device, shifts.size() * sizeof(Shift)); // as the device knows them
    c.device.upload(memory.as(), shifts.data(), memory.bytes(), c.queue());
    const auto *const known = memory.as<const Shift>();
    const auto reference = make_reference(config), model = make(c.device, config),
               group = make(c.device, config);
    Picture want(c, gray8, s.width, s.height), got(c, gray8, s.width, s.height, s.padding);
    std::int64_t different = 0, all = 0;
    for (int t = 0; t < count; t++) {
      const double rate = learning_rate(params, std::uint64_t(t) + 1);
      const State before = reference->save(*host_queue);
      model->load(before, c.queue());
      got.bytes = c.noise(got.bytes.size());
      got.send();
      Picture &frame = frames[std::size_t(t)];
      const Step expected{frame.host(), want.host().plane(0), rate, &shifts[std::size_t(t)]},
          actual{frame.device(), got.device().plane(0), rate, known + t};
      reference->apply({&expected, 1}, params, rates.host(), *host_queue);
      model->apply({&actual, 1}, params, rates.device(), c.queue());
      got.fetch();
      different += count_different(want.host().plane(0), got.host().plane(0));
      all += std::int64_t(s.width) * s.height;
      if (config.precision != Precision::single) continue;
      const State after = model->save(c.queue());
      for (int y = 0; y < s.height; y++)
        for (int x = 0; x < s.width; x++) {
          const Shift by = shifts[std::size_t(t)];
          const auto [u, v] =
              by.is_turned() ? Turned(by, s.width, s.height).of(x, y) : Position{x + by.x, y + by.y};
          const std::size_t i = std::size_t(y) * std::size_t(s.width) + std::size_t(x);
          if (u >= 0 && u < s.width && v >= 0 && v < s.height) continue;
          if (after.active[i] != before.active[i] || after.weight[i] != before.weight[i] ||
              after.mean[i] != before.mean[i] || after.variance[i] != before.variance[i])
            return c.fail(
                text(label(config, f), ": pixel ", x, ",", y, ", outside of the frame, has learnt"));
        }
    }
    const double tolerance = config.precision == Precision::compact ? 1e-2 : 1e-4;
    if (double(different) > tolerance * double(all) + 1)
      c.fail(text(label(config, f), ": ", different, " of ", all, " shifted mask pixels differ"));

    const auto one = make(c.device, config);
    std::vector<Picture> masks, alone;
    std::vector<Step> steps;
    for (int t = 0; t < count; t++) {
      masks.emplace_back(c, gray8, s.width, s.height, s.padding);
      alone.emplace_back(c, gray8, s.width, s.height, s.padding);
    }
    for (int t = 0; t < count; t++) {
      const auto i = std::size_t(t);
      const Step step{frames[i].device(), alone[i].device().plane(0), 0.05, known + t};
      one->apply({&step, 1}, params, rates.device(), c.queue());
      steps.push_back({frames[i].device(), masks[i].device().plane(0), 0.05, known + t});
    }
    group->apply(steps, params, rates.device(), c.queue());
    for (int t = 0; t < count; t++) {
      masks[std::size_t(t)].fetch();
      alone[std::size_t(t)].fetch();
      c.expect(
          count_different(masks[std::size_t(t)].host().plane(0), alone[std::size_t(t)].host().plane(0)) == 0,
          text(label(config, f), ": frame ", t, " of a shifted group has another mask"));
    }
    c.expect(same(group->save(c.queue()), one->save(c.queue())),
             text(label(config, f), ": a shifted group ends elsewhere"));
  });
}

// Frames of several formats in one group.
void run_mixed(Checker &c) {
  for (const Precision precision : precisions) {
    if (!served(c, precision)) continue;
    const Config config{33, 17, 1, Method::zivkovic, precision, 3};
    std::vector<Picture> frames;
    for (int t = 0; t < 10; t++) {
      frames.emplace_back(c, formats[t / 2], config.width, config.height);
      paint(frames.back(), c, t);
      frames.back().send();
    }
    const Rates rates(c, config.width, config.height);
    const auto one = make(c.device, config), ten = make(c.device, config);
    const bool equal =
        masks_of(c, *one, {}, frames, rates, 1, 0) == masks_of(c, *ten, {}, frames, rates, 10, 0);
    c.expect(equal, text(label(config, gray8), ": a group of several formats gives other masks"));
  }
}

// A saved state makes another model go on as the first would have, on this backend bit for bit; the reference
// takes it.
void run_save_load(Checker &c) {
  const auto host = open_cpu(1);
  const auto host_queue = host->make_queue();
  each_config(c, [&](const Config &config, PixelFormat f, const Params &params, Size s) {
    auto before = noisy_frames(c, f, s, 9), after = noisy_frames(c, f, s, 5);
    const Rates rates(c, s.width, s.height);
    const auto first = make(c.device, config), second = make(c.device, config);
    masks_of(c, *first, params, before, rates, 1, 0);
    const State saved = first->save(c.queue());
    c.expect(saved.frames == 9 && saved.config == config,
             text(label(config, f), ": the saved state's head is wrong"));
    const auto reference = make_reference(config);
    reference->load(saved, *host_queue); // throws when it is no possible state
    const State again = reference->save(*host_queue);
    c.expect(same(saved, again), text(label(config, f), ": the saved state is not in its canonical form"));
    second->load(saved, c.queue());
    if (config.precision == Precision::double_)
      first->load(saved, c.queue()); // a State holds single precision
    c.expect(same(second->save(c.queue()), saved),
             text(label(config, f), ": loading and saving changes the state"));
    c.expect(masks_of(c, *first, params, after, rates, 1, 0) ==
                 masks_of(c, *second, params, after, rates, 4, 0),
             text(label(config, f), ": a loaded model gives other masks"));
    c.expect(same(first->save(c.queue()), second->save(c.queue())),
             text(label(config, f), ": a loaded model learns something else"));
  });
}

// A state that does not fit is refused, and the model stays as it was.
void run_refuse(Checker &c) {
  for (const Precision precision : precisions) {
    const Config config{33, 17, 3, Method::zivkovic, precision, 4};
    if (!served(c, precision)) {
      c.refused("precision double", [&] { make(c.device, config); });
      continue;
    }
    auto frames = noisy_frames(c, rgba, {33, 17, 0}, 3);
    const auto model = make(c.device, config);
    masks_of(c, *model, {}, frames, Rates(c, 33, 17), 1, 0);
    const State good = model->save(c.queue());
    const auto refused = [&](const char *what, auto spoil) {
      State bad = good;
      spoil(bad);
      try {
        model->load(bad, c.queue());
        c.fail(text("a state with ", what, " was taken"));
      } catch (const Error &e) {
        c.expect(e.kind() == Error::Kind::bad_data, text(what, ": the error is of another kind: ", e.what()));
      }
      c.expect(same(model->save(c.queue()), good), text("a refused state (", what, ") changed the model"));
    };
    refused("another width", [](State &s) { s.config.width = 34; });
    refused("one channel", [](State &s) { s.config.channels = 1; });
    refused("another K", [](State &s) { s.config.components = 5; });
    refused("the other method", [](State &s) { s.config.method = Method::mog; });
    refused("a short array", [](State &s) { s.mean.pop_back(); });
    refused("no number", [](State &s) { s.variance[7] = std::nanf(""); });
    refused("too many components", [](State &s) { s.active[0] = 5; });
  }
  for (const Config &bad :
       {Config{0, 4}, Config{4, 4, 2}, Config{4, 4, 1, Method::zivkovic, Precision::single, 6},
        Config{4, 4, 3, Method::mog}})
    try {
      make(c.device, bad);
      c.fail(text("a model was made from ", label(bad, gray8)));
    } catch (const Error &e) {
      c.expect(e.kind() == Error::Kind::bad_setting, text("the error is of another kind: ", e.what()));
    }
}

void run_background(Checker &c) {
  const auto host = open_cpu(1);
  const auto host_queue = host->make_queue();
  each_config(c, [&](const Config &config, PixelFormat f, const Params &params, Size s) {
    auto frames = noisy_frames(c, f, s, 6);
    const auto model = make(c.device, config);
    const auto reference = make_reference(config);
    for (const bool empty : {true, false}) {
      if (!empty) masks_of(c, *model, params, frames, Rates(c, s.width, s.height), 1, 0);
      const State state = model->save(c.queue());
      reference->load(state, *host_queue);
      model->load(state, c.queue()); // precision double, too, then has the mean that the State holds
      for (const PixelFormat out : formats) {
        if (!possible(config.method, out, config.channels)) continue;
        Picture want(c, out, s.width, s.height, s.padding), got(c, out, s.width, s.height, s.padding);
        got.bytes = want.bytes = c.noise(want.bytes.size());
        got.send();
        reference->background(want.host(), *host_queue);
        model->background(got.device(), c.queue());
        got.fetch();
        // All bytes, the padding of the rows included, which nobody may touch.
        c.expect(got.bytes == want.bytes, text(label(config, f), ": the background as format ", int(out),
                                               empty ? " of an empty model" : "", " is not the reference's"));
      }
    }
  });
}

// The same input twice: the same bits.
void run_repeat(Checker &c) {
  each_config(c, [&](const Config &config, PixelFormat f, const Params &params, Size s) {
    auto frames = noisy_frames(c, f, s, 8);
    const Rates rates(c, s.width, s.height);
    const auto a = make(c.device, config), b = make(c.device, config);
    const bool equal =
        masks_of(c, *a, params, frames, rates, 1, 0) == masks_of(c, *b, params, frames, rates, 1, 0) &&
        same(a->save(c.queue()), b->save(c.queue()));
    c.expect(equal, text(label(config, f), ": two runs differ"));
  });
}

// Components of Y U V are as wide as the same light makes those of R G B.
void run_variances(Checker &c) {
  const auto expect = [&](PixelFormat f, int channels, const Params &p, double initial, double greatest) {
    const Constants k = resolve(p, Method::zivkovic, f, channels);
    c.expect(k.initial_variance == initial && k.max_variance == greatest,
             text("format ", int(f), ", ", channels, " channels: initial variance ", k.initial_variance,
                  " and greatest ", k.max_variance, ", not ", initial, " and ", greatest));
  };
  expect(PixelFormat::rgba, 3, {}, 15, 75);
  for (const PixelFormat f : {PixelFormat::nv12, PixelFormat::i420}) {
    expect(f, 3, {}, 6, 18.75);
    expect(f, 1, {}, 15, 75);
    expect(f, 3, {.initial_variance = 10, .max_variance = 200}, 10, 50);
    expect(f, 3, {.max_variance = 8}, 4, 4); // the least variance
  }
}

// A frame at the rate 1 takes the place of all that was known, as where a known light comes back. What is new
// after it stays foreground.
void run_rate_one(Checker &c) {
  constexpr int width = 33, height = 5;
  for (const Precision precision : {Precision::single, Precision::compact})
    for (const auto &[format, channels] : {std::pair(gray8, 1), std::pair(rgba, 3)}) {
      const Config config{width, height, channels, Method::zivkovic, precision, 5};
      const auto model = make(c.device, config);
      Picture frame(c, format, width, height, 0), mask(c, gray8, width, height, 0);
      const auto foreground = [&](int level, double rate) {
        const Image image = frame.host();
        for (int y = 0; y < height; y++)
          std::fill_n(image.data[0] + y * image.stride[0], row_bytes(format, 0, width), std::uint8_t(level));
        frame.send();
        const Step step{frame.device(), mask.device().plane(0), rate};
        model->apply({&step, 1}, Params{}, {}, c.queue());
        mask.fetch();
        int n = 0;
        for (int y = 0; y < height; y++)
          for (int x = 0; x < width; x++) n += mask.host().plane(0).row(y)[x] == 255;
        return n;
      };
      const auto say = [&](const char *what) { return text(label(config, format), ": ", what); };
      constexpr double usual = 0.005;
      for (const int level : {200, 20})
        for (int t = 1; t <= 40; t++) foreground(level, 1. / t);
      foreground(200, usual); // the first light has a component, which is not the heaviest
      foreground(200, 1);
      for (int t = 0; t < 3; t++)
        c.expect(foreground(90, usual) == width * height, say("what is new after the rate 1 is background"));
      c.expect(foreground(200, usual) == 0, say("what came with the rate 1 is not background"));
    }
}

const check::Register registered[] = {
    check::Register{{"mog/lock-step", run_lock_step_single, every_backend}},
    check::Register{{"mog/lock-step-double", run_lock_step_double}},
    check::Register{{"mog/lock-step-compact", run_lock_step_compact, every_backend}},
    check::Register{{"mog/free", run_free, every_backend}},
    check::Register{{"mog/compact", run_compact, every_backend}},
    check::Register{{"mog/windowed", run_windowed, every_backend}},
    check::Register{{"mog/shifted", run_shifted, every_backend}},
    check::Register{{"mog/mixed", run_mixed, every_backend}},
    check::Register{{"mog/save-load", run_save_load, every_backend}},
    check::Register{{"mog/refuse", run_refuse, every_backend}},
    check::Register{{"mog/background", run_background, every_backend}},
    check::Register{{"mog/repeat", run_repeat, every_backend}},
    check::Register{{"mog/rate-one", run_rate_one, every_backend}},
    check::Register{{"mog/variances", run_variances, every_backend}}};

} // namespace
} // namespace vigil::mog
