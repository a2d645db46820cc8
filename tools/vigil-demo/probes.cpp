// SPDX-License-Identifier: LGPL-2.1-or-later
#include "probes.h"

#include <algorithm>

namespace vigil::demo {

void Stopwatch::watch(GstElement *element) {
  gst::ObjectPtr<GstPad> sink(gst_element_get_static_pad(element, "sink"));
  gst::ObjectPtr<GstPad> src(gst_element_get_static_pad(element, "src"));
  gst_pad_add_probe(sink.get(), GST_PAD_PROBE_TYPE_BUFFER, enter, this, nullptr);
  gst_pad_add_probe(src.get(), GST_PAD_PROBE_TYPE_BUFFER, leave, this, nullptr);
}

GstPadProbeReturn Stopwatch::enter(GstPad *, GstPadProbeInfo *info, gpointer data) {
  auto *self = static_cast<Stopwatch *>(data);
  const std::lock_guard lock(self->mutex_);
  const auto now = Clock::now();
  if (self->frames_++ == 0) self->first_ = now;
  self->inside_[GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info))] = now;
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn Stopwatch::leave(GstPad *, GstPadProbeInfo *info, gpointer data) {
  auto *self = static_cast<Stopwatch *>(data);
  const std::lock_guard lock(self->mutex_);
  const auto entered = self->inside_.find(GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info)));
  if (entered == self->inside_.end()) return GST_PAD_PROBE_OK;
  self->milliseconds_.push_back(
      std::chrono::duration<double, std::milli>(Clock::now() - entered->second).count());
  self->inside_.erase(self->inside_.begin(), std::next(entered)); // with those that were dropped
  return GST_PAD_PROBE_OK;
}

double Stopwatch::median_milliseconds() const {
  const std::lock_guard lock(mutex_);
  auto sorted = milliseconds_;
  if (sorted.empty()) return 0;
  std::nth_element(sorted.begin(), sorted.begin() + sorted.size() / 2, sorted.end());
  return sorted[sorted.size() / 2];
}

double Stopwatch::seconds() const {
  const std::lock_guard lock(mutex_);
  return frames_ ? std::chrono::duration<double>(Clock::now() - first_).count() : 0;
}

void Limit::watch(GstPad *pad, std::uint64_t frames) {
  left_ = frames;
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, pass, this, nullptr);
}

GstPadProbeReturn Limit::pass(GstPad *pad, GstPadProbeInfo *, gpointer data) {
  auto *self = static_cast<Limit *>(data);
  if (self->left_) {
    self->left_--;
    return GST_PAD_PROBE_OK;
  }
  // Behind this pad alone the stream is over; decoders may take an EOS that comes back to them for an error.
  gst::ObjectPtr<GstPad> next(gst_pad_get_peer(pad));
  if (!self->ended_ && next) self->ended_ = gst_pad_send_event(next.get(), gst_event_new_eos());
  return GST_PAD_PROBE_DROP;
}

void Keeper::watch(GstPad *pad) {
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, pass, this, nullptr);
}

GstPadProbeReturn Keeper::pass(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
  auto *self = static_cast<Keeper *>(data);
  gst::CapsPtr caps(gst_pad_get_current_caps(pad));
  const std::lock_guard lock(self->mutex_);
  self->number_++;
  self->last_.reset(gst_sample_new(GST_PAD_PROBE_INFO_BUFFER(info), caps.get(), nullptr, nullptr));
  if (shown(self->number_)) self->kept_[self->number_].reset(gst_sample_ref(self->last_.get()));
  return GST_PAD_PROBE_OK;
}

std::map<std::uint64_t, gst::SamplePtr> Keeper::take() {
  const std::lock_guard lock(mutex_);
  if (kept_.empty() && last_) kept_[number_].reset(gst_sample_ref(last_.get()));
  return std::move(kept_);
}

gst::SamplePtr Keeper::last() const {
  const std::lock_guard lock(mutex_);
  return gst::SamplePtr(last_ ? gst_sample_ref(last_.get()) : nullptr);
}

} // namespace vigil::demo
