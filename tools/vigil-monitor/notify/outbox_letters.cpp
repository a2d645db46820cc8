// SPDX-License-Identifier: LGPL-2.1-or-later
#include "outbox_letters.h"

#include "../camera/utc.h"
#include "common/error.h"

#include <algorithm>
#include <exception>

namespace vigil::monitor {

void OutboxLetters::acknowledged(int message) {
  const auto letter = under_way_.find(message);
  if (letter == under_way_.end()) return;
  delivered_.insert(letter->second);
  under_way_.erase(letter);
  more_ = true;
}

void OutboxLetters::exchange(const Send &publish) {
  const double now = Utc::monotonic_seconds();
  if (!more_ || now < again_) return;
  try {
    while (!delivered_.empty()) {
      store_.delivered(*delivered_.begin());
      delivered_.erase(delivered_.begin());
    }
    send(publish);
    if (database_.worked(now)) log_("MQTT: the database takes note of events that were sent again");
  } catch (const std::exception &e) {
    constexpr double pause = 2;
    again_ = now + pause;
    more_ = true;
    if (database_.failed(now))
      log_(text("MQTT: ", e.what(), "; the connection goes on, and no event is sent twice meanwhile"));
  }
}

void OutboxLetters::send(const Send &publish) {
  if (under_way_.size() >= most_under_way || !more_.exchange(false)) return;
  for (const Letter &l : store_.letters("mqtt", static_cast<int>(most_under_way))) {
    if (std::any_of(under_way_.begin(), under_way_.end(), [&](const auto &u) { return u.second == l.id; }))
      continue;
    if (const auto message = publish(l)) under_way_[*message] = l.id;
  }
}

} // namespace vigil::monitor
