// SPDX-License-Identifier: LGPL-2.1-or-later
// Masks as metadata of the frames that they are about. The mask is a picture in system memory, GRAY8, of the
// frame's size, with a GstVideoMeta:
//   0              background
//   255            foreground
//   shadow_value   shadow, where that is neither 0 nor 255
// From GStreamer 1.26 on it is a GstAnalyticsSegmentationMtd, whose regions are these classes (semantic
// segmentation). A GstAnalyticsClsMtd that is related to it names them, in the same order, with confidence -1
// (not known). Otherwise it is a GstCustomMeta (gst/compat.h).
//
// For each frame: fetch() submits the copy to the host, or the caller does so into labels(); take() makes the
// picture once the queue got there, attach() puts it on the frame.
#pragma once

#include "gst/memory/frame_mapping.h"
#include "gst/video/gst_ptr.h"

#include <cstddef>
#include <cstdint>
#include <gst/video/video.h>

namespace vigil::gst {

class MaskCopies {
 public:
  // The memory of one frame; used again and again, and made when it is first needed.
  class Frame {
    friend class MaskCopies;
    HostBuffer host_; // where the mask is in other memory, or is not a byte a pixel
    enum class Holds { nothing, bytes, labels } holds_ = Holds::nothing;
    BufferPtr copy_;
  };

  MaskCopies(Device &, int width, int height); // the device must outlive it
  ~MaskCopies();
  MaskCopies(const MaskCopies &) = delete;
  MaskCopies &operator=(const MaskCopies &) = delete;

  // All three throw Error::no_memory.
  // `mask` is on the device; it may change again behind what was submitted.
  void fetch(Plane<const std::uint8_t> mask, Frame &, Queue &);
  // Memory of the host for a mask that is packed (common/packed_mask.h), words_of(width) * height
  // words, which the caller fills, or has the queue fill.
  std::uint32_t *labels(Frame &);
  // The bytes that came to the host, where that is other memory.
  std::uint64_t take(Frame &);
  // The buffer must be writable. Does nothing when take() was not called.
  static void attach(GstBuffer *, Frame &, int shadow_value);

 private:
  std::size_t bytes() const { return static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_); }
  std::size_t label_bytes() const;
  template <class Fill>
  BufferPtr picture(const Fill &);
  Device &device_;
  int width_, height_;
  ObjectPtr<GstBufferPool> pool_;
};

// The mask that a frame carries, as any element attached it; mapped until the end of its block.
class AttachedMask {
 public:
  explicit AttachedMask(GstBuffer *frame);
  ~AttachedMask();
  AttachedMask(const AttachedMask &) = delete;
  AttachedMask &operator=(const AttachedMask &) = delete;
  // Without data where there is none of this size.
  Plane<const std::uint8_t> of_size(int width, int height) const;

 private:
  BufferPtr buffer_;
  GstVideoFrame mapped_{};
  bool there_ = false;
};

} // namespace vigil::gst
