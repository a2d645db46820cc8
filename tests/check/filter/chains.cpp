// SPDX-License-Identifier: LGPL-2.1-or-later
// Chains with stages that do not fuse among those that do: kernels of the user's, stages over time. The
// user's kernels do what stages do whose reference there is.
#include "common/device_cast.h"
#include "common/error.h"
#include "kernels/filter/chain.h"
#include "kernels/filter/costs.h"
#include "kernels/filter/user.h"
#include "tests/check/checker.h"
#include "tests/check/filter/compare.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>

namespace vigil::filter {
namespace {

using check::Checker;
using check::Picture;
using enum PixelFormat;

// A user's cache of its own, for as long as this lives.
class OwnCache {
 public:
  OwnCache() {
    if (const char *v = std::getenv("XDG_CACHE_HOME")) before_ = v;
    std::string folder = std::filesystem::temp_directory_path() / "vigil-costs-XXXXXX";
    if (!mkdtemp(folder.data())) fail(Error::Kind::io, "no folder can be made for a cache");
    folder_ = folder;
    setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
  }
  ~OwnCache() {
    if (before_)
      setenv("XDG_CACHE_HOME", before_->c_str(), 1);
    else
      unsetenv("XDG_CACHE_HOME");
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  OwnCache(const OwnCache &) = delete;
  OwnCache &operator=(const OwnCache &) = delete;

 private:
  std::optional<std::string> before_;
  std::filesystem::path folder_;
};

struct Users {
  const char *source, *numbers, *same_as;
};
constexpr Users inverts = {"int4 filter(Picture in, int x, int y, float4 p) {\n"
                           "  return FULL - pixel_at(in, x, y);\n}\n",
                           "", "invert"};
constexpr Users boxes = {"int4 filter(Picture in, int x, int y, float4 p) {\n"
                         "  const int r = (int)p.s0, n = (2 * r + 1) * (2 * r + 1);\n"
                         "  int4 sum = 0;\n"
                         "  for (int j = -r; j <= r; j++)\n"
                         "    for (int i = -r; i <= r; i++) sum += pixel_at(in, x + i, y + j);\n"
                         "  return (2 * sum + n) / (2 * n);\n}\n",
                         "p0=2", "box radius=2"};
// Channels by their names, results outside of 0..255.
constexpr Users mixes = {"int4 filter(Picture in, int x, int y, float4 p) {\n"
                         "  const int4 v = pixel_at(in, x, y);\n"
                         "  return (int4)(2 * v.x - v.y, v.z, v.y, 7);\n}\n",
                         "", "matrix rr=2 rg=-1 gg=0 gb=1 bb=0 bg=1"};

Chain chain_with(const Users &u, const char *numbers) {
  Chain c = parse(text("user kernel=it.cl ", numbers));
  c[0].source = u.source;
  return c;
}

// `chain` with kernels of the user's must give what `same` gives by the reference.
void compare(Checker &c, ClChain &fast, const Chain &chain, const std::string &same, PixelFormat format,
             int width, int height, int padding) {
  compare_with_reference(c, fast, parse(same), format, width, height, padding, [&] {
    return text("\"", to_text(chain), "\", which is to be \"", same, "\", ", fast.variant());
  });
}

void run_users(Checker &c) {
  auto &device = device_cast<ClDevice>(c.device);
  const auto random = [&](int most) { return 1 + int(c.rng() % std::uint64_t(most)); };
  for (const PixelFormat format : {rgba, bgra, gray8, gray16, rgba64})
    for (const Users *u : {&inverts, &boxes, &mixes}) {
      if (u == &mixes && !is_colour(format)) continue;
      const Chain users = chain_with(*u, u->numbers);
      // Alone, between others, and last.
      Chain chain = users;
      std::string same = u->same_as;
      ClChain fast(device, chain, format);
      for (int n = 0; n < 4; n++)
        compare(c, fast, chain, same, format, random(150), random(70), random(9) - 1);
      compare(c, fast, chain, same, format, 1, 1, 0);
      const Chain before = parse("gamma value=1.4 ! sharpen"), after = parse("invert");
      chain.insert(chain.begin(), before.begin(), before.end());
      chain.insert(chain.end(), after.begin(), after.end());
      chain.push_back(users[0]);
      chain.push_back(users[0]);
      same = text("gamma value=1.4 ! sharpen ! ", same, " ! invert ! ", same, " ! ", same);
      c.expect(fast.set_chain(chain), "a chain of other parts is not built");
      c.expect(fast.passes() == 5, text("five parts are ", fast.passes(), " kernels"));
      compare(c, fast, chain, same, format, random(150), random(70), random(9) - 1);
    }

  // Numbers alone need no kernel, another source does, and what is refused changes nothing.
  Chain chain = chain_with(boxes, "p0=1");
  ClChain fast(device, chain, rgba);
  chain = chain_with(boxes, "p0=3");
  c.expect(!fast.set_chain(chain), "other numbers are built again");
  compare(c, fast, chain, "box radius=3", rgba, 60, 40, 0);
  Chain broken = chain;
  broken.push_back(chain_with({"this is no kernel", "", ""}, "")[0]);
  try {
    fast.set_chain(broken);
    c.fail("what does not compile is taken");
  } catch (const Error &e) {
    c.expect(e.kind() == Error::Kind::device && std::string(e.what()).find("it.cl") != std::string::npos,
             e.what());
  }
  compare(c, fast, chain, "box radius=3", rgba, 60, 40, 0);
  chain = chain_with(inverts, "p0=3");
  c.expect(fast.set_chain(chain), "another source is not built");
  compare(c, fast, chain, "invert", rgba, 60, 40, 0);
}

// The tuner chooses the work-group of a user's kernel, once; what comes out is the same.
void run_tuned_users(Checker &c) {
  const OwnCache cache;
  auto &device = device_cast<ClDevice>(c.device);
  const Chain chain = chain_with(boxes, "p0=2");
  for (const PixelFormat format : {rgba, gray16})
    for (const bool again : {false, true}) {
      ClChain fast(device, chain, format, tuning::Mode::exhaustive, 90, 50);
      c.expect(fast.tuning().searched != again && fast.tuning().stored == again,
               again ? "what was found is not stored" : "there is no search");
      c.expect(fast.variant().starts_with("user ") && fast.variant().find('x') != std::string::npos,
               fast.variant());
      compare(c, fast, chain, "box radius=2", format, 90, 50, 0);
      compare(c, fast, chain, "box radius=2", format, 133, 7, 2);
    }
  const TunedUser tuned =
      tune_user(device, chain[0], rgba, 90, 50, tuning::Mode::exhaustive, {.again = true});
  c.expect(tuned.result.rows.size() == 6, text(tuned.result.rows.size(), " work-groups were tried"));
  for (const tuning::Row &r : tuned.result.rows)
    c.expect(r.outcome == tuning::Row::Outcome::measured && r.ms > 0,
             text(r.name, ": ", name_of(r.outcome), " ", r.why));
  const ClChain unknown(device, chain, rgba, tuning::Mode::exhaustive);
  c.expect(!unknown.tuning().searched, "a search on pictures that the kernel was not tried on");
}

// Sequences of frames through stages over time among others; sizes and numbers change in between.
void run_temporal(Checker &c) {
  auto &device = device_cast<ClDevice>(c.device);
  const auto host = open_cpu(1);
  const auto queue = host->make_queue();
  for (const PixelFormat format : {rgba, bgra, gray8, gray16, rgba64}) {
    const Chain chain = parse("sharpen ! denoise weight=0.9 motion=0.1 ! invert ! recursive weight=0.7");
    ClChain fast(device, chain, format);
    const auto reference = make_reference(chain, format);
    const auto frame = [&](int width, int height, int padding, int change) {
      padding *= is_16_bit(format) ? 2 : 1;
      Picture in(c, format, width, height, padding), want(c, format, width, height, padding),
          got(c, format, width, height, padding);
      // The same picture with noise, so that gains of all sizes are there.
      for (std::size_t i = 0; i < in.bytes.size(); i++)
        in.bytes[i] = std::uint8_t(60 + i % 97 + (i / 700 % 3 == 0 ? c.rng() % std::uint64_t(change) : 0));
      std::fill(want.bytes.begin(), want.bytes.end(), std::uint8_t{77});
      got.bytes = want.bytes;
      in.send();
      got.send();
      reference->apply(in.host(), want.host(), *queue);
      fast.apply(in.device(), got.device(), c.queue());
      got.fetch();
      c.expect(got.bytes == want.bytes, text("\"", to_text(chain), "\", ", name_of(format), ", ", width, "x",
                                             height, ": not the reference's"));
      return want.bytes;
    };
    for (int n = 0; n < 4; n++) frame(133, 71, 3, 1 + 30 * n);
    for (int n = 0; n < 2; n++) frame(1, 1, 0, 90);
    const auto first = frame(40, 9, 0, 1);
    frame(40, 9, 0, 100);
    c.expect(frame(40, 9, 0, 1) != first, "nothing of the frames before is seen");
    fast.forget();
    reference->forget();
    c.expect(frame(40, 9, 0, 1) == first, "something is known after forget()");
  }

  // Other numbers keep what is known, another structure does not.
  ClChain fast(device, parse("recursive weight=0.5"), gray8);
  Picture in(c, gray8, 8, 8), out(c, gray8, 8, 8);
  const auto shown = [&](int value) {
    std::fill(in.bytes.begin(), in.bytes.end(), std::uint8_t(value));
    in.send();
    fast.apply(in.device(), out.device(), c.queue());
    out.fetch();
    return int(out.bytes[9]);
  };
  shown(0);
  c.expect(shown(100) == 50, "half of a step is not half of it");
  c.expect(!fast.set_chain(parse("recursive weight=0.9")), "other numbers are built again");
  c.expect(shown(100) == 55, "other numbers start over");
  c.expect(fast.set_chain(parse("invert ! recursive weight=0.9")), "another chain is not built");
  c.expect(shown(100) == 155, "another chain knows the frames before");
}

void run_deblock(Checker &c) {
  auto &device = device_cast<ClDevice>(c.device);
  constexpr struct {
    int width, height, padding;
  } sizes[] = {{1, 1, 0}, {3, 9, 1}, {10, 2, 0}, {64, 40, 0}, {131, 75, 3}};
  for (const PixelFormat format : {rgba, bgra, gray8, gray16, rgba64})
    for (const char *text_of : {"deblock", "deblock strength=0.5 size=4 left=3 top=1",
                                "invert ! deblock strength=0.2 size=13 left=40 top=9 ! sharpen"}) {
      const Chain chain = parse(text_of);
      ClChain fast(device, chain, format);
      for (const auto &s : sizes)
        compare_with_reference(c, fast, chain, format, s.width, s.height, s.padding,
                               [&] { return text("\"", text_of, "\""); });
    }
  // A step of 12 levels between blocks becomes a slope, one of 100 and one within a block stay as they are.
  ClChain fast(device, parse("deblock strength=0.06"), gray8);
  Picture in(c, gray8, 32, 4), out(c, gray8, 32, 4);
  for (std::size_t i = 0; i < in.bytes.size(); i++) {
    const std::size_t x = i % 32;
    in.bytes[i] = std::uint8_t(x < 8 ? 50 : x < 12 ? 62 : x < 16 ? 74 : x < 24 ? 174 : 162);
  }
  in.send();
  fast.apply(in.device(), out.device(), c.queue());
  out.fetch();
  const auto at = [&](std::size_t x) { return int(out.bytes[32 + x]); };
  c.expect(at(7) > 50 && at(8) < 62 && at(7) <= at(8), "a small step between blocks stays");
  c.expect(at(11) == 62 && at(12) == 74, "a step within a block is smoothed");
  c.expect(at(15) == 74 && at(16) == 174, "a large step is smoothed");
  c.expect(!fast.set_chain(parse("deblock strength=0.004")), "other numbers are built again");
}

// The cuts of a chain by what its stages cost on this device; what comes out is the same.
void run_costs(Checker &c) {
  const OwnCache cache;
  auto &device = device_cast<ClDevice>(c.device);
  const Chain chain = parse("sharpen ! box radius=2 ! median");
  const Shape shape = default_shape(device);
  c.expect(!device_costs(device, parse("sharpen ! invert"), gray8, shape, true), "one stencil is measured");
  const auto costs = device_costs(device, chain, gray8, shape, true);
  if (!costs || costs->stencils.size() != 3) return c.fail("three stencils have no three costs");
  c.expect(costs->round_trip > 0 && costs->stencils[0] > 0 && costs->stencils[2] > 0,
           "a stage costs nothing");
  const auto stored = device_costs(device, parse("median ! sharpen"), gray8, shape, false);
  c.expect(stored && stored->stencils == std::vector{costs->stencils[2], costs->stencils[0]},
           "what was measured is not stored");
  c.expect(!device_costs(device, parse("median ! box radius=3"), gray8, shape, false),
           "a stencil of another radius has the cost of this one");
  ClFilter fast(device, chain, gray8, {.stored_costs = true});
  compare_with_reference(c, fast, chain, gray8, 90, 50, 1,
                         [&] { return std::string("cut by measured costs"); });
}

void run_tone(Checker &c) {
  auto &device = device_cast<ClDevice>(c.device);
  constexpr struct {
    int width, height, padding;
  } sizes[] = {{1, 1, 0}, {3, 9, 1}, {40, 2, 0}, {64, 48, 0}, {131, 75, 3}};
  for (const PixelFormat format : {rgba, bgra, gray8, gray16, rgba64}) {
    ClChain fast(device, parse("tonemap"), format);
    for (const char *text_of : {"tonemap", "tonemap compression=1 detail=0 sigma=2 range=0.1 anchor=0.01",
                                "tonemap compression=0.8 detail=4 sigma=64 range=8 anchor=0.5",
                                "invert ! tonemap compression=0.3 detail=2.5 sigma=7 range=0.7 ! sharpen"}) {
      const Chain chain = parse(text_of);
      const bool built = fast.set_chain(chain);
      c.expect(built == (chain.size() > 1),
               text("\"", text_of, "\" is ", built ? "" : "not ", "built again"));
      for (const auto &s : sizes)
        compare_with_reference(c, fast, chain, format, s.width, s.height, s.padding,
                               [&] { return text("\"", text_of, "\""); });
    }
  }

  const auto mapped = [&](const char *chain, int width, int height, auto level) {
    ClChain fast(device, parse(chain), gray8);
    Picture in(c, gray8, width, height), out(c, gray8, width, height);
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++) in.bytes[std::size_t(y * width + x)] = std::uint8_t(level(x, y));
    in.send();
    fast.apply(in.device(), out.device(), c.queue());
    out.fetch();
    c.expect(in.bytes != out.bytes || std::string(chain).find("compression=0 ") != std::string::npos,
             "nothing changes");
    c.expect(in.bytes == out.bytes || std::string(chain).find("compression=0 ") == std::string::npos,
             "compression=0 changes something");
    return out.bytes;
  };
  const auto ramp = [](int x, int) { return x; };
  mapped("tonemap compression=0 sigma=8", 256, 16, ramp);
  // A ramp stays one: the base has no steps where blocks begin.
  const auto smooth = mapped("tonemap compression=0.7 sigma=8", 256, 16, ramp);
  for (std::size_t x = 1; x < 256; x++)
    c.expect(smooth[8 * 256 + x] >= smooth[8 * 256 + x - 1],
             text("the ramp falls at ", x, " from ", int(smooth[8 * 256 + x - 1]), " to ",
                  int(smooth[8 * 256 + x])));
  // A room at 20 levels and a window at 200, both with a texture of a tenth: what is between them gets
  // smaller, what is in them does not.
  const auto room = [](int x, int y) {
    const int texture = (x + y) % 2 ? 10 : 11;
    return x < 64 ? 2 * texture : 18 * texture;
  };
  const auto lit = mapped("tonemap compression=0.6 sigma=8", 128, 64, room);
  const auto at = [&](int x, int y) { return double(lit[std::size_t(y * 128 + x)]); };
  const double dark = at(20, 32), dark_other = at(21, 32), bright = at(100, 32), bright_other = at(101, 32);
  c.expect(bright / dark < 4,
           text("the window is ", bright / dark, " times as bright as the room, not below 4"));
  c.expect(std::abs(dark / dark_other - 1.1) < 0.03 && std::abs(bright / bright_other - 1.1) < 0.03,
           text("textures of 1.1 became ", dark / dark_other, " and ", bright / bright_other));
  // No halo: next to the window the room is as bright as elsewhere.
  c.expect(std::abs(at(60, 32) / dark - 1) < 0.06, text("next to the window ", at(60, 32), ", else ", dark));
}

check::Register costs_case{{"filter/costs", run_costs, {Backend::opencl}}};
check::Register deblock_case{{"filter/deblock", run_deblock, {Backend::opencl}}};
check::Register temporal_case{{"filter/temporal", run_temporal, {Backend::opencl}}};
check::Register tone_case{{"filter/tone", run_tone, {Backend::opencl}}};
check::Register users_case{{"filter/users",
                            [](Checker &c) {
                              run_users(c);
                              run_tuned_users(c);
                            },
                            {Backend::opencl}}};

} // namespace
} // namespace vigil::filter
