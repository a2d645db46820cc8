// SPDX-License-Identifier: LGPL-2.1-or-later
// The blobs of a mask in a device's memory, for elements that report boxes: connected components
// (kernels/blobs).
//
// For each frame: measure() submits the work, and find(), once the queue got there, gives the boxes. Knows
// no GStreamer.
#pragma once

#include "common/host_buffer.h"
#include "gst/metadata/box.h"
#include "kernels/blobs/blobs.h"
#include "kernels/cell_grid/cell_grid.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace vigil::gst {

enum class BlobMode { exact, cells }; // of the deprecated property blobs (blob_mode.h), without effect

class MaskBlobs {
 public:
  MaskBlobs(Device &, int width, int height); // the device must outlive it

  // The memory of one frame; used again and again.
  class Frame {
   public:
    Frame(Device &, const MaskBlobs &);

   private:
    friend class MaskBlobs;
    DeviceBuffer cells_;    // a byte for each cell of the grid that says whether a blob is in it
    HostBuffer host_cells_; // the same
    blobs::Results results_;
    bool marks_ = false;
    int colours_ = 0; // channels that were summed
    std::uint32_t min_area_ = 1;
  };

  struct Wanted {
    int min_area = 1;
    bool marks = false; // find() says which cells blobs are in
  };
  // `picture`: null, or the frame in the device's memory, for the mean colours of blobs.
  void measure(Plane<const std::uint8_t> mask, const ConstImage &picture, const Wanted &, Frame &, Queue &);

  struct Result {
    std::vector<BlobBox> boxes;   // largest first
    std::uint64_t area = 0;       // of all of them
    std::uint64_t foreground = 0; // pixels, in blobs or not
    std::uint64_t shadow = 0;     // pixels
    std::uint64_t bytes = 0;      // that came to the host, where that is other memory
  };
  // `marks`: empty, or grid().cells() bytes; where they were wanted, 1 for the cells that a blob is in and 0
  // elsewhere.
  Result find(Frame &, std::span<std::uint8_t> marks);
  const cell_grid::Grid &grid() const { return grid_; }

 private:
  cell_grid::Grid grid_;
  blobs::Config config_;
  std::unique_ptr<blobs::Finder> finder_;
};

// A box with what is known of a blob. `channels` of its colours were summed, 0..3.
BlobBox box_of(const blobs::Blob &, int channels);

} // namespace vigil::gst
