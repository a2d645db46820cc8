// SPDX-License-Identifier: LGPL-2.1-or-later
#include "api.h"

namespace vigil::monitor {

using nlohmann::json;

Response Api::search_motion(const Match &m) {
  const Request &r = m.request;
  const std::string &name = m.parts[0];
  const bool analysed = monitor_.call([&] {
    const auto c = monitor_.cameras().find(name);
    if (!c) refuse(404, "there is no camera '" + name + "'");
    return c->config().analysed;
  });
  const auto polygon = r.query.find("polygon");
  if (polygon == r.query.end())
    refuse(400, "'polygon' is missing: the corners of where to search, x1,y1,x2,y2,... from 0 to 1");
  constexpr double day = 86400;
  const double to = number_of(r, "to").value_or(monitor_.utc().now());
  const double from = number_of(r, "from").value_or(to - day);
  constexpr int most = static_cast<int>(MotionHistory::most_hits), usual = 200;
  const int limit = integer_of(r, "limit", 1, most, usual);
  const auto found = monitor_.storage().motion().search(name, parse_points(polygon->second), from, to,
                                                        static_cast<std::size_t>(limit));
  json hits = json::array();
  for (const MotionHit &h : found.hits)
    hits.push_back({{"start", h.start},
                    {"end", h.end},
                    {"share", h.share},
                    {"direction", h.direction ? json(*h.direction) : json()}});
  return json_response({{"camera", name},
                        {"from", from},
                        {"to", to},
                        {"hits", hits},
                        {"more", found.more},
                        {"analysed", analysed}}); // what was found before the analysis ended stays
}

Response Api::restless(const Match &m) {
  const std::string &name = m.parts[0];
  MovingCells known;
  const bool analysed = monitor_.call([&] {
    const auto c = monitor_.cameras().find(name);
    if (!c) refuse(404, "there is no camera '" + name + "'");
    for (const auto *shapes : {&c->config().masks, &c->config().unmasked})
      for (const auto &[shape, mask] : *shapes) known |= cells_of(mask.points);
    return c->config().analysed;
  });
  json parts = json::array();
  if (analysed)
    for (const RestlessPart &p : monitor_.storage().motion().restless(name, monitor_.utc().now(), known)) {
      const double right = p.box.x + p.box.width, bottom = p.box.y + p.box.height;
      parts.push_back(
          {{"coordinates",
            points_text({{p.box.x, p.box.y}, {right, p.box.y}, {right, bottom}, {p.box.x, bottom}})},
           {"hours", p.hours}});
    }
  return json_response({{"camera", name}, {"parts", parts}, {"analysed", analysed}});
}

} // namespace vigil::monitor
