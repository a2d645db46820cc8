// SPDX-License-Identifier: LGPL-2.1-or-later
// Background subtraction by a mixture of Gaussians at every pixel: the contract that every backend keeps.
//
// Sources
//   A: "GPU implementation of Mixture of Gaussians" (57x, 97x and 101x over serial code), method `mog`, a
//      fixed number K of components.
//   B: Pham, Vo, Vu, Le: "GPU implementation of Extended Gaussian mixture model for Background subtraction",
//      method `zivkovic`, an adaptive number of components (Zivkovic 2004; Zivkovic and van der Heijden
//      2006).
//
// Samples x are 0..255, one (luma) or three a pixel; every pixel is independent. d2 = the sum of (x - m)^2
// over the channels. a = the frame's learning rate, w = weight, m = mean, v = variance (one for all of them).
//
// mog (A, algorithms 1 and 3 to 5; luma only)
//   component k matches when w_k > 0 and d2_k < match_sigma^2 * v_k           (values before the update)
//   matched:  w' = (1-a) w + a,  r = min(a/w', 1),  m' = m + r (x-m),  v' = max(v + r (d2 - v), min_variance)
//   not:      w' = (1-a) w
//   none matched and a > 0: the component with the smallest w' (the first of equals) becomes (initial_weight,
//      x, initial_variance)
//   background when a matched component has w' >= weight_threshold (as in A: the weight after its update, the
//      difference before it)
//   A's algorithm 1 matches by the difference itself (line 5, |m - x| < Gamma_1) and divides by the deviation
//      only where it decides about the background (line 24, with the same Gamma_1). Here both tests divide,
//      so the second is implied by the first (match_sigma >= 1): one threshold in grey levels and one in
//      deviations cannot be the same number.
//   at the end the weights are divided by their sum, which A leaves out: several components may match at
//      once, and their sum would drift from 1.
//
// zivkovic (B, equations 1 to 6)
//   components are sorted by weight, heaviest first; p = a * complexity_prior; T = 0; for each component in
//     that order:
//         w' = (1-a) w - p
//     when no owner was found yet:
//       background when T < background_ratio and d2 < background_sigma^2 * v
//       owner when d2 < match_sigma^2 * v:  w' += a, k = min(a/w', 1), m' = m + k (x-m),
//         v' = v + k (d2 - v) clamped to [min_variance, max_variance], and it moves up past every predecessor
//         whose (updated) weight is not greater
//     when w' < p: w' = 0 and the number of components falls by one (the lightest leaves at the end)
//     T += w'
//   the weights are divided by T
//   no owner and a > 0: a new component (a, x, initial_variance) takes the place after the last, or of the
//     last when there are K already; it gets w = 1 when it is the only one, otherwise the others' weights are
//     multiplied by 1-a; it moves up past every predecessor whose weight is not greater.
//   with background_by_deviation (B, section II) the background is decided before all that, and not in the
//     walk: in the order of w / sqrt(v), greatest first (equal ones by weight, as they stand), a component is
//     of the background while the weights of those before it sum to less than background_ratio; the sample is
//     background when d2 < background_sigma^2 * v for one that is. All values are those before the update.
//   This is OpenCV's MOG2 on the CPU, decision for decision (there k may pass 1, by p at the most). With
//   OpenCV it differs from B's text in these points:
//   - B takes the components of the highest ratio of weight to variance as background (section II; it follows
//     Stauffer and Grimson, whose ratio is that of weight to deviation), OpenCV those of the highest weight:
//     background_by_deviation.
//   - B normalises after each iteration. A new component that takes the place of the last of K leaves the
//     weights with the sum (1-a)(1 - w_K) + a, where w_K is the weight it replaces; the next frame's division
//     by T mends that.
//   - For Y U V the greatest variance is a quarter of that for R G B, and the own initial variance 6
//     instead of 15. A light that changes R G B by L levels each adds 3 L^2 to their d2, and to that of Y U V
//     L^2, or 0.74 L^2 in video range (16..235). The least variance stays.
//   - The bounds of the variance, and the rate 1/min(2 * frame number, history) that learning_rate = -1
//     stands for, are OpenCV's; B has neither.
//
// Shadows (Prati et al. 2003), for samples that are not background. z: the format's zero (0; 128 for chroma).
// Walk the components, heaviest first (mog: those with w >= weight_threshold, in any order, without T); T = 0
// at first. For each: n = sum (x-z)(m-z), q = sum (m-z)^2, t = n/q; q = 0 ends the walk. It is a shadow when
//   n <= q  and  sum (t (m-z) - (x-z))^2 < within2 * t^2
// where, with own2 = shadow_sigma^2 * v (background_sigma for a shadow_sigma of 0; for Y U V two thirds of
// shadow_sigma, since the same change of colour is shorter there), within2 is
//   own2                                  for n >= shadow_threshold * q: a pale shadow
//   min(own2, deep_shadow_distance^2)     for n >= deep_shadow_threshold * q: a deep one; three channels
//                                         alone, a quarter of deep_shadow_distance^2 for Y U V. It is none
//                                         where neither x nor m has a colour: chroma2 < 0.2 for Y U V, < 0.8
//                                         for R G B
// with chroma2 = (U-128)^2 + (V-128)^2, or the squared distance of R G B from grey, ((R-G)^2 + (G-B)^2 +
// (B-R)^2) / 3.
// Else T += w, and the walk ends when T > background_ratio. All values are those after the update, as in
// OpenCV, which is shadow_sigma = deep_shadow_distance = 0. A pale shadow often has another colour, as the
// sky lights it; what is dark and of another colour is mostly a thing. The own shadow_threshold is 0.85, for
// Y U V 0.80, and 0.83 in video range, where black is at 16, so that a shadow takes less of the luma (also of
// method mog's, which works on the Y of such frames). The distance of a deep shadow is in levels, not in
// deviations, since a dark grey car on a grey road of much variance would be within these. Without a colour
// everything darker would be within that distance: grey pictures in colour formats (infra-red at night) have
// pale shadows alone, as luma has.
#pragma once

#include "common/device.h"
#include "common/params.h"
#include "common/plane.h"
#include "common/shifted.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace vigil::mog {

enum class Method { mog, zivkovic };
// How the state is stored and the arithmetic done. `compact`: 16 bits or fewer a stored value, arithmetic in
// single.
enum class Precision { single, double_, compact };

// What suits a model whose every pixel learns at the rate `a` or faster: compact where its values can hold
// what one frame changes, else single. Before a store cuts a value off it adds a dither of less than a unit.
// The dither has steps of 2^-7 units, so smaller changes than that are lost. Compact needs
//   a >= 2^-16                       one unit of a weight: a new component's weight must not be stored as 0
//   a sqrt(min_variance) >= 2^-15    a mean, in units of 2^-8 levels, follows a sample that is one least
//                                    deviation away
// a = 0 learns nothing and loses nothing: compact.
Precision precision_for(double a, double min_variance);

// Which samples black and white have: 16 and 235, or 0 and 255. It matters to Y U V alone.
enum class ColourRange { video, full };

const char *name_of(Method);
const char *name_of(Precision);

inline constexpr int max_components = 5;

// What a model is made for; a change of any of these needs a new model.
struct Config {
  int width = 0, height = 0; // >= 1
  int channels = 1;          // 1: luma; 3: R G B, or Y U V for nv12 and i420. Method mog: always 1.
  Method method = Method::zivkovic;
  Precision precision = Precision::single;
  int components = 5; // K, 1..max_components
  ColourRange range = ColourRange::full;
  bool operator==(const Config &) const = default;
};

// What may change from frame to frame. Zero or less in match_sigma, initial_variance and shadow_threshold
// means the method's own value.
struct Params {
  float learning_rate = -1.f;
  int history = 500;
  float match_sigma = 0.f;
  float background_sigma = 5.5f;
  float background_ratio = 0.9f;
  bool background_by_deviation = false;
  float weight_threshold = 0.1f;
  float complexity_prior = 0.05f;
  float initial_variance = 0.f;
  float initial_weight = 0.05f;
  float min_variance = 4.f;
  float max_variance = 75.f;
  bool detect_shadows = true;
  float shadow_threshold = 0.f;
  float shadow_sigma = 9.f;
  float deep_shadow_threshold = 0.5f;
  float deep_shadow_distance = 4.f;
  int shadow_value = 127;
  bool operator==(const Params &) const = default;
};

inline constexpr auto params_table = std::tuple{
    param("learning-rate", "Learning rate",
          "Share of each new frame in the model, alpha. Higher: changes are learnt faster. -1: "
          "1/min(2*frame number, history). 0: the model is frozen after its first frame, which it learns at"
          " any rate",
          &Params::learning_rate, -1.f, 1.f),
    param("history", "History",
          "Frames that the model remembers, if learning-rate is -1 and learning-time is 0. Higher: an "
          "object that stops is absorbed later, and ground that a car uncovers stays foreground longer",
          &Params::history, 1, 100000),
    param("match-sigma", "Match distance",
          "Standard deviations within which a sample belongs to a component. 0: the method's own (zivkovic "
          "3, mog 2.5). Values between 0 and 1 count as 1",
          &Params::match_sigma, 0.f, 20.f),
    param("background-sigma", "Background distance",
          "zivkovic: standard deviations from a background component within which a sample is background. "
          "Higher: less noise and fewer leaves in the mask. Lower: more of people dressed like the ground",
          &Params::background_sigma, 0.f, 20.f),
    param("background-ratio", "Background ratio",
          "zivkovic: sum of weights up to which the heaviest components are background. Lower: an object "
          "that stops becomes background later",
          &Params::background_ratio, 0.f, 1.f),
    param("background-by-deviation", "Background by deviation",
          "zivkovic: whether the background is the components of the greatest weight over standard "
          "deviation, not of the greatest weight. Components that vary much count less then",
          &Params::background_by_deviation),
    param("weight-threshold", "Weight threshold", "mog: least weight of a component that is background",
          &Params::weight_threshold, 0.f, 1.f),
    param("complexity-prior", "Complexity prior",
          "zivkovic: evidence that a component needs to stay, c_T. Higher: fewer components",
          &Params::complexity_prior, 0.f, 1.f),
    param("initial-variance", "Initial variance",
          "Variance of a new component, in grey levels squared. 0: the method's own (zivkovic 15, or 6 "
          "where the model works on Y U V (NV12, I420); mog 225)",
          &Params::initial_variance, 0.f, 10000.f),
    param("initial-weight", "Initial weight", "mog: weight of a new component", &Params::initial_weight,
          0.001f, 1.f),
    param("min-variance", "Least variance", "Least variance of a component, in grey levels squared",
          &Params::min_variance, 0.01f, 10000.f),
    param("max-variance", "Greatest variance",
          "zivkovic: greatest variance of a component, in grey levels squared; a quarter of it where the "
          "model works on Y U V (NV12, I420)",
          &Params::max_variance, 0.01f, 10000.f),
    param("detect-shadows", "Detect shadows",
          "Whether foreground that is a darker copy of the background is labelled with shadow-value. Needs "
          "colour: on luma alone everything somewhat darker counts as shadow",
          &Params::detect_shadows),
    param("shadow-threshold", "Shadow threshold",
          "Least brightness of a pale shadow, relative to the background. Lower: deeper shadows count, and "
          "more dark clothes. 0: 0.85; where the model works on Y U V (NV12, I420) 0.83 in video range and "
          "0.80 in full range",
          &Params::shadow_threshold, 0.f, 1.f),
    param("shadow-sigma", "Shadow distance",
          "Greatest colour distance of a pale shadow from the background, in standard deviations; two "
          "thirds of it where the model works on Y U V (NV12, I420). Higher: more counts as shadow. 0: "
          "background-sigma",
          &Params::shadow_sigma, 0.f, 100.f),
    param("deep-shadow-threshold", "Deep shadow threshold",
          "Least brightness of a deep shadow, which has nearly the background's colour, relative to the "
          "background. Lower: darker shadows count",
          &Params::deep_shadow_threshold, 0.f, 1.f),
    param("deep-shadow-distance", "Deep shadow distance",
          "Greatest colour distance of a deep shadow from the background, in grey levels; half of it where "
          "the model works on Y U V (NV12, I420). Higher: more counts as shadow. 0: only pale shadows, as "
          "on luma alone",
          &Params::deep_shadow_distance, 0.f, 255.f),
    param("shadow-value", "Shadow value", "Mask value of shadows; background is 0 and foreground 255",
          &Params::shadow_value, 0, 255),
};

// The numbers that backends work with: Params with the special values replaced, squares taken, and each lower
// bound applied (match_sigma >= 1, max_variance, or its part for Y U V, >= min_variance, initial_variance
// within them for zivkovic).
struct Constants {
  double match2;      // match_sigma^2
  double background2; // background_sigma^2
  double background_ratio, weight_threshold, complexity_prior;
  double initial_variance, initial_weight, min_variance, max_variance;
  bool background_by_deviation, detect_shadows;
  double shadow_threshold, deep_shadow_threshold;
  double shadow2, deep_shadow2;
  double colourless2; // samples of less chroma2 have no colour
  std::uint8_t shadow_value;
  double zero[3]; // the sample value that means "none" in each channel: 0, or 128 for chroma
};
Constants resolve(const Params &, Method, PixelFormat, int channels, ColourRange = ColourRange::full);
// a for the frame with this number (1: the model's first, which is learnt whatever the rate, as in OpenCV).
double learning_rate(const Params &, std::uint64_t frame_number);

// A model's state in host memory, the same for all backends. i = y*width + x, n = width*height.
struct State {
  Config config;                    // config.precision and .range do not matter here
  std::uint64_t frames = 0;         // frames learnt
  std::vector<std::uint8_t> active; // [n] components in use (method mog: those of weight > 0 are counted)
  std::vector<float> weight;        // [k*n + i]
  std::vector<float> variance;      // [k*n + i]
  std::vector<float> mean;          // [(k*channels + c)*n + i]
};
void check_config(const Config &); // throws Error::bad_setting when it is out of range
// A state with no components. Throws Error::bad_setting when the config is out of range.
State empty_state(const Config &);
// Throws Error::bad_data, naming what differs, unless the state is of this size, method, channels and K and
// its arrays and values are possible ones (finite, weights 0..1, means 0..255, variances > 0 where a
// component is used).
void check_fits(const State &, const Config &);

// One frame of a group.
struct Step {
  ConstImage
      frame; // in the device's memory, of the config's size; any format of channels 1, all but gray8 of 3
  Plane<std::uint8_t> mask; // out: 0 background, shadow_value, 255 foreground
  double learning_rate = 0; // for this frame, 0..1
  // Where the model lies in the frame, in the device's memory, read in order with the queue; null: on it. The
  // model's pixel (x, y) is compared with pixel (x + shift->x, y + shift->y) of the frame and labels that
  // pixel of the mask. Where the frame is turned, its place is that of turned.h, and each pixel of the mask
  // gets the label of the model's pixel that it shows (Turned::back()); on the CPU alone, elsewhere
  // nothing is turned. Pixels of the frame outside of the model get the label 0; pixels of the model outside
  // of the frame stay as they are. In colour formats with chroma for 2x2 pixels a pixel's chroma is that of
  // its place in the frame. A RateMap lies on the model.
  const Shift *shift = nullptr;
};

// Some blocks of the picture learn at another rate: block (x / size, y / size) takes learning_rate *
// factor[v], at most 1, where v is its byte in `map`, of which the lowest two bits count; v = 0 means
// learning_rate itself. The map is in the device's memory, row by row, columns = ceil(width / size).
struct RateMap {
  static constexpr int kinds = 4;
  const std::uint8_t *map = nullptr; // null: none
  int size = 16;                     // a power of two, 8..64
  int columns = 0;
  float factor[kinds] = {1.f, 1.f, 1.f, 1.f}; // the first is not used
  // The rate of a block with this byte.
  double rate(double learning_rate, int v) const {
    const int kind = v & (kinds - 1);
    return kind ? std::min(learning_rate * factor[kind], 1.) : learning_rate;
  }
};

class Model {
 public:
  virtual ~Model() = default;
  virtual const Config &config() const = 0;
  // Classifies and learns a group of 1..32 frames in order; the masks are those of groups of one, bit for
  // bit. Any strides and addresses work; 16-byte aligned ones run fastest.
  virtual void apply(std::span<const Step> group, const Params &, const RateMap &, Queue &) = 0;
  // The most probable background: the mean of the heaviest component, 0 (128 for chroma) where there is none,
  // in any format that suits the channels (a luma model writes grey pictures). Alpha becomes 255.
  virtual void background(const Image &out, Queue &) = 0;
  virtual State save(Queue &) = 0;
  // Throws Error::bad_data when the state is of another size, method, channels or K.
  virtual void load(const State &, Queue &) = 0;
  std::uint64_t frames = 0; // learnt so far; apply() adds the group, load() sets it
};

// Naive loops in double precision straight from the formulas above; host memory.
std::unique_ptr<Model> make_reference(const Config &);
// `device` must outlive the model. Throws Error::bad_setting for a config out of range.
std::unique_ptr<Model> make_cpu(Device &device, const Config &);
std::unique_ptr<Model> make_cuda(Device &device, const Config &); // throws no_device when built without CUDA
// In OpenGL compute shaders, precision single and compact, called on the thread where the device's context is
// current; they leave the state that others see there as it was. Throws Error::no_device when built without
// OpenGL or the device lacks something, which is named; Error::bad_setting for precision double, which is not
// in OpenGL ES.
std::unique_ptr<Model> make_gl(Device &, const Config &);
std::unique_ptr<Model> make(Device &device, const Config &);

// The luma of a colour pixel, the same integer in every backend: (77 R + 150 G + 29 B + 128) >> 8.
constexpr VIGIL_HOST_DEVICE int luma(int r, int g, int b) {
  return (77 * r + 150 * g + 29 * b + 128) >> 8;
}

} // namespace vigil::mog
