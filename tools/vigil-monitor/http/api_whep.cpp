// SPDX-License-Identifier: LGPL-2.1-or-later
// Live pictures by WebRTC: WHEP (draft-ietf-wish-whep).
#include "api.h"
#include "web_offer.h"

#include <utility>

namespace vigil::monitor {

std::string Api::who_watches(const Match &m) {
  // Behind a proxy all have its address: there each session, or token, counts.
  return !is_forwarded(m.request)    ? m.request.network
         : m.visitor.session.empty() ? "token " + m.visitor.name
                                     : "session " + m.visitor.session;
}

Response Api::begin_view(const Match &m) {
  const Request &r = m.request;
  need_offer(r);
  WebViewers::Asked asked;
  asked.camera = m.parts[0];
  asked.sdp = r.body;
  asked.who = who_watches(m);
  asked.on_this_machine = is_on_this_machine(r);
  asked.stream = stream_asked(m);
  asked.allowed = still_allowed(m);
  return answer_offer([&] {
    const WebViewers::Begun begun = viewers_.begin(asked);
    viewers_.candidates(asked.camera, begun.id, candidate_of(r));
    return offer_answered(begun.answer, "whep/" + begun.id);
  });
}

Response Api::add_candidates(const Match &m) {
  need_candidates(m.request);
  if (!viewers_.candidates(m.parts[0], m.parts[1], m.request.body))
    refuse(404, "there is no such view; it has ended");
  return candidates_taken();
}

Response Api::end_view(const Match &m) {
  if (!viewers_.end(m.parts[0], m.parts[1])) refuse(404, "there is no such view; it has ended");
  return json_response(nlohmann::json::object());
}

} // namespace vigil::monitor
