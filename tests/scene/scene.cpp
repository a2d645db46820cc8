// SPDX-License-Identifier: LGPL-2.1-or-later
// The scenes without GStreamer: the same bytes however they are asked for, and a truth that agrees with the
// picture.
#include "common/scene/scene.h"

#include "common/error.h"
#include "tests/unit.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace {

using namespace vigil;
using test::expect;
using namespace vigil::scene;

CpuDevice &device() {
  static CpuDevice d(2);
  return d;
}

constexpr double rate = 30;
Moment at(double seconds) {
  return {std::uint64_t(std::lround(seconds * rate)), std::lround(seconds * rate) / rate};
}

// A picture in memory of its own, rows `padding` bytes too long and filled with a mark that must stay.
struct Picture {
  static constexpr std::uint8_t mark = 0xa5;
  std::vector<std::uint8_t> bytes;
  Image image;
  Picture(PixelFormat format, int width, int height, int padding = 0) {
    std::ptrdiff_t offset[3] = {}, size = 0;
    image.format = format;
    image.width = width;
    image.height = height;
    for (int i = 0; i < plane_count(format); i++) {
      image.stride[i] = row_bytes(format, i, width) + padding;
      offset[i] = size;
      size += image.stride[i] * plane_rows(i, height);
    }
    bytes.assign(std::size_t(size), mark);
    for (int i = 0; i < plane_count(format); i++) image.data[i] = bytes.data() + offset[i];
  }
  const std::uint8_t *pixel(int x, int y) const {
    return image.data[0] + y * image.stride[0] + std::ptrdiff_t{4} * x;
  }
};

Picture draw(const Scene &s, const Moment &m, PixelFormat format = PixelFormat::rgba, int padding = 0,
             const Coding &coding = {}) {
  Picture p(format, s.settings().width, s.settings().height, padding);
  s.draw(m, p.image, coding);
  return p;
}
std::vector<std::uint8_t> truth(const Scene &s, const Moment &m) {
  const Settings &t = s.settings();
  std::vector<std::uint8_t> bytes(std::size_t(t.width) * std::size_t(t.height), 1);
  s.draw_truth(m, {bytes.data(), t.width, t.height, t.width});
  return bytes;
}
std::size_t count(const std::vector<std::uint8_t> &v, int value) {
  return std::size_t(std::count(v.begin(), v.end(), std::uint8_t(value)));
}

Settings settings(Story story, float noise = 0) {
  Settings s;
  s.width = 320;
  s.height = 240;
  s.story = story;
  s.noise = noise;
  return s;
}

const Story stories[] = {
    Story::street,     Story::indoor,     Story::light_switch,   Story::camouflage,    Story::stopped_car,
    Story::foliage,    Story::crowd,      Story::empty,          Story::auto_exposure, Story::white_balance,
    Story::covered,    Story::parked_car, Story::waiting_person, Story::moved,         Story::defocused,
    Story::shake,      Story::day,        Story::step_aside,     Story::uncovered,     Story::gale,
    Story::headlights, Story::rain,       Story::snow,           Story::heat,          Story::insects,
    Story::clock,      Story::flicker,    Story::ir_cut,         Story::interlaced,    Story::pan_tilt,
    Story::flag,       Story::screen};

void same_bytes_in_any_order() {
  CpuDevice one(1), two(2);
  for (const Story story : stories) {
    const Scene a(settings(story, 3), one), b(settings(story, 3), two);
    std::vector<Picture> in_order;
    for (int i = 0; i < 6; i++) in_order.push_back(draw(a, at(i * 1.4)));
    for (int i = 5; i >= 0; i--) {
      expect(draw(b, at(i * 1.4)).bytes == in_order[std::size_t(i)].bytes,
             "a frame depends on order or threads");
      expect(truth(a, at(i * 1.4)) == truth(b, at(i * 1.4)), "a truth depends on order or threads");
    }
    Settings other = settings(story, 3);
    other.seed = 2;
    const Scene c(other, one);
    expect(draw(c, at(4)).bytes != draw(a, at(4)).bytes, "another seed gives the same picture");
    if (story != Story::empty && story != Story::day) // nobody comes so soon
      expect(truth(c, at(6)) != truth(a, at(6)), "another seed gives the same truth");
  }
}

// When to look: every 0.7 s of the first 14 s; of a day, where nearly always nobody is there, at 20 moments
// at which somebody is.
std::vector<double> moments(const Scene &scene) {
  std::vector<double> all;
  if (scene.settings().story == Story::day) {
    for (double t = 60; t < 10800 && all.size() < 20; t++)
      if (!scene.objects(t).empty()) all.push_back(t);
    return all;
  }
  for (double t = 0; t < 14; t += 0.7) all.push_back(t);
  return all;
}

// Against the same scene without objects, which has the same ground, leaves and light.
void truth_agrees_with_the_picture(Story story) {
  Settings bare = settings(story);
  bare.density = 0;
  const Scene scene(settings(story), device()), plate(bare, device());
  const std::string name = "story " + std::to_string(int(story)) + ": ";
  std::size_t seen[4] = {}, different = 0;
  int wrong_background = 0, wrong_shadow = 0;
  double change = 0;
  for (const double t : moments(scene)) {
    const Picture picture = draw(scene, at(t)), empty = draw(plate, at(t));
    const std::vector<std::uint8_t> labels = truth(scene, at(t));
    // Nothing is seen of objects while the lens is covered.
    if (story == Story::covered &&
        std::ranges::all_of(empty.bytes, [](std::uint8_t b) { return b < 60 || b == 255; })) // 255: alpha
      continue;
    const bool from_the_beginning = // somebody or something is there
        story == Story::parked_car || story == Story::step_aside || story == Story::uncovered;
    if (t < scene.settings().quiet && !from_the_beginning) {
      expect(picture.bytes == empty.bytes, name + "something shows in the quiet time");
      expect(count(labels, 0) == labels.size(), name + "the truth is not empty in the quiet time");
    }
    for (int y = 0; y < 240; y++)
      for (int x = 0; x < 320; x++) {
        const std::uint8_t *p = picture.pixel(x, y), *e = empty.pixel(x, y);
        double low = 1e9, high = 0;
        int difference = 0;
        for (int c = 0; c < 3; c++) {
          difference += std::abs(p[c] - e[c]);
          if (e[c] < 40) continue; // too dark for ratios of rounded values
          low = std::min(low, (p[c] - 1.0) / e[c]);
          high = std::max(high, (p[c] + 1.0) / e[c]);
        }
        switch (labels[std::size_t(y) * 320 + std::size_t(x)]) {
        case truth_background:
          // At most the rim of a shadow, or the last thousandth of an edge. Where bright ground shines
          // through the edge of a dark leaf, a tenth of its light is a larger part of what is seen.
          seen[0]++;
          wrong_background += (low < 1e9 && low < 0.87 && difference > 57) ||
                              (story != Story::headlights && // which light the ground
                               (high > 1.05 || (low == 1e9 && difference > 12)));
          break;
        case truth_shadow:
          seen[1]++;
          wrong_shadow += low < 1e9 && (high < 0.59 || (low > 0.905 && story != Story::headlights));
          break;
        case truth_unknown:
          seen[2]++;
          break;
        case truth_foreground:
          seen[3]++;
          different += difference > 10;
          change += difference / 3.0;
          break;
        default:
          expect(false, name + "a value that is no truth");
        }
      }
  }
  expect(wrong_background == 0,
         name + std::to_string(wrong_background) + " background pixels differ from the empty scene");
  if (story == Story::empty) {
    expect(seen[1] + seen[2] + seen[3] == 0, name + "there is an object");
    return;
  }
  expect(seen[1] > 1000 && seen[2] > 1000 && seen[3] > 5000, name + "too few objects");
  const bool veiled = story == Story::snow || story == Story::insects; // which hide shadows
  expect(double(wrong_shadow) < (veiled ? 0.1 : 0.01) * double(seen[1]),
         name + std::to_string(wrong_shadow) + " shadow pixels are no shadow");
  change /= double(seen[3]);
  if (story == Story::camouflage)
    expect(change > 4 && change < 25, name + "camouflage stands out by " + std::to_string(change));
  else
    expect(double(different) > 0.95 * double(seen[3]), name + "objects look like the ground");
}

void stories_do_what_they_say() {
  const auto object = [](const Scene &s, double t) {
    const std::vector<std::uint8_t> v = truth(s, at(t));
    return count(v, truth_foreground);
  };
  const auto brightness = [](const Scene &s, double t) {
    const Picture p = draw(s, at(t), PixelFormat::gray8, 0, {0.299f, 0.114f, true});
    double sum = 0;
    for (const std::uint8_t b : p.bytes) sum += b;
    return sum / double(p.bytes.size());
  };
  // Share of the objects' pixels that are not objects two frames later.
  const auto motion = [](const Scene &s, double t) {
    const std::vector<std::uint8_t> a = truth(s, at(t)), b = truth(s, at(t + 0.067));
    std::size_t left = 0;
    for (std::size_t i = 0; i < a.size(); i++) left += a[i] == truth_foreground && b[i] != truth_foreground;
    return double(left) / double(std::max<std::size_t>(1, count(a, truth_foreground)));
  };

  // The car is in sight 2.5 s + about 3 s after the start and leaves 15 s later; nobody else is near it.
  const Scene car(settings(Story::stopped_car), device());
  const std::vector<std::uint8_t> parked = truth(car, at(8)), later = truth(car, at(19));
  std::size_t both = 0;
  for (std::size_t i = 0; i < parked.size(); i++)
    both += parked[i] == truth_foreground && later[i] == truth_foreground;
  expect(both > 2500, "the stopped car does not stand: " + std::to_string(both) + " pixels");
  expect(object(car, 24.5) + 2000 < object(car, 19), "the stopped car does not leave");

  const Scene lamp(settings(Story::light_switch), device());
  const double on = brightness(lamp, 6.4), off = brightness(lamp, 6.6), again = brightness(lamp, 10.6);
  expect(off < 0.7 * on && off > 0.4 * on, "the light does not go off");
  expect(std::abs(again - on) < 0.03 * on, "the light does not come on again");

  const Scene day(settings(Story::day), device());
  const double hour = 3600, noon = brightness(day, 5), before_lamps = brightness(day, 5.85 * hour),
               lamps = brightness(day, 5.95 * hour), night = brightness(day, 11 * hour);
  expect(before_lamps < 0.6 * noon && lamps > 1.2 * before_lamps && night < 0.6 * noon,
         "dusk: " + std::to_string(noon) + ", " + std::to_string(before_lamps) + ", " +
             std::to_string(lamps) + ", " + std::to_string(night));
  const double sun = brightness(day, 2 * hour);
  double least = 1e9, most = 0; // while clouds pass
  for (double t = 2 * hour; t < 2 * hour + 120; t += 5) {
    least = std::min(least, brightness(day, t));
    most = std::max(most, brightness(day, t));
  }
  expect(most > 1.2 * least, "clouds change " + std::to_string(sun) + " to no more than " +
                                 std::to_string(most) + " from " + std::to_string(least));
  std::size_t wet = 0;
  const Picture rain = draw(day, at(5 * hour), PixelFormat::gray8, 0, {0.299f, 0.114f, true}),
                next = draw(day, at(5 * hour + 0.1), PixelFormat::gray8, 0, {0.299f, 0.114f, true});
  for (std::size_t i = 0; i < rain.bytes.size(); i++) wet += rain.bytes[i] > next.bytes[i] + 12;
  expect(wet > 300, "it does not rain: " + std::to_string(wet) + " pixels");
  const auto parked_there = [&](double t) {
    for (const TrueObject &o : day.objects(t))
      if (o.kind == Kind::car && o.since >= 0) return true;
    return false;
  };
  expect(!parked_there(5.1 * hour) && parked_there(5.2 * hour) && parked_there(19.6 * hour) &&
             !parked_there(19.7 * hour),
         "no car parks for the night");

  // At night the light of a car is there before the car is, by day it is not.
  Settings lit = settings(Story::day), empty = settings(Story::day);
  lit.headlights = true;
  empty.density = 0;
  const Scene cars(lit, device()), nobody_comes(empty, device());
  const auto car_in_view = [&](double t) {
    return std::ranges::any_of(cars.objects(t),
                               [](const TrueObject &o) { return o.kind == Kind::car && o.since < 0; });
  };
  const auto light_before_a_car = [&](double t) {
    while (!car_in_view(t)) t += 2;
    while (car_in_view(t - 0.5)) t -= 0.5;
    const Picture road = draw(cars, at(t - 0.5)), dark = draw(nobody_comes, at(t - 0.5));
    std::size_t brighter = 0;
    for (std::size_t i = 0; i < road.bytes.size(); i += 4) brighter += road.bytes[i] > dark.bytes[i] + 30;
    return brighter;
  };
  const std::size_t by_night = light_before_a_car(8 * hour), by_day = light_before_a_car(1 * hour);
  expect(by_night > 320 * 240 / 100 && by_day == 0, "a car's light shows on " + std::to_string(by_night) +
                                                        " pixels at night, on " + std::to_string(by_day) +
                                                        " by day");

  Settings nobody = settings(Story::foliage);
  nobody.density = 0;
  const Scene wind(nobody, device());
  const Picture a = draw(wind, at(5)), b = draw(wind, at(5.5));
  std::size_t moved = 0;
  for (std::size_t i = 0; i < a.bytes.size(); i += 4) moved += std::abs(a.bytes[i + 1] - b.bytes[i + 1]) > 12;
  expect(moved > 320 * 240 / 30, "leaves do not sway");
  expect(object(wind, 5) == 0, "leaves are called objects");

  const Scene crowd(settings(Story::crowd), device());
  const double stroll = motion(crowd, 9), run = motion(crowd, 11.5);
  expect(run > 1.5 * stroll,
         "the crowd does not run: " + std::to_string(stroll) + " to " + std::to_string(run));
}

// Scenes that differ from `street` or `indoor` in one thing, without noise.
void weather_does_what_it_says() {
  const auto nobody = [](Story story) {
    Settings s = settings(story);
    s.density = 0;
    return s;
  };
  const auto row_of = [](const Picture &p, int y) {
    return std::vector<std::uint8_t>(p.pixel(0, y), p.pixel(0, y) + std::ptrdiff_t{4} * 320);
  };
  // Pixels whose green differs by more than `least`.
  const auto changed = [](const Picture &a, const Picture &b, int least) {
    std::size_t n = 0;
    for (std::size_t i = 1; i < a.bytes.size(); i += 4) n += std::abs(a.bytes[i] - b.bytes[i]) > least;
    return n;
  };
  const auto grey = [](const Picture &p) {
    for (std::size_t i = 0; i < p.bytes.size(); i += 4)
      if (p.bytes[i] != p.bytes[i + 1] || p.bytes[i] != p.bytes[i + 2]) return false;
    return true;
  };
  const double pixels = 320 * 240;

  for (const Story story :
       {Story::rain, Story::snow, Story::heat, Story::insects, Story::headlights, Story::ir_cut,
        Story::interlaced, Story::clock, Story::flicker, Story::pan_tilt, Story::flag, Story::screen}) {
    const Scene scene(nobody(story), device());
    for (const double t : {0., 4., 11.})
      expect(count(truth(scene, at(t)), truth_background) == std::size_t(pixels),
             "story " + std::to_string(int(story)) + ": the truth has something where nobody is");
  }

  const Scene dry(nobody(Story::street), device()), rain(nobody(Story::rain), device()),
      snow(nobody(Story::snow), device());
  const double wet = double(changed(draw(rain, at(4)), draw(dry, at(4)), 8)) / pixels,
               white = double(changed(draw(snow, at(4)), draw(dry, at(4)), 8)) / pixels;
  expect(wet > 0.01 && wet < 0.1, "rain changes " + std::to_string(wet) + " of the picture");
  expect(white > 0.01 && white < 0.1, "snow changes " + std::to_string(white) + " of the picture");

  // Even lines are those of a moment, odd ones those of a moment later, in picture and truth.
  const Scene street(settings(Story::street), device()), fields(settings(Story::interlaced), device());
  const Moment now{200, 200 / 25.}, later{201, now.time + 1 / 50.};
  const Picture both = draw(fields, now), first = draw(street, now), second = draw(street, later);
  const std::vector<std::uint8_t> both_true = truth(fields, now), first_true = truth(street, now),
                                  second_true = truth(street, later);
  for (int y = 0; y < 240; y++) {
    expect(row_of(both, y) == row_of(y % 2 ? second : first, y), "a field is not of its moment");
    const std::vector<std::uint8_t> &true_row = y % 2 ? second_true : first_true;
    expect(std::equal(true_row.begin() + std::ptrdiff_t{320} * y,
                      true_row.begin() + std::ptrdiff_t{320} * (y + 1),
                      both_true.begin() + std::ptrdiff_t{320} * y),
           "the truth of a field is not of its moment");
  }
  expect(first.bytes != second.bytes, "nothing moves between the fields");

  // What hot air shows lies at most two pixels off, and so does its truth.
  const Scene hot(settings(Story::heat), device());
  const std::vector<std::uint8_t> cool_true = truth(street, now), hot_true = truth(hot, now);
  std::size_t moved = 0, far = 0;
  for (int y = 2; y < 238; y++)
    for (int x = 2; x < 318; x++) {
      const auto label = hot_true[std::size_t(y) * 320 + std::size_t(x)];
      moved += label != cool_true[std::size_t(y) * 320 + std::size_t(x)];
      bool near = label == truth_unknown;
      for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++)
          near |= label == cool_true[std::size_t(y + dy) * 320 + std::size_t(x + dx)];
      far += !near;
    }
  expect(moved > 100 && far == 0, "hot air moves the truth of " + std::to_string(moved) + " pixels, " +
                                      std::to_string(far) + " of them far");
  const Scene shimmer(nobody(Story::heat), device());
  expect(double(changed(draw(shimmer, at(4)), draw(shimmer, at(4.1)), 12)) > 0.01 * pixels,
         "the air is calm");

  const Scene insects(nobody(Story::insects), device());
  std::size_t most = 0;
  for (double t = 0; t < 6; t += 0.2)
    most = std::max(most, changed(draw(insects, at(t)), draw(insects, at(t + 0.1)), 30));
  Settings noisy = nobody(Story::insects);
  noisy.noise = 3;
  expect(grey(draw(Scene(noisy, device()), at(4))), "infra-red light shows colours");
  expect(most > 50, "no insect flies: " + std::to_string(most) + " pixels");

  const Scene dusk(nobody(Story::ir_cut), device()); // quiet is 2.5 s
  expect(!grey(draw(dusk, at(5))) && grey(draw(dusk, at(15))) && !grey(draw(dusk, at(33))),
         "the camera does not turn to infra-red light and back");

  // Where the ground is lit, no object is.
  const Scene night(settings(Story::headlights), device()), dark(nobody(Story::headlights), device());
  std::size_t lit = 0;
  for (double t = 4; t < 10; t += 1) {
    const Picture with = draw(night, at(t)), without = draw(dark, at(t));
    const std::vector<std::uint8_t> labels = truth(night, at(t));
    for (std::size_t i = 0; i < labels.size(); i++)
      lit += labels[i] == truth_background && with.bytes[4 * i + 1] > 1.5 * without.bytes[4 * i + 1] + 5;
  }
  expect(lit > 3000, "headlights light " + std::to_string(lit) + " pixels");
  expect(double(changed(draw(dark, at(0)), draw(dry, at(0)), 30)) > 0.7 * pixels, "the night is bright");

  // The clock changes each second, and nothing else does; who is behind it is not seen.
  const Scene clock(nobody(Story::clock), device());
  const Picture before = draw(clock, at(8.1)), same = draw(clock, at(8.9)), after = draw(clock, at(9.1));
  expect(before.bytes == same.bytes && before.bytes != after.bytes, "the clock does not go by seconds");
  Settings close = settings(Story::clock);
  close.density = 10;
  close.down = 25; // people pass at the picture's upper border
  close.quiet = 0;
  const Scene passers(close, device());
  std::size_t seen = 0, around = 0;
  for (double t = 2; t < 12; t += 0.5) {
    const std::vector<std::uint8_t> labels = truth(passers, at(t));
    for (int y = 0; y < 18; y++)
      for (int x = 0; x < 320; x++)
        (x >= 4 && x < 96 && y >= 4 ? seen : around) +=
            labels[std::size_t(y) * 320 + std::size_t(x)] == truth_foreground;
  }
  expect(seen == 0 && around > 100, "the truth sees " + std::to_string(seen) + " pixels through the clock, " +
                                        std::to_string(around) + " next to it");

  // What moves in its place: a part of the picture changes, and the rest does not.
  for (const Story story : {Story::flag, Story::screen}) {
    const Scene restless(nobody(story), device());
    std::size_t most_changed = 0;
    for (double t = 4; t < 12; t += 1)
      most_changed = std::max(most_changed, changed(draw(restless, at(t)), draw(restless, at(t + 0.5)), 30));
    expect(most_changed > 100 && double(most_changed) < 0.1 * pixels,
           "story " + std::to_string(int(story)) + ": " + std::to_string(most_changed) + " pixels move");
  }

  // Bands: rows of the same scene differ by one factor each.
  const Scene flicker(nobody(Story::flicker), device()), steady(nobody(Story::indoor), device());
  const Picture banded = draw(flicker, at(3)), even = draw(steady, at(3));
  double least = 1e9, greatest = 0;
  for (int y = 0; y < 240; y++) {
    double sum = 0, of = 0;
    for (int x = 0; x < 320; x++) sum += banded.pixel(x, y)[2], of += even.pixel(x, y)[2];
    least = std::min(least, sum / of);
    greatest = std::max(greatest, sum / of);
  }
  expect(least < 0.88 && least > 0.83 && greatest > 1.05 && greatest < 1.17,
         "lamps flicker from " + std::to_string(least) + " to " + std::to_string(greatest));

  const Scene tour(nobody(Story::pan_tilt), device());
  const Picture view = draw(tour, at(4));
  expect(view.bytes == draw(tour, at(22)).bytes, "the camera does not come back to where it looked");
  for (const double t : {10., 16.})
    expect(double(changed(draw(tour, at(t)), view, 12)) > 0.1 * pixels, "the camera does not turn");
}

void noise_is_gaussian_and_white() {
  Settings s = settings(Story::empty, 5);
  Settings clean = s;
  clean.noise = 0;
  for (const PixelFormat format : {PixelFormat::rgba, PixelFormat::gray8}) {
    const Scene noisy(s, device()), plain(clean, device());
    const Coding full{0.299f, 0.114f, true};
    const Picture base = draw(plain, at(0), format, 0, full), p = draw(noisy, at(1), format, 0, full),
                  q = draw(noisy, at(1.0334), format, 0, full);
    const std::size_t step = format == PixelFormat::rgba ? 4 : 1, row = step * 320, n = base.bytes.size();
    double sum = 0, squares = 0, right = 0, below = 0, next = 0, far = 0, points = 0;
    const auto e = [&](const Picture &x, std::size_t i) { return double(x.bytes[i]) - base.bytes[i]; };
    for (std::size_t i = 0; i + row + step < n; i += step) {
      const double v = e(p, i);
      sum += v;
      squares += v * v;
      right += v * e(p, i + step);
      below += v * e(p, i + row);
      next += v * e(q, i);
      far += std::abs(v) > 10;
      points++;
    }
    const double variance = squares / points;
    expect(std::abs(sum / points) < 0.1, "the noise has a mean of " + std::to_string(sum / points));
    expect(std::abs(std::sqrt(variance) - 5) < 0.1,
           "the noise has a deviation of " + std::to_string(std::sqrt(variance)));
    // Beyond two deviations, rounded: P(|x| > 10.5) = 0.0357.
    expect(std::abs(far / points - 0.0357) < 0.004,
           "the noise is not Gaussian: " + std::to_string(far / points));
    for (const double c : {right, below, next})
      expect(std::abs(c / points / variance) < 0.02, "noise of neighbours depends on each other");
  }
}

void formats_agree() {
  for (const bool full : {false, true})
    for (const double t : {3.5, 7.0}) {
      Settings s = settings(Story::street, 4);
      s.width = 161;
      s.height = 121;
      const Scene scene(s, device());
      const Coding coding{0.2126f, 0.0722f, full};
      const Picture rgba = draw(scene, at(t)), bgra = draw(scene, at(t), PixelFormat::bgra);
      const Picture i420 = draw(scene, at(t), PixelFormat::i420, 5, coding),
                    nv12 = draw(scene, at(t), PixelFormat::nv12, 3, coding);
      int wrong = 0;
      const double scale = full ? 1 : 219 / 255.0, chroma = full ? 1 : 224 / 255.0, zero = full ? 0 : 16;
      for (int y = 0; y < s.height; y++)
        for (int x = 0; x < s.width; x++) {
          const std::uint8_t *p = rgba.pixel(x, y), *q = bgra.pixel(x, y);
          wrong += p[0] != q[2] || p[1] != q[1] || p[2] != q[0] || p[3] != 255 || q[3] != 255;
          const double luma = 0.2126 * p[0] + 0.7152 * p[1] + 0.0722 * p[2];
          const int got = i420.image.plane(0).row(y)[x];
          wrong += std::abs(got - (luma * scale + zero)) > 0.51 || got != nv12.image.plane(0).row(y)[x];
        }
      for (int y = 0; y < 61; y++)
        for (int x = 0; x < 81; x++) {
          double mean[3] = {};
          for (int i = 0; i < 4; i++)
            for (int c = 0; c < 3; c++)
              mean[c] +=
                  rgba.pixel(std::min(2 * x + i % 2, s.width - 1), std::min(2 * y + i / 2, s.height - 1))[c] /
                  4.0;
          const double luma = 0.2126 * mean[0] + 0.7152 * mean[1] + 0.0722 * mean[2];
          const double u = (mean[2] - luma) / 1.8556 * chroma + 128,
                       v = (mean[0] - luma) / 1.5748 * chroma + 128;
          const int gu = i420.image.plane(1).row(y)[x], gv = i420.image.plane(2).row(y)[x];
          const std::uint8_t *uv = nv12.image.plane(1).row(y) + std::ptrdiff_t{2} * x;
          wrong += std::abs(gu - std::min(u, 255.0)) > 0.52 || std::abs(gv - std::min(v, 255.0)) > 0.52 ||
                   uv[0] != gu || uv[1] != gv;
        }
      expect(wrong == 0, "formats disagree in " + std::to_string(wrong) + " values");
    }
}

void any_size_and_stride() {
  const int sizes[][2] = {{1, 1},   {1, 9},   {2, 1},     {3, 2},   {33, 17},
                          {640, 1}, {1, 480}, {1000, 20}, {50, 700}};
  for (const Story story : stories)
    for (const auto &size : sizes)
      for (const PixelFormat format :
           {PixelFormat::gray8, PixelFormat::rgba, PixelFormat::nv12, PixelFormat::i420}) {
        Settings s = settings(story, 3);
        s.width = size[0];
        s.height = size[1];
        s.quiet = 0;
        const Scene scene(s, device());
        const Picture p = draw(scene, at(5), format, 7), q = draw(scene, at(5), format);
        for (int i = 0; i < plane_count(format); i++)
          for (int y = 0; y < plane_rows(i, s.height); y++) {
            const std::uint8_t *row = p.image.data[i] + y * p.image.stride[i];
            const std::ptrdiff_t n = row_bytes(format, i, s.width);
            const bool kept = std::all_of(row + n, row + n + 7, [](int b) { return b == Picture::mark; });
            expect(kept && std::equal(row, row + n, q.image.data[i] + y * q.image.stride[i]),
                   "a stride changes the picture or is written over");
          }
        for (const std::uint8_t label : truth(scene, at(5)))
          expect(label == 0 || label == 50 || label == 170 || label == 255, "a value that is no truth");
      }
}

void bad_settings_are_refused() {
  const auto refused = [](const std::function<void(Settings &)> &change, const char *what) {
    Settings s = settings(Story::street);
    change(s);
    try {
      const Scene scene(s, device());
      expect(false, std::string("accepted: ") + what);
    } catch (const Error &e) {
      expect(e.kind() == Error::Kind::bad_setting, std::string("another error than bad_setting: ") + what);
    }
  };
  refused([](Settings &s) { s.width = 0; }, "a width of 0");
  refused([](Settings &s) { s.height = 32768; }, "a height of 32768");
  refused([](Settings &s) { s.noise = -1; }, "noise of -1");
  refused([](Settings &s) { s.noise = std::nanf(""); }, "noise that is no number");
  refused([](Settings &s) { s.quiet = 1e9f; }, "a quiet time of 1e9");
  refused([](Settings &s) { s.density = 11; }, "a density of 11");
  refused([](Settings &s) { s.pole = 1; }, "a pole of 1 m");
  refused([](Settings &s) { s.aside = 31; }, "31 degrees aside");
  refused([](Settings &s) { s.down = -2; }, "2 degrees up");
  Settings s = settings(Story::crowd, 100);
  s.density = 10;
  s.quiet = 0;
  const Scene far(s, device());
  const std::vector<std::uint8_t> labels = truth(far, {1u << 31, 1e6}); // eleven days on
  expect(!labels.empty() && draw(far, {~std::uint64_t{0}, 1e6}).bytes.size() == 320 * 240 * 4, "late frames");
}

} // namespace

int main() {
  const std::vector<test::Case> cases = {
      {"same bytes in any order", same_bytes_in_any_order},
      {"truth agrees with the picture",
       [] {
         for (const Story story : stories) truth_agrees_with_the_picture(story);
       }},
      {"stories do as they say", stories_do_what_they_say},
      {"weather does what it says", weather_does_what_it_says},
      {"noise is Gaussian and white", noise_is_gaussian_and_white},
      {"formats agree", formats_agree},
      {"any size and stride", any_size_and_stride},
      {"bad settings are refused", bad_settings_are_refused},
  };
  return test::run_cases("scene", cases);
}
