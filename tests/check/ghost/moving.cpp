// SPDX-License-Identifier: LGPL-2.1-or-later
// What of a frame's foreground counts for messages of motion: on cells that are made by hand.
#include "kernels/ghost/motion_gate.h"

#include "common/error.h"
#include "kernels/ghost/stationary_regions.h"
#include "tests/check/checker.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

namespace vigil::ghost {
namespace {

constexpr double threshold = 80, rate = 0.1; // pixels; seconds a frame

// Cells, 24x8 unless said otherwise, of which some hold foreground.
class Picture {
 public:
  explicit Picture(int width = 24 * 8, int height = 64) : grid(cell_grid::grid_for(width, height)) {
    moving.reset(grid);
  }
  void clear() {
    std::fill(in_blob.begin(), in_blob.end(), std::uint8_t{0});
    std::fill(light.begin(), light.end(), std::uint8_t{0});
    std::fill(edges.begin(), edges.end(), Cell{});
    std::fill(rims.begin(), rims.end(), BoundaryContrast{});
    reported = 0;
  }
  // Foreground of `pixels` in a cell; `on` of its difference goes on beyond the outline, and the ground's
  // edges have this correlation with the frame's.
  void put(int column, int row, unsigned pixels, double on, double kept = 0, bool blob = false) {
    const auto cell = std::size_t(row * grid.columns + column);
    edges[cell] = {pixels, 16, 800, 800};
    rims[cell] = {16, 800, std::int32_t(800 * on), 16000, 16000, std::int32_t(16000 * kept)};
    in_blob[cell] = blob;
    if (blob) reported += pixels;
  }
  // Foreground of a blob that is_light().
  void put_light(int column, int row, unsigned pixels) {
    put(column, row, pixels, 1, 1);
    light[std::size_t(row * grid.columns + column)] = light_frames;
  }
  bool moves(double seconds = rate, double delay = 0) {
    return moving.step({in_blob, light, edges, rims, seconds}, reported, threshold, delay) >= threshold;
  }
  // How many frames it takes until a person of so many pixels who walks to the right is reported, a cell in
  // `frames` frames; 0: never. `light_pixels` change elsewhere meanwhile.
  int walk(unsigned pixels, double on, double kept, int frames = 3, unsigned light_pixels = 0) {
    moving.reset(grid);
    for (int i = 0; i < 24 * frames; i++) {
      clear();
      put(i / frames, 2, pixels, on, kept);
      if (light_pixels) put_light(12, 7, light_pixels);
      if (moves()) return i + 1;
    }
    return 0;
  }

  const cell_grid::Grid grid;
  MotionGate moving;
  std::vector<std::uint8_t> in_blob = std::vector<std::uint8_t>(std::size_t(grid.cells())), light = in_blob;
  std::vector<Cell> edges = std::vector<Cell>(std::size_t(grid.cells()));
  std::vector<BoundaryContrast> rims = std::vector<BoundaryContrast>(std::size_t(grid.cells()));
  double reported = 0;
};

void run_blobs(check::Checker &c) {
  Picture p;
  p.put(3, 3, 120, 0, 0, true);
  c.expect(p.moves(), "a blob that comes is motion at once");
  p.clear();
  c.expect(!p.moves(), "nothing moves without foreground");
  p.put(8, 3, 120, 0.9, 0.3, true);
  c.expect(!p.moves(), "what goes on beyond its outline is none, though the ground's edges are hidden");
  p.put(8, 3, 120, 0.2, 0.97, true);
  c.expect(!p.moves(), "nor where the ground keeps its edges");
  p.put(16, 5, 130, 0, 0, true);
  c.expect(p.moves(), "others next to it are seen");
  p.put_light(20, 2, 1000);
  c.expect(!p.moves(), "a small blob is none while much more changes its light");
  p.put(4, 5, 500, 0, 0, true);
  c.expect(p.moves(), "a large one is");
  p.clear();
  p.put(8, 3, 60, 0.9, 0.3, true);
  p.put(16, 5, 60, 0, 0, true);
  c.expect(!p.moves(), "light does not add to what is less than the threshold");
}

void run_standing(check::Checker &c) {
  Picture p;
  int reported = 0;
  for (int i = 0; i < 40; i++) {
    p.clear();
    p.put(3, 3, i < 20 ? least_weak - 1 : 90, 0, 0, true);
    reported += p.moves();
  }
  c.expect(reported == 0, "what grew beyond the threshold where it stood begins no motion");
  p.clear();
  p.put(3, 3, 90, 0, 0, true);
  const double still = p.moving.step({p.in_blob, p.light, p.edges, p.rims, rate}, p.reported, threshold, 0);
  c.expect(still > threshold / 2 && still < threshold, "but goes on with motion that there is");
  p.put(4, 3, 20, 0, 0, true);
  p.put(4, 4, 20, 0, 0, true);
  c.expect(p.moves(), "and steps into cells");
  for (int i = 0; i < 130; i++) {
    p.clear();
    p.moves();
  }
  p.put(3, 3, 90, 0, 0, true);
  c.expect(p.moves(), "after some seconds its place is new again");

  Picture cars;
  reported = 0;
  for (int i = 0; i < 10; i++) { // half a second each, one every four seconds
    for (int j = 0; j < 40; j++) {
      cars.clear();
      if (j < 5) cars.put(3, 3, 120, 0, 0, true);
      reported += j == 0 && cars.moves();
      if (j > 0) cars.moves();
    }
  }
  c.expect(reported == 10, "each of those who come one after another begins motion");

  Picture waits;
  waits.put(3, 3, 120, 0, 0, true);
  bool all = true;
  waits.moves(rate, 3); // something must be there in the frame before
  for (int i = 1; i < 39; i++) all &= waits.moves(rate, 3);
  c.expect(all, "with a delay of 3 seconds what stands for 4 is new until then");
}

void run_passing(check::Checker &c) {
  Picture p;
  const int small = p.walk(30, 0, 0.2), smaller = p.walk(20, 0, 0.2);
  c.expect(small > 5 && small < 30,
           "a person who passes with a third of the threshold is reported within seconds");
  c.expect(smaller > small, "who has fewer pixels, later");
  c.expect(p.walk(least_weak - 1, 0, 0.2) == 0, "who has too few, never");
  c.expect(p.walk(30, 0.5, 0.2) == 0, "nor what goes on beyond its outline");
  c.expect(p.walk(30, 0, 0.9) == 0, "nor where the ground keeps its edges");
  c.expect(p.walk(30, 0, 0.2, 3, 300) == 0, "nor while light changes much more");
  c.expect(p.walk(30, 0, 0.2, 3, 10) > small, "where little changes, it takes longer");

  p.moving.reset(p.grid);
  bool reported = false;
  for (int i = 0; i < 200; i++) { // leaves that sway
    p.clear();
    p.put(5 + i % 2, 2, 30, 0, 0.2);
    const bool moves = p.moves();
    reported |= i >= 40 && moves;
  }
  c.expect(!reported, "what comes and goes in the same cells does not pass for long");

  p.walk(30, 0, 0.2);
  p.clear();
  c.expect(!p.moves(), "it ends when the person is gone");
}

// Light that comes slowly, at any frame rate: in some of its frames it looks as if something stood there.
void run_doubted(check::Checker &c) {
  for (const double seconds : {1 / 2., 1 / 5., 1 / 15., 1 / 30.}) {
    Picture p;
    const auto frames = [&](double t) { return std::max(int(t / seconds + 0.5), 1); };
    const auto shows = [&](double on, double kept) {
      p.clear();
      p.put(8, 3, 120, on, kept, true);
      return p.moves(seconds);
    };
    for (int i = 0; i < frames(0.5); i++) {
      p.clear();
      p.put(8, 3, least_weak, 0.8, 0.95); // too small for a blob
      c.expect(!p.moves(seconds), text("frames of ", seconds, " s: small light is no motion"));
    }
    c.expect(!shows(0.27, 0.83), text("frames of ", seconds, " s: nor what looks less like it at its place"));
    c.expect(shows(0.1, 0.4), text("frames of ", seconds, " s: but who comes there is"));
    p.clear();
    p.put(16, 3, 120, 0.27, 0.83, true);
    c.expect(p.moves(seconds), text("frames of ", seconds, " s: and the same elsewhere"));
    for (int i = 0; i < frames(2 * doubt_for); i++) {
      p.clear();
      p.moves(seconds);
    }
    c.expect(shows(0.27, 0.83), text("frames of ", seconds, " s: a while after the light it is motion"));

    Picture thin;
    thin.put(8, 3, 120, 0.5, 0.1, true);
    thin.moves(seconds);
    thin.clear();
    thin.put(8, 3, 120, 0.38, 0.1, true);
    c.expect(thin.moves(seconds),
             text("frames of ", seconds, " s: who hides the ground's edges casts no doubt"));

    Picture small;
    bool reported = false;
    for (int i = 0; i < frames(5); i++) {
      small.clear();
      small.put(8, 3, 60, i % 2 ? 0.25 : 0.8, i % 2 ? 0.7 : 0.95);
      reported |= small.moves(seconds);
    }
    c.expect(!reported, text("frames of ", seconds, " s: small light that flickers is no motion"));
  }
}

// At less than a frame a second each frame that shows somebody where nobody was begins motion; the next one
// there begins none.
void run_slow(check::Checker &c) {
  for (const double seconds : {0.5, 1., 1.05, 2., 5., 20.})
    for (const double delay : {0., 0.4, 1.5}) {
      Picture p;
      int begun = 0, frames = 0;
      for (int i = 0; i < 8; i++) {
        p.clear();
        for (int row = 2; row < 6; row++) p.put(3, row, 60, 0, 0.2, true);
        if (p.moves(seconds, delay)) frames++, begun = begun ? begun : i + 1;
      }
      const int lasts = int((1 + delay) / seconds + 1e-9);
      c.expect(begun == 1, text("frames of ", seconds, " s, delay ", delay, " s: new in frame ", begun));
      c.expect(frames * seconds >= std::max(delay, seconds),
               text("frames of ", seconds, " s: new for ", frames, " frames with a delay of ", delay, " s"));
      c.expect(frames <= std::max(lasts, 1 + int(std::ceil(delay / seconds))) ||
                   1 + delay + seconds > longest,
               text("frames of ", seconds, " s: new for ", frames, " frames, delay ", delay, " s"));
      for (int i = 0; i < 8; i++) { // somebody walks, and is elsewhere in each frame
        p.clear();
        p.put(8 + i, 2, 240, 0, 0.2, true);
        c.expect(p.moves(seconds), text("frames of ", seconds, " s: who walks is new in each, not in ", i));
      }
    }
}

// With a delay who begins motion was near a moment before.
void run_trail(check::Checker &c) {
  // In which frame motion begins, 0: never, of a blob that moves so many cells a frame.
  const auto begins = [](int cells, double seconds, double delay) {
    Picture p;
    for (int i = 0; i < 20; i++) {
      p.clear();
      p.put(i * cells % p.grid.columns, 2 + i % 2, 240, 0, 0.2, true);
      if (p.moves(seconds, delay)) return i + 1;
    }
    return 0;
  };
  for (const double seconds : {0.1, 0.2, 0.35}) {
    c.expect(begins(7, seconds, 0.1) == 0, text("frames of ", seconds, " s: an insect begins motion"));
    c.expect(begins(7, seconds, 0.09) == 1, text("frames of ", seconds, " s: a short delay asks for more"));
    c.expect(begins(0, seconds, 0.1) == 2, text("frames of ", seconds, " s: who stands begins none"));
    c.expect(begins(1, seconds, 0.1) == 2, text("frames of ", seconds, " s: who walks begins none"));
  }
  for (const double seconds : {0.05, 0.4, 0.5, 2.})
    c.expect(begins(7, seconds, 0.1) == 1, text("frames of ", seconds, " s: one frame is not enough"));
}

// The chance to follow is the share of places, each second column and row, at which a group would.
void run_chance(check::Checker &c) {
  const cell_grid::Grid grid = cell_grid::grid_for(24 * 8, 64);
  std::mt19937 random(1);
  for (const unsigned groups : {0u, 1u, 8u, 40u, 400u}) {
    Trail trail;
    trail.reset(grid);
    for (unsigned i = 0; i < groups; i++) {
      const int cell = int(random() % unsigned(grid.cells()));
      trail.add({&cell, 1}, 0.2);
    }
    trail.end();
    for (const auto &[columns, rows] : {std::pair{1, 1}, {3, 2}, {2, 7}, {24, 8}}) {
      int places = 0, follow = 0;
      std::vector<int> first;
      for (int top = 0; top + rows <= grid.rows; top += 2)
        for (int left = 0; left + columns <= grid.columns; left += 2) {
          const std::vector<int> corners{top * grid.columns + left,
                                         (top + rows - 1) * grid.columns + left + columns - 1};
          if (first.empty()) first = corners;
          places++;
          follow += trail.add(corners, 0.2);
        }
      const double chance = trail.chance(first), wanted = double(follow) / places;
      c.expect(chance == wanted,
               text(groups, " groups, box ", columns, "x", rows, ": ", chance, ", not ", wanted));
    }
  }
}

// What may follow by chance: by the formula of strays.h, also in the frame after, and nothing of few.
void run_strays(check::Checker &c) {
  constexpr double seconds = 0.2, chance = 0.5, small = 30, large = 300; // pixels
  Strays strays;
  const auto frame = [&](int smalls, int larges) {
    for (int i = 0; i < smalls; i++) strays.add(small, chance, false);
    for (int i = 0; i < larges; i++) strays.add(large, chance, true);
    return strays.end(seconds);
  };
  double few = 0;
  for (int i = 0; i < 20; i++) few += frame(int(many_strays) - 2, 1).all;
  c.expect(few == 0, text("few strays: ", few, " pixels follow by chance"));
  Strays::Pixels many;
  for (int i = 0; i < 20; i++) many = frame(20, 1);
  const double blobs = blobs_part * (large + chance_deviations * std::sqrt(2 * large * large)),
               all = 20 * small + large +
                     chance_deviations * std::sqrt(2 * (20 * small * small + large * large));
  c.expect(std::abs(many.blobs - blobs) < 1e-6, text("blobs: ", many.blobs, ", not ", blobs));
  c.expect(std::abs(many.all - all) < 1e-6, text("all: ", many.all, ", not ", all));
  const double next = frame(20, 0).blobs;
  c.expect(next > blobs / 2 && next < blobs, text("the frame after takes off ", next, " of ", blobs));
  for (int i = 0; i < 100; i++) many = frame(20, 0);
  c.expect(many.blobs < 1 && many.all > 0, text("20 s later: ", many.blobs, " of blobs, ", many.all));
  for (int i = 0; i < 100; i++) many = frame(0, 0);
  c.expect(many.all == 0, "strays that are gone still count");
}

// Flakes: at other places in each frame, and so many that some are where others were. Who walks among them
// is seen.
void run_flakes(check::Checker &c) {
  constexpr double seconds = 0.2, delay = 0.1;
  constexpr int frames = 300, comes = 200, column = 4; // a frame; the person's first column
  for (const bool blobs : {false, true}) {
    Picture p(320, 240);
    std::mt19937 random(1);
    int flaky = 0, begun = 0;
    for (int i = 0; i < frames; i++) {
      p.clear();
      for (int flake = 0; flake < 25; flake++) {
        const int x = int(random() % unsigned(p.grid.columns)), y = int(random() % unsigned(p.grid.rows));
        if (p.edges[std::size_t(y * p.grid.columns + x)].pixels == 0)
          p.put(x, y, (blobs ? 90 : 20) + random() % 30, 0, 0.2, blobs);
      }
      const int walked = i - comes;
      if (walked >= 0 && walked < 15)
        for (int row = 10; row < 16; row++) {
          const auto cell = std::size_t(row * p.grid.columns + column + walked);
          if (p.in_blob[cell]) p.reported -= p.edges[cell].pixels;
          p.put(column + walked, row, blobs ? 600 : 64, 0, 0.2, true);
        }
      const bool moves = p.moves(seconds, delay);
      if (walked < 0)
        flaky += moves;
      else if (moves && begun == 0)
        begun = walked + 1;
    }
    const char *const are = blobs ? "flakes that are blobs" : "small flakes";
    c.expect(flaky <= comes / 50, text(are, ": motion in ", flaky, " of ", comes, " frames"));
    c.expect(begun > 0 && begun <= 4, text(are, ": who comes is seen in frame ", begun));
  }
}

const check::Register cases[] = {
    check::Register{{"ghost/moving-flakes", run_flakes}},
    check::Register{{"ghost/moving-chance", run_chance}},
    check::Register{{"ghost/moving-strays", run_strays}},
    check::Register{{"ghost/moving-trail", run_trail}},
    check::Register{{"ghost/moving-slow", run_slow}},
    check::Register{{"ghost/moving-blobs", run_blobs}},
    check::Register{{"ghost/moving-standing", run_standing}},
    check::Register{{"ghost/moving-doubted", run_doubted}},
    check::Register{{"ghost/moving-passing", run_passing}},
};

} // namespace
} // namespace vigil::ghost
