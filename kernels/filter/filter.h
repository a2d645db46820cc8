// SPDX-License-Identifier: LGPL-2.1-or-later
// Chains of simple filters, fused: the contract.
//
// A chain is a text such as "gaussian sigma=2 ! grayscale ! sharpen amount=0.5". Its stages run one after
// another, each on the whole picture that the one before has stored. What a stage stores is a whole number
// from 0 to M a channel, M = 255 in formats of 8 bits and 65535 in those of 16:
//
//   q(x) = the whole number floor(x + 1/2), but 0 below 0 and M above M
//
// so the result does not depend on how the stages are grouped into kernels: every backend gives the bytes of
// the stages run one by one. Alpha (the fourth channel) is copied. Outside the picture a stage reads the
// nearest pixel of what the stage before stored. v is a channel's value, R G B the three of a pixel; others
// are parameters, 1 meaning full scale.
//
// Point stages, each channel by itself:
//   brightness  q(v + M amount)                       contrast   q(M/2 + amount (v - M/2))
//   gamma       q(M (v/M)^(1/value))                  invert     M - v
//   threshold   M where v >= M level, else 0          posterize  q(M/(n-1) floor(v n / (M+1))), n = levels
//   levels      q(M (out-black + (out-white - out-black) t^(1/gamma))), t = (v/M - black) / (white -
//               black) within 0..1
// Point stages that mix channels, each q(sum of m_ck v_k + o_c) with m rounded to 1/65536 (as o is with 8
// bits; with 16 bits every offset in these formulas is rounded to 1/256 of a level):
//   grayscale   all three 0.299 R + 0.587 G + 0.114 B (ITU-R BT.601; the thesis' listing 7.1 takes (R + G +
//               B) / 3): y
//   saturation  y + amount (v - y)
//   sepia       (1 - amount) v + amount s, s = (0.393 0.769 0.189; 0.349 0.686 0.168; 0.272 0.534 0.131) (R G
//               B)
//   matrix      any m (rr rg rb gr gg gb br bg bb) and o (ro go bo, of full scale)
// Stencil stages, each channel by itself:
//   gaussian    q(sum w_i w_j v_ij / 4096^2), i and j from -r to r = ceil(3 sigma); w_i is 4096 exp(-i^2 / (2
//               sigma^2)) / sum, rounded, w_0 what is left to 4096
//   box         q(mean of the (2 radius + 1)^2 values around)
//   median      the middle one of the 3x3 values
//   sobel       q(amount m), m = floor(|g| + 1/2), g = the gradient by the masks (-1 0 1; -2 0 2; -1 0 1) and
//               its transpose
//   sharpen, laplacian, emboss, convolve: q(sum k_ij v_ij / 4096 + o) over the 3x3 values, k rounded to whole
//   numbers:
//     sharpen   v + amount (v - b), b the mean with weights (1 2 1; 2 4 2; 1 2 1) / 16
//     laplacian q(|.|) of amount (0 1 0; 1 -4 1; 0 1 0)
//     emboss    v + amount (-2 -1 0; -1 0 1; 0 1 2)
//     convolve  any k (nw n ne w c e sw s se), applied as written (correlation), and o (offset, of full
//               scale)
// An amount of sharpen, laplacian, emboss or sobel counts in 1/256.
//   correlate   q(sum k_ij v_ij + M offset), k = matrix / divide of up to 15x15 weights, applied as
//               written. With S the sum of |k_ij| and 2^e the least power of two that is not below max(S +
//               |offset|, 1): one pass: k rounded to 1/2^(22-e)
//               two passes, where k is of rank one (its first singular value and vectors, by the singular
//               value decomposition, make all of it, except less than half a level of 255: 1/510 as the sum
//               of the remainder): k_ij = b_i a_j, the sum of |a_j| is 1; a rounded to 1/2^20, the sums
//               over j to 1/256, b to 1/2^(14-e); q of the sum over i of both
//   bilateral   (2 sum w v + W) / (2 W) rounded down, W = sum w, over the (2 r + 1)^2 values around, r =
//               ceil(2 spatial-sigma): w = floor(s_ij t_d / 1024), d the difference to the middle value, s_ij
//               and t_d being 4096 exp(-(i^2 + j^2) / (2 spatial-sigma^2)) and 4096 exp(-(d/M)^2 / (2
//               range-sigma^2)), rounded; with 16 bits d is rounded down to a multiple of 64
// Stages over time. m is what the stage keeps of each channel from the frames before, in 1/256 of a level: at
// first 256 v, which stores v; then with e = 256 v - m
//   recursive   m becomes m + floor((g e + 128) / 256) with g = 256 (1 - weight), rounded, and is stored as
//               floor((m + 128) / 256): a mean whose weights fall off into the past
//   denoise     the same, but g rises to 256, the frame as it is, where something moves: with D the mean,
//               rounded down, of |e| over all channels of the 3x3 pixels around, and t = 256 M motion,
//               rounded, g is what it is above up to D = t, 256 from D = 2 t on, and
//               g + floor((256 - g) (D - t) / t) between them
// A stage on a grid of blocks, each channel by itself:
//   deblock     the deblocking filter of ITU-T H.263, annex J, with S = strength M, rounded: across each edge
//               between blocks of `size` pixels (columns left + n size, rows top + n size), with A B before
//               and C D behind it, d = (A - 4 B + 4 C - D) / 8, e = sign(d) max(0, |d| - max(0, 2 (|d| -
//               S))), f = (A - D) / 4 but not beyond +-|e / 2|: A - f, B + e, C - e, D + f, within 0..M.
//               Divisions round towards 0. First along all rows, then along the columns of that; edges
//               without two pixels on both sides stay
// A stage that looks at the light of whole regions:
//   tonemap     local tone mapping by the bilateral filter's base layer (Durand and Dorsey 2002; thesis,
//               chapter 3), the base being sampled at the means of blocks. y is grayscale's value, v on grey
//               formats; l(y) = 1024 log2(1 + 255 y / M), rounded: 0..8192, in 1/1024 of an octave. L_b is
//               the mean of l, rounded down, over a block of S x S pixels, S = sigma, of what is inside the
//               picture; blocks begin in the upper left corner. The base of a pixel is
//                 B = floor((sum w L_b + 16 l + floor(W / 2)) / W), W = sum w + 16,
//               over the 5x5 blocks around its own (outside the nearest block's L_b counts), with
//                 w = floor(floor(g(dx) g(dy) / 4096) t / 1024), dx and dy from the pixel's middle to the
//                     block's, as if it were whole,
//                 g(d) = 4096 max(0, (G(d) - G(2.5 S)) / (1 - G(2.5 S))), rounded, with
//                     G(d) = exp(-d^2 / (2 S^2)): 0 where blocks come into reach, so that B has no
//                     steps there,
//                 t = 4096 exp(-(l - L_b)^2 / (2 (1024 range)^2)), rounded.
//               Each channel becomes min(M, floor(v 2^(e/1024) + 1/2)), with 2^(e/1024) rounded to 1/65536
//               and e = floor((c (l(M anchor) - B) + d (l - B)) / 256), within -4096..4096 (4 octaves);
//               c = 256 compression, d = 256 (detail - 1), rounded. So the base comes nearer to the anchor,
//               and what is finer than it keeps its contrast
// A stage of the user's own:
//   user        what the function of an OpenCL C file makes of each pixel, see user.h
// Every stage takes repeat=N as well: it is then N stages, one behind the other (thesis, chapter 5).
//
// Formats: rgba, bgra, rgba64, gray8, gray16, p010. On grey ones R = G = B = v, so grayscale and saturation
// change nothing; sepia and matrix, whose result has colour, are refused.
//
// p010 is worked on as rgba64, which is made of it before the chain and made p010 again behind it. Y, U and V
// are the 10 bits of samples, U and V those of the pixel's 2x2; b, s and t are 64, 876 and 896, or with full
// range 0, 1023 and 1023; K_g = 1 - K_r - K_b. With the factors of Y - b, U - 512 and V - 512 rounded to
// 1/8192,
//   R = q(65535 ((Y - b) / s + 2 (1 - K_r) (V - 512) / t))
//   G = q(65535 ((Y - b) / s - (2 K_b (1 - K_b) (U - 512) + 2 K_r (1 - K_r) (V - 512)) / (K_g t)))
//   B = q(65535 ((Y - b) / s + 2 (1 - K_b) (U - 512) / t))
// and back, with the factors rounded to 1/2^26 (that of G is what is left to s and to 0), and the result to
// 0..1023,
//   Y = b + s (K_r R + K_g G + K_b B) / 65535
//   U = 512 + t (B - y) / (2 (1 - K_b) 65535), y = K_r R + K_g G + K_b B; V the same with R and K_r;
//       both of the mean of the 2x2 pixels (outside of the picture the nearest counts)
// A chain without stages so gives the samples that it was given, except for colours outside of R G B's range.
// The six lowest bits of a sample are not read, and stored as 0. Source: ITU-R BT.601, BT.709, BT.2020.
#pragma once

#include "common/device.h"
#include "common/error.h"
#include "common/plane.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vigil::filter {

enum class Kind {
  table,    // point, each channel by itself: 256 results
  matrix,   // point, mixes the channels
  linear,   // 3x3 weights
  gradient, // sobel
  median,
  gaussian,
  box,
  weights, // correlate
  bilateral,
  temporal,
  deblock,
  tone,
  user, // what a file says
};
constexpr bool is_point(Kind k) {
  return k == Kind::table || k == Kind::matrix;
}
// Whether stages of this kind share kernels with their neighbours.
constexpr bool fuses(Kind k) {
  return k < Kind::temporal;
}

struct StageParam {
  const char *name;
  double value, min, max; // the default and the range
  const char *blurb;
  bool whole = false; // whole numbers only
};
struct StageType {
  const char *name;
  Kind kind;
  const char *blurb;
  bool needs_colour;
  std::vector<StageParam> params;
  bool takes_matrix = false; // as matrix=1,2,1;2,4,2;1,2,1
  bool takes_file = false;   // as kernel=FILE.cl, and must have one
};
std::span<const StageType> stage_types();

// Numbers row by row; both counts are odd and at most max_matrix.
struct Weights {
  int columns = 1, rows = 1;
  std::vector<double> values{1.};
};
inline constexpr int max_matrix = 15;
inline constexpr double max_weight_sum = 16; // of the absolute values, divided

struct Stage {
  const StageType *type;
  std::vector<double> values;   // one for each of type->params
  Weights matrix{};             // where type->takes_matrix
  std::string file{}, source{}; // where type->takes_file: the path; what load_kernels() has read from it
  double operator[](std::string_view param) const; // its value; there must be such a parameter
};
using Chain = std::vector<Stage>; // without stages: the picture as it is
inline constexpr int max_stages = 32;

// A chain that cannot be read. what() names all three.
class ChainError : public Error {
 public:
  ChainError(int column, std::string token, const std::string &reason);
  int column() const { return column_; }                // of the token, counted in characters from 1
  const std::string &token() const { return token_; }   // printable, shortened; empty at the end of the text
  const std::string &reason() const { return reason_; } // with what would be right

 private:
  int column_;
  std::string token_, reason_;
};

// stage [param=value ...] [repeat=N] [! stage ...]; blanks around every sign; numbers with a point, whatever
// the locale; a path ends at a blank or at !, unless it stands between quotes of either kind. A text of
// blanks is the chain without stages. Throws ChainError and nothing else.
Chain parse(std::string_view);
// The chain with all parameters; parse() gives the same chain again.
std::string to_text(const Chain &);
// Formats with colour have 4 channels, the others one.
constexpr bool is_colour(PixelFormat f) {
  return f != PixelFormat::gray8 && f != PixelFormat::gray16;
}
constexpr int full_scale(PixelFormat f) {
  return is_16_bit(f) ? 65535 : 255;
}
// Bytes from row to row of pictures between kernels: a multiple of 4, so that whole pixels are aligned.
constexpr int packed_stride(PixelFormat f, int width) {
  return (int(row_bytes(f, 0, width)) + 3) / 4 * 4;
}
// What stages work on where pictures have this format.
constexpr PixelFormat worked_on(PixelFormat f) {
  return f == PixelFormat::p010 ? PixelFormat::rgba64 : f;
}
// What Y, U and V of p010 mean; BT.709 and 16..235 (of 8 bits) if nothing else is said.
struct Coding {
  double kr = 0.2126, kb = 0.0722;
  bool full_range = false;
  bool operator==(const Coding &) const = default;
};
// Throws Error::bad_setting, naming the stage, when one of them cannot work on the format, which is
// worked_on() some format.
void check_format(const Chain &, PixelFormat);

class Filter {
 public:
  virtual ~Filter() = default;
  // Both pictures have the filter's format and one size, and do not overlap. Throws Error::bad_setting
  // otherwise.
  virtual void apply(ConstImage in, Image out, Queue &) = 0;
  // The next picture does not follow the one before: stages over time start over. They do so by themselves
  // when the size changes.
  virtual void forget() {}
};
// In host memory. Throws Error::bad_setting for stages of the user's, which only a device can do.
std::unique_ptr<Filter> make_reference(const Chain &, PixelFormat, const Coding & = {});
// What every backend does before it starts.
void check_pictures(const ConstImage &in, const Image &out, PixelFormat);

} // namespace vigil::filter
