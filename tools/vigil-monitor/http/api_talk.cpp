// SPDX-License-Identifier: LGPL-2.1-or-later
// Speaking to cameras by WebRTC, as WHIP does it (RFC 9725).
#include "api.h"
#include "web_offer.h"

#include <cmath>
#include <utility>

namespace vigil::monitor {

Response Api::begin_talk(const Match &m) {
  const Request &r = m.request;
  const std::string &camera = m.parts[0];
  need_offer(r);
  const auto talk_back = monitor_.call([&] {
    const auto c = monitor_.cameras().find(camera);
    if (!c) refuse(404, "there is no camera '" + camera + "'");
    const auto &talk = c->talk_back();
    if (!talk->possible()) {
      const std::string why = talk->why_not();
      refuse(409, "nobody can speak to camera " + camera + ": " +
                      (why.empty() ? "it has not said yet whether it has a back channel" : why));
    }
    return talk;
  });
  Talks::Asked asked;
  asked.camera = camera;
  asked.target = talk_back->target();
  asked.sdp = r.body;
  asked.who = m.visitor.name;
  asked.on_this_machine = is_on_this_machine(r);
  asked.allowed = [this, visitor = m.visitor, known = without_body(r), talk_back, target = asked.target] {
    return talk_back->target() == target && access_.is_current(visitor, known);
  };
  asked.ended = [this, visitor = m.visitor, known = without_body(r), talk_back,
                 camera](double seconds, const std::string &why) {
    talk_back->speaks(false);
    note(known, visitor, "talk-end", {{"camera", camera}, {"seconds", std::round(seconds)}, {"why", why}});
  };
  if (asked.target.address.empty()) refuse(409, "camera " + camera + " is switched off");
  return answer_offer([&] {
    const Talks::Begun begun = talks_.begin(asked);
    talk_back->speaks(true);
    note(m, "talk-begin", {{"camera", camera}});
    talks_.candidates(camera, begun.id, candidate_of(r));
    return offer_answered(begun.answer, "talk/" + begun.id);
  });
}

Response Api::add_candidates_of_talk(const Match &m) {
  need_candidates(m.request);
  if (!talks_.candidates(m.parts[0], m.parts[1], m.request.body))
    refuse(404, "there is no such talk; it has ended");
  return candidates_taken();
}

Response Api::end_talk(const Match &m) {
  if (!talks_.end(m.parts[0], m.parts[1])) refuse(404, "there is no such talk; it has ended");
  return json_response(nlohmann::json::object());
}

} // namespace vigil::monitor
