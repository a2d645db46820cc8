// SPDX-License-Identifier: LGPL-2.1-or-later
// Fisher vectors of pictures: dense SIFT at several scales, projection, encoding by a Gaussian mixture,
// linear scores. The contract that every backend keeps.
//
// Sources: VLFeat's definitions (vl_dsift with a flat window, vl_fisher_encode with the improved
// normalisation), as used by W. Ma et al., "GPU-FV: Realtime Fisher Vector and Its Applications in Video
// Monitoring", ICMR 2016; the encoding is that of F. Perronnin, J. Sanchez, T. Mensink, "Improving the Fisher
// Kernel for Large-Scale Image Classification", ECCV 2010.
//
// Luma I in 0..1: the Y plane / 255 of gray8, nv12 and i420 as it is (whatever its range); (0.299 R + 0.587 G
// + 0.114 B) / 255 of rgba and bgra, not rounded (ITU-R BT.601).
//
// Scales: scale i is s_i = largest_scale * 2^(-i/2). Its picture has w = floor(W s_i + 1/2) by h = floor(H
// s_i + 1/2) pixels. Resizing is bilinear with antialiasing, separable: with r = W/w and a = max(1, r) the
// pixel x is
//   sum_j t_j I(j) / sum_j t_j,   t_j = max(0, 1 - |j + 1/2 - (x + 1/2) r| / a),   over the columns j inside
//                                 the picture
// and the same for rows; a picture of the frame's own size is the frame. Nothing is rounded to 8 bits.
//
// Gradient: half the difference of the two neighbours; at the border the difference of the pixel and its one
// neighbour; 0 where the picture is one pixel wide (high). Modulus m = sqrt(gx^2 + gy^2). Angle, in units of
// 45 degrees, from the positive x axis towards positive y, by VLFeat's polynomial instead of an arc tangent:
//   b = |gy| + 2^-23;  r = (gx - b)/(gx + b), p = pi/4 where gx >= 0;  r = (gx + b)/(b - gx), p = 3 pi/4
//                      elsewhere
//   angle = +-(p + (0.1821 r^2 - 0.9675) r), negative where gy < 0;  n = (angle mod 2 pi) * 8 / (2 pi)
// The modulus is split between the orientations floor(n) mod 8 and floor(n) + 1 mod 8, by n - floor(n).
//
// Descriptor: column c of row d covers 4x4 spatial bins with centres at (c step + bin_size k, d step +
// bin_size l), k, l = 0..3, in pixels; columns = floor((w - 1 - 3 bin_size) / step) + 1 when w > 3 bin_size,
// 0 otherwise. The value of a bin and an orientation is G_k G_l times the sum of that orientation's modulus
// around the centre, weighted by (1 - |dx|/bin_size)(1 - |dy|/bin_size), the picture continued by its border
// values (of the modulus). The flat window's weight is the Gaussian's mean over the bin:
//   G_k = mean over x = -bin_size+1 .. bin_size-1 of exp(-((x - bin_size (k - 3/2)) / (2 bin_size))^2 / 2)
// (sic: VLFeat's sign, which makes no difference as G is symmetric). Element orientation + 8 k + 32 l. Then:
// contrast = sum of the 128 / (3 bin_size + 1)^2; divide by (L2 norm + 2^-23); values over 0.2 become 0.2;
// divide by (L2 norm + 2^-23). `step` counts pixels of the scaled picture, which is VLFeat's way; the paper's
// section 4 has a stride of 4 pixels "of the original image", which would be up to 80 * 60 descriptors at
// each scale of a 320x240 frame. Where contrast < contrast_threshold all are 0. Such descriptors are still
// encoded: T is a matter of sizes. Order: scales from the largest, in each row by row. Scales with no room
// for one descriptor are left out.
//
// Position: ((c step + 1.5 bin_size + 1/2) / w - 1/2, (d step + 1.5 bin_size + 1/2) / h - 1/2), within
// -1/2..1/2.
//
// Encoding of T descriptors: x_i = (P (descriptor - mean), position), of M = projected + 2 elements. Mixture
// of N components with priors w, means mu, variances sigma^2. Posteriors q_ij by log-sum-exp, those below
// 1e-6 count as 0, and so do components with a prior below 1e-6 (in the posteriors too).
//   u_jk = 1/(T sqrt(w_j)) sum_i q_ij (x_ik - mu_jk)/sigma_jk
//   v_jk = 1/(T sqrt(2 w_j)) sum_i q_ij (((x_ik - mu_jk)/sigma_jk)^2 - 1)
// Where descriptors have weights a_i, q_ij is a_i times what it is without; the norm makes a factor that
// all of them have go away. Vector [u, v], element j M + k of each half; each value becomes sign(z)
// sqrt|z|; then divide by max(L2 norm, 1e-12). Score of a class: its weights times the vector, plus its
// bias.
//
// Every backend agrees with the reference within 1e-3 (relative L2 of descriptors, of vectors; scores to 1e-3
// of the norm of the weights), also where most of a picture is flat, and gives the same bits for the same
// input, whatever the number of threads.
#pragma once

#include "common/device.h"
#include "common/params.h"
#include "common/plane.h"

#include <memory>
#include <numbers>
#include <string>
#include <vector>

namespace vigil::fisher {

inline constexpr int orientations = 8;
inline constexpr int bins = 4; // in x and in y
inline constexpr int descriptor_length = bins * bins * orientations;
inline constexpr double clip = 0.2;
inline constexpr double norm_epsilon = 1.1920928955078125e-7; // 2^-23
inline constexpr double angle_cubic = 0.1821, angle_linear = 0.9675;
inline constexpr double luma_red = 0.299, luma_green = 0.587, luma_blue = 0.114;
inline constexpr double smallest_posterior = 1e-6;
inline constexpr double smallest_prior = 1e-6;
inline constexpr double smallest_norm = 1e-12; // of a vector

struct SiftParams {
  int scales = 8;
  double largest_scale = std::numbers::sqrt2;
  int bin_size = 4;
  int step = 4;
  double contrast_threshold = 0.005;
  bool operator==(const SiftParams &) const = default;
};
inline constexpr auto params_table = std::tuple{
    param("scales", "Scales", "Number of scales, each smaller than the one before by a factor of sqrt(2)",
          &SiftParams::scales, 1, 16),
    param("largest-scale", "Largest scale", "Size of the first scale's picture, relative to the frame",
          &SiftParams::largest_scale, 1. / 16, 4.),
    param("bin-size", "Bin size", "Side of a descriptor's spatial bin in pixels of the scaled picture",
          &SiftParams::bin_size, 1, 32),
    param("step", "Step", "Distance from one descriptor to the next in pixels of the scaled picture",
          &SiftParams::step, 1, 64),
    param("contrast-threshold", "Contrast threshold",
          "Contrast below which descriptors are all zero (mean gradient modulus, of a luma of 0..1). With 0"
          " rounding errors decide the descriptors of flat areas",
          &SiftParams::contrast_threshold, 0., 1.),
};

// One scale that holds descriptors.
struct ScaleLayout {
  int width = 0, height = 0; // of its picture
  int columns = 0, rows = 0; // of descriptors
  std::int64_t first = 0;    // number of its first descriptor
  std::int64_t count() const { return std::int64_t{columns} * rows; }
  bool operator==(const ScaleLayout &) const = default;
};
struct Layout {
  std::vector<ScaleLayout> scales;
  int descriptors = 0; // of all scales: T
};
// Throws Error::bad_setting for a frame in which no scale has room for a descriptor (the text names the
// smallest frame), for one with more than max_descriptors, and for parameters outside their ranges.
inline constexpr int max_descriptors = 1 << 24;
Layout layout_for(int width, int height, const SiftParams &);
// Of the centre of descriptor number `index` (column or row) in a picture of `size` pixels.
inline float position(int index, int size, const SiftParams &p) {
  return static_cast<float>((index * p.step + 1.5 * p.bin_size + 0.5) / size - 0.5);
}
std::vector<float> positions_for(const Layout &, const SiftParams &); // T x 2: x, y
// G_k of the flat window.
double window_weight(int k, int bin_size);

// What vigil-train codebook fits.
struct Codebook {
  int projected = 0;                              // dimensions that the projection keeps, 1..128
  int components = 0;                             // N, 1..max_components
  std::vector<float> mean;                        // 128, of descriptors
  std::vector<float> projection;                  // projected x 128, row by row
  std::vector<float> priors;                      // N
  std::vector<float> means;                       // N x M
  std::vector<float> variances;                   // N x M
  int dimension() const { return projected + 2; } // M
  int vector_length() const { return 2 * components * dimension(); } // 2 M N
};
inline constexpr int max_components = 4096;
// Throws Error::bad_data when sizes disagree, a value is not finite, a variance or a prior is out of range.
// After it a backend can trust the codebook.
void validate(const Codebook &);

// Linear classifiers over vectors, one versus the rest, with the scores at which events begin and end.
struct Classifier {
  std::vector<std::string> classes; // names
  std::vector<float> weights;       // classes x vector length
  std::vector<float> bias;          // classes
  std::vector<float> begin,
      end;          // classes: an event begins at score >= begin and ends at score < end; end <= begin
  int baseline = 0; // the scores are meant less the lower quartile of so many before them; see smoothing.h
  int count() const { return static_cast<int>(classes.size()); }
};
inline constexpr int max_classes = 4096, max_baseline = 1 << 20;
void validate(const Classifier &, const Codebook &); // as above; no class is fine

// Pictures of one size and format that go through together.
struct Pictures {
  ConstImage first;
  std::ptrdiff_t apart = 0; // bytes from a picture's plane 0 to the next one's
  int count = 1;
  const float *weights = nullptr; // a_i, count x T, finite and not below 0; null: each is 1
  ConstImage picture(int i) const {
    ConstImage p = first;
    p.data[0] += apart * i;
    return p;
  }
};

// Dense SIFT of pictures of one size. All memory is taken at construction.
class Extractor {
 public:
  virtual ~Extractor() = default;
  const Layout &layout() const { return layout_; }
  const SiftParams &params() const { return params_; }
  int width() const { return width_; }
  int height() const { return height_; }
  int pictures() const { return pictures_; } // that it may take together
  // The positions of the descriptors, T x 2 floats, in the device's memory.
  virtual const float *positions() const = 0;
  // Writes T x 128 floats to `descriptors`, in the device's memory (aligned to 16 bytes). Any pixel format,
  // strides and addresses. Throws Error::bad_setting for a frame of another size.
  virtual void extract(const ConstImage &frame, float *descriptors, Queue &) = 0;

 protected:
  Extractor(int width, int height, const SiftParams &p, int pictures = 1); // throws Error::bad_setting
  void check_frame(const ConstImage &) const; // what every backend does before it starts

 private:
  int width_, height_, pictures_;
  SiftParams params_;
  Layout layout_;
};
inline constexpr int max_pictures = 64; // of an extractor

// Projection, encoding and scores of up to `capacity` descriptors. All memory is taken at construction.
class Encoder {
 public:
  virtual ~Encoder() = default;
  int dimension() const { return dimension_; }   // M
  int components() const { return components_; } // N
  int vector_length() const { return 2 * dimension_ * components_; }
  int classes() const { return classes_; }
  int capacity() const { return capacity_; }
  // `descriptors` is count x 128, `positions` count x 2, `vector` vector_length() and `scores` classes()
  // floats, all in the device's memory, aligned to 16 bytes. `scores` may be null: none are computed. No
  // descriptor gives a vector of zeros. Throws Error::bad_setting when count is below 0 or above the
  // capacity.
  virtual void encode(const float *descriptors, const float *positions, int count, float *vector,
                      float *scores, Queue &) = 0;
  // The same for the descriptors of a frame, which need not be kept; the extractor must be of the same
  // device.
  virtual void encode_frame(Extractor &, const ConstImage &frame, float *vector, float *scores, Queue &) = 0;
  // The vectors of pictures, one behind the other, as encode_frame() makes them, with the same bits where
  // weights are null or all 1. On a GPU as many go through each kernel in one launch as the extractor may
  // take and the encoder's capacity has room for, each with whole tiles of 64 descriptors. `weights` are in
  // the device's memory.
  virtual void encode_pictures(Extractor &, const Pictures &, float *vectors, Queue &) = 0;

 protected:
  Encoder(const Codebook &, const Classifier &, int capacity); // validates them
  void check_count(int count) const;
  // Throws Error::bad_setting: they are not the extractor's, or their descriptors are more than the capacity.
  void check_pictures(const Extractor &, const Pictures &) const;

 private:
  int dimension_, components_, classes_, capacity_;
};

// The device must outlive what is made for it. References work on host memory, by naive loops in double
// precision.
std::unique_ptr<Extractor> make_reference(int width, int height, const SiftParams &);
std::unique_ptr<Extractor> make_cpu(Device &, int width, int height, const SiftParams &);
std::unique_ptr<Extractor> make_cuda(Device &, int width, int height, const SiftParams &,
                                     int pictures = 1); // no_device without CUDA
std::unique_ptr<Extractor> make(Device &, int width, int height, const SiftParams &, int pictures = 1);
std::unique_ptr<Encoder> make_reference(const Codebook &, const Classifier &, int capacity);
std::unique_ptr<Encoder> make_cpu(Device &, const Codebook &, const Classifier &, int capacity);
std::unique_ptr<Encoder> make_cuda(Device &, const Codebook &, const Classifier &, int capacity);
std::unique_ptr<Encoder> make(Device &, const Codebook &, const Classifier &, int capacity);
// The reference's luma, resized: width x height values, row by row.
std::vector<double> reference_resized(const ConstImage &frame, int width, int height);

} // namespace vigil::fisher
