// SPDX-License-Identifier: LGPL-2.1-or-later
// Offers of WebRTC as requests of HTTP, and answers: WHEP, and its counterpart WHIP (RFC 9725).
#pragma once

#include "../live/web_connection.h"
#include "http_util.h"

#include <string>

namespace vigil::monitor {

void need_offer(const Request &);      // throws HttpError 415
void need_candidates(const Request &); // likewise
bool is_on_this_machine(const Request &);
Request without_body(const Request &); // what the visitor is known by
// A fragment of SDP with the address of the visitor. Browsers hide their addresses behind names, and a TURN
// server lets nobody in who was not named to it.
std::string candidate_of(const Request &);
// `place` is relative, and so good below any path that a proxy adds.
Response offer_answered(const std::string &sdp, const std::string &place);
Response offer_refused(const WebRefused &);
Response candidates_taken();

// f() answers an offer, or throws WebRefused.
template <class F>
Response answer_offer(F f) {
  try {
    return f();
  } catch (const WebRefused &e) {
    return offer_refused(e);
  }
}

} // namespace vigil::monitor
