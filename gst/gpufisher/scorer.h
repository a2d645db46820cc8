// SPDX-License-Identifier: LGPL-2.1-or-later
// The way of a frame through gpufisher:
//
//   submit()  the picture is made readable on the device (queue `upload`, where it comes from the host); descriptors, encoding
//             and scores run behind that (queue `compute`), and the results, a few bytes and the vector when it is wanted, are fetched behind those
//   next()    waits for the oldest frame under way
//
// Up to async-depth further frames are under way meanwhile. Frames come out in order, scored or not.
// Not for several threads at once: the element holds a lock around each call.
#pragma once

#include "common/device.h"
#include "gst/memory/slots.h"
#include "gst/observe/results.h"
#include "gst/video/buffer_ptr.h"
#include "kernels/fisher/model_file.h"

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace vigil::gst::gpufisher {

struct BytesUnref {
  void operator()(GBytes *b) const { g_bytes_unref(b); }
};

// A frame on its way out.
struct Finished {
  BufferPtr buffer;
  FrameTime time;
  bool scored = false;
  std::vector<float> scores;                  // classes; when it was scored
  std::unique_ptr<GBytes, BytesUnref> vector; // when it was wanted
};

struct Stats {
  std::uint64_t frames = 0, scored = 0;     // that came out
  double kernel_ms = 0, kernel_last_ms = 0; // of scored ones, by the device's clock
  ByteCounts pictures;
  std::uint64_t result_bytes = 0; // scores and vectors that were read back
  int descriptors = 0;            // of a frame
};

class Scorer {
 public:
  // The device must outlive it. `stats`: of a scorer that this one takes the place of.
  Scorer(Device &, std::shared_ptr<const fisher::Model>, const Stats &stats = {});
  ~Scorer();

  // What submit() will see from now on; no frame may be held. set_model() and set_format() throw Error::bad_setting when a
  // frame has no room for one of the model's descriptors, and change nothing then.
  void set_format(const FrameKind &);
  void set_model(std::shared_ptr<const fisher::Model>);

  bool has_format() const { return kind_.has_value(); }

  // There must be a format.
  void submit(BufferPtr, const FrameTime &, bool score, bool want_vector);
  // The oldest frame, when more than `allowed` are under way or it needs no waiting for.
  std::optional<Finished> next(std::size_t allowed);
  void discard() noexcept; // all frames that are held
  const Stats &stats() const { return stats_; }

 private:
  struct Frame;
  void build(std::shared_ptr<const fisher::Model>, const FrameKind &);
  Frame &take_frame();
  bool comes_from_host() const { return !kind_->cuda_memory && !kind_->gl_memory; }

  Device &device_;
  std::shared_ptr<const fisher::Model> model_;
  std::optional<FrameKind> kind_;
  std::unique_ptr<Queue> upload_, compute_;
  std::unique_ptr<fisher::Extractor> extractor_;
  std::unique_ptr<fisher::Encoder> encoder_;
  std::vector<std::unique_ptr<Frame>> frames_;
  std::vector<Frame *> free_;
  std::deque<Frame *> in_flight_;
  Stats stats_;
};

} // namespace vigil::gst::gpufisher
