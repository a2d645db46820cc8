// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cudamog/stages/views.h"

#include "common/on_device_thread.h"

#include <cstddef>

namespace vigil::gst::cudamog {

void ViewsStage::set_format(const Format &format) {
  if (format.pixels == format_ && format.grid.width == width_ && format.grid.height == height_) return;
  format_ = format.pixels;
  width_ = format.grid.width;
  height_ = format.grid.height;
  pictures_ = {};
  mask_ = {};
  forget();
}

void ViewsStage::forget() {
  views_.forget();
  for (Picture &p : pictures_) p.holds = false;
  began_at_ = light_at_ = 0;
  described_ = 0;
}

void ViewsStage::start_over(Restart restart) {
  if (restart == Restart::all) forget();
  if (restart >= Restart::model) began_at_ = light_at_ = 0;
}

// What is background in the view that the model describes. It may have learnt some frames of another one, but
// its heaviest components are still those of this view.
void ViewsStage::keep(Queue &queue) {
  const std::uint64_t learnt = model_.frames();
  if (learnt < began_at_ + enough || (light_at_ > 0 && learnt < light_at_ + Feedback::relearn_frames)) return;
  Picture &picture = pictures_[described_];
  on_device_thread(device_, [&] {
    if (!picture.memory) picture.memory.emplace(device_, format_, width_, height_);
    model_.mixture().background(picture.memory->image(), queue);
  });
  picture.holds = true;
}

void ViewsStage::take_up(const Picture &known, const mog::Params &params, Queue &queue) {
  if (!mask_)
    on_device_thread(device_,
                     [&] { mask_ = DeviceBuffer(device_, std::size_t(width_) * std::size_t(height_)); });
  model_.snapshots().start_from(known.memory->image(), {mask_.as<std::uint8_t>(), width_, height_, width_},
                                model_.mixture(), params, queue);
}

void ViewsStage::prepare(FrameGroup &group, const Feedback &feedback, Queue &queue) {
  for (FrameContext *f : group.frames) data_of<Data>(*f).changes = changes_;
  const Feedback::Requests &asked = feedback.requests;
  const bool loses = asked.keep_view || asked.relearn || asked.recall_light;
  if (!(loses || asked.view) || model_.frames() == 0) return;
  if (loses && !(asked.view && asked.view->to == described_)) keep(queue);
  const bool learns_it = model_.frames() < light_at_ + still_learns;
  began_at_ = model_.frames();
  if (asked.relearn) light_at_ = began_at_;
  if (!asked.view) return;
  described_ = asked.view->to;
  const Picture &known = pictures_[described_];
  if (known.holds)
    take_up(known, group.settings().mog, queue);
  else if (learns_it)
    return;
  (known.holds ? group.recalled : group.new_view) = true;
  model_.snapshots().view_changed(began_at_);
  group.restart = Restart::scene;
}

void ViewsStage::finish(FrameContext &f, Feedback &feedback, Queue &) {
  f.of_view_before = data_of<Data>(f).changes != changes_;
  if (!f.sketched) return;
  const bool was_elsewhere = views_.elsewhere();
  const Detections &d = f.detections;
  const bool explained = !f.of_view_before && !f.learning.relearning &&
                         f.roi.share(double(d.foreground + d.shadow)) < least_changed;
  const std::optional<tamper::KnownViews::Change> change =
      views_.look(detector_.shown(), detector_.shown_before(), *f.sketched, explained);
  feedback.requests.keep_view |= views_.elsewhere() && !was_elsewhere;
  f.another_view = change.has_value();
  if (!change) return;
  changes_++;
  if (change->known)
    detector_.recognise(views_.current());
  else
    pictures_[change->to].holds = false;
  feedback.requests.view = change;
}

} // namespace vigil::gst::cudamog
