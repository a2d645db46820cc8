// SPDX-License-Identifier: LGPL-2.1-or-later
#include "talk_back.h"

#include "common/guarded.h"
#include "utc.h"

#include <utility>

namespace vigil::monitor {
namespace {

constexpr double ask_again_after = 600; // seconds, of a camera that did not answer

// The named one, or the first of its streams that is by RTSP, the larger one before the other.
Loudspeaker::Target target_to_speak_to(const CameraConfig &c) {
  if (!c.enabled || !c.talk) return {};
  if (!c.talk_address.empty()) return {c.talk_address, true};
  for (const std::string &source : {c.record_source, c.source})
    if (source.starts_with("rtsp")) return {source, false};
  return {};
}

} // namespace

TalkBack::TalkBack(const CameraConfig &config, std::shared_ptr<CameraServices> services)
    : config_(config), name_(config.name), services_(std::move(services)) {}

void TalkBack::follow() {
  const Loudspeaker::Target wanted = target_to_speak_to(config_);
  {
    const std::lock_guard guard(lock_);
    if (wanted == target_) return;
    target_ = wanted;
  }
  found_.reset();
  asked_ = 0;
  asking_ = false;
}

void TalkBack::stop() {
  const std::lock_guard guard(lock_);
  target_ = {};
}

void TalkBack::tick(bool online) {
  const bool answered = found_ && found_->answered;
  const double now = Utc::monotonic_seconds();
  if (!online || asking_ || answered || target().address.empty() ||
      (asked_ > 0 && now - asked_ < ask_again_after))
    return;
  asked_ = now;
  ask();
}

void TalkBack::ask() {
  asking_ = true;
  services_->in_background([weak = weak_from_this(), services = services_, asked = target()] {
    const auto wanted = [&] {
      const auto talk = weak.lock();
      return talk && talk->target() == asked;
    };
    Loudspeaker::Look found{std::nullopt, "it could not be asked whether it takes speech", false};
    guard("asking whether a camera takes speech", [&] { found = Loudspeaker::look(asked, wanted); });
    services->on_main([weak, asked, found] {
      const auto talk = weak.lock();
      if (!talk || talk->target() != asked) return;
      talk->asking_ = false;
      talk->found_ = found;
      talk->services_->changed(talk->name_);
    });
  });
}

std::string TalkBack::why_not() const {
  if (!config_.talk) return "the configuration says talk: false";
  if (config_.talk_address.empty() && !config_.source.starts_with("rtsp") &&
      !config_.record_source.starts_with("rtsp"))
    return "only a camera by RTSP can have a back channel";
  return found_ ? found_->why : "";
}

Loudspeaker::Target TalkBack::target() const {
  const std::lock_guard guard(lock_);
  return target_;
}

void TalkBack::speaks(bool begins) {
  speakers_ += begins ? 1 : -1;
  services_->on_main([services = services_, name = name_] { services->changed(name); });
}

} // namespace vigil::monitor
