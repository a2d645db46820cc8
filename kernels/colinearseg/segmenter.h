// SPDX-License-Identifier: LGPL-2.1-or-later
// Segmentation of frames in the linear memory of a device: the backends CUDA and CPU. Work is submitted to
// queues of the device; a caller that uses several of them orders them.
#pragma once

#include "common/device.h"
#include "kernels/colinearseg/colinearseg.h"
#include "kernels/compose/compose.h"

#include <memory>
#include <span>

namespace vigil::colinearseg {

// Which shaders do the work in OpenGL (gl.h); here for builds without OpenGL as well.
enum class Path { automatic, compute, fragment };
const char *name_of(Path);

class Segmenter {
 public:
  virtual ~Segmenter() = default;
  virtual const Config &config() const = 0;
  virtual const Progress &progress() const = 0;

  virtual void learn(int learn_frames) = 0; // starts over
  // A given background: rgba or bgra in host memory, of the config's size.
  virtual void set_background(ConstImage, int learn_frames) = 0;
  // `frame` is rgba of the config's size in the device's memory; on a GPU its rows are at multiples of 4
  // bytes, and of 16 is fastest. While the noise is measured the queue is waited for: that takes some frames
  // in the beginning.
  virtual void segment(ConstImage frame, const Params &, Queue &) = 0;
  // Bytes that went from the device to the host to measure the noise, since the beginning.
  virtual std::uint64_t bytes_read() const = 0;

  // Of the mask that segment() made last. Pictures are rgba of the config's size and not the frame itself, in
  // the device's memory. An overlay's boxes, which may be known later, are outline()'s.
  virtual void draw(Show, ConstImage frame, const compose::Style &, Image target, Queue &) = 0;
  virtual void outline(std::span<const compose::DrawnBox>, const compose::Style &, Image target, Queue &) = 0;
  // The mask with a byte a pixel, 0 or 255, in the device's memory, rows at multiples of 16 bytes. It holds
  // for what is submitted to this queue before the next call of segment() or mask().
  virtual Plane<const std::uint8_t> mask(Queue &) = 0;
  // Submits a copy of its labels, packed (packed.h), to memory of the host: words_of(width) * height words.
  virtual void fetch_labels(std::uint32_t *to, Queue &) = 0;

  // Both wait for all that was submitted.
  virtual State save() const = 0;
  virtual void load(const State &) = 0; // throws Error::bad_data when it does not fit
};
// Learns its background from the first frames, like Reference. The device must outlive the segmenter. Throws
// Error::bad_setting when the size or the number is out of range, no_device when built without CUDA.
std::unique_ptr<Segmenter> make_cuda(Device &, const Config &, int learn_frames);
std::unique_ptr<Segmenter> make_cpu(Device &, const Config &, int learn_frames);
std::unique_ptr<Segmenter> make(Device &, const Config &, int learn_frames);

} // namespace vigil::colinearseg
