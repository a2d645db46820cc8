// SPDX-License-Identifier: LGPL-2.1-or-later
#include "announcement.h"

#include "../camera/utc.h"
#include "../config/text.h"
#include "../onvif/address.h"
#include "../printable.h"
#include "common/error.h"
#include "common/guarded.h"
#include "gst/video/gst_ptr.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <gst/rtsp/rtsp.h>
#include <initializer_list>
#include <mutex>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>

namespace vigil::monitor {
namespace {

// Nobody says before ANNOUNCE what is taken: RFC 3551 asks every receiver of sound for this one.
constexpr SpeechForm announced_form{G711::mu_law, 0};

constexpr guint longest_body = 64 << 10; // of an answer
constexpr const char *stream_name = "streamid=0";

class RtspMessage {
 public:
  RtspMessage() = default;
  ~RtspMessage() { gst_rtsp_message_unset(&message_); }
  RtspMessage(const RtspMessage &) = delete;
  RtspMessage &operator=(const RtspMessage &) = delete;
  GstRTSPMessage *get() { return &message_; }
  GstRTSPMsgType type() const { return message_.type; }
  int status() const { return type() == GST_RTSP_MESSAGE_RESPONSE ? message_.type_data.response.code : 0; }
  std::string header(GstRTSPHeaderField field, int number = 0) const {
    gchar *value = nullptr;
    gst_rtsp_message_get_header(&message_, field, &value, number);
    return value ? value : "";
  }

 private:
  GstRTSPMessage message_{};
};

std::string words_of(GstRTSPResult result) {
  switch (result) {
  case GST_RTSP_ETIMEOUT:
  case GST_RTSP_EINTR:
    return "it does not answer in time";
  case GST_RTSP_EEOF:
    return "it closed the connection";
  case GST_RTSP_ENET:
    return "its host is not known";
  case GST_RTSP_EPARSE:
    return "its answer is not RTSP";
  default:
    return "there is no connection";
  }
}

std::string refusal(const char *method, int status) {
  const gst::TextPtr words(g_strdup(gst_rtsp_status_as_text(static_cast<GstRTSPStatusCode>(status))));
  const char *hint = status == GST_RTSP_STS_UNAUTHORIZED ? "; check user and password" : "";
  return text("it answers ", method, " with ", status, " (", words ? words.get() : "?", ")", hint);
}

std::string description_of_speech(const std::string &host) {
  const char *family = host.find(':') == host.npos ? "IN IP4 " : "IN IP6 ";
  const int payload = announced_form.payload;
  return text("v=0\r\no=- ", g_random_int(), " 1 ", family, host, "\r\ns=speech\r\nc=", family, host,
              "\r\nt=0 0\r\nm=audio 0 RTP/AVP ", payload, "\r\na=rtpmap:", payload, " ",
              name_of(announced_form.law), "/8000\r\na=ptime:20\r\na=control:", stream_name, "\r\n");
}

// Ends what waits for the network, a look-up of a name too, when it takes too long or is not wanted any more.
class PatienceWatch {
 public:
  PatienceWatch(GstRTSPConnection *connection, const Loudspeaker::Wanted &wanted)
      : thread_([this, connection, wanted] {
          guard("speech by ANNOUNCE", [&] { watch(connection, wanted); });
        }) {}
  ~PatienceWatch() {
    {
      const std::lock_guard held(lock_);
      over_ = true;
    }
    news_.notify_all();
    thread_.join();
  }
  PatienceWatch(const PatienceWatch &) = delete;
  PatienceWatch &operator=(const PatienceWatch &) = delete;

 private:
  void watch(GstRTSPConnection *connection, const Loudspeaker::Wanted &wanted) {
    constexpr std::chrono::milliseconds often(200);
    const double until = Utc::monotonic_seconds() + Loudspeaker::longest_look;
    std::unique_lock held(lock_);
    while (!news_.wait_for(held, often, [this] { return over_; })) {
      held.unlock();
      const bool goes_on = wanted() && Utc::monotonic_seconds() < until;
      if (!goes_on) gst_rtsp_connection_flush(connection, TRUE);
      held.lock();
      if (!goes_on) return;
    }
  }
  std::mutex lock_;
  std::condition_variable news_;
  bool over_ = false;
  std::thread thread_; // last: it uses the others
};

} // namespace

// One thread at a time uses it, except for end() and why_over().
struct Announcement::Connection {
  explicit Connection(const std::string &address);
  ~Connection();
  Connection(const Connection &) = delete;
  Connection &operator=(const Connection &) = delete;

  void connect();
  // The first answer, or the second one where the first asks for the password. Throws Error when none comes.
  using Headers = std::initializer_list<std::pair<GstRTSPHeaderField, std::string>>;
  void ask(GstRTSPMethod, const std::string &url, const Headers &, const std::string &body,
           RtspMessage &answer);
  // As above; throws unless the answer is 200.
  void need(GstRTSPMethod, const std::string &url, const Headers &, const std::string &body,
            RtspMessage &answer);
  void begin(); // ANNOUNCE, SETUP, RECORD
  GstRTSPResult send(GstBuffer *packet);
  void end();
  std::string why() const {
    const std::lock_guard held(lock);
    return error;
  }

  std::string url, user, password;
  GstRTSPUrl *parsed = nullptr;
  GstRTSPConnection *connection = nullptr;
  guint8 channel = 0;
  bool recording = false; // and what was sent is whole

 private:
  static constexpr gint64 longest_wait_us = 5'000'000;
  GstRTSPResult write(GstRTSPMethod, const std::string &url, const Headers &, const std::string &body);
  GstRTSPResult read(RtspMessage &, gint64 timeout_us); // answers what the camera asks
  GstRTSPResult read_what_came();
  bool take_challenge(const RtspMessage &);

  mutable std::mutex lock;
  std::condition_variable idle;
  bool busy = false, ended = false; // busy: a packet is being sent
  std::string error;                // why it is over
};

Announcement::Connection::Connection(const std::string &address) : url(parse_address(address).url) {
  std::tie(user, password) = credentials_in(address);
  if (gst_rtsp_url_parse(url.c_str(), &parsed) != GST_RTSP_OK ||
      gst_rtsp_connection_create(parsed, &connection) != GST_RTSP_OK) {
    gst_rtsp_url_free(parsed);
    fail(Error::Kind::bad_setting, "'", printable(url, most_said), "' is no address of RTSP");
  }
  gst_rtsp_connection_set_content_length_limit(connection, longest_body);
}

Announcement::Connection::~Connection() {
  constexpr gint64 patience_us = 1'000'000;
  if (recording) {
    gst_rtsp_connection_flush(connection, FALSE);
    RtspMessage answer;
    if (write(GST_RTSP_TEARDOWN, url, {}, "") == GST_RTSP_OK) read(answer, patience_us);
  }
  gst_rtsp_connection_close(connection);
  gst_rtsp_connection_free(connection);
  gst_rtsp_url_free(parsed);
}

void Announcement::Connection::connect() {
  const GstRTSPResult result = gst_rtsp_connection_connect_usec(connection, longest_wait_us);
  if (result != GST_RTSP_OK) fail(Error::Kind::io, words_of(result));
}

GstRTSPResult Announcement::Connection::write(GstRTSPMethod method, const std::string &to,
                                              const Headers &headers, const std::string &body) {
  RtspMessage m;
  gst_rtsp_message_init_request(m.get(), method, to.c_str());
  gst_rtsp_message_add_header(m.get(), GST_RTSP_HDR_USER_AGENT, "vigil-monitor");
  for (const auto &[field, value] : headers) gst_rtsp_message_add_header(m.get(), field, value.c_str());
  if (!body.empty())
    gst_rtsp_message_set_body(m.get(), reinterpret_cast<const guint8 *>(body.data()),
                              static_cast<guint>(body.size()));
  return gst_rtsp_connection_send_usec(connection, m.get(), longest_wait_us);
}

GstRTSPResult Announcement::Connection::read(RtspMessage &m, gint64 timeout_us) {
  const GstRTSPResult result = gst_rtsp_connection_receive_usec(connection, m.get(), timeout_us);
  if (result != GST_RTSP_OK || m.type() != GST_RTSP_MESSAGE_REQUEST) return result;
  RtspMessage answer;
  gst_rtsp_message_init_response(answer.get(), GST_RTSP_STS_OK, "OK", m.get());
  return gst_rtsp_connection_send_usec(connection, answer.get(), longest_wait_us);
}

// Digest rather than Basic. False: there is no password, or no such question.
bool Announcement::Connection::take_challenge(const RtspMessage &answer) {
  if (user.empty()) return false;
  GstRTSPAuthCredential **asked = gst_rtsp_message_parse_auth_credentials(
      const_cast<RtspMessage &>(answer).get(), GST_RTSP_HDR_WWW_AUTHENTICATE);
  const GstRTSPAuthCredential *best = nullptr;
  for (GstRTSPAuthCredential **c = asked; c && *c; c++)
    if ((*c)->scheme == GST_RTSP_AUTH_DIGEST || ((*c)->scheme == GST_RTSP_AUTH_BASIC && !best)) best = *c;
  bool taken = false;
  if (best) {
    gst_rtsp_connection_clear_auth_params(connection);
    if (best->scheme == GST_RTSP_AUTH_DIGEST)
      for (GstRTSPAuthParam **p = best->params; p && *p; p++)
        gst_rtsp_connection_set_auth_param(connection, (*p)->name, (*p)->value);
    taken =
        gst_rtsp_connection_set_auth(connection, best->scheme, user.c_str(), password.c_str()) == GST_RTSP_OK;
  }
  gst_rtsp_auth_credentials_free(asked);
  return taken;
}

void Announcement::Connection::ask(GstRTSPMethod method, const std::string &to, const Headers &headers,
                                   const std::string &body, RtspMessage &answer) {
  constexpr int most_messages = 1000; // before the answer
  for (int tries = 2; tries > 0; tries--) {
    GstRTSPResult result = write(method, to, headers, body);
    int messages = 0;
    do {
      gst_rtsp_message_unset(answer.get());
      if (result == GST_RTSP_OK) result = read(answer, longest_wait_us);
      if (result != GST_RTSP_OK) fail(Error::Kind::io, words_of(result));
    } while (answer.type() != GST_RTSP_MESSAGE_RESPONSE && ++messages < most_messages);
    if (answer.status() != GST_RTSP_STS_UNAUTHORIZED || !take_challenge(answer)) return;
  }
}

void Announcement::Connection::need(GstRTSPMethod method, const std::string &to, const Headers &headers,
                                    const std::string &body, RtspMessage &answer) {
  ask(method, to, headers, body, answer);
  if (answer.status() != GST_RTSP_STS_OK)
    fail(Error::Kind::io, refusal(gst_rtsp_method_as_text(method), answer.status()));
}

void Announcement::Connection::begin() {
  RtspMessage answer;
  const char *host = gst_rtsp_connection_get_ip(connection);
  need(GST_RTSP_ANNOUNCE, url, {{GST_RTSP_HDR_CONTENT_TYPE, "application/sdp"}},
       description_of_speech(host ? host : "0.0.0.0"), answer);
  need(GST_RTSP_SETUP, url + (url.ends_with('/') ? "" : "/") + stream_name,
       {{GST_RTSP_HDR_TRANSPORT, "RTP/AVP/TCP;unicast;interleaved=0-1;mode=record"}}, "", answer);
  GstRTSPTransport *transport = nullptr;
  gst_rtsp_transport_new(&transport);
  const auto free_transport = [](GstRTSPTransport *t) { gst_rtsp_transport_free(t); };
  const std::unique_ptr<GstRTSPTransport, decltype(free_transport)> owner(transport, free_transport);
  constexpr int most_channels = 255;
  if (gst_rtsp_transport_parse(answer.header(GST_RTSP_HDR_TRANSPORT).c_str(), transport) != GST_RTSP_OK ||
      transport->lower_transport != GST_RTSP_LOWER_TRANS_TCP || transport->interleaved.min > most_channels)
    fail(Error::Kind::io, "it does not take sound over the connection of RTSP");
  const int number = std::max(0, transport->interleaved.min); // -1: it does not say
  channel = static_cast<guint8>(number);
  recording = true; // from here on there is a session to end
  need(GST_RTSP_RECORD, url, {{GST_RTSP_HDR_RANGE, "npt=0.000-"}}, "", answer);
}

// What the camera says while it is spoken to: reports of RTCP, questions, answers that keep the session.
GstRTSPResult Announcement::Connection::read_what_came() {
  constexpr int most_at_once = 64;
  constexpr gint64 at_once_us = 1;
  for (int i = 0; i < most_at_once; i++) {
    GstRTSPEvent events{};
    if (gst_rtsp_connection_poll_usec(connection, GST_RTSP_EV_READ, &events, at_once_us) != GST_RTSP_OK ||
        !(events & GST_RTSP_EV_READ))
      return GST_RTSP_OK;
    RtspMessage m;
    if (const GstRTSPResult result = read(m, longest_wait_us); result != GST_RTSP_OK) return result;
    if (m.status() == GST_RTSP_STS_UNAUTHORIZED) take_challenge(m); // for the next time
    if (m.status() == GST_RTSP_STS_SESSION_NOT_FOUND) return GST_RTSP_EEOF;
  }
  return GST_RTSP_OK;
}

GstRTSPResult Announcement::Connection::send(GstBuffer *packet) {
  {
    const std::lock_guard held(lock);
    if (ended || !error.empty()) return GST_RTSP_OK;
    busy = true;
  }
  RtspMessage m;
  gst_rtsp_message_init_data(m.get(), channel);
  gst_rtsp_message_set_body_buffer(m.get(), packet);
  GstRTSPResult result = gst_rtsp_connection_send_usec(connection, m.get(), longest_wait_us);
  if (result == GST_RTSP_OK && gst_rtsp_connection_next_timeout_usec(connection) == 0) {
    gst_rtsp_connection_reset_timeout(connection);
    result = write(GST_RTSP_OPTIONS, url, {}, "");
  }
  if (result == GST_RTSP_OK) result = read_what_came();
  if (result != GST_RTSP_OK) recording = false;
  const std::lock_guard held(lock);
  if (result != GST_RTSP_OK && !ended) error = words_of(result);
  busy = false;
  idle.notify_all();
  return result;
}

// A packet that is being sent is soon whole, and then the camera can read that it was the last one.
void Announcement::Connection::end() {
  constexpr std::chrono::milliseconds patience(500);
  std::unique_lock held(lock);
  ended = true;
  if (idle.wait_for(held, patience, [this] { return !busy; })) return;
  held.unlock();
  gst_rtsp_connection_flush(connection, TRUE);
}

Loudspeaker::Look Announcement::look(const std::string &address, const Wanted &wanted) {
  Look out;
  try {
    Connection c(address);
    const PatienceWatch watch(c.connection, wanted);
    c.connect();
    RtspMessage answer;
    c.need(GST_RTSP_OPTIONS, c.url, {}, "", answer);
    int known = 0; // GStreamer makes one header of each word in a list
    for (int i = 0; !answer.header(GST_RTSP_HDR_PUBLIC, i).empty(); i++)
      known |= gst_rtsp_options_from_text(answer.header(GST_RTSP_HDR_PUBLIC, i).c_str());
    out.answered = true;
    if ((known & GST_RTSP_ANNOUNCE) && (known & GST_RTSP_RECORD))
      out.form = announced_form;
    else
      out.why = "the address of talk takes no speech: it does not know ANNOUNCE and RECORD";
  } catch (const Error &e) {
    out.why = text("the address of talk could not be asked: ", e.what());
  }
  return out;
}

Announcement::Announcement(const std::string &address, const Wanted &wanted)
    : connection_(std::make_unique<Connection>(address)) {
  try {
    const PatienceWatch watch(connection_->connection, wanted);
    connection_->connect();
    connection_->begin();
  } catch (const Error &e) {
    fail(Error::Kind::io, "the address of talk takes no speech: ", e.what());
  }
}

Announcement::~Announcement() = default;

SpeechForm Announcement::form() const {
  return announced_form;
}

void Announcement::send(GstSample *sample) {
  if (GstBuffer *packet = gst_sample_get_buffer(sample)) connection_->send(packet);
}

void Announcement::end() {
  connection_->end();
}

std::string Announcement::why_over() const {
  const std::string why = connection_->why();
  return why.empty() ? "" : "the address of talk takes no more speech: " + why;
}

} // namespace vigil::monitor
