// SPDX-License-Identifier: LGPL-2.1-or-later
// Exposure on the CPU. The estimate works on a few thousand samples, gathered once; frames are mapped by
// vectors of bytes in all threads, and only when there is something to undo.
#include "common/cpu/device.h"
#include "common/device_cast.h"
#include "kernels/exposure/cpu_map.h"
#include "kernels/exposure/estimate.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace vigil::exposure {
namespace {

class CpuExposure final : public Exposure {
 public:
  explicit CpuExposure(CpuDevice &device) : device_(device) {}

  ConstImage apply(const ConstImage &frame, const Shifted &shifted, int channels, const Image &out,
                   Queue &) override {
    check(frame, shifted.picture, channels, out);
    const ConstImage background = shifted.seen();
    estimate(frame, background, channels);
    if (host_copy()) *host_copy() = lines_;
    Table table[3];
    bool nothing = true;
    for (int c = 0; c < channels; c++) {
      table[c] = table_for(lines_.channel[c]);
      nothing &= table[c].is_identity();
    }
    if (nothing) return frame;
    if (is_yuv(frame.format))
      map_yuv(frame, background, channels, out, table);
    else
      map_plane(frame, background, channels, out, table);
    return out;
  }
  const Lines *lines() const override { return &lines_; }
  void set(const Lines &l, Queue &) override { lines_ = l; }

 private:
  void estimate(const ConstImage &frame, const ConstImage &background, int channels) {
    const bool yuv = is_yuv(frame.format);
    const auto clipped = [&](int x, int y) {
      return perhaps_clipped(yuv_at(frame, channels, x, y), colours()) ||
             perhaps_clipped(yuv_at(background, channels, x, y), colours());
    };
    for (Samples &s : samples_) s.clear();
    const int step = step_for(frame.width, frame.height);
    for (int y = step / 2; y < frame.height; y += step)
      for (int x = step / 2; x < frame.width; x += step) {
        const bool lost = yuv && clipped(x, y);
        for (int c = 0; c < channels; c++)
          samples_[c].add(sample(background, channels, c, x, y), sample(frame, channels, c, x, y), lost);
      }
    for (int c = 0; c < channels; c++) update(lines_, c, samples_[c], yuv);
  }

  // Rows that a thread takes at least, of so many bytes each.
  static int rows_at_once(std::size_t bytes) {
    constexpr int worthwhile = 1 << 16; // bytes
    return std::max(worthwhile / static_cast<int>(bytes), 1);
  }

  void map_plane(const ConstImage &frame, const ConstImage &background, int channels, const Image &out,
                 const Table (&table)[3]) {
    Group g;
    for (int k = 0; k < 4; k++) {
      const int c = channel_of(frame.format, channels, 0, k);
      g.table[k] = c < 0 ? Table{} : table[c];
      g.clips[k] = c >= 0 && !g.table[k].is_identity() && may_clip(frame.format, channels);
    }
    const auto bytes = static_cast<std::size_t>(row_bytes(frame.format, 0, frame.width));
    const auto from = frame.plane(0), back = background.plane(0);
    const auto to = out.plane(0);
    device_.parallel(frame.height, rows_at_once(bytes), [&](int first, int last) {
      for (int y = first; y < last; y++) map_row(from.row(y), back.row(y), to.row(y), bytes, g);
    });
  }

  void map_yuv(const ConstImage &frame, const ConstImage &background, int channels, const Image &out,
               const Table (&table)[3]) {
    const bool planes = frame.format == PixelFormat::i420;
    const auto row = [&](const auto &p, int y, bool with_chroma) {
      using Byte = std::remove_reference_t<decltype(*p.data[0])>;
      return YuvRow<Byte>{p.plane(0).row(y), with_chroma ? p.plane(1).row(y / 2) : nullptr,
                          with_chroma && planes ? p.plane(2).row(y / 2) : nullptr};
    };
    const bool whole = channels == 3;
    device_.parallel(frame.height, rows_at_once(static_cast<std::size_t>(frame.width)),
                     [&](int first, int last) {
                       for (int y = first; y < last; y++)
                         map_yuv_row(row(frame, y, whole), row(background, y, whole),
                                     row(out, y, whole && y % 2 == 0), frame.width, table, colours());
                     });
    for (int i = 1; !whole && i < plane_count(frame.format); i++)
      for (int y = 0; y < plane_rows(i, frame.height); y++)
        std::memcpy(out.plane(i).row(y), frame.plane(i).row(y),
                    static_cast<std::size_t>(row_bytes(frame.format, i, frame.width)));
  }

  CpuDevice &device_;
  Lines lines_;
  Samples samples_[3];
};

} // namespace

std::unique_ptr<Exposure> make_cpu(Device &device) {
  return std::make_unique<CpuExposure>(device_cast<CpuDevice>(device));
}

} // namespace vigil::exposure
