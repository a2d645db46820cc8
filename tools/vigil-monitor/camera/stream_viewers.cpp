// SPDX-License-Identifier: LGPL-2.1-or-later
#include "stream_viewers.h"

namespace vigil::monitor {

StreamViewers::Sound StreamViewers::sound(double now) const {
  const auto reference = [this](SoundForm form) {
    const gst::CapsPtr &c = caps_[static_cast<std::size_t>(form)];
    return gst::CapsPtr(c ? gst_caps_ref(c.get()) : nullptr);
  };
  Sound out{reference(SoundForm::sent), reference(SoundForm::stored), nullptr, 0};
  constexpr double lately = 2; // seconds
  if (latest_ && now - latest_time_ < lately) {
    out.latest.reset(gst_buffer_ref(latest_.get()));
    out.latest_time = latest_time_;
  }
  return out;
}

void StreamViewers::push(GstBuffer *buffer, double time) {
  for (const auto &v : viewers_) v->push(buffer, time);
}

void StreamViewers::push_sound(SoundForm form, GstCaps *caps, GstBuffer *buffer, double time) {
  gst::CapsPtr &known = caps_[static_cast<std::size_t>(form)];
  if (known.get() != caps) known.reset(gst_caps_ref(caps));
  if (form == SoundForm::sent) {
    latest_.reset(gst_buffer_ref(buffer));
    latest_time_ = time;
  }
  for (const auto &v : viewers_) v->push_sound(form, caps, buffer, time);
}

void StreamViewers::end() {
  for (const auto &v : viewers_) v->end();
}

void StreamViewers::forget_sound() {
  for (gst::CapsPtr &c : caps_) c.reset();
  latest_.reset();
}

} // namespace vigil::monitor
