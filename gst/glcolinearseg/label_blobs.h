// SPDX-License-Identifier: LGPL-2.1-or-later
// The blobs of a mask that was read back from OpenGL, found by the processor on the calling thread.
// OpenGL has no backend of kernels/blobs: what it reads back is a bit a pixel.
#pragma once

#include "common/packed_mask.h"
#include "gst/metadata/mask_blobs.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace vigil::gst::glcolinearseg {

class LabelBlobs {
 public:
  explicit LabelBlobs(const colinearseg::Config &c)
      : width_(c.width), height_(c.height), processor_(open_cpu(1)), queue_(processor_->make_queue()),
        mask_(std::size_t(c.width) * c.height), blobs_(*processor_, c.width, c.height),
        frame_(*processor_, blobs_) {}

  // `labels` as in common/packed_mask.h. The boxes have no colours, since the frame stays on the GPU.
  MaskBlobs::Result find(std::span<const std::uint32_t> labels, int min_area) {
    const Plane<std::uint8_t> mask{mask_.data(), width_, height_, width_};
    unpack_mask(labels, mask);
    blobs_.measure(mask, {}, {min_area, false}, frame_, *queue_);
    return blobs_.find(frame_, {});
  }

 private:
  int width_, height_;
  std::unique_ptr<Device> processor_;
  std::unique_ptr<Queue> queue_;
  std::vector<std::uint8_t> mask_;
  MaskBlobs blobs_;
  MaskBlobs::Frame frame_;
};

} // namespace vigil::gst::glcolinearseg
