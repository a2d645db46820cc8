// SPDX-License-Identifier: LGPL-2.1-or-later
// Naive loops from the definitions in histogram.h.
#include "kernels/histogram/histogram.h"

#include <algorithm>
#include <cmath>

namespace vigil::histogram {
namespace {

// Where R, G and B stand in a pixel of four bytes.
std::array<int, 3> order_of(PixelFormat f) {
  if (f == PixelFormat::bgra) return {2, 1, 0};
  return {0, 1, 2};
}

// Sample i of a row, and its value in it.
int value_in(const std::uint8_t *row, int i, const Sample &s) {
  return (s.bytes == 2 ? row[2 * i] | row[2 * i + 1] << 8 : row[i]) >> s.shift & ((256 << s.more) - 1);
}
void put(std::uint8_t *row, int i, const Sample &s, int value) {
  value <<= s.shift;
  row[s.bytes * i] = static_cast<std::uint8_t>(value);
  if (s.bytes == 2) row[2 * i + 1] = static_cast<std::uint8_t>(value >> 8);
}

class Reference final : public Counter {
 public:
  void count(ConstImage image, Queue &) override {
    check_picture(image);
    counts_ = {};
    const bool coloured = channel_count(image.format) == 3;
    const auto order = order_of(image.format);
    const Sample sample = sample_of(image.format);
    for (int y = 0; y < image.height; y++)
      for (int x = 0; x < image.width; x++) {
        const std::uint8_t *row = image.data[0] + y * image.stride[0];
        if (!coloured) {
          const auto level = std::size_t(value_in(row, x, sample) >> sample.more);
          counts_.channel[0][level]++;
          counts_.intensity[level]++;
          continue;
        }
        double rgb[3];
        for (int c = 0; c < 3; c++) {
          const int value = value_in(row, 4 * x + order[c], sample);
          counts_.channel[c][std::size_t(value >> sample.more)]++;
          rgb[c] = value;
        }
        // whole numbers until the division, so that a half is a half
        const double intensity = (30 * rgb[0] + 59 * rgb[1] + 11 * rgb[2]) / 100;
        counts_.intensity[static_cast<std::size_t>(std::floor(intensity + 0.5)) >> sample.more]++;
      }
  }
  void fetch(Counts *counts, Queue &) override { *counts = counts_; }

  void draw(Image image, const Panel &p, Queue &) override {
    check_panel(image, p);
    const bool coloured = channel_count(image.format) == 3;
    const auto order = order_of(image.format);
    const Sample sample = sample_of(image.format);
    const std::uint64_t most = largest(coloured ? 3 : 1, p.bins);
    const auto height = [&](const Bins &all, int i) {
      const std::uint64_t n = in_bins(all, p.bins)[std::size_t(i) * p.bins / p.width];
      return most ? static_cast<int>(p.height * std::min(n, most) / most) : 0;
    };
    for (int i = 0; i < p.width; i++) {
      const int line = height(counts_.intensity, i);
      for (int c = 0; c < (coloured ? 3 : 1); c++) {
        const int curve = height(counts_.channel[c], i);
        for (int j = 0; j < p.height; j++) {
          const int row = p.height - j;
          std::uint8_t *all = image.data[0] + (p.y + j) * image.stride[0];
          const int at = coloured ? 4 * (p.x + i) + order[c] : p.x + i;
          int value = value_in(all, at, sample) / 4;
          if (row <= curve) value += 176 << sample.more;
          if (coloured && row <= line && row > line - p.line) value = (256 << sample.more) - 1;
          put(all, at, sample, value);
        }
      }
    }
    clear_chroma(image, p);
  }

 private:
  std::uint64_t largest(int channels, int wanted) const {
    std::uint64_t inside = 0, all = 0;
    for (int c = 0; c < channels; c++) {
      const auto counts = in_bins(counts_.channel[c], wanted);
      for (int k = 0; k < wanted; k++) {
        all = std::max<std::uint64_t>(all, counts[k]);
        if (k > 0 && k < wanted - 1) inside = std::max<std::uint64_t>(inside, counts[k]);
      }
    }
    return inside ? inside : all;
  }
  static void clear_chroma(const Image &image, const Panel &p) {
    for (int plane = 1; plane < plane_count(image.format); plane++)
      for (int y = p.y; y < p.y + p.height; y++)
        for (int x = p.x; x < p.x + p.width; x++) {
          std::uint8_t *row = image.data[plane] + y / 2 * image.stride[plane];
          const Sample sample = sample_of(image.format);
          const int samples = plane_count(image.format) == 2 ? 2 : 1; // side by side
          for (int k = 0; k < samples; k++) put(row, x / 2 * samples + k, sample, 128 << sample.more);
        }
  }
  Counts counts_;
};

} // namespace

std::unique_ptr<Counter> make_reference() {
  return std::make_unique<Reference>();
}

} // namespace vigil::histogram
