// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures of tracks: every format and any box, and which moments of a track are kept.
#include "kernels/label/picture.h"
#include "common/error.h"
#include "kernels/label/appearance.h"
#include "kernels/label/best_moments.h"
#include "kernels/label/picture_encoder.h"
#include "tests/fisher/sample_model.h"
#include "tests/unit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace {

using vigil::test::expect;
using namespace vigil;
using namespace vigil::label;

constexpr float nan = std::numeric_limits<float>::quiet_NaN(),
                infinity = std::numeric_limits<float>::infinity();

// A frame of its own memory; each sample is `value`, in 16 bits the highest possible part of it.
struct Frame {
  Frame(PixelFormat format, int width, int height, std::uint8_t value) {
    image.format = format;
    image.width = width;
    image.height = height;
    for (int i = 0; i < plane_count(format); i++) {
      const auto line = static_cast<std::size_t>(row_bytes(format, i, width));
      planes[i].assign(line * static_cast<std::size_t>(plane_rows(i, height)), value);
      image.data[i] = planes[i].data();
      image.stride[i] = static_cast<std::ptrdiff_t>(line);
    }
  }
  std::uint8_t &at(int x, int y) {
    return planes[0][std::size_t(y) * std::size_t(image.width) + std::size_t(x)];
  }
  std::vector<std::uint8_t> planes[3];
  ConstImage image;
};

bool all_are(const Picture &p, int value) {
  return p.size() == picture_bytes &&
         std::all_of(p.begin(), p.end(), [&](int v) { return std::abs(v - value) <= 1; });
}

void formats() {
  const track::Box middle{50, 40, 30, 30};
  for (const PixelFormat f : {PixelFormat::gray8, PixelFormat::rgba, PixelFormat::bgra, PixelFormat::nv12,
                              PixelFormat::i420, PixelFormat::gray16, PixelFormat::p010, PixelFormat::rgba64})
    for (const int value : {0, 90, 255})
      expect(all_are(picture_around(Frame(f, 161, 121, std::uint8_t(value)).image, middle), value),
             text("format ", int(f), ": all of it is ", value));
  Frame red(PixelFormat::rgba, 100, 100, 0);
  for (std::size_t i = 0; i < red.planes[0].size(); i += 4) red.planes[0][i] = 255;
  expect(all_are(picture_around(red.image, middle), 76), "red has the luma 0.299");
}

void any_box() {
  const Frame frame(PixelFormat::gray8, 320, 240, 100);
  for (const track::Box &b : {track::Box{160, 120, 1, 1},
                              {0, 0, 1, 1},
                              {319, 239, 1, 1},
                              {-10, -10, 20, 20},
                              {310, 230, 500, 500},
                              {-1e6, -1e6, 3e6, 3e6},
                              {0, 0, 320, 240},
                              {10, 10, 1e-6, 1e-6}})
    expect(!picture_around(frame.image, b).empty(),
           text("a picture of ", b.x, ",", b.y, " ", b.width, "x", b.height));
  for (const track::Box &b : {track::Box{320, 0, 10, 10},
                              {0, 240, 10, 10},
                              {-20, 0, 10, 10},
                              {10, 10, 0, 5},
                              {10, 10, -5, 5},
                              {double{nan}, 0, 5, 5},
                              {0, 0, double{nan}, 5},
                              {0, 0, double{infinity}, 5},
                              {double{-infinity}, 0, 5, 5}})
    expect(picture_around(frame.image, b).empty(),
           text("none of ", b.x, ",", b.y, " ", b.width, "x", b.height));
  for (const auto &[w, h] : {std::pair{1, 1}, {1, 50}, {50, 1}})
    expect(picture_around(Frame(PixelFormat::gray8, w, h, 1).image, {0, 0, 1, 1}).empty(),
           "one pixel on a side is too small");
  for (const auto &[w, h] : {std::pair{2, 2}, {3, 3}, {2, 900}, {900, 2}, {33, 17}})
    expect(!picture_around(Frame(PixelFormat::nv12, w, h, 1).image, {0, 0, 2, 2}).empty(), "two are enough");
}

// What is where in the frame is there in the picture, when it is made smaller and when it is made larger.
void place() {
  for (const int side : {30, 160}) {
    Frame frame(PixelFormat::gray8, 640, 480, 20);
    const int left = 300, top = 200;
    for (int y = top; y < top + side; y++)
      for (int x = left; x < left + side; x++) frame.at(x, y) = 220;
    const Picture p = picture_around(frame.image, {double(left), double(top), double(side), double(side)});
    const auto value = [&](int x, int y) { return int(p[std::size_t(y) * picture_side + std::size_t(x)]); };
    expect(value(32, 32) > 210 && value(1, 1) < 30 && value(62, 62) < 30, "the object is in the middle");
    const double margin = 64 * (1 - 1 / 1.4) / 2;
    expect(value(int(margin) - 4, 32) < 40 && value(int(margin) + 4, 32) > 200,
           "it begins behind the margin");
    expect(value(32, 63 - int(margin) + 4) < 40 && value(32, 63 - int(margin) - 4) > 200,
           "and ends before it");
  }
  Picture flat(picture_bytes, 7), lines(picture_bytes), soft(picture_bytes);
  for (std::size_t i = 0; i < picture_bytes; i++) {
    lines[i] = i % 2 ? 200 : 100;
    soft[i] = static_cast<std::uint8_t>(i % picture_side * 2);
  }
  expect(sharpness(flat) == 0 && sharpness(soft) == 0 && sharpness(lines) > 100 && sharpness({}) == 0,
         "sharpness");
}

std::vector<float> unit(std::size_t at) {
  std::vector<float> v(appearance_length);
  v[at] = 1;
  return v;
}

void moments() {
  BestMoments m;
  constexpr std::size_t most = 3;
  expect(m.appearance().empty() && m.wants(0, 20, most), "at first it wants any");
  for (const double size : {0., -3., double{nan}, double{infinity}})
    expect(!m.wants(0, size, most), "no size");
  expect(!m.wants(0, 20, 0), "none at all");
  m.add(10, 20, 1, unit(0), most);
  expect(!m.wants(10.3, 90, most) && m.wants(10.6, 5, most), "then one each half second, of any size");
  m.add(10.6, 20, 1, {}, most);
  expect(m.count() == 1 && !m.wants(10.7, 90, most), "one that says nothing takes its time alone");
  m.add(11.2, 22, 1, unit(1), most);
  m.add(11.8, 30, 1, unit(2), most);
  expect(m.count() == 3 && !m.wants(13, 23, most) && m.wants(13, 25, most),
         "full: it must be larger by a fifth");
  m.add(13, 60, 0.1, unit(3), most);
  expect(m.count() == 3 && m.appearance()[3] == 0, "a large one that is not sharp goes");
  m.add(14, 60, 1, unit(3), most);
  const auto v = m.appearance();
  expect(m.count() == 3 && v[0] == 0 && std::abs(v[1] - 1 / std::sqrt(3.F)) < 1e-5F && v[3] > 0,
         "the smallest makes place, and all count the same");
  m.add(15, 61, 1, unit(4), 1);
  expect(m.count() == 1 && m.appearance()[4] == 1, "fewer are kept when fewer are asked for");
  BestMoments opposite;
  auto minus = unit(0);
  minus[0] = -1;
  opposite.add(1, 20, 1, unit(0), most);
  opposite.add(2, 20, 1, minus, most);
  expect(opposite.appearance().empty(), "what adds up to nothing is nothing");
}

void encoded() {
  PictureEncoder encoder(fisher::sample_model(3, 4, 0));
  Picture stripes;
  for (std::size_t i = 0; i < picture_bytes; i++) stripes.push_back(i / 8 % 2 ? 200 : 50);
  const auto v = encoder.appearance(stripes);
  double power = 0;
  for (const float f : v) power += double{f} * f;
  expect(v.size() == appearance_length && std::abs(power - 1) < 1e-4, "a vector of length 1");
  expect(encoder.appearance(stripes) == v, "the same again");
  for (const Picture &bad : {Picture(), Picture(7), Picture(picture_bytes + 1)})
    expect(encoder.appearance(bad).empty(), "no picture");
  const auto black = encoder.appearance(Picture(picture_bytes));
  expect(std::all_of(black.begin(), black.end(), [](float f) { return std::isfinite(f); }),
         "black is no harm");
}

int run() {
  return vigil::test::run_cases("label picture", {{"formats", formats},
                                                  {"any box", any_box},
                                                  {"place", place},
                                                  {"moments", moments},
                                                  {"encoded", encoded}});
}

} // namespace

int main() {
  return run();
}
