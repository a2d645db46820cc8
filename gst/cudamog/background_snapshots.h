// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures of the background in the lights that there were before. A light that is switched makes the model
// learn the scene again, and with it people who stand still. Where the light is one that was known, its
// picture says at once what is background.
#pragma once

#include "gst/cudamog/device_picture.h"
#include "kernels/exposure/exposure.h"
#include "kernels/mog/state_file.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace vigil::gst::cudamog {

class BackgroundSnapshots {
 public:
  static constexpr std::size_t most = mog::most_pictures; // the oldest goes first
  static constexpr std::uint64_t settled_after =
      60; // frames that a model learnt since it began or a light changed

  explicit BackgroundSnapshots(Device &device) : device_(device) {}
  // Forgets all pictures.
  void set_format(PixelFormat, int width, int height, const exposure::Colours &);
  // How far the line may move a sample at exposure.h's anchors, in grey levels: what exposure undoes after a
  // recall, or what the model bears without it. More than that is another light.
  static constexpr float most_undone = 80.f, most_borne = 10.f;
  // A light was switched off or on just now. Keeps what the model has as background, unless the model has not
  // settled.
  void keep(mog::Model &, Queue &);
  // Looks for the kept picture that explains `frame` best, and makes the model start from it.
  //
  // exposure.h finds a line from each kept picture to the frame in every channel. A picture explains the
  // frame when these lines count there and none moves a sample by more than `most_moved` grey levels. Of
  // several pictures the one with the greatest share of agreeing samples (Line::agreeing, the least of its
  // channels) is taken. It is kept no longer; keep() is called for what the model had until then.
  //
  // Returns false, and leaves the model as it is, when no picture explains the frame. Waits for the device,
  // so call it only for frames in which most has changed.
  bool recall(const ConstImage &frame, float most_moved, mog::Model &, const mog::Params &, Queue &);
  // The model knows this picture and nothing else from now on, in the order of the queue; it has learnt as
  // many frames as before. `mask` is scratch memory.
  void start_from(const ConstImage &background, const Plane<std::uint8_t> &mask, mog::Model &,
                  const mog::Params &, Queue &);
  // The model was made again.
  void model_changed() { changed_at_ = 0; }
  // The model, of so many frames, describes another place from now on.
  void view_changed(std::uint64_t frames) { changed_at_ = frames; }
  // No light is known any longer. Waits for the device.
  void forget(Queue &);
  // The pictures, for a file. Waits for the device.
  mog::Pictures save(Queue &) const;
  // Those of a model that was loaded take the place of all that are kept. Pictures of another format are
  // dropped.
  void load(const mog::Pictures &, Queue &);

 private:
  float agreement(const ConstImage &frame, const ConstImage &background, float most_moved, int channels,
                  Queue &);
  bool settled(const mog::Model &m) const { return m.frames >= changed_at_ + settled_after; }
  Device &device_;
  PixelFormat format_{};
  int width_ = 0, height_ = 0;
  exposure::Colours colours_;
  std::vector<DevicePicture> kept_; // the oldest first
  std::uint64_t changed_at_ = 0;    // the model's frames when the light changed last
  // Made when a light is switched for the first time.
  std::unique_ptr<exposure::Exposure> compare_;
  DevicePicture scratch_;
  DeviceBuffer mask_;
};

} // namespace vigil::gst::cudamog
