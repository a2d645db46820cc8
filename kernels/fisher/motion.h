// SPDX-License-Identifier: LGPL-2.1-or-later
// How pictures change: the difference picture of a frame and the one `lag` frames before it. Dense SIFT
// (fisher.h) is taken of it as of any picture, so that what moves, and how far it gets in `lag` frames,
// becomes descriptors.
//
//   D_t(x, y) = clamp(128 + Y_t(x, y) - Y_t-lag(x, y), 0, 255)
//
// of 8 bits, with Y = the Y plane of gray8, nv12 and i420, and (77 R + 150 G + 29 B + 128) >> 8 of rgba and
// bgra (ITU-R BT.601 in 256ths). It is 128 everywhere while frame t - lag was not seen: then nothing
// moves, and every descriptor is zero. Only frames that came before count.
//
// Backends: the CPU and CUDA, with the same bits.
#pragma once

#include "common/device.h"
#include "common/plane.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace vigil::fisher {

inline constexpr int max_lag = 250; // that many pictures are kept on the device

constexpr std::uint8_t motion_luma(int red, int green, int blue) {
  return static_cast<std::uint8_t>((77 * red + 150 * green + 29 * blue + 128) >> 8);
}
constexpr std::uint8_t motion_difference(int now, int before) {
  const int d = 128 + now - before;
  return static_cast<std::uint8_t>(d < 0 ? 0 : d > 255 ? 255 : d);
}

// Difference pictures of frames of one size. All memory is taken at construction.
class Difference {
 public:
  virtual ~Difference() = default;
  int lag() const { return lag_; }
  int width() const { return width_; }
  int height() const { return height_; }

  // Frames have rising numbers; those in between that are not shown are taken as not seen. `remember` keeps
  // one for the frame `lag` later; `step` gives its difference picture too, gray8 in the device's memory,
  // which holds until the next step's work in the queue. Throw Error::bad_setting for a frame of another size
  // or of 16 bits.
  void remember(const ConstImage &frame, std::uint64_t number, Queue &);
  ConstImage step(const ConstImage &frame, std::uint64_t number, Queue &);
  // No frame was seen: time jumped.
  void forget() { seen_.assign(seen_.size(), std::nullopt); }

 protected:
  // Throws Error::bad_setting for an impossible lag or size.
  Difference(Device &, int width, int height, int lag);
  // Keeps the frame's Y as `kept`. Before that, where `difference` is not null, writes there the difference
  // from the picture that is kept, or 128 where that is not `known`. Both pictures are without padding.
  virtual void work(const ConstImage &frame, std::uint8_t *kept, bool known, std::uint8_t *difference,
                    Queue &) = 0;

 private:
  void take(const ConstImage &, std::uint64_t number, std::uint8_t *difference, Queue &);
  int width_, height_, lag_;
  std::size_t picture_;                            // bytes
  std::vector<std::optional<std::uint64_t>> seen_; // number of the frame in each slot
  DeviceBuffer memory_;                            // the difference picture, then the slots' pictures
};

// The device must outlive what is made.
std::unique_ptr<Difference> make_cpu_difference(Device &, int width, int height, int lag);
// Throws Error::no_device in a build without CUDA.
std::unique_ptr<Difference> make_cuda_difference(Device &, int width, int height, int lag);
std::unique_ptr<Difference> make_difference(Device &, int width, int height, int lag);
// The formula above, pixel by pixel; `before` is null where the earlier frame was not seen. Row by row.
std::vector<std::uint8_t> reference_difference(const ConstImage &now, const ConstImage *before);

} // namespace vigil::fisher
