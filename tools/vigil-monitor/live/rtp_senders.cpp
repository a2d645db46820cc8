// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rtp_senders.h"

namespace vigil::monitor {

RtpSenders::Sender::~Sender() {
  if (stream) recorder->unwatch(stream);
}

std::shared_ptr<RtpSenders::Sender> RtpSenders::sender(const std::shared_ptr<Recorder> &recorder) {
  const std::lock_guard guard(lock_);
  std::erase_if(senders_, [](const auto &s) { return s.second.expired(); });
  auto &known = senders_[recorder.get()];
  if (auto s = known.lock(); s && !s->stream->ended()) return s;
  auto s = std::make_shared<Sender>();
  s->recorder = recorder;
  s->stream = std::dynamic_pointer_cast<RtpStream>(recorder->watch(
      [](const Recorder::Stream &of) { return std::make_shared<RtpStream>(of.video, of.sound_sent); }));
  if (!s->stream) return nullptr;
  known = s;
  return s;
}

} // namespace vigil::monitor
