// SPDX-License-Identifier: LGPL-2.1-or-later
// What a camera's exposure and white balance did to a frame, found by comparison with a background picture,
// and undone: the contract that every backend keeps.
//
// For pixels that show background the frame y and the background b are nearly a line, one a channel c:
//   y_c = gain_c * b_c + offset_c
//
// Samples are pixels ((i + 1/2) step, (j + 1/2) step), all divisions rounded down, at most about max_samples
// of them (step_for). Usable is a sample with both y and b in lowest..highest and, of Y, U and V, with
// neither pixel perhaps clipped (clipped.h). A channel's line is found from its n usable samples; medians are
// those of histograms (median_bin), so that a GPU finds them without sorting:
//   1. start: gain0 = median of y/b (bins of 1/64), offset = 0.
//      Chroma spreads too little to tell its gain: gain0 = luma's, offset = 128 (1 - gain0) + median of
//      (y - 128) - gain0 (b - 128) (bins of 1).
//   2. `rounds` times: m = median of |y - gain b - offset| (bins of 1/4); over the samples within
//      max(6, 1.5 m): gain = (cov(b, y) + k gain0) / (var(b) + k), offset = mean(y) - gain mean(b), where k
//      (levels squared) holds the gain where the background is nearly flat: 16, or 400 for chroma
//   3. agreeing = share of the n within 8 max(1, gain)
// The line counts when n is at least min_samples and a tenth of the samples (a twentieth of Y, U and V, which
// lose a sample together), agreeing >= least_agreeing, and the gain is within 1/max_gain..max_gain. Otherwise
// the last line stays and fades: gain - 1 and offset are multiplied by `fading`.
//
// How much of the line is believed: over the usable samples, E0 = sum of min(|y - b|, most_error) and E = sum
// of min(|y - gain b - offset|, most_error), each term rounded down to 1/4; weight = (0.8 - E / E0) / 0.3,
// held within 0..1. So a line that explains the frame little better than no change at all does nothing: what
// covers half of the picture bends the line, but it does not make it explain more. With fewer samples than a
// line needs, the last weight stays.
//
// What the model follows by itself: slow changes of daylight are no exposure: compensated permanently, they
// would leave a model of noon to watch the dusk. Undoing the whole line would move a sample of v by d(v) =
// weight ((v - offset) / gain - v). At v = 16 and v = 235 the part `left` of it is left to the model: it goes
// towards d by at most `following` levels a frame (`following_chroma` for chroma), times the share min(1,
// following_first + following_more |left|), and stays between 0 and d. It is slow as long as little is left,
// since an exposure that goes up and down every few seconds turns round before much of it is left to the
// model, which would widen its variances and see less; daylight goes on.
//
// Undoing it: T(y) = y + s (d(y) - left(y)), with left(y) the straight line through left(16) and left(235),
// and s = max(0, 1 - slack / D), where D is the larger of |d - left| at 16 and at 235. So a deviation of at
// most `slack` levels is left as well: a steady camera's frames stay as they are. A sample of 250 or more (5
// or less) was perhaps clipped: where T says less (more) than the background has, it becomes the background's
// value, which neither shows nor is learnt. Not for the one channel that is made of R, G and B. In frames of
// Y, U and V, where T changes any channel, clipped.h says which pixels were clipped and what they become. A
// level is one step of an 8-bit sample, 0..255. Source: this project.
#pragma once

#include "common/device.h"
#include "common/plane.h"
#include "common/shifted.h"
#include "kernels/exposure/clipped.h"

#include <cstdint>
#include <memory>

namespace vigil::exposure {

inline constexpr int max_samples = 4096, pixels_a_sample = 32;             // whichever gives fewer samples
inline constexpr int min_samples = 32, min_share = 10, min_share_yuv = 20; // one of so many
inline constexpr int lowest = 8, highest = 245;
inline constexpr int rounds = 4;
inline constexpr float max_gain = 3.f; // beyond it quantisation leaves steps that look like things
inline constexpr float least_agreeing = 0.4f;
inline constexpr float fading = 0.98f;
inline constexpr float slack = 2.f;                                   // levels
inline constexpr int most_error = 16;                                 // levels
inline constexpr float believed_from = 0.8f, believed_range = 0.3f;   // of E / E0
inline constexpr float following = 0.1f, following_chroma = 0.05f;    // levels a frame
inline constexpr float following_first = 0.1f, following_more = 0.2f; // a share, and that for each level
inline constexpr float low_anchor = 16.f, high_anchor = 235.f;        // levels
inline constexpr int clipped_high = 250, clipped_low = 5;
inline constexpr int bins = 256; // of each histogram

constexpr VIGIL_HOST_DEVICE bool is_yuv(PixelFormat f) {
  return f == PixelFormat::nv12 || f == PixelFormat::i420;
}

// A channel's line. `agreeing` is 0 where the last frame gave none; `left`: levels at the anchors.
struct Line {
  float gain = 1.f, offset = 0.f, agreeing = 0.f;
  float weight = 1.f;
  float left[2] = {0.f, 0.f};
  bool operator==(const Line &) const = default;
};
struct Lines {
  Line channel[3]; // as the model's: R G B, Y U V, or luma in the first
  bool operator==(const Lines &) const = default;
};

// Whether `usable` samples of `all` are enough for a line.
constexpr VIGIL_HOST_DEVICE bool are_enough(int usable, int all, bool yuv) {
  return usable >= min_samples && usable * (yuv ? min_share_yuv : min_share) >= all;
}
// Pixels from one sample to the next; samples lie in columns = samples_along(width, step) by rows.
int step_for(int width, int height);
constexpr VIGIL_HOST_DEVICE int samples_along(int pixels, int step) {
  return (pixels + step - 1 - step / 2) / step;
}

// T as integers, which every backend computes alike: T(y) = clamp((y * scale / 256 + shift + 8) >> 4, 0,
// 255), divisions rounded down.
struct Table {
  int scale = 4096, shift = 0; // scale in 1/4096, shift in 1/16 levels
  constexpr VIGIL_HOST_DEVICE int operator()(int y) const {
    const int v = ((y * scale >> 8) + shift + 8) >> 4;
    return v < 0 ? 0 : v > 255 ? 255 : v;
  }
  bool operator==(const Table &) const = default;
  constexpr VIGIL_HOST_DEVICE bool is_identity() const { return scale == 4096 && shift == 0; }
};
// d at the low anchor (0) or the high one (1).
constexpr VIGIL_HOST_DEVICE float deviation(const Line &l, int anchor) {
  const float v = anchor == 0 ? low_anchor : high_anchor;
  return l.weight * ((v - l.offset) / l.gain - v);
}
constexpr VIGIL_HOST_DEVICE Table table_for(const Line &l) {
  const float low = deviation(l, 0) - l.left[0], high = deviation(l, 1) - l.left[1];
  const float below = low < 0 ? -low : low, above = high < 0 ? -high : high;
  const float most = below > above ? below : above;
  if (!(most > slack)) return {};
  const float s = 1 - slack / most;
  const float slope = (high - low) / (high_anchor - low_anchor);
  const float scale = 1 + s * slope, shift = s * (low - slope * low_anchor);
  const float limit = 8000.f; // of shift, so that 16 bits hold all sums
  const float bounded = shift * 16 < -limit ? -limit : shift * 16 > limit ? limit : shift * 16;
  return {static_cast<int>(scale * 4096 + 0.5f),
          static_cast<int>(bounded < 0 ? bounded - 0.5f : bounded + 0.5f)};
}
// A sample's part of E (or E0), in quarters of a level, from its distance to the line.
template <class Real>
constexpr VIGIL_HOST_DEVICE std::uint32_t error_of(Real distance) {
  return distance < most_error ? static_cast<std::uint32_t>(4 * distance) : 4u * most_error;
}
// The line with its weight and what is left of it, from those of the last frame. e0 = 0: nothing to compare,
// or too few samples.
constexpr VIGIL_HOST_DEVICE Line settled(Line l, const Line &before, std::uint32_t e, std::uint32_t e0,
                                         bool enough, bool chroma) {
  l.weight = before.weight;
  if (enough) {
    const float w =
        e0 == 0 ? 0.f : (believed_from - static_cast<float>(e) / static_cast<float>(e0)) / believed_range;
    l.weight = w < 0 ? 0.f : w > 1 ? 1.f : w;
  }
  for (int k = 0; k < 2; k++) {
    const float had = before.left[k] < 0 ? -before.left[k] : before.left[k];
    const float share = following_first + following_more * had;
    const float most = (chroma ? following_chroma : following) * (share < 1 ? share : 1.f);
    const float d = deviation(l, k), step = d - before.left[k];
    const float next = before.left[k] + (step < -most ? -most : step > most ? most : step);
    const float low = d < 0 ? d : 0, high = d < 0 ? 0 : d;
    l.left[k] = next < low ? low : next > high ? high : next;
  }
  return l;
}
// `y` mapped, with the rule for clipped samples.
constexpr VIGIL_HOST_DEVICE int corrected(const Table &t, int y, int background) {
  const int v = t(y);
  if (y >= clipped_high && v < background) return background;
  if (y <= clipped_low && v > background) return background;
  return v;
}

// What a histogram of `n` values says: the first bin with which at least half of them are counted.
template <class Count>
constexpr VIGIL_HOST_DEVICE int median_bin(const Count *histogram, int n) {
  int sum = 0, bin = 0;
  for (; bin < bins - 1; bin++) {
    sum += static_cast<int>(histogram[bin]);
    if (2 * sum >= n) break;
  }
  return bin;
}
// Sums over the samples that agree; integers, so that their order does not matter.
struct Sums {
  std::uint32_t n = 0, b = 0, y = 0, bb = 0, by = 0;
};
template <class Real>
struct Fit {
  Real gain, offset;
};
template <class Real>
constexpr VIGIL_HOST_DEVICE Fit<Real> fit(const Sums &s, Real gain0, Real hold) {
  const Real n = static_cast<Real>(s.n), mb = static_cast<Real>(s.b) / n, my = static_cast<Real>(s.y) / n;
  const Real var = static_cast<Real>(s.bb) / n - mb * mb, cov = static_cast<Real>(s.by) / n - mb * my;
  const Real gain = (cov + hold * gain0) / (var + hold);
  return {gain, my - gain * mb};
}
template <class Real>
inline constexpr Real hold_luma = 16;
template <class Real>
inline constexpr Real hold_chroma = 400;

class Exposure {
 public:
  virtual ~Exposure() = default;
  // Finds the lines of `frame` against `background`, which has its format and size, and gives the picture
  // that the model is to see: `out`, of the same kind, or `frame` itself where nothing is to undo and that is
  // known without waiting. channels: the model's, 1 or 3; with 1, luma alone is compared, and chroma stays.
  // Throws Error::bad_setting when the pictures differ in kind.
  virtual ConstImage apply(const ConstImage &frame, const Shifted &background, int channels, const Image &out,
                           Queue &) = 0;
  // Where the last lines are, in the device's memory, in order with the queue.
  virtual const Lines *lines() const = 0;
  // From now on the last lines are these.
  virtual void set(const Lines &, Queue &) = 0;
  // Where the next calls of apply() write their lines as well, in order with the queue: host memory of the
  // device (Device::allocate_host), so that no copy has to be submitted. Null: nowhere.
  void set_host_copy(Lines *host) { host_copy_ = host; }
  // How Y, U and V of the next frames stand for colours. Means nothing for other formats.
  void set_colours(const Colours &c) { colours_ = c; }

 protected:
  Lines *host_copy() const { return host_copy_; }
  const Colours &colours() const { return colours_; }

 private:
  Lines *host_copy_ = nullptr;
  Colours colours_;
};
std::unique_ptr<Exposure> make_reference(); // double precision, naive loops; host memory
// The device must outlive what is made for it.
std::unique_ptr<Exposure> make_cpu(Device &);
std::unique_ptr<Exposure> make_cuda(Device &); // throws no_device when built without CUDA
// In OpenGL compute shaders, called on the thread where the device's context is current. Throws
// Error::no_device when built without OpenGL, or when the device lacks something, which is named.
std::unique_ptr<Exposure> make_gl(Device &);
std::unique_ptr<Exposure> make(Device &);
// What every backend does before it starts.
void check(const ConstImage &frame, const ConstImage &background, int channels, const Image &out);
} // namespace vigil::exposure
