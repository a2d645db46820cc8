// SPDX-License-Identifier: LGPL-2.1-or-later
// The formulas of exposure.h in double precision, as plainly as they can be said.
#include "kernels/exposure/samples.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace vigil::exposure {
namespace {

struct Pair {
  int b, y;
};
using Pairs = std::vector<Pair>;

template <class BinOf>
int median(const Pairs &pairs, BinOf bin_of) {
  std::array<int, bins> histogram{};
  for (const Pair &p : pairs) histogram[std::clamp(static_cast<int>(std::floor(bin_of(p))), 0, bins - 1)]++;
  return median_bin(histogram.data(), static_cast<int>(pairs.size()));
}

struct DoubleLine {
  double gain = 1, offset = 0, agreeing = 0;
};

DoubleLine line_of(const Pairs &pairs, bool chroma, double luma_gain) {
  DoubleLine l;
  double gain0 = luma_gain;
  if (!chroma) {
    gain0 = (median(pairs, [](const Pair &p) { return 64. * p.y / p.b; }) + 0.5) / 64;
  } else {
    const int shift = median(pairs, [&](const Pair &p) { return p.y - gain0 * (p.b - 128) + 0.5; });
    l.offset = shift - gain0 * 128;
  }
  l.gain = gain0;
  const auto distance = [&](const Pair &p) { return std::abs(p.y - l.gain * p.b - l.offset); };
  for (int round = 0; round < rounds; round++) {
    const double m = (median(pairs, [&](const Pair &p) { return 4 * distance(p); }) + 0.5) / 4;
    Sums s;
    for (const Pair &p : pairs) {
      if (distance(p) > std::max(6., 1.5 * m)) continue;
      s.n++;
      s.b += p.b;
      s.y += p.y;
      s.bb += p.b * p.b;
      s.by += p.b * p.y;
    }
    if (s.n == 0) break;
    const Fit<double> f = fit<double>(s, gain0, chroma ? hold_chroma<double> : hold_luma<double>);
    l.gain = f.gain;
    l.offset = f.offset;
  }
  int agreeing = 0;
  for (const Pair &p : pairs) agreeing += distance(p) <= 8 * std::max(1., l.gain);
  l.agreeing = pairs.empty() ? 0 : double(agreeing) / double(pairs.size());
  return l;
}

class Reference final : public Exposure {
 public:
  ConstImage apply(const ConstImage &frame, const Shifted &shifted, int channels, const Image &out,
                   Queue &) override {
    check(frame, shifted.picture, channels, out);
    const ConstImage background = shifted.seen();
    double luma_gain = 1;
    for (int c = 0; c < channels; c++) {
      const int step = step_for(frame.width, frame.height);
      Pairs pairs;
      std::size_t all = 0;
      for (int y = step / 2; y < frame.height; y += step)
        for (int x = step / 2; x < frame.width; x += step) {
          const Pair p{sample(background, channels, c, x, y), sample(frame, channels, c, x, y)};
          all++;
          const bool clipped =
              is_yuv(frame.format) && (perhaps_clipped(yuv_at(frame, channels, x, y), colours()) ||
                                       perhaps_clipped(yuv_at(background, channels, x, y), colours()));
          if (!clipped && usable(p.b, p.y)) pairs.push_back(p);
        }
      const bool chroma = is_yuv(frame.format) && c > 0;
      const DoubleLine l = line_of(pairs, chroma, luma_gain);
      Line &kept = lines_.channel[c];
      const Line before = kept;
      const bool enough = are_enough(int(pairs.size()), int(all), is_yuv(frame.format));
      if (enough && l.agreeing >= least_agreeing && l.gain >= 1. / max_gain && l.gain <= max_gain) {
        kept = {float(l.gain), float(l.offset), float(l.agreeing), 0, {}};
        if (c == 0) luma_gain = l.gain;
      } else {
        kept = {1 + (kept.gain - 1) * fading, kept.offset * fading, 0, 0, {}};
        if (c == 0) luma_gain = kept.gain;
      }
      std::uint32_t e = 0, e0 = 0;
      for (const Pair &p : pairs) {
        e += error_of(std::abs(p.y - double(kept.gain) * p.b - double(kept.offset)));
        e0 += error_of(std::abs(double(p.y - p.b)));
      }
      kept = settled(kept, before, e, e0, enough, chroma);
    }
    if (host_copy()) *host_copy() = lines_;
    for (int i = 0; i < plane_count(frame.format); i++)
      for (int y = 0; y < plane_rows(i, frame.height); y++)
        for (int k = 0; k < row_bytes(frame.format, i, frame.width); k++) {
          const int c = channel_of(frame.format, channels, i, k);
          const int v = frame.plane(i).row(y)[k];
          int result = v;
          if (c >= 0) {
            const Table t = table_for(lines_.channel[c]);
            if (!t.is_identity())
              result =
                  may_clip(frame.format, channels) ? corrected(t, v, background.plane(i).row(y)[k]) : t(v);
          }
          out.plane(i).row(y)[k] = static_cast<std::uint8_t>(result);
        }
    if (is_yuv(frame.format)) put_back(frame, background, channels, out);
    return out;
  }
  const Lines *lines() const override { return &lines_; }
  void set(const Lines &l, Queue &) override { lines_ = l; }

 private:
  // What was clipped in frames of Y, U and V; `out` is the mapped frame.
  void put_back(const ConstImage &frame, const ConstImage &background, int channels, const Image &out) {
    bool nothing = true;
    for (int c = 0; c < channels; c++) nothing &= table_for(lines_.channel[c]).is_identity();
    if (nothing) return;
    const ConstImage mapped = out;
    for (int y = frame.height - 1; y >= 0; y--) // a block's upper left pixel, which its chroma needs, is last
      for (int x = frame.width - 1; x >= 0; x--) {
        const Yuv v = restored(yuv_at(frame, channels, x, y), yuv_at(mapped, channels, x, y),
                               yuv_at(background, channels, x, y), colours());
        out.plane(0).row(y)[x] = static_cast<std::uint8_t>(v.y);
        if (channels == 1 || x % 2 || y % 2) continue;
        const bool pairs = frame.format == PixelFormat::nv12;
        (pairs ? out.plane(1).row(y / 2)[x] : out.plane(1).row(y / 2)[x / 2]) =
            static_cast<std::uint8_t>(v.c1);
        (pairs ? out.plane(1).row(y / 2)[x + 1] : out.plane(2).row(y / 2)[x / 2]) =
            static_cast<std::uint8_t>(v.c2);
      }
  }

  Lines lines_;
};

} // namespace

std::unique_ptr<Exposure> make_reference() {
  return std::make_unique<Reference>();
}

} // namespace vigil::exposure
