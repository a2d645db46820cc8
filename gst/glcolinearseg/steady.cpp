// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/glcolinearseg/steady.h"

namespace vigil::gst::glcolinearseg {

void Steady::set_format(const CopyLayout &layout) {
  layout_ = layout;
  background_ = DeviceBuffer();
  mapped_ = DeviceBuffer();
  comparison_.forget();
}

ConstImage Steady::apply(const ConstImage &frame, bool wanted, colinearseg::Segmenter &segmenter,
                         const compose::Style &style, Queue &queue) {
  using enum Comparison::Act;
  const Comparison::Act act = comparison_.next(segmenter.progress().learning(), wanted);
  if (act == leave) return frame;
  if (!mapped_) {
    background_ = DeviceBuffer(device_, layout_.bytes());
    mapped_ = DeviceBuffer(device_, layout_.bytes());
  }
  const Image background = layout_.at(background_.as());
  if (act == begin) exposure_->set({}, queue);
  if (act != go_on) segmenter.draw(colinearseg::Show::background, frame, style, background, queue);
  return exposure_->apply(frame, background, 3, layout_.at(mapped_.as()), queue);
}

} // namespace vigil::gst::glcolinearseg
