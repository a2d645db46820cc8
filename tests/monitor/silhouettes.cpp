// SPDX-License-Identifier: LGPL-2.1-or-later
// What Silhouettes covers, against a plain definition of it, and how SilhouetteFeed brings it to who covers.
#include "tools/vigil-monitor/camera/silhouettes.h"
#include "tools/vigil-monitor/camera/silhouette_feed.h"

#include "common/error.h"
#include "gst/video/gst_ptr.h"
#include "tests/unit.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <string>
#include <thread>
#include <vector>

using namespace vigil;
using namespace vigil::monitor;
using test::expect;

namespace {

constexpr Silhouettes::Growth growth{};

struct Mask {
  int width, height;
  std::vector<std::uint8_t> pixels;
  Mask(int w, int h, int v = 0)
      : width(w), height(h), pixels(std::size_t(w) * std::size_t(h), std::uint8_t(v)) {}
  std::uint8_t &at(int x, int y) { return pixels[std::size_t(y) * std::size_t(width) + std::size_t(x)]; }
  Silhouettes::Frame frame(double seconds, bool says = true) const {
    return {pixels.data(), width, width, height, seconds, says};
  }
};

bool covered(const SilhouetteCells &c, int x, int y) {
  return c.cells[std::size_t(y / c.size) * std::size_t(c.columns()) + std::size_t(x / c.size)] != 0;
}

// A model that has seen an empty scene for long enough.
Silhouettes learnt(int width, int height) {
  Silhouettes s;
  const Mask empty(width, height);
  for (double t = 0; t < growth.learning; t += 0.5) s.find(empty.frame(t), {});
  return s;
}

// Each pixel of the mask is covered, with what is near it; what is far from all, and from boxes, is not.
void what_is_covered() {
  std::mt19937 random(7);
  for (int n = 0; n < 60; n++) {
    const int width = 40 + int(random() % 700), height = 40 + int(random() % 500);
    Silhouettes s = learnt(width, height);
    Mask mask(width, height);
    std::vector<std::pair<int, int>> set;
    for (unsigned i = 0; i < 1 + random() % 6; i++) {
      set.emplace_back(int(random() % unsigned(width)), int(random() % unsigned(height)));
      mask.at(set.back().first, set.back().second) = i % 2 ? 127 : 255;
    }
    std::vector<Silhouettes::Box> boxes;
    for (unsigned i = 0; i < random() % 4; i++)
      boxes.push_back({int(random() % unsigned(width)), int(random() % unsigned(height)),
                       1 + int(random() % 60), 1 + int(random() % 60), random() % 2 == 0});
    const auto found = s.find(mask.frame(growth.learning), boxes);
    expect(found && found->whole(), "there are cells");
    if (!found) continue;
    const double near = growth.least * height;
    int bare = 0, too_much = 0;
    for (int y = 0; y < height; y += 3)
      for (int x = 0; x < width; x += 3) {
        double away = 1e9;
        for (const auto &[mx, my] : set)
          away = std::min(away, double(std::max(std::abs(mx - x), std::abs(my - y))));
        double reach = near;
        bool in_unseen = false;
        for (const auto &b : boxes) {
          const double side = std::min(b.width, b.height);
          reach = std::max(reach, growth.of_box * side);
          const double from_box = std::max({double(b.x - x), double(x - b.x - b.width + 1), double(b.y - y),
                                            double(y - b.y - b.height + 1), 0.});
          if (b.seen) continue;
          in_unseen = in_unseen || from_box <= 0;
          if (from_box <= growth.of_unseen * side + 3 * found->size) away = std::min(away, reach);
        }
        const bool is = covered(*found, x, y);
        bare += !is && (away <= near - found->size || in_unseen);
        too_much += is && away > reach + 3 * found->size;
      }
    for (const auto &[x, y] : set) bare += !covered(*found, x, y);
    expect(bare == 0 && too_much == 0,
           text(width, "x", height, ": ", bare, " pixels are bare, ", too_much, " covered for nothing"));
  }
}

void learning() {
  Silhouettes s;
  const Mask empty(64, 48);
  expect(!s.find(empty.frame(10), {}), "nothing is known at the start");
  expect(!s.find(empty.frame(10 + growth.learning - 0.1), {}), "nor soon after");
  const auto found = s.find(empty.frame(10 + growth.learning), {});
  expect(found &&
             std::count(found->cells.begin(), found->cells.end(), 0) == std::ptrdiff_t(found->cells.size()),
         "an empty scene is bare");
  const double known = 11 + growth.learning;
  expect(!s.find(empty.frame(known, false), {}), "a scene that is learnt anew");
  expect(!s.find(empty.frame(known + 1), {}), "and for as long as at the start");
  expect(s.find(empty.frame(known + 1 + growth.learning), {}) != nullptr, "then it is known");
  expect(!s.find({nullptr, 0, 0, 0, known + 2 + growth.learning, true}, {}), "a frame without a mask");
  expect(!s.find(empty.frame(known + 3 + growth.learning), {}), "begins it anew");
  Silhouettes other = learnt(64, 48);
  expect(!other.find(Mask(80, 48).frame(growth.learning), {}), "so does another size");
  expect(!learnt(64, 48).find(empty.frame(-100), {}), "so does a time before");
}

void held() {
  Silhouettes s = learnt(100, 80);
  Mask mask(100, 80);
  mask.at(50, 40) = 255;
  double t = growth.learning;
  s.find(mask.frame(t), {});
  mask.at(50, 40) = 0;
  const auto soon = s.find(mask.frame(t + growth.hold * 0.9), {});
  const auto later = s.find(mask.frame(t + growth.hold * 1.2), {});
  expect(soon && covered(*soon, 50, 40), "what is not found in one frame stays covered");
  expect(later && !covered(*later, 50, 40), "but not longer");
}

void hostile_boxes() {
  Silhouettes s = learnt(100, 80);
  constexpr int huge = 1 << 30;
  const std::vector<Silhouettes::Box> boxes = {{-5, 0, 10, 10, false},
                                               {0, 0, 0, 10, false},
                                               {huge, huge, huge, huge, false},
                                               {99, 79, 100, 80, false},
                                               {0, 0, -1, -1, false}};
  const auto found = s.find(Mask(100, 80).frame(growth.learning), boxes);
  expect(found && covered(*found, 99, 79) && !covered(*found, 50, 10), "boxes that are none are passed over");
  const auto all = s.find(Mask(100, 80, 255).frame(growth.learning + 0.1), {});
  expect(all && std::count(all->cells.begin(), all->cells.end(), 1) == std::ptrdiff_t(all->cells.size()),
         "all foreground, all covered");
}

gst::BufferPtr buffer_of(std::size_t bytes) {
  gst::BufferPtr b(gst_buffer_new_allocate(nullptr, bytes, nullptr));
  gst_buffer_memset(b.get(), 0, 0, bytes);
  return b;
}

void feed() {
  constexpr std::size_t size = 64 * 48;
  const auto at = [](double s) { return GstClockTime(s * GST_SECOND); };
  constexpr double known = growth.learning;
  SilhouetteFeed f;
  GstVideoInfo info;
  gst_video_info_set_format(&info, GST_VIDEO_FORMAT_GRAY8, 64, 48);
  f.mask_caps(info);
  for (double t = 0; t <= growth.learning; t += 0.25) f.put(buffer_of(size).get(), at(t), true);
  const auto found = f.take(at(growth.learning));
  expect(found && *found, "a frame's mask");
  expect(f.take(at(growth.learning)).has_value(), "for a second who covers, too");
  const auto before = std::chrono::steady_clock::now();
  expect(!f.take(at(growth.learning - 0.1)), "a frame that was left out has none");
  expect(std::chrono::steady_clock::now() - before < std::chrono::milliseconds(300),
         "which is known at once");
  expect(!f.take(at(known + 1000)), "a mask that does not come");
  expect(!f.take(GST_CLOCK_TIME_NONE), "a picture without a time");
  std::thread late([&] { f.put(buffer_of(size).get(), at(known + 1), true); });
  expect(f.take(at(known + 1)).has_value(), "a mask that comes later is waited for");
  late.join();
  f.put(buffer_of(size / 2).get(), at(known + 2), true);
  expect(f.take(at(known + 2)) == std::optional<SharedSilhouettes>(nullptr),
         "a mask shorter than its caps: all is covered");
  for (double t = known + 3; t <= known + 3 + growth.learning; t += 0.25)
    f.put(buffer_of(size).get(), at(t), true);
  gst::BufferPtr damaged = buffer_of(size);
  GST_BUFFER_FLAG_SET(damaged.get(), GST_BUFFER_FLAG_CORRUPTED);
  f.put(damaged.get(), at(known + 4 + growth.learning), true);
  expect(f.take(at(known + 4 + growth.learning)) == std::optional<SharedSilhouettes>(nullptr),
         "a damaged picture has no mask");
  gst_video_info_set_format(&info, GST_VIDEO_FORMAT_I420, 64, 48);
  f.mask_caps(info);
  f.put(buffer_of(2 * size).get(), at(known + 5 + growth.learning), true);
  expect(f.take(at(known + 5 + growth.learning)) == std::optional<SharedSilhouettes>(nullptr),
         "a picture that is no mask");
  f.put(buffer_of(size).get(), at(1), true);
  expect(f.take(at(1)).has_value(), "times that begin anew");
  std::thread close([&] { f.close(); });
  expect(!f.take(at(known + 2000)), "nobody waits after the end");
  close.join();
}

} // namespace

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  return test::run_cases("monitor silhouettes", {{"what is covered", what_is_covered},
                                                 {"learning", learning},
                                                 {"held", held},
                                                 {"hostile boxes", hostile_boxes},
                                                 {"feed", feed}});
}
