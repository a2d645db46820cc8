// SPDX-License-Identifier: LGPL-2.1-or-later
// Features of tracks whose motion is known, at several frame rates and sizes, and the shape rule on them.
#include "kernels/label/features.h"
#include "kernels/label/shape_rule.h"
#include "kernels/label/votes.h"
#include "tests/unit.h"

#include <cmath>
#include <limits>
#include <string>

namespace {

using vigil::test::expect;
using namespace vigil::label;

constexpr double pi = 3.14159265358979;

struct Mover {
  double width, height, speed; // of its box and of its way, in picture heights
  double step = 0;             // by how much its width swings, twice a second
  double filled = 0.6;
};
constexpr Mover walker{.width = 0.06, .height = 0.16, .speed = 0.12, .step = 0.35, .filled = 0.6};
constexpr Mover car{.width = 0.3, .height = 0.14, .speed = 0.6, .step = 0, .filled = 0.8};

TrackViews watch(const Mover &m, double seconds, double fps, double picture) {
  TrackViews views;
  for (int n = 0; n < seconds * fps; n++) {
    const double t = n / fps, width = m.width * (1 + m.step * std::sin(2 * pi * 2 * t)) * picture;
    const double height = m.height * picture, x = 0.1 * picture + m.speed * t * picture;
    views.add({t, {x - width / 2, 0.5 * picture, width, height}, m.filled * width * height}, 4 * picture,
              picture);
  }
  return views;
}

double of(const TrackViews &v, Feature f) {
  return double{get(v.features({}), f)};
}
bool near(double a, double b, double by) {
  return std::abs(a - b) <= by;
}

void known_motion() {
  for (const double fps : {6., 15., 30.})
    for (const double picture : {120., 1080.}) {
      const std::string at =
          " at " + std::to_string(fps) + " frames a second of " + std::to_string(picture) + " lines";
      const TrackViews w = watch(walker, 4, fps, picture), c = watch(car, 4, fps, picture);
      expect(near(of(w, Feature::aspect), std::log(0.16 / 0.06), 0.1), "a walker is upright" + at);
      expect(near(of(c, Feature::aspect), std::log(0.14 / 0.3), 0.01), "a car is wide" + at);
      const double own = std::sqrt(0.3 * 0.14);
      expect(near(of(c, Feature::speed), std::log(0.05 + 0.6 / own), 0.02), "the speed in own sizes" + at);
      expect(near(of(c, Feature::straightness), 1, 1e-3), "a car goes straight on" + at);
      expect(near(of(c, Feature::sideways), 1, 1e-3), "it goes to the side" + at);
      expect(near(of(c, Feature::filled), 0.8, 1e-3), "it fills its box" + at);
      expect(of(w, Feature::rhythm) > 0.5, "a walker's legs have a rhythm" + at);
      expect(of(c, Feature::rhythm) < 0.2, "a car has none" + at);
      expect(std::isnan(of(c, Feature::relative_size)), "a place without tracks has no usual size" + at);
    }
}

void bad_views() {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                   inf = std::numeric_limits<double>::infinity();
  TrackViews v;
  v.add({0, {nan, 0, 1, 1}}, 100, 100);
  v.add({0, {0, 0, inf, 1}}, 100, 100);
  v.add({0, {0, 0, 0, 1}}, 100, 100);
  v.add({0, {0, 0, 5, 5}}, 0, 0);
  expect(v.count() == 0, "boxes without a size are no views");
  for (const float f : v.features({})) expect(std::isnan(f), "nothing is known of no views");
  v.add({1, {10, 10, 5, 5}, nan, inf, -1}, 100, 100);
  v.add({1, {10, 10, 9, 5}}, 100, 100);
  expect(v.count() == 1, "a second view of the same time is none");
  expect(std::isnan(of(v, Feature::speed)), "one view has no speed");
  expect(std::isnan(of(v, Feature::filled)), "an area that is no number is not known");
  const ShapeScores s = shape_scores(v.features({}));
  expect(near(s[0] + s[1] + s[2], 1, 1e-9), "scores of what is hardly known are scores");
  TrackViews forever;
  for (int n = 0; n < 100000; n++) forever.add({n / 25., {10. + n % 50, 10, 20, 40}}, 200, 200);
  expect(forever.count() == 100000, "all views are counted");
  expect(std::isfinite(of(forever, Feature::aspect)), "a track of an hour has features");
}

// Of one pixel, off the picture, black: none of them fails, and their scores are scores.
void odd_boxes() {
  TrackViews pixel, off, black;
  for (int n = 0; n < 40; n++) {
    pixel.add({n / 10., {50. + n, 50, 1, 1}, 1}, 320, 180);
    off.add({n / 10., {-500. - n, 900, 20, 40}, 400}, 320, 180);
    black.add({n / 10., {50. + n, 50, 20, 40}, 0}, 320, 180); // nothing of the object is seen in its box
  }
  for (const TrackViews *v : {&pixel, &off, &black}) {
    const ShapeScores s = shape_scores(v->features({}));
    expect(near(s[0] + s[1] + s[2], 1, 1e-9) && s[0] >= 0 && s[1] >= 0 && s[2] >= 0,
           "scores of odd boxes are scores");
    for (const float f : v->features({}))
      expect(std::isnan(f) || std::abs(f) < 100, "features of odd boxes are small");
  }
  expect(std::isnan(of(black, Feature::filled)), "how much of a black crop is filled is not known");
}

// A long thin shadow lies across its box and fills little of it. A car is as flat, and fills more.
void shadows() {
  const auto shape_of = [](double width, double height, double filled) {
    TrackViews v;
    for (int n = 0; n < 20; n++)
      v.add({n / 5.,
             {10. + 12 * n, 180, width, height},
             filled * width * height,
             width * width / 12,
             height * height / 12},
            320, 240);
    return likeliest(shape_scores(v.features({})));
  };
  expect(shape_of(46, 16, 0.46) == Shape::other && shape_of(28, 12, 0.38) == Shape::other, "shadows");
  expect(shape_of(19, 10, 0.52) == Shape::other, "the end of a shadow that is well filled");
  expect(shape_of(20, 40, 0.55) == Shape::person, "a person");
  expect(shape_of(80, 32, 0.49) == Shape::vehicle && shape_of(80, 32, 0.7) == Shape::vehicle, "cars");
  expect(shape_of(36, 60, 0.39) == Shape::person, "a person with a shadow that is in the same box");
}

void half_hidden() {
  TrackViews v;
  // It comes in from the left: at the border a part is seen, which is slim.
  for (int n = 0; n < 20; n++) v.add({n / 10., {0, 50, 5. + 2 * n, 40}}, 400, 200);
  for (int n = 20; n < 40; n++) v.add({n / 10., {10. + 5 * (n - 20), 50, 80, 40}}, 400, 200);
  expect(near(of(v, Feature::aspect), std::log(0.5), 0.01), "views at the border say nothing of the shape");
}

void places() {
  PlaceScale place;
  for (int n = 0; n < 100; n++) {
    place.learn(0.2, std::log(0.05), std::log(0.1));
    place.learn(0.9, std::log(0.2), std::log(0.4));
  }
  place.learn(std::numeric_limits<double>::quiet_NaN(), 1, 1);
  // A fresh camera knows its place after four tracks: a bicycle among the first walkers is fast for it.
  PlaceScale fresh;
  for (int n = 0; n < 3; n++) fresh.learn(0.5, std::log(0.1), std::log(0.03));
  expect(!fresh.usual(0.5), "three tracks are too few");
  fresh.learn(0.5, std::log(0.1), std::log(0.03));
  expect(fresh.usual(0.5) && near(fresh.usual(0.5)->speed, std::log(0.03), 0.01), "four are enough");
  expect(near(place.usual(0.2)->size, std::log(0.05), 0.1), "far away, what is small is usual");
  expect(near(place.usual(0.9)->size, std::log(0.2), 0.1), "near, what is large");
  expect(place.usual(0.5)->size > place.usual(0.2)->size && place.usual(0.5)->size < place.usual(0.9)->size,
         "where nothing was, the mean of all");
  const TrackViews w = watch(walker, 4, 10, 480);
  expect(std::isfinite(get(w.features(place), Feature::relative_size)), "relative features are known");
  const auto copy = PlaceScale::of(place.numbers());
  expect(copy && copy->tracks() == place.tracks() && copy->usual(0.2)->size == place.usual(0.2)->size,
         "its numbers are all that it knows");
  for (const double bad : {-1., 1e9, std::numeric_limits<double>::quiet_NaN()}) {
    std::vector<double> numbers = place.numbers();
    numbers[0] = bad; // a weight
    expect(!PlaceScale::of(numbers), "no place with a weight of " + std::to_string(bad));
  }
  expect(!PlaceScale::of({}) && !PlaceScale::of(std::vector<double>(26)), "no place of another version");
}

void votes() {
  const auto is = [](const Votes &v, const std::string &name, double score) {
    const auto best = v.best();
    return best && best->name == name && near(best->score, score, 1e-9);
  };
  Votes v;
  expect(!v.best(), "nothing was said");
  v.add("", 0.9);
  expect(!v.best(), "nothing was found");
  v.add("cat", 0.8);
  expect(is(v, "cat", 0.4), "one answer of two");
  v.add("dog", 0.9);
  v.add("dog", 0.9);
  expect(is(v, "dog", 0.45), "the name with the higher sum");
  for (const double wrong : {7., -7., std::numeric_limits<double>::quiet_NaN()}) v.add("dog", wrong);
  expect(is(v, "dog", 2.8 / 7), "scores are limited to 0..1");
  for (int n = 0; n < 100; n++) v.add("name " + std::to_string(n), 1);
  v.add("a\nb", 1);
  v.add(std::string(65, 'x'), 1);
  expect(v.best()->score < 0.03, "what is no name, and names without end, count as answers alone");
}

void shapes() {
  for (const double fps : {6., 25.}) {
    expect(likeliest(shape_scores(watch(walker, 3, fps, 480).features({}))) == Shape::person,
           "a walker is a person");
    expect(likeliest(shape_scores(watch(car, 3, fps, 480).features({}))) == Shape::vehicle,
           "a car is a vehicle");
  }
}

int run() {
  const std::vector<vigil::test::Case> cases = {
      {"known motion", known_motion},
      {"bad views", bad_views},
      {"odd boxes", odd_boxes},
      {"half hidden", half_hidden},
      {"shadows", shadows},
      {"places", places},
      {"shapes", shapes},
      {"votes", votes},
  };
  return vigil::test::run_cases("label features", cases);
}

} // namespace

int main() {
  return run();
}
