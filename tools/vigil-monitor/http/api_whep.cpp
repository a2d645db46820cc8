// SPDX-License-Identifier: LGPL-2.1-or-later
// Live pictures by WebRTC: WHEP (draft-ietf-wish-whep).
#include "api.h"

#include <algorithm>
#include <utility>

namespace vigil::monitor {
namespace {

std::string type_of_body(const Request &r) {
  const std::string type = r.header("content-type");
  std::string word = type.substr(0, type.find_first_of("; "));
  std::transform(word.begin(), word.end(), word.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return word;
}

// Where a viewer asks from, as the last proxy says, or else the connection.
std::string address_of_viewer(const Request &r) {
  const std::string forwarded = r.header("x-forwarded-for");
  return forwarded.empty() ? r.client : forwarded.substr(forwarded.rfind(',') + 1);
}

} // namespace

std::string Api::who_watches(const Match &m) {
  // Behind a proxy all have its address: there each session, or token, counts.
  return !is_forwarded(m.request)    ? m.request.network
         : m.visitor.session.empty() ? "token " + m.visitor.name
                                     : "session " + m.visitor.session;
}

Response Api::begin_view(const Match &m) {
  const Request &r = m.request;
  if (type_of_body(r) != "application/sdp")
    refuse(415, "expected an offer of WebRTC: the body as SDP, with Content-Type: application/sdp");
  WebViewers::Asked asked;
  asked.camera = m.parts[0];
  asked.sdp = r.body;
  asked.who = who_watches(m);
  asked.on_this_machine = r.loopback || r.network.starts_with("127.") || r.client == "::1";
  const std::string stream = stream_asked(m);
  asked.stream = monitor_.call([&] {
    const auto c = monitor_.camera(m.parts[0]);
    if (!c) refuse(404, "there is no camera '" + m.parts[0] + "'");
    return stream == "record" ? c->recorder() : c->detect_stream();
  });
  // What the visitor is known by, without the body.
  Request known = r;
  known.body.clear();
  asked.allowed = [this, visitor = m.visitor, known] { return access_.is_current(visitor, known); };
  try {
    const WebViewers::Begun begun = viewers_.begin(asked);
    // Browsers hide their addresses behind names, and a TURN server lets nobody in who was not named to it.
    viewers_.candidates(asked.camera, begun.id,
                        "a=candidate:0 1 udp 1 " + address_of_viewer(r) + " 9 typ host");
    Response out;
    out.status = 201;
    out.type = "application/sdp";
    out.body = begun.answer;
    out.headers["Location"] = "whep/" + begun.id; // good below any path that a proxy adds
    return out;
  } catch (const ViewRefused &e) {
    Response out = error_response(e.status, e.what);
    if (e.status == 429 || e.status == 503) out.headers["Retry-After"] = "5";
    return out;
  }
}

Response Api::add_candidates(const Match &m) {
  if (type_of_body(m.request) != "application/trickle-ice-sdpfrag")
    refuse(415, "expected candidates, with Content-Type: application/trickle-ice-sdpfrag");
  if (!viewers_.candidates(m.parts[0], m.parts[1], m.request.body))
    refuse(404, "there is no such view; it has ended");
  Response out;
  out.status = 204;
  return out;
}

Response Api::end_view(const Match &m) {
  if (!viewers_.end(m.parts[0], m.parts[1])) refuse(404, "there is no such view; it has ended");
  return json_response(nlohmann::json::object());
}

} // namespace vigil::monitor
