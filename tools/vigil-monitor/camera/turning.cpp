// SPDX-License-Identifier: LGPL-2.1-or-later
#include "turning.h"

namespace vigil::monitor {

void Turning::order(double now, const std::string &preset) {
  if (state_ == State::resting) {
    before_ = at_;
    orders_ = 0;
  }
  if (state_ == State::settling) orders_ = 1; // the model is another one already
  state_ = State::turns;
  orders_++;
  at_ = preset;
  last_ = now;
}

bool Turning::refused() {
  if (state_ != State::turns || orders_ != 1) {
    at_.clear();
    return false;
  }
  state_ = State::resting;
  at_ = before_;
  return true;
}

Turning::Step Turning::tick(double now, bool still, bool learns) {
  if (state_ == State::turns && now - last_ >= least && (still || now - last_ >= longest)) {
    state_ = State::settling;
    settled_ = now;
    return Step::learn;
  }
  if (state_ == State::settling && learns && now - settled_ >= settles) {
    state_ = State::resting;
    since_ = now;
    return Step::over;
  }
  return Step::none;
}

bool Turning::knows_view(double now) const {
  return state_ == State::resting && !at_.empty() && now - since_ >= learns_for;
}

} // namespace vigil::monitor
