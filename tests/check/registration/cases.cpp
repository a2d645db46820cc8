// SPDX-License-Identifier: LGPL-2.1-or-later
// Registration: shifts that were drawn on are found again, by the search as by the reference, with a part of
// the picture covered and the exposure changed; nothing is found where nothing is to be found.
#include "kernels/registration/handover.h"

#include "common/error.h"
#include "kernels/registration/border.h"
#include "kernels/registration/turned_picture.h"
#include "tests/check/bordered.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace vigil::registration {
namespace {

using check::Checker;
using check::Picture;
using enum PixelFormat;

constexpr PixelFormat formats[] = {gray8, rgba, bgra, nv12, i420};
struct Size {
  int width, height, padding;
};
constexpr Size sizes[] = {{161, 120, 3}, {320, 240, 0}, {640, 361, 1}};

// A backend on the device, asked for one frame after another.
class Asked {
 public:
  explicit Asked(Checker &c)
      : c_(c), backend_(make(c.device)), sway_(c.device, sizeof(AppliedShift)),
        host_copy_(c.device.allocate_host(sizeof(AppliedShift)),
                   [&c](void *p) { c.device.release_host(p); }) {}
  void set_background(Picture &background) {
    background.send();
    backend_->set_background(background.device(), c_.queue());
  }
  Match find(Picture &frame) {
    frame.send();
    submit(frame);
    c_.device.download(&last, sway_.as(), sizeof last, c_.queue());
    c_.queue().wait();
    const auto &host_copy = *static_cast<const AppliedShift *>(host_copy_.get());
    c_.expect(host_copy.shift == last.shift && host_copy.found.shift == last.found.shift &&
                  host_copy.found.score == last.found.score,
              "another shift was host_copy");
    return last.found;
  }
  void submit(Picture &frame) {
    backend_->find(frame.device(), sway_.as<AppliedShift>(), static_cast<AppliedShift *>(host_copy_.get()),
                   c_.queue());
  }
  void forget() { backend_->forget(); }
  AppliedShift last;

 private:
  Checker &c_;
  std::unique_ptr<Registration> backend_;
  DeviceBuffer sway_;
  std::shared_ptr<void> host_copy_;
};
// A backend in host memory, asked the same.
class AskedOnHost {
 public:
  explicit AskedOnHost(std::unique_ptr<Registration> backend)
      : backend_(std::move(backend)), host_(open_cpu(1)), queue_(host_->make_queue()) {}
  void set_background(Picture &background) { backend_->set_background(background.host(), *queue_); }
  Match find(Picture &frame) {
    backend_->find(frame.host(), &last, nullptr, *queue_);
    return last.found;
  }
  AppliedShift last;

 private:
  std::unique_ptr<Registration> backend_;
  std::unique_ptr<Device> host_;
  std::unique_ptr<Queue> queue_;
};

bool finds_turns(const Checker &c) {
  return c.device.backend() == Backend::cpu;
}

// A scene without an end: blocks of several sizes, each of one grey. Place (x, y) may be negative.
struct World {
  explicit World(Checker &c) : seed(static_cast<std::uint32_t>(c.rng())) {}
  int grey(int x, int y) const {
    const auto block = [&](int size, int levels) {
      const auto bx = static_cast<std::uint32_t>((x + 4096) / size),
                 by = static_cast<std::uint32_t>((y + 4096) / size);
      std::uint32_t h = (bx * 0x9E3779B9u) ^ (by * 0x85EBCA6Bu) ^ (seed + static_cast<std::uint32_t>(size));
      h ^= h >> 15;
      h *= 0x2C1B3C6Du;
      h ^= h >> 13;
      return static_cast<int>(h % static_cast<std::uint32_t>(levels));
    };
    return 30 + block(9, 50) + block(23, 70) + block(57, 60);
  }
  std::uint32_t seed;
};

// What a camera shifted by `s`, which may be turned, sees, with this gain and +-2 levels of noise; `covered`
// (0..1) of the columns show another world, which stands still.
void paint(Checker &c, const World &world, Picture &p, Shift s, double gain = 1, double covered = 0) {
  const World other(c);
  const Image image = p.host();
  const Turned places(s, image.width, image.height);
  const int bytes = image.format == rgba || image.format == bgra ? 4 : 1;
  for (int i = 1; i < plane_count(image.format); i++)
    for (int y = 0; y < plane_rows(i, image.height); y++)
      std::fill_n(image.plane(i).row(y), row_bytes(image.format, i, image.width), std::uint8_t{128});
  for (int y = 0; y < image.height; y++)
    for (int x = 0; x < image.width; x++) {
      const bool hidden = x < covered * image.width;
      const Position shown = places.back(x, y);
      const int grey = hidden ? other.grey(x, y) : world.grey(shown.x, shown.y);
      const double v = gain * grey + double(c.rng() % 5) - 2;
      const auto level = static_cast<std::uint8_t>(std::clamp(std::lround(v), 0L, 255L));
      std::fill_n(image.plane(0).row(y) + std::ptrdiff_t(bytes) * x, bytes, level);
    }
}

std::string said(const Match &f) {
  return text(f.shift.x, ",", f.shift.y, ", turned ", f.shift.turn, ",", f.shift.zoom, " with score ",
              f.score, " (", f.at_rest, " at rest, ", f.points, " points)");
}

bool same(const AppliedShift &a, const AppliedShift &b) {
  return a.shift == b.shift && a.found.shift == b.found.shift && a.found.points == b.found.points &&
         a.found.score == b.found.score && a.found.at_rest == b.found.at_rest;
}

void run_find(Checker &c) {
  for (const Size &size : sizes)
    for (const PixelFormat f : formats) {
      const World world(c);
      Picture background(c, f, size.width, size.height, size.padding),
          frame(c, f, size.width, size.height, size.padding);
      paint(c, world, background, {});
      Asked search(c);
      AskedOnHost on_host(make_cpu(finds_turns(c))), reference(make_reference());
      search.set_background(background);
      on_host.set_background(background);
      reference.set_background(background);
      const int range = range_of(std::max(size.width, size.height));
      const auto any = [&] { return static_cast<int>(c.rng() % std::uint64_t(2 * range + 1)) - range; };
      for (int n = 0; n < 8; n++) {
        const Shift s = n == 0   ? Shift{}
                        : n == 1 ? Shift{1, 0}
                        : n == 2 ? Shift{range, -range}
                                 : Shift{any(), any()};
        paint(c, world, frame, s, 0.75 + 0.1 * (n % 6), n % 2 ? 0.4 : 0.);
        const Match got = search.find(frame);
        const std::string what =
            text(size.width, "x", size.height, ", format ", int(f), ", shift ", s.x, ",", s.y);
        c.expect(got.shift == s, text(what, ": found ", said(got)));
        c.expect(same(search.last, (on_host.find(frame), on_host.last)),
                 text(what, ": found ", said(got), ", the CPU backend ", said(on_host.last.found)));
        if (n > 2 || size.width > 320) continue; // it takes its time
        const Match want = reference.find(frame);
        c.expect(want.shift == got.shift && want.points == got.points &&
                     std::abs(want.score - got.score) <= 1. / share_unit &&
                     std::abs(want.at_rest - got.at_rest) <= 1. / share_unit,
                 text(what, ": found ", said(got), ", the reference ", said(want)));
      }
    }
}

// A sway of many frames, some of them hidden: the same in all backends, bit for bit, what is handed over
// included, and after everything was forgotten.
void run_sway(Checker &c) {
  for (const Size &size : sizes) {
    const World world(c);
    Picture background(c, rgba, size.width, size.height, size.padding),
        frame(c, rgba, size.width, size.height, size.padding);
    paint(c, world, background, {});
    Asked search(c);
    AskedOnHost on_host(make_cpu(finds_turns(c)));
    search.set_background(background);
    on_host.set_background(background);
    const int longest = std::max(size.width, size.height), range = range_of(longest);
    for (int n = 0; n < 60; n++) {
      const Shift s{static_cast<int>(std::lround(range * std::sin(0.35 * n))), n / 6};
      paint(c, world, frame, s, 1, n % 7 == 6 ? 1. : 0.2);
      search.find(frame);
      on_host.find(frame);
      c.expect(same(search.last, on_host.last),
               text(size.width, "x", size.height, ", frame ", n, ": through ", search.last.shift.x, ",",
                    search.last.shift.y, " (", said(search.last.found), "), the CPU backend through ",
                    on_host.last.shift.x, ",", on_host.last.shift.y, " (", said(on_host.last.found), ")"));
      c.expect(std::abs(search.last.shift.x) <= most_sway(longest) &&
                   std::abs(search.last.shift.y) <= most_sway(longest),
               text("compared through ", search.last.shift.x, ",", search.last.shift.y));
    }
    search.forget();
    paint(c, world, frame, {}, 1, 1.);
    search.find(frame);
    c.expect(search.last.shift == Shift{}, "something of what was forgotten is left");
  }
}

// A camera that turns and grows as well as it sways, a part of the picture hidden: what is found differs by
// at most a pixel at the picture's end, and is the same each time, with what is handed over.
void run_turned(Checker &c) {
  for (const Size &size : sizes)
    for (const PixelFormat f : formats) {
      const World world(c);
      Picture background(c, f, size.width, size.height, size.padding),
          frame(c, f, size.width, size.height, size.padding);
      paint(c, world, background, {});
      Asked search(c);
      AskedOnHost on_host(make_cpu());
      search.set_background(background);
      on_host.set_background(background);
      const int longest = std::max(size.width, size.height), turn = most_turn(longest),
                zoom = most_zoom(longest);
      for (int n = 0; n < 24; n++) {
        const auto swing = [&](int most, double speed) {
          return static_cast<int>(std::lround(most * std::sin(speed * n)));
        };
        const Shift s{swing(longest / 100, 0.31), swing(longest / 160, 0.47), swing(3 * turn / 4, 0.33),
                      swing(zoom / 2, 0.23)};
        paint(c, world, frame, s, 0.9, n % 3 == 2 ? 0.3 : 0.);
        const Match got = search.find(frame);
        const std::string what = text(size.width, "x", size.height, ", format ", int(f), ", shift ", s.x, ",",
                                      s.y, ", turned ", s.turn, ",", s.zoom);
        const auto near = [](int a, int b, int most) { return std::abs(a - b) <= most; };
        c.expect(near(got.shift.x, s.x, 1) && near(got.shift.y, s.y, 1) && near(got.shift.turn, s.turn, 2) &&
                     near(got.shift.zoom, s.zoom, 2),
                 text(what, ": found ", said(got)));
        c.expect(same(search.last, (on_host.find(frame), on_host.last)),
                 text(what, ": found ", said(got), ", the CPU backend ", said(on_host.last.found)));
      }
    }
}

// A turned picture is the picture's own pixels, where turned.h says; one that is not turned is left alone.
void run_turned_picture(Checker &c) {
  for (const Size &size : {Size{1, 1, 0}, Size{37, 21, 3}, Size{640, 361, 1}})
    for (const PixelFormat f : formats)
      for (const Shift by :
           {Shift{4, -3, 0, 0}, Shift{0, 0, 1, 0}, Shift{-5, 2, -2, 1}, Shift{3, 70, 11, -6}}) {
        Picture picture(c, f, size.width, size.height, size.padding), out(c, f, size.width, size.height, 2);
        picture.bytes = c.noise(picture.bytes.size());
        picture.send();
        out.bytes = c.noise(out.bytes.size());
        out.send();
        const std::vector<std::uint8_t> before = out.bytes;
        draw_turned(picture.device(), by, out.device());
        out.fetch();
        if (!by.is_turned()) {
          c.expect(out.bytes == before, "a picture that is not turned was written");
          continue;
        }
        const Turned places(by, size.width, size.height);
        const Image from = picture.host(), to = out.host();
        for (int p = 0; p < plane_count(f); p++) {
          const int every = p == 0 ? 1 : 2, pixel = static_cast<int>(pixel_bytes(f, p));
          const int width = static_cast<int>(row_bytes(f, p, size.width)) / pixel,
                    height = plane_rows(p, size.height);
          for (int y = 0; y < height; y++)
            for (int k = 0; k < width * pixel; k++) {
              const Position at = places.back(k / pixel * every, y * every);
              const int u = std::clamp(in_plane(at.x, p), 0, width - 1),
                        v = std::clamp(in_plane(at.y, p), 0, height - 1);
              const int want = from.plane(p).row(v)[u * pixel + k % pixel], got = to.plane(p).row(y)[k];
              if (want != got)
                return c.fail(text(size.width, "x", size.height, ", format ", int(f), ", plane ", p,
                                   ", byte ", k, " of row ", y, ": ", got, ", not ", want));
            }
        }
      }
}

// What of() and back() promise each other: of the pixel that is shown, the place is at most a pixel away.
void run_places(Checker &c) {
  for (const Size &size : {Size{160, 120, 0}, Size{641, 361, 0}, Size{3840, 2160, 0}})
    for (int n = 0; n < 20; n++) {
      const int longest = std::max(size.width, size.height);
      const auto any = [&](int most) {
        return static_cast<int>(c.rng() % std::uint64_t(2 * most + 1)) - most;
      };
      const Shift by{any(range_of(longest)), any(range_of(longest)), any(most_turn(longest) + 1),
                     any(most_zoom(longest) + 1)};
      const Turned places(by, size.width, size.height);
      for (int k = 0; k < 20000; k++) {
        const int u = static_cast<int>(c.rng() % std::uint64_t(size.width)),
                  v = static_cast<int>(c.rng() % std::uint64_t(size.height));
        const Position shown = places.back(u, v), again = places.of(shown.x, shown.y);
        if (std::abs(again.x - u) > 1 || std::abs(again.y - v) > 1)
          return c.fail(text(size.width, "x", size.height, ", shift ", by.x, ",", by.y, ", turned ", by.turn,
                             ",", by.zoom, ": ", u, ",", v, " shows ", shown.x, ",", shown.y,
                             ", which lies at ", again.x, ",", again.y));
      }
    }
}

// The room around a picture shows what is at its edge.
void run_border(Checker &c) {
  for (const Size &size : {Size{1, 1, 0}, Size{37, 21, 3}, Size{640, 361, 1}})
    for (const PixelFormat f : formats)
      for (const int border : {2, 64}) {
        check::Bordered picture(c, f, size.width, size.height, border, size.padding);
        picture.whole.bytes = c.noise(picture.whole.bytes.size());
        picture.whole.send();
        fill_border(c.device, picture.device(), border, c.queue());
        const std::vector<std::uint8_t> before = picture.whole.bytes;
        picture.whole.fetch();
        const Image image = picture.host();
        for (int p = 0; p < plane_count(f); p++) {
          const auto pixel = static_cast<int>(pixel_bytes(f, p)), room = in_plane(border, p);
          const int width = static_cast<int>(row_bytes(f, p, size.width)) / pixel,
                    height = plane_rows(p, size.height);
          for (int y = -room; y < height + room; y++)
            for (int x = -room; x < width + room; x++)
              for (int k = 0; k < pixel; k++) {
                const auto at = [&](int column, int row) {
                  return image.plane(p).row(row) + std::ptrdiff_t{pixel} * column + k;
                };
                const std::uint8_t *edge = at(std::clamp(x, 0, width - 1), std::clamp(y, 0, height - 1));
                const std::uint8_t want = before[std::size_t(edge - picture.whole.bytes.data())];
                if (*at(x, y) != want)
                  return c.fail(text(size.width, "x", size.height, ", format ", int(f), ", plane ", p,
                                     ", place ", x, ",", y, ": ", int(*at(x, y)), ", not ", int(want)));
              }
        }
      }
}

// No shift is found in noise, in a picture without edges, in another world, and beyond the range.
void run_nothing(Checker &c) {
  const Size size{320, 240, 0};
  const World world(c), elsewhere(c);
  Picture background(c, gray8, size.width, size.height), frame(c, gray8, size.width, size.height);
  Asked search(c);
  const auto expect_none = [&](const char *what) {
    const Match got = search.find(frame);
    c.expect(got.shift == Shift{}, text(what, ": found ", said(got)));
  };
  paint(c, world, background, {});
  search.set_background(background);
  paint(c, elsewhere, frame, {});
  expect_none("another world");
  paint(c, world, frame, {80, 0});
  expect_none("a shift beyond the range");
  frame.bytes = c.noise(frame.bytes.size());
  expect_none("noise");
  std::fill(frame.bytes.begin(), frame.bytes.end(), std::uint8_t{0});
  expect_none("black");
  Picture black(c, gray8, size.width, size.height);
  search.set_background(black);
  paint(c, world, frame, {5, 5});
  expect_none("a background without edges");
  try {
    Picture other(c, gray8, 321, 240);
    search.find(other);
    c.fail("a frame of another size was taken");
  } catch (const Error &e) {
    c.expect(std::string(e.what()).find("321x240") != std::string::npos, e.what());
  }
}

// A sway stays what it is, also about another place than the model's first frame; a drift and a push are
// handed over a pixel at a time, and what is not certain is the mean of before, which fades.
void run_handover(Checker &c) {
  const auto found = [](int x, float score = 1) { return Match{{x, 0}, 500, score, 0}; };
  Handover sway;
  for (int n = 0; n < 1000; n++) {
    const auto x = static_cast<int>(std::lround(8 * std::sin(0.4 * n)));
    const int got = sway.step(found(x)).x;
    c.expect(got == x, text("a sway of ", x, " became ", got));
  }
  Handover in_gust; // the first frame was taken in a gust, 4 pixels from where the pole stands
  for (int n = 0; n < 1000; n++) {
    const double gust = 4 * std::pow(std::sin(0.035 * n + 1.57), 2);
    const auto x = static_cast<int>(std::lround(4 - gust * std::cos(0.43 * n)));
    const int got = in_gust.step(found(x)).x;
    c.expect(got == x, text("frame ", n, ": a sway of ", x, " about 4 became ", got));
  }
  Handover push;
  int frames = 0;
  while (frames < 1000 && push.step(found(-3)).x == -3) frames++;
  c.expect(frames < 200, text("a push was not handed over in ", frames, " frames"));
  Handover turned;
  for (frames = 0; frames < 1000;) {
    const Shift got = turned.step({{0, 0, -3, 2}, 500, 1, 0});
    if (got.turn == -2 && got.zoom == 1) break;
    frames++;
  }
  c.expect(frames < 200, text("a turn and a zoom that stay were not handed over in ", frames, " frames"));
  Handover drift;
  int behind = 0; // what the model has not learnt yet
  for (int n = 0; n < 1000; n++) {
    if (n % 20 == 0) behind++;
    const int ahead = behind - drift.step(found(behind)).x;
    c.expect(ahead >= 0 && ahead <= 1, text("compared ", ahead, " pixels ahead"));
    if (ahead > 0 && n % 30 == 0) behind--;
  }
  c.expect(behind < 30, text(behind, " of 50 pixels were not handed over"));
  const int kept = drift.step(found(0, 0)).x;
  c.expect(kept > behind / 2, text("an uncertain frame was compared at ", kept, ", not near ", behind));
  for (int n = 0; n < 2000; n++) drift.step(found(0, 0));
  c.expect(drift.step(found(0, 0)) == Shift{}, "the mean does not fade");
}

void run_times(Checker &c) {
  if (!c.benching()) throw check::Skip{"only with --bench"};
  for (const Size &size : {Size{320, 240, 0}, Size{640, 360, 0}, Size{1920, 1080, 0}})
    for (const PixelFormat f : {gray8, rgba}) {
      const World world(c);
      Picture background(c, f, size.width, size.height), frame(c, f, size.width, size.height);
      paint(c, world, background, {});
      Asked search(c);
      const std::string label = text(size.width, "x", size.height, ", format ", int(f));
      const double pixels = double(size.width) * size.height;
      search.set_background(background);
      const auto backend = make(c.device);
      c.time(
          label + ", know", pixels, [&] { backend->set_background(background.device(), c.queue()); }, {}, 20);
      paint(c, world, frame, {});
      search.find(frame);
      c.time(
          label + ", at rest", pixels, [&] { search.submit(frame); }, {}, 20);
      paint(c, world, frame, {size.width / 20, -size.width / 40});
      search.find(frame);
      c.time(
          label + ", shifted, from the last frame's", pixels, [&] { search.submit(frame); }, {}, 20);
      if (finds_turns(c)) {
        const int longest = size.width;
        paint(c, world, frame, {size.width / 40, -size.width / 60, most_turn(longest) / 2, 0});
        search.find(frame);
        c.time(
            label + ", turned, from the last frame's", pixels, [&] { search.submit(frame); }, {}, 20);
      }
      paint(c, world, frame, {size.width / 20, -size.width / 40});
      c.time(
          label + ", shifted, from none", pixels,
          [&] {
            search.forget();
            search.submit(frame);
          },
          {}, 20);
    }
}

void run_border_times(Checker &c) {
  if (!c.benching()) throw check::Skip{"only with --bench"};
  for (const PixelFormat f : {gray8, rgba, nv12}) {
    check::Bordered picture(c, f, 1920, 1080, 256);
    c.time(
        text("1920x1080, format ", int(f), ", 256 pixels"), 1920. * 1080,
        [&] { fill_border(c.device, picture.device(), 256, c.queue()); }, {}, 20);
  }
}

const check::Register cases[] = {
    check::Register{{"registration/find", run_find, {Backend::cpu, Backend::cuda, Backend::gl}}},
    check::Register{{"registration/sway", run_sway, {Backend::cpu, Backend::cuda, Backend::gl}}},
    check::Register{{"registration/turned", run_turned, {Backend::cpu}}},
    check::Register{{"registration/turned-picture", run_turned_picture, {Backend::cpu}}},
    check::Register{{"registration/places", run_places}},
    check::Register{{"registration/border", run_border, {Backend::cpu, Backend::cuda, Backend::gl}}},
    check::Register{{"registration/nothing", run_nothing, {Backend::cpu, Backend::cuda, Backend::gl}}},
    check::Register{{"registration/handover", run_handover}},
    check::Register{{"registration/times", run_times, {Backend::cpu, Backend::cuda, Backend::gl}}},
    check::Register{
        {"registration/border-times", run_border_times, {Backend::cpu, Backend::cuda, Backend::gl}}},
};

} // namespace
} // namespace vigil::registration
