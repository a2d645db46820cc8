// SPDX-License-Identifier: LGPL-2.1-or-later
// The table of stages, and the numbers that filter.h defines for them.
#include "kernels/filter/definitions.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace vigil::filter {
namespace {

constexpr double amount_unit = 256, linear_unit = 4096, matrix_unit = 65536;
// Of a picture's brightness, ITU-R BT.601, in 1/65536.
constexpr std::array<std::int32_t, 3> luma = {19595, 38470, 7471};
static_assert(luma[0] + luma[1] + luma[2] == 65536);

std::vector<StageType> make_types() {
  const auto coefficient = [](const char *name, double value) {
    return StageParam{name, value, -8, 8, "coefficient"};
  };
  const auto offset = [](const char *name) { return StageParam{name, 0, -1, 1, "added, of full scale"}; };
  const auto weight = [](const char *name, double value) {
    return StageParam{name, value, -16, 16, "weight of that pixel"};
  };
  const auto number = [](const char *name) { return StageParam{name, 0, -65536, 65536, "for the kernel"}; };
  using enum Kind;
  return {
      {"brightness", table, "brighter or darker", false, {{"amount", 0, -1, 1, "added, of full scale"}}},
      {"contrast", table, "more or less contrast", false, {{"amount", 1, 0, 8, "1 changes nothing"}}},
      {"gamma", table, "gamma correction", false, {{"value", 1, 0.1, 10, "above 1 brightens"}}},
      {"levels",
       table,
       "stretches a range of values",
       false,
       {{"black", 0, 0, 1, "becomes out-black"},
        {"white", 1, 0, 1, "becomes out-white; above black"},
        {"gamma", 1, 0.1, 10, "of what is between"},
        {"out-black", 0, 0, 1, "the darkest result"},
        {"out-white", 1, 0, 1, "the brightest result"}}},
      {"threshold",
       table,
       "black or white, each channel",
       false,
       {{"level", 0.5, 0, 1, "white from here on"}}},
      {"invert", table, "the negative", false, {}},
      {"posterize", table, "fewer values", false, {{"levels", 4, 2, 256, "values that remain", true}}},
      {"grayscale", matrix, "brightness in all three channels", false, {}},
      {"saturation",
       matrix,
       "more or less colour",
       false,
       {{"amount", 1, 0, 4, "0 is grey, 1 changes nothing"}}},
      {"sepia", matrix, "an old photograph's brown", true, {{"amount", 1, 0, 1, "0 changes nothing"}}},
      {"matrix",
       matrix,
       "any colour matrix",
       true,
       {coefficient("rr", 1), coefficient("rg", 0), coefficient("rb", 0), coefficient("gr", 0),
        coefficient("gg", 1), coefficient("gb", 0), coefficient("br", 0), coefficient("bg", 0),
        coefficient("bb", 1), offset("ro"), offset("go"), offset("bo")}},
      {"gaussian", gaussian, "Gaussian blur", false, {{"sigma", 1, 0.3, 6, "pixels"}}},
      {"box", box, "mean of a square", false, {{"radius", 1, 1, 16, "pixels", true}}},
      {"median", median, "median of 3x3", false, {}},
      {"sharpen", linear, "sharper", false, {{"amount", 0.5, 0, 8, "0 changes nothing"}}},
      {"sobel", gradient, "strength of edges", false, {{"amount", 1, 0, 16, "factor"}}},
      {"laplacian", linear, "fine detail", false, {{"amount", 1, 0, 16, "factor"}}},
      {"emboss",
       linear,
       "relief, lit from the upper left",
       false,
       {{"amount", 1, 0, 8, "0 changes nothing"}}},
      {"convolve",
       linear,
       "any 3x3 weights",
       false,
       {weight("nw", 0), weight("n", 0), weight("ne", 0), weight("w", 0), weight("c", 1), weight("e", 0),
        weight("sw", 0), weight("s", 0), weight("se", 0), offset("offset")}},
      {"correlate",
       weights,
       "any odd `matrix` of weights up to 15x15, `matrix=1,2,1;2,4,2;1,2,1`",
       false,
       {{"divide", 1, 0.0625, 65536, "all weights are divided by this"}, offset("offset")},
       true},
      {"bilateral",
       bilateral,
       "smooths and keeps edges, each channel by itself",
       false,
       {{"spatial-sigma", 1.5, 0.3, 4, "pixels"}, {"range-sigma", 0.1, 0.005, 4, "of full scale"}}},
      {"recursive",
       temporal,
       "mean over time; what moves leaves trails",
       false,
       {{"weight", 0.8, 0, 0.98, "of the frames before"}}},
      {"denoise",
       temporal,
       "mean over time where nothing moves",
       false,
       {{"weight", 0.9, 0, 0.98, "of the frames before"},
        {"motion", 0.03, 0.002, 1, "of full scale: differences above this are motion, not noise"}}},
      {"deblock",
       deblock,
       "smooths the edges between blocks that a coarse encoder leaves",
       false,
       {{"strength", 0.06, 0.004, 0.5, "of full scale: steps above this are the picture's own"},
        {"size", 8, 4, 64, "pixels of a block", true},
        {"left", 0, 0, 63, "an edge's column", true},
        {"top", 0, 0, 63, "an edge's row", true}}},
      {"tonemap",
       tone,
       "local tone mapping: less contrast between dark and bright regions, the same within them",
       false,
       {{"compression", 0.5, 0, 1, "of the contrast between regions; 0 changes nothing"},
        {"detail", 1, 0, 4, "contrast of what is finer than regions: 1 keeps it"},
        {"sigma", 16, 2, 64, "pixels: how large regions are", true},
        {"range", 1.3, 0.1, 8, "octaves: larger steps are borders between regions"},
        {"anchor", 1, 0.01, 1, "of full scale: this brightness stays"}}},
      {"user",
       user,
       "a kernel of your own, `kernel=FILE.cl`",
       false,
       {number("p0"), number("p1"), number("p2"), number("p3")},
       false,
       true},
  };
}

std::int32_t scaled(double value, double unit) {
  return static_cast<std::int32_t>(std::floor(value * unit + 0.5));
}
std::uint16_t stored(double x, int full) {
  return static_cast<std::uint16_t>(std::clamp(std::floor(x + 0.5), 0., double(full)));
}
bool is(const Stage &s, const char *name) {
  return std::strcmp(s.type->name, name) == 0;
}

} // namespace

std::span<const StageType> stage_types() {
  static const std::vector<StageType> types = make_types();
  return types;
}

double Stage::operator[](std::string_view param) const {
  for (std::size_t i = 0; i < type->params.size(); i++)
    if (param == type->params[i].name) return values[i];
  fail(Error::Kind::bad_setting, type->name, " has no parameter ", param);
}

int radius_of(const Stage &s) {
  switch (s.type->kind) {
  case Kind::table:
  case Kind::matrix:
    return 0;
  case Kind::gaussian:
    return static_cast<int>(std::ceil(3 * s["sigma"]));
  case Kind::box:
    return static_cast<int>(s["radius"]);
  case Kind::weights:
    return std::max({s.matrix.columns / 2, s.matrix.rows / 2, 1});
  case Kind::bilateral:
    return static_cast<int>(std::ceil(2 * s["spatial-sigma"]));
  default:
    return 1;
  }
}

std::uint16_t table_value(const Stage &s, int v, int full) {
  const double m = full;
  if (is(s, "brightness")) return stored(v + m * s["amount"], full);
  if (is(s, "contrast")) return stored(m / 2 + s["amount"] * (v - m / 2), full);
  if (is(s, "gamma")) return stored(m * std::pow(v / m, 1 / s["value"]), full);
  if (is(s, "levels")) {
    const double t = std::clamp((v / m - s["black"]) / (s["white"] - s["black"]), 0., 1.);
    return stored(m * (s["out-black"] + (s["out-white"] - s["out-black"]) * std::pow(t, 1 / s["gamma"])),
                  full);
  }
  if (is(s, "threshold")) return static_cast<std::uint16_t>(v >= m * s["level"] ? full : 0);
  if (is(s, "invert")) return static_cast<std::uint16_t>(full - v);
  if (is(s, "posterize")) {
    const double n = s["levels"];
    return stored(m / (n - 1) * std::floor(v * n / (m + 1)), full);
  }
  fail(Error::Kind::bad_setting, s.type->name, " is no stage with a table");
}

Matrix matrix_of(const Stage &s, int full) {
  Matrix r{};
  if (is(s, "matrix")) {
    const char *names[3][3] = {{"rr", "rg", "rb"}, {"gr", "gg", "gb"}, {"br", "bg", "bb"}};
    const char *offsets[3] = {"ro", "go", "bo"};
    for (int c = 0; c < 3; c++) {
      for (int k = 0; k < 3; k++) r.m[c][k] = scaled(s[names[c][k]], matrix_unit);
      r.o[c] = offset_of(s[offsets[c]], full, 16);
    }
    return r;
  }
  if (is(s, "sepia")) {
    constexpr double brown[3][3] = {{0.393, 0.769, 0.189}, {0.349, 0.686, 0.168}, {0.272, 0.534, 0.131}};
    const double a = s["amount"];
    for (int c = 0; c < 3; c++)
      for (int k = 0; k < 3; k++) r.m[c][k] = scaled(a * brown[c][k] + (c == k ? 1 - a : 0), matrix_unit);
    return r;
  }
  // Each row adds up to 1 exactly, so that what is grey stays as it is.
  const double keep = is(s, "saturation") ? s["amount"] : 0;
  for (int c = 0; c < 3; c++) {
    std::int32_t others = 0;
    for (int k = 0; k < 3; k++)
      if (k != c) others += r.m[c][k] = scaled((1 - keep) * luma[k] / matrix_unit, matrix_unit);
    r.m[c][c] = static_cast<std::int32_t>(matrix_unit) - others;
  }
  return r;
}

Linear linear_of(const Stage &s, int full) {
  if (is(s, "convolve")) {
    Linear r{{}, std::int32_t(offset_of(s["offset"], full, 12)), false};
    for (int i = 0; i < 9; i++) r.k[i] = scaled(s.values[i], linear_unit);
    return r;
  }
  const std::int32_t a = scaled(s["amount"], amount_unit);
  constexpr std::int32_t one = 4096, step = 16; // 1 and 1/256
  if (is(s, "sharpen")) return {{-a, -2 * a, -a, -2 * a, one + 12 * a, -2 * a, -a, -2 * a, -a}, 0, false};
  if (is(s, "emboss"))
    return {{-2 * step * a, -step * a, 0, -step * a, one, step * a, 0, step * a, 2 * step * a}, 0, false};
  if (is(s, "laplacian"))
    return {{0, step * a, 0, step * a, -4 * step * a, step * a, 0, step * a, 0}, 0, true};
  fail(Error::Kind::bad_setting, s.type->name, " is no stage with 3x3 weights");
}

Temporal temporal_of(const Stage &s, int full) {
  return {scaled(1 - s["weight"], 256), is(s, "denoise") ? scaled(s["motion"], 256. * full) : 0};
}

Blocks blocks_of(const Stage &s, int full) {
  const int size = int(s["size"]);
  return {size, int(s["left"]) % size, int(s["top"]) % size, scaled(s["strength"], full)};
}

int gradient_amount(const Stage &s) {
  return scaled(s["amount"], amount_unit);
}

std::int64_t offset_of(double part, int full, int bits) {
  const int kept = full > 255 ? offset_bits : bits;
  return std::int64_t(std::floor(std::ldexp(full * part, kept) + 0.5)) << (bits - kept);
}

std::vector<int> gaussian_weights(const Stage &s) {
  const double sigma = s["sigma"];
  const int r = radius_of(s);
  double sum = 1;
  for (int i = 1; i <= r; i++) sum += 2 * std::exp(-i * i / (2 * sigma * sigma));
  std::vector<int> w(r + 1);
  w[0] = 4096;
  for (int i = 1; i <= r; i++) {
    w[i] = scaled(std::exp(-i * i / (2 * sigma * sigma)) / sum, 4096);
    w[0] -= 2 * w[i];
  }
  return w;
}

void check_format(const Chain &chain, PixelFormat format) {
  using enum PixelFormat;
  if (format != rgba && format != bgra && format != gray8 && format != gray16 && format != rgba64)
    fail(Error::Kind::bad_setting, "filter chains work on rgba, bgra, rgba64, gray8 and gray16");
  for (const Stage &s : chain)
    if (s.type->needs_colour && !is_colour(format))
      fail(Error::Kind::bad_setting, "the stage ", s.type->name, " makes colours, which ",
           format == gray8 ? "GRAY8" : "GRAY16", " cannot hold; convert the pictures to ",
           format == gray8 ? "RGBA" : "RGBA64", " first (videoconvert)");
}

void check_pictures(const ConstImage &in, const Image &out, PixelFormat format) {
  using enum Error::Kind;
  if (in.format != format || out.format != format)
    fail(bad_setting, "the picture's format is ", int(in.format), ", the result's ", int(out.format),
         ", but the filter was made for ", int(format));
  if (in.width < 1 || in.height < 1)
    fail(bad_setting, "a picture of ", in.width, "x", in.height, " pixels cannot be filtered");
  if (in.width != out.width || in.height != out.height)
    fail(bad_setting, "the result is of ", out.width, "x", out.height, " pixels, but the picture is of ",
         in.width, "x", in.height);
  const auto odd = [](const auto &image, int p) {
    return ((reinterpret_cast<std::uintptr_t>(image.data[p]) | std::size_t(image.stride[p])) & 1) != 0;
  };
  for (int p = 0; p < plane_count(format); p++) {
    if (!in.data[p] || !out.data[p]) fail(bad_setting, "the picture or the result has no memory");
    if (is_16_bit(format) && (odd(in, p) || odd(out, p)))
      fail(bad_setting, "16-bit samples of the picture or the result are not at even addresses");
  }
}

} // namespace vigil::filter
