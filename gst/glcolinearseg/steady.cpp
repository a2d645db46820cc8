// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/glcolinearseg/steady.h"

namespace vigil::gst::glcolinearseg {
namespace {

constexpr int refresh_every = 8; // frames; the background adapts slowly

} // namespace

void Steady::set_format(const CopyLayout &layout) {
  layout_ = layout;
  background_ = DeviceBuffer();
  mapped_ = DeviceBuffer();
  forget();
}

ConstImage Steady::apply(const ConstImage &frame, colinearseg::Segmenter &segmenter,
                         const compose::Style &style, Queue &queue) {
  if (!mapped_) {
    background_ = DeviceBuffer(device_, layout_.bytes());
    mapped_ = DeviceBuffer(device_, layout_.bytes());
  }
  const Image background = layout_.at(background_.as());
  if (!known_) exposure_->set({}, queue);
  if (!known_ || ++age_ >= refresh_every) {
    segmenter.draw(colinearseg::Show::background, frame, style, background, queue);
    known_ = true;
    age_ = 0;
  }
  return exposure_->apply(frame, background, 3, layout_.at(mapped_.as()), queue);
}

} // namespace vigil::gst::glcolinearseg
