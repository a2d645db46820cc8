// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures of tracks: every format and any box, and which moments of a track are kept.
#include "kernels/label/picture.h"
#include "common/error.h"
#include "kernels/fisher/scorer.h"
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

// A mask shows what the picture shows, shadows are no object, and what cannot be cut out has none.
void silhouettes() {
  const track::Box box{50, 40, 40, 30};
  Frame frame(PixelFormat::gray8, 160, 120, 0);
  for (int y = 45; y < 65; y++)
    for (int x = 55; x < 80; x++) frame.at(x, y) = 255;
  const Picture p = silhouette_around(frame.image.plane(0), box);
  expect(p == picture_around(frame.image, box), "the same part, in the same size");
  expect(shows_something(p) && !shows_something({}) && !shows_something(Picture(picture_bytes)),
         "what shows something");
  const Frame shadow(PixelFormat::gray8, 160, 120, 127);
  expect(!shows_something(silhouette_around(shadow.image.plane(0), box)), "a shadow is no object");
  for (const track::Box &b : {track::Box{160, 0, 10, 10}, {10, 10, 0, 5}, {double{nan}, 0, 5, 5}})
    expect(silhouette_around(frame.image.plane(0), b).empty(), "none of a box outside");
  const Frame tiny(PixelFormat::gray8, 1, 1, 255);
  expect(silhouette_around(tiny.image.plane(0), {0, 0, 1, 1}).empty(), "nor of one pixel");
}

std::vector<Look> some_looks(std::size_t count) {
  std::vector<Look> looks(count);
  for (std::size_t n = 0; n < count; n++)
    for (std::size_t i = 0; i < picture_bytes; i++) {
      const bool object = i % picture_side > 10 + n % 40;
      looks[n].picture.push_back(
          std::uint8_t(object ? i / picture_side / (2 + n % 5) % 2 * 150 : i * (n + 3)));
      looks[n].silhouette.push_back(object ? 255 : 0);
    }
  return looks;
}

// Many at a time are as one by one; outside of the silhouette less counts, or nothing.
void together() {
  PictureEncoder encoder(fisher::sample_model(3, 4, 0));
  constexpr std::size_t many = 70; // more than a GPU takes together
  auto looks = some_looks(many);
  looks[7].picture = {};
  looks[8].silhouette = Picture(picture_bytes);
  looks[9].silhouette = Picture(5);
  const auto all = encoder.appearances(looks, 0.3F), alike = encoder.appearances(looks, 1);
  for (std::size_t i = 0; i < many; i++) {
    expect(all[i] == encoder.appearances({&looks[i], 1}, 0.3F).front(), text("the same by itself: ", i));
    if (i == 7) {
      expect(all[i].empty(), "no picture, no numbers");
      continue;
    }
    const auto plain = encoder.appearance(looks[i].picture);
    double away = 0;
    for (std::size_t k = 0; k < plain.size(); k++) away += std::abs(alike[i][k] - plain[k]);
    expect(away < 1e-3, text("a background of weight 1 is no other: ", away));
    expect((all[i] == plain) == (i == 8 || i == 9),
           text("a silhouette counts, one that shows nothing does not: ", i));
  }
  expect(encoder.appearances({}, 0.3F).empty(), "of nothing nothing");
  // What is outside of the silhouette is another picture; descriptors that see none of the object count for
  // nothing.
  auto other = looks[20];
  for (std::size_t i = 0; i < picture_bytes; i++)
    if (i % picture_side < 10) other.picture[i] = std::uint8_t(i * 7);
  const auto far = [&](float background) {
    const auto a = encoder.appearances({&looks[20], 1}, background).front(),
               b = encoder.appearances({&other, 1}, background).front();
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
    return std::sqrt(sum);
  };
  expect(far(0) < 0.8 * far(1), text("another background makes less of a difference: ", far(0), " ", far(1)));
}

// A codebook with one of motion makes the vectors that it always made. Nothing moves in a picture of a track.
void codebook_of_motion() {
  fisher::Model model = fisher::sample_model(3, 4, 0);
  model.motion = {.lag = 2, .codebook = fisher::sample_model(4, 3, 0).codebook};
  const auto device = open_cpu(1);
  const auto queue = device->make_queue();
  fisher::Scorer scorer(*device, int(picture_side), int(picture_side), model);
  const Look look = some_looks(1).front();
  ConstImage frame;
  frame.format = PixelFormat::gray8;
  frame.width = frame.height = int(picture_side);
  frame.data[0] = look.picture.data();
  frame.stride[0] = int(picture_side);
  std::vector<float> parts(scorer.vector_floats()), vector(std::size_t(scorer.vector_length()));
  scorer.score(frame, 0, parts.data(), nullptr, *queue);
  scorer.join_vector(parts.data(), vector);
  expect(PictureEncoder(model).appearance(look.picture) == appearance_of(vector), "both parts, as they were");
}

int run() {
  return vigil::test::run_cases("label picture", {{"formats", formats},
                                                  {"any box", any_box},
                                                  {"place", place},
                                                  {"moments", moments},
                                                  {"encoded", encoded},
                                                  {"silhouettes", silhouettes},
                                                  {"together", together},
                                                  {"a codebook of motion", codebook_of_motion}});
}

} // namespace

int main() {
  return run();
}
