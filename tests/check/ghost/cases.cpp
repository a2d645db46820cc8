// SPDX-License-Identifier: LGPL-2.1-or-later
// Edges along outlines: every backend against the reference, to the byte; what is decided from them on
// pictures where the answer is known; and how long what waits is kept.
#include "kernels/ghost/contour_features.h"
#include "kernels/ghost/stationary_regions.h"

#include "common/error.h"
#include "tests/check/bordered.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace vigil::ghost {
namespace {

using check::Checker;
using check::Picture;

void fill(Plane<std::uint8_t> p, int x, int y, int width, int height, int value) {
  for (int j = std::max(y, 0); j < std::min(y + height, p.height); j++)
    for (int i = std::max(x, 0); i < std::min(x + width, p.width); i++)
      p.row(j)[i] = static_cast<std::uint8_t>(value);
}

void paint(Checker &c, Plane<std::uint8_t> p) {
  const auto below = [&](int n) { return int(c.rng() % std::uint64_t(n)); };
  fill(p, 0, 0, p.width, p.height, 0);
  for (int n = below(1 + p.width * p.height / 2000); n >= 0; n--)
    fill(p, below(p.width), below(p.height), 1 + below(60), 1 + below(60), below(3) ? 255 : below(256));
}

struct Found {
  std::vector<Cell> edges;
  std::vector<BoundaryContrast> rims;
};

// What the device finds through `background`. Every cell must be written.
Found look(Checker &c, Picture &mask, Picture &frame, const Shifted &background,
           const cell_grid::Grid &grid) {
  const auto cells = std::size_t(grid.cells());
  Found found{std::vector<Cell>(cells), std::vector<BoundaryContrast>(cells)};
  const DeviceBuffer edges(c.device, cells * sizeof(Cell)), rims(c.device, cells * sizeof(BoundaryContrast));
  for (const DeviceBuffer *b : {&edges, &rims}) c.device.fill(b->as(), 0xa5, b->bytes(), c.queue());
  make(c.device)->apply(mask.device().plane(0), frame.device(), background, grid, edges.as<Cell>(),
                        rims.as<BoundaryContrast>(), c.queue());
  c.device.download(found.edges.data(), edges.as(), edges.bytes(), c.queue());
  c.device.download(found.rims.data(), rims.as(), rims.bytes(), c.queue());
  c.queue().wait();
  return found;
}
Found look(Checker &c, Picture &mask, Picture &frame, Picture &background, const cell_grid::Grid &grid) {
  return look(c, mask, frame, Shifted(background.device()), grid);
}
Found reference(Checker &c, Picture &mask, Picture &frame, const ConstImage &background,
                const cell_grid::Grid &grid) {
  const auto cells = std::size_t(grid.cells());
  Found found{std::vector<Cell>(cells), std::vector<BoundaryContrast>(cells)};
  make_reference()->apply(mask.host().plane(0), frame.host(), background, grid, found.edges.data(),
                          found.rims.data(), c.queue());
  return found;
}
void compare(Checker &c, const std::string &what, const Found &got, const Found &want) {
  c.expect(got.rims == want.rims, what + ": other rims");
  for (std::size_t i = 0; i < want.edges.size(); i++)
    if (!(want.edges[i] == got.edges[i])) {
      const Cell &g = got.edges[i], &w = want.edges[i];
      c.fail(text(what, ", cell ", i, ": ", g.pixels, " ", g.outline, " ", g.frame, " ", g.background,
                  ", not ", w.pixels, " ", w.outline, " ", w.frame, " ", w.background));
      break;
    }
}

struct Size {
  int width, height, padding;
};
constexpr Size sizes[] = {{1, 1, 0},     {7, 5, 3},       {128, 64, 0},
                          {641, 137, 7}, {1003, 701, 16}, {2305, 1050, 15}};

void run_random(Checker &c) {
  for (const Size &s : sizes)
    for (const PixelFormat f :
         {PixelFormat::gray8, PixelFormat::rgba, PixelFormat::bgra, PixelFormat::nv12, PixelFormat::i420}) {
      Picture mask(c, PixelFormat::gray8, s.width, s.height, s.padding),
          frame(c, f, s.width, s.height, s.padding), background(c, f, s.width, s.height, s.padding);
      paint(c, mask.host().plane(0));
      frame.bytes = c.noise(frame.bytes.size());
      background.bytes = c.noise(background.bytes.size());
      for (Picture *p : {&mask, &frame, &background}) p->send();
      const cell_grid::Grid grid = cell_grid::grid_for(s.width, s.height);
      compare(c, text(s.width, "x", s.height, ", format ", int(f)), look(c, mask, frame, background, grid),
              reference(c, mask, frame, background.host(), grid));
    }
}

// Masks with outlines at every pixel, or at none: noise, a checkerboard, all foreground, none.
void run_dense(Checker &c) {
  for (const Size &s : {sizes[2], sizes[3], Size{1920, 1080, 0}, Size{2305, 1050, 15}})
    for (int kind = 0; kind < 4; kind++) {
      Picture mask(c, PixelFormat::gray8, s.width, s.height, s.padding),
          frame(c, PixelFormat::rgba, s.width, s.height, s.padding),
          background(c, PixelFormat::rgba, s.width, s.height, s.padding);
      const Plane<std::uint8_t> m = mask.host().plane(0);
      for (int y = 0; y < s.height; y++)
        for (int x = 0; x < s.width; x++)
          m.row(y)[x] = (kind == 0 ? c.rng() % 5 < 3 : kind == 1 ? (x + y) % 2 != 0 : kind == 2) ? 255 : 0;
      frame.bytes = c.noise(frame.bytes.size());
      background.bytes = c.noise(background.bytes.size());
      for (Picture *p : {&mask, &frame, &background}) p->send();
      const cell_grid::Grid grid = cell_grid::grid_for(s.width, s.height);
      compare(c, text(s.width, "x", s.height, ", kind ", kind), look(c, mask, frame, background, grid),
              reference(c, mask, frame, background.host(), grid));
    }
}

// Through a shift the background is what the shifted frame shows of it.
void run_shifted(Checker &c) {
  for (const Size &s : {sizes[1], sizes[3]})
    for (const PixelFormat f : {PixelFormat::gray8, PixelFormat::bgra, PixelFormat::i420})
      for (const Shift shift : {Shift{3, -2}, Shift{-16, 9}}) {
        check::Bordered background(c, f, s.width, s.height, 16, s.padding);
        Picture mask(c, PixelFormat::gray8, s.width, s.height, s.padding),
            frame(c, f, s.width, s.height, s.padding), shown(c, f, s.width, s.height);
        paint(c, mask.host().plane(0));
        frame.bytes = c.noise(frame.bytes.size());
        background.whole.bytes = c.noise(background.whole.bytes.size());
        background.show(shift, shown.host());
        for (Picture *p : {&mask, &frame, &background.whole}) p->send();
        const cell_grid::Grid grid = cell_grid::grid_for(s.width, s.height);
        const check::KnownShift known(c, shift);
        compare(c, text(s.width, "x", s.height, ", format ", int(f), ", shift ", shift.x, ",", shift.y),
                look(c, mask, frame, Shifted{background.device(), known.get()}, grid),
                reference(c, mask, frame, shown.host(), grid));
      }
}

// A dark square in the frame (an object), in the background (a ghost), in both (undecided), in neither.
void run_decision(Checker &c) {
  for (const bool in_frame : {false, true})
    for (const bool in_background : {false, true}) {
      Picture mask(c, PixelFormat::gray8, 160, 120), frame(c, PixelFormat::gray8, 160, 120),
          background(c, PixelFormat::gray8, 160, 120);
      for (Picture *p : {&frame, &background}) fill(p->host().plane(0), 0, 0, 160, 120, 120);
      fill(mask.host().plane(0), 0, 0, 160, 120, 0);
      fill(mask.host().plane(0), 41, 31, 40, 50, 255); // a pixel off, as clean-up may leave it
      if (in_frame) fill(frame.host().plane(0), 40, 30, 40, 50, 60);
      if (in_background) fill(background.host().plane(0), 40, 30, 40, 50, 60);
      for (Picture *p : {&mask, &frame, &background}) p->send();
      Cell sum;
      for (const Cell &cell : look(c, mask, frame, background, cell_grid::grid_for(160, 120)).edges)
        sum += cell;
      const Verdict want = in_frame == in_background ? Verdict::undecided
                           : in_frame                ? Verdict::object
                                                     : Verdict::ghost;
      c.expect(decide(sum) == want, text("square in frame ", in_frame, ", in background ", in_background,
                                         ": verdict ", int(decide(sum)), ", not ", int(want)));
      c.expect(sum.outline == 2 * 40 + 2 * 48, text("the outline has ", sum.outline, " pixels, not 176"));
    }
}

// A dark disc with an edge of `fade` pixels in the frame, whose mask is where it differs by more than 15
// levels: something stands there when the edge is sharp, light changed when it is soft.
void run_light(Checker &c) {
  for (const double fade : {1., 4., 60., 120.})
    for (const bool darker : {false, true}) {
      Picture mask(c, PixelFormat::gray8, 320, 240), frame(c, PixelFormat::gray8, 320, 240),
          background(c, PixelFormat::gray8, 320, 240);
      for (int y = 0; y < 240; y++)
        for (int x = 0; x < 320; x++) {
          const double out = std::hypot(x - 160, y - 120) - 40;
          const double depth = 0.4 * std::clamp(1 - out / fade, 0., 1.);
          const int ground = 100 + (x / 3 * 7 + y / 5 * 13) % 40;
          const int seen = int(std::lround(ground * (darker ? 1 - depth : 1 + depth)));
          background.host().plane(0).row(y)[x] = std::uint8_t(ground);
          frame.host().plane(0).row(y)[x] = std::uint8_t(seen);
          mask.host().plane(0).row(y)[x] = std::abs(seen - ground) > 15 ? 255 : 0;
        }
      for (Picture *p : {&mask, &frame, &background}) p->send();
      const cell_grid::Grid grid = cell_grid::grid_for(320, 240);
      const Found found = look(c, mask, frame, background, grid);
      Cell sum;
      for (const Cell &cell : found.edges) sum += cell;
      BlobRim rim;
      for (const BoundaryContrast &r : found.rims) rim += r;
      c.expect(is_light(sum, rim) == (fade > 10), text("an edge of ", fade, " pixels: rim ", rim.pixels,
                                                       ", within ", rim.inside, ", beyond ", rim.outside));
    }
}

// The same rim with more or less of the ground's edges kept: 100 pixels, a difference of 50 levels within,
// edges of 20 levels in both pictures, four times as strong in one of them where `edges` says so.
void run_kept(Checker &c) {
  struct Case {
    double beyond, correlation, ground;
    bool edges, light;
  };
  for (const Case &k :
       {Case{0.4, 0.9, 20, false, true}, Case{0.4, 0.5, 20, false, false}, Case{0.6, 0.5, 20, true, true},
        Case{0.6, 0.2, 20, false, false}, Case{0.95, 0.2, 20, false, false}, Case{0.2, 0.9, 20, false, false},
        Case{0.6, 0.2, 5, false, true}, Case{0.95, 0.9, 5, true, false}}) {
    const Cell edges{5000, 100, k.edges ? 800u : 2000u, k.edges ? 3200u : 2000u};
    BlobRim rim;
    rim.pixels = 100;
    rim.inside = 5000;
    rim.outside = std::lround(k.beyond * 5000);
    rim.frame = 40000;
    rim.background = std::uint64_t(std::lround(100 * k.ground * k.ground));
    rim.both = std::lround(k.correlation * std::sqrt(40000. * double(rim.background)));
    c.expect(is_light(edges, rim) == k.light,
             text("beyond ", k.beyond, ", correlation ", k.correlation, ", ground ", k.ground, ", edges ",
                  k.edges, ": light ", !k.light));
  }
}

void run_waiting(Checker &c) {
  const cell_grid::Grid grid = cell_grid::grid_for(64, 64); // 8x8 cells
  std::vector<std::uint8_t> blob(64, 0);
  blob[9] = blob[10] = blob[17] = blob[60] = 1;
  std::vector<Cell> edges(64);
  edges[9] = {40, 30, 900, 100};  // one blob: an object
  edges[60] = {40, 30, 100, 900}; // another: a ghost
  StationaryRegions w;
  w.reset(grid);
  const auto pace = [&](int cell) { return AdaptationRate(w.paces()[std::size_t(cell)]); };
  // `stirring` pixels come and go in cell 9, from look to look.
  const auto run = [&](int frames, double absorb_after, unsigned stirring, double seconds = 0.1) {
    for (int i = 0; i < frames; i++) {
      edges[9].pixels = 40 + (i % 2 ? stirring : 0);
      w.step(blob, edges, seconds, absorb_after);
    }
  };
  run(1, 0, 0);
  c.expect(w.any() && pace(9) == AdaptationRate::foreground && pace(60) == AdaptationRate::foreground &&
               pace(0) == AdaptationRate::usual,
           "what has just come learns at the foreground rate");
  run(15, 0, 0);
  c.expect(pace(17) == AdaptationRate::foreground && w.objects() == 3, "an object's cells are kept");
  c.expect(pace(60) == AdaptationRate::at_once && w.ghosts() == 1, "a ghost is learnt at once");
  run(60, 2, 20);
  c.expect(pace(9) == AdaptationRate::foreground, "a person who waits and stirs is kept");
  run(60, 2, 0);
  c.expect(pace(9) == AdaptationRate::at_once && pace(17) == AdaptationRate::at_once,
           "a thing that does not stir is learnt");
  blob[9] = blob[10] = blob[17] = 0;
  run(1, 2, 0);
  blob[9] = 1;
  run(5, 2, 0);
  c.expect(pace(9) == AdaptationRate::foreground, "the time starts over where foreground was gone");
  edges[60] = {40, 30, 100, 110};
  run(30, 0, 0);
  c.expect(pace(60) == AdaptationRate::undecided, "what neither picture shows is forgotten slowly");
  std::fill(blob.begin(), blob.begin() + 40, std::uint8_t{1});
  run(1, 0, 0);
  c.expect(!w.any(), "foreground nearly everywhere is not kept");

  std::fill(blob.begin(), blob.end(), std::uint8_t{0});
  blob[9] = blob[10] = blob[60] = 1;
  edges[10] = {40, 30, 900, 800};
  std::vector<BoundaryContrast> rims(64);
  rims[10] = {30, 900, 700};
  rims[60] = {30, 900, 100};
  c.expect(w.take_light(blob, edges, rims) && !blob[9] && !blob[10] && blob[60],
           "light is taken out, with its blob");
  run(1, 0, 0);
  c.expect(pace(9) == AdaptationRate::at_once, "light is learnt at once");
  for (int i = 1; i < light_frames; i++) {
    c.expect(!w.take_light(blob, edges, rims), "what is gone is not taken again");
    run(1, 0, 0);
    c.expect(pace(9) == AdaptationRate::at_once, "and for some frames after that");
  }
  c.expect(!w.take_light(blob, edges, rims), "what is gone is not taken again");
  run(1, 0, 0);
  c.expect(pace(9) == AdaptationRate::usual, "then as usual");

  constexpr double slow = 0.5; // seconds a frame
  blob[9] = blob[10] = 1;
  run(1, 0, 0, slow);
  c.expect(w.take_light(blob, edges, rims), "light comes again, at two frames a second");
  run(1, 0, 0, slow);
  for (int i = 1; i < light_seconds / slow; i++) {
    c.expect(!w.take_light(blob, edges, rims) && pace(9) == AdaptationRate::at_once, "it is learnt at once");
    run(1, 0, 0, slow);
  }
  c.expect(!w.take_light(blob, edges, rims), "what is gone is not taken again");
  run(1, 0, 0, slow);
  c.expect(pace(9) == AdaptationRate::usual, "for no longer than light_seconds");
}

// A person next to the ghost of the same person: one blob, whose left columns are a ghost's and whose right
// ones are an object's. The same where no part is a ghost's, and where none is an object's.
void run_parts(Checker &c) {
  const cell_grid::Grid grid = cell_grid::grid_for(128, 128); // 16x16 cells
  constexpr int left = 4, columns = 6, top = 3, rows = 6;
  constexpr Cell ghost{40, 16, 200, 1000}, object{40, 16, 1000, 200}, both{40, 16, 900, 900};
  const auto paces = [&](const Cell &of_left, const Cell &of_middle, const Cell &of_right) {
    std::vector<std::uint8_t> blob(std::size_t(grid.cells()), 0);
    std::vector<Cell> edges(blob.size());
    for (int y = top; y < top + rows; y++)
      for (int x = 0; x < columns; x++) {
        const auto cell = std::size_t(y * grid.columns + left + x);
        blob[cell] = 1;
        edges[cell] = x < 2 ? of_left : x < 4 ? of_middle : of_right;
      }
    StationaryRegions w;
    w.reset(grid);
    for (int i = 0; i < 15; i++) w.step(blob, edges, 0.1, 0);
    std::vector<AdaptationRate> row;
    for (int x = 0; x < columns; x++)
      row.push_back(AdaptationRate(w.paces()[std::size_t((top + 2) * grid.columns + left + x)]));
    return row;
  };
  using enum AdaptationRate;
  const auto is = [&](const std::vector<AdaptationRate> &got, const std::vector<AdaptationRate> &want,
                      const char *what) { c.expect(got == want, what); };
  is(paces(ghost, both, object), {at_once, at_once, foreground, foreground, foreground, foreground},
     "only the ghost's part is learnt, and the person is kept");
  is(paces(both, both, object), std::vector<AdaptationRate>(columns, foreground),
     "two people next to each other are kept");
  is(paces(ghost, ghost, both), std::vector<AdaptationRate>(columns, at_once),
     "a ghost alone is learnt as a whole");
  is(paces(both, both, both), std::vector<AdaptationRate>(columns, undecided),
     "what no part says is undecided");
}

void run_errors(Checker &c) {
  Picture mask(c, PixelFormat::gray8, 16, 16), frame(c, PixelFormat::gray8, 17, 16);
  const DeviceBuffer cells(c.device, 64 * sizeof(Cell)), rims(c.device, 64 * sizeof(BoundaryContrast));
  try {
    make(c.device)->apply(mask.device().plane(0), frame.device(), mask.device(), cell_grid::grid_for(16, 16),
                          cells.as<Cell>(), rims.as<BoundaryContrast>(), c.queue());
    c.fail("a frame of another size was not refused");
  } catch (const Error &e) {
    c.expect(std::string(e.what()).find("17x16") != std::string::npos, e.what());
  }
}

void run_times(Checker &c) {
  if (!c.benching()) throw check::Skip{"only with --bench"};
  Picture mask(c, PixelFormat::gray8, 1920, 1080), frame(c, PixelFormat::rgba, 1920, 1080),
      background(c, PixelFormat::rgba, 1920, 1080);
  paint(c, mask.host().plane(0));
  frame.bytes = c.noise(frame.bytes.size());
  background.bytes = c.noise(background.bytes.size());
  for (Picture *p : {&mask, &frame, &background}) p->send();
  const cell_grid::Grid grid = cell_grid::grid_for(1920, 1080);
  const DeviceBuffer cells(c.device, std::size_t(grid.cells()) * sizeof(Cell));
  const DeviceBuffer rim_cells(c.device, std::size_t(grid.cells()) * sizeof(BoundaryContrast));
  const auto outlines = make(c.device);
  c.time(
      "1080p RGBA", 1920. * 1080,
      [&] {
        outlines->apply(mask.device().plane(0), frame.device(), background.device(), grid, cells.as<Cell>(),
                        rim_cells.as<BoundaryContrast>(), c.queue());
      },
      {}, 10);
}

const check::Register cases[] = {
    check::Register{{"ghost/random", run_random, {Backend::cpu, Backend::cuda, Backend::gl}}},
    check::Register{{"ghost/dense", run_dense, {Backend::cpu, Backend::cuda, Backend::gl}}},
    check::Register{{"ghost/decision", run_decision}},
    check::Register{{"ghost/light", run_light}},
    check::Register{{"ghost/kept", run_kept}},
    check::Register{{"ghost/waiting", run_waiting}},
    check::Register{{"ghost/shifted", run_shifted, {Backend::cpu, Backend::cuda, Backend::gl}}},
    check::Register{{"ghost/errors", run_errors, {Backend::cpu, Backend::cuda, Backend::gl}}},
    check::Register{{"ghost/parts", run_parts}},
    check::Register{{"ghost/times", run_times, {Backend::cpu, Backend::cuda, Backend::gl}}},
};

} // namespace
} // namespace vigil::ghost
