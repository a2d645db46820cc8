// SPDX-License-Identifier: LGPL-2.1-or-later
// What glcolinearseg does with frames, wherever it works: the life of its background, blobs, motion.
// DeviceProcessor and GlProcessor segment.
#pragma once

#include "gst/glcolinearseg/element.h"
#include "gst/metadata/mask_blobs.h"
#include "gst/metadata/mask_meta.h"
#include "gst/metadata/overlay.h"
#include "gst/transform/frame_processor.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace vigil::gst::glcolinearseg {

struct FrameBlobs {
  double changed_fraction = 0; // the reported blobs' share of the pixels
  std::vector<BlobBox> boxes;
};

class SegmentProcessor : public FrameProcessor {
 public:
  SegmentProcessor(Device &device, SegmentElement &element) : element_(element), device_(device) {}

  void set_format(const FrameKind &in, const FrameKind &out) override;
  Plan plan(const FrameTime &, PerFrameData *) override;
  void publish(BufferPtr &, const FrameTask &) override;
  std::unique_ptr<PortableState> export_state() override;
  void import_state(std::unique_ptr<PortableState>) override;

  // Nothing is known of the background of frames of this size.
  bool is_fresh() const;
  // The GPU was reset: nothing is left but rescue()'s.
  virtual bool lost() const { return false; }
  // What the work knows, or what is left of it.
  std::optional<colinearseg::State> rescue();
  // Of another work's, for the first frame if it fits.
  void set_state(std::optional<colinearseg::State> state) { known_ = std::move(state); }

 protected:
  // What belongs to one frame.
  struct Analysis : PerFrameData {
    Settings settings;
    Start start;
    FrameBlobs found;
    MaskCopies::Frame attached;
  };
  static Analysis &analysis_of(const FrameTask &task) { return static_cast<Analysis &>(*task.result); }

  // The segmenter, which is of the size that it was made for last.
  virtual void make(const colinearseg::Config &, const Settings &) = 0;
  virtual void unmake() = 0;
  virtual void learn(int frames) = 0;
  virtual void set_background(const Picture &, int learn_frames) = 0;
  virtual void load(const colinearseg::State &) = 0;
  virtual colinearseg::State save() const = 0;
  // A copy in host memory of a background that does not adapt; of the segmenter of a GPU that was reset.
  virtual std::optional<colinearseg::State> take_kept() { return {}; }

  // Makes the segmenter fit for this frame.
  void begin(Analysis &);
  FrameBlobs found_in(MaskBlobs::Result &&) const;
  // Where the mask of this frame is to be copied to, packed, because it is wanted as metadata; null: nowhere.
  std::uint32_t *wanted_labels(Analysis &);

  SegmentElement &element_;
  FrameKind in_, out_;
  colinearseg::Config config_;
  compose::Style style_;
  bool changes_frames_ = false; // their memory or their format
  std::unique_ptr<MaskCopies> masks_;
  std::uint64_t mask_bytes_ = 0; // that came to the host for metadata

 private:
  struct PortableModel;
  Device &device_;
  std::optional<colinearseg::Config> made_; // what the segmenter was made for
  std::optional<colinearseg::State> known_; // until there is one
};

colinearseg::Show show_for(Output);

std::unique_ptr<SegmentProcessor> make_device_work(Device &, SegmentElement &); // CUDA, CPU
std::unique_ptr<SegmentProcessor> make_gl_work(Device &,
                                               SegmentElement &); // throws no_device in builds without OpenGL

} // namespace vigil::gst::glcolinearseg
