// SPDX-License-Identifier: LGPL-2.1-or-later
#include "record_stream.h"

#include "../config/secrets.h"
#include "../config/text.h"
#include "../printable.h"

#include <utility>

namespace vigil::monitor {

RecordStream::RecordStream(const CameraConfig &config, std::shared_ptr<CameraServices> services,
                           StoredStream &stored, Calls calls)
    : config_(config), services_(std::move(services)), stored_(stored), calls_(std::move(calls)),
      connection_(*services_), state_(config.name, *services_),
      keeper_(connection_, state_,
              {[this] { build(); }, [this] { take_down(); },
               [this](const std::string &text) { calls_.log("the stream that is recorded: " + text); }}),
      uncovered_(config, services_) {
  state_.set_outage_label("record-offline");
}

RecordStream::~RecordStream() {
  take_down();
}

void RecordStream::start() {
  if (!config_.enabled) return state_.go(CameraState::Kind::disabled);
  keeper_.start();
}

void RecordStream::build() {
  stored_.connection_begins(calls_.news());
  uncovered_.connection_begins();
  StreamEvents e;
  stored_.connect(e);
  uncovered_.connect(e);
  e.failed = [this](const std::string &why) { keeper_.fail(why); };
  e.ended = [this](const std::string &why) { keeper_.end(why); };
  e.warning = calls_.warn;
  connection_.take(
      std::make_unique<RecordPipeline>(config_, std::move(e), services_->contexts(), services_->utc()));
  connection_.pipeline()->play(); // why it fails, if it does, comes by the bus
}

void RecordStream::take_down() {
  stored_.reset();
  if (!connection_.pipeline()) return;
  stored_.broke_off(gap_reason::camera_away);
  connection_.take_down(stored_.recorder());
  uncovered_.reset();
}

void RecordStream::stop(const std::string &why) {
  take_down();
  if (!state_.is(CameraState::Kind::disabled)) state_.go(CameraState::Kind::offline, why);
  state_.stopped();
}

void RecordStream::renew() {
  state_.stopped();
  state_.forget();
  connection_.renew();
  stored_.align(0); // of the streams that were configured before
}

nlohmann::json RecordStream::describe() const {
  const auto &reason = state_.reason();
  return {{"source", shown_source(config_.record_source)},
          {"state", state_.name()},
          {"reason", reason ? nlohmann::json(printable(mask_credentials(*reason))) : nlohmann::json()},
          {"since", state_.since()},
          {"reconnects", connection_.reconnects()},
          {"offset", stored_.offset()}};
}

} // namespace vigil::monitor
