// SPDX-License-Identifier: LGPL-2.1-or-later
#include "event_row.h"

namespace vigil::monitor {

Event read_event(const Statement &s) {
  Event e;
  e.id = s.text(0);
  e.camera = s.text(1);
  e.label = s.text(2);
  e.start_time = s.real(3);
  if (!s.is_null(4)) e.end_time = s.real(4);
  const auto zones = nlohmann::json::parse(s.text(5), nullptr, false);
  if (zones.is_array())
    for (const auto &z : zones)
      if (z.is_string()) e.zones.push_back(z);
  if (!s.is_null(6)) e.box = Rect{s.real(6), s.real(7), s.real(8), s.real(9)};
  e.score = s.real(10);
  e.has_clip = s.integer(11) != 0;
  if (!s.is_null(12)) e.clip_start = s.real(12);
  e.clip_bytes = s.integer(13);
  e.has_snapshot = s.integer(14) != 0;
  e.retained = s.integer(15) != 0;
  e.has_vector = s.integer(16) != 0;
  if (!s.is_null(17)) e.continues = s.text(17);
  e.of_recording = s.integer(18) != 0;
  if (!s.is_null(19)) e.clip_end = s.real(19);
  return e;
}

} // namespace vigil::monitor
