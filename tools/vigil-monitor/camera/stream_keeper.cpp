// SPDX-License-Identifier: LGPL-2.1-or-later
#include "stream_keeper.h"

#include "common/error.h"

#include <exception>
#include <utility>

namespace vigil::monitor {

StreamKeeper::StreamKeeper(Connection &connection, CameraState &state, Calls calls)
    : connection_(connection), state_(state), calls_(std::move(calls)) {}

void StreamKeeper::start() {
  state_.go(CameraState::Kind::starting);
  build(false);
}

void StreamKeeper::build(bool again) {
  connection_.begin(again);
  try {
    calls_.build();
  } catch (const std::exception &e) {
    fail(e.what());
  }
}

void StreamKeeper::fail(const std::string &why) {
  const double wait = connection_.failed(state_.online());
  calls_.take_down();
  if (state_.reason() != why || !state_.is(CameraState::Kind::offline))
    calls_.log(text("offline: ", why, "; trying again in ", wait, " s, later after at most 30 s"));
  state_.go(CameraState::Kind::offline, why);
}

void StreamKeeper::end(const std::string &why) {
  calls_.take_down();
  connection_.ended();
  calls_.log(why);
  state_.go(CameraState::Kind::ended, why);
}

void StreamKeeper::tick(bool enabled) {
  switch (connection_.look(state_.online())) {
  case Connection::Look::hanging:
    state_.go(CameraState::Kind::offline,
              "its last three connections do not end; restart vigil-monitor if this stays");
    break;
  case Connection::Look::due:
    if (enabled) build(true);
    break;
  case Connection::Look::silent:
    fail(text("no picture for ", connection_.patience(), " seconds"));
    break;
  case Connection::Look::pictures:
    if (!state_.online()) state_.go(CameraState::Kind::online);
    break;
  case Connection::Look::waiting:
  case Connection::Look::quiet:
    break;
  }
  state_.tick();
}

} // namespace vigil::monitor
