// SPDX-License-Identifier: LGPL-2.1-or-later
#include "offer.h"

#include "common/error.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <string_view>

namespace vigil::monitor {
namespace {

constexpr std::size_t longest_line = 2048, most_lines = 2000, most_codecs = 128;

bool all_of(std::string_view s, std::string_view others) {
  return !s.empty() && std::all_of(s.begin(), s.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           others.find(c) != others.npos;
  });
}
bool is_number(std::string_view s, int most, int &value) {
  if (s.empty() || s.size() > 5 ||
      !std::all_of(s.begin(), s.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return false;
  value = std::atoi(std::string(s).c_str());
  return value <= most;
}

std::vector<std::string> words_of_line(const std::string &s) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < s.size();) {
    const std::size_t end = std::min(s.find(' ', at), s.size());
    if (end > at) out.push_back(s.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

std::string capitals(std::string s) {
  std::transform(s.begin(), s.end(), s.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return s;
}

std::vector<std::string> lines_of(const std::string &sdp) {
  if (sdp.size() > Offer::largest) fail(Error::Kind::bad_data, "the offer is larger than 48 KiB");
  std::vector<std::string> out;
  for (std::size_t at = 0; at < sdp.size();) {
    const std::size_t end = std::min(sdp.find('\n', at), sdp.size());
    std::string line = sdp.substr(at, end - at);
    at = end + 1;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty()) continue;
    const auto where = [&] { return text("line ", out.size() + 1, " of the offer "); };
    if (line.size() > longest_line) fail(Error::Kind::bad_data, where(), "is longer than 2048 characters");
    if (line.size() < 2 || line[1] != '=' || line[0] < 'a' || line[0] > 'z')
      fail(Error::Kind::bad_data, where(), "is no line of SDP, as a=mid:0 is");
    if (std::any_of(line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 32; }))
      fail(Error::Kind::bad_data, where(), "holds a control character");
    out.push_back(line);
    if (out.size() > most_lines) fail(Error::Kind::bad_data, "the offer has more than 2000 lines");
  }
  if (out.empty() || out[0] != "v=0")
    fail(Error::Kind::bad_data, "the body is no SDP offer: its first line must be v=0");
  return out;
}

struct Attribute {
  std::string name, value;
};
Attribute attribute_of(const std::string &line) { // a=name:value
  const std::size_t colon = line.find(':');
  return colon == line.npos ? Attribute{line.substr(2), ""}
                            : Attribute{line.substr(2, colon - 2), line.substr(colon + 1)};
}

// What each medium, or the session for all of them, says of its connection.
struct Transport {
  std::string user, password, fingerprint, setup;
  bool take(const Attribute &a) {
    std::string *to = a.name == "ice-ufrag"     ? &user
                      : a.name == "ice-pwd"     ? &password
                      : a.name == "fingerprint" ? &fingerprint
                      : a.name == "setup"       ? &setup
                                                : nullptr;
    if (to && (to != &fingerprint || to->empty() || a.value.starts_with("sha-256"))) *to = a.value;
    return to;
  }
  void complete(const Transport &session) {
    if (user.empty()) user = session.user;
    if (password.empty()) password = session.password;
    if (fingerprint.empty()) fingerprint = session.fingerprint;
    if (setup.empty()) setup = session.setup;
  }
};

void check(const Transport &t) {
  constexpr const char *ice = "+/";
  if (!all_of(t.user, ice) || t.user.size() < 4 || t.user.size() > 256)
    fail(Error::Kind::bad_data, "the offer has no a=ice-ufrag of 4 to 256 letters and digits");
  if (!all_of(t.password, ice) || t.password.size() < 22 || t.password.size() > 256)
    fail(Error::Kind::bad_data, "the offer has no a=ice-pwd of 22 to 256 letters and digits");
  if (!all_of(t.fingerprint, "-: ") || t.fingerprint.size() > 256 ||
      t.fingerprint.find(' ') == std::string::npos)
    fail(Error::Kind::bad_data, "the offer has no a=fingerprint of the certificate that encrypts");
  if (t.setup != "actpass" && t.setup != "passive" && t.setup != "active")
    fail(Error::Kind::bad_data, "the offer has no a=setup:actpass");
}

// The codecs of one medium, put together from several lines.
struct CodecLines {
  std::map<int, OfferedCodec> by_payload;
  std::vector<int> order;
  OfferedCodec *of(const std::string &value, std::string &rest) {
    const std::size_t space = value.find(' ');
    int payload = 0;
    if (space == value.npos || !is_number(value.substr(0, space), 127, payload)) return nullptr;
    rest = value.substr(space + 1);
    const auto known = by_payload.find(payload);
    return known == by_payload.end() ? nullptr : &known->second;
  }
  void take(const Attribute &a) {
    std::string rest;
    if (a.name == "rtpmap") {
      OfferedCodec *c = of(a.value, rest);
      const std::size_t slash = rest.find('/');
      if (!c || slash == rest.npos || !all_of(rest, "/-._")) return;
      c->name = capitals(rest.substr(0, slash));
      c->clock = rest.substr(slash + 1);
    } else if (a.name == "fmtp") {
      if (OfferedCodec *c = of(a.value, rest); c && all_of(rest, "=;-_+/,. ")) c->parameters = rest;
    } else if (a.name == "rtcp-fb") {
      if (OfferedCodec *c = of(a.value, rest); c && (rest == "nack" || rest == "nack pli"))
        c->feedback.push_back(rest);
    }
  }
  std::vector<OfferedCodec> codecs() {
    constexpr std::pair<int, const char *> fixed[] = {{0, "PCMU"}, {8, "PCMA"}}; // RFC 3551
    for (const auto &[payload, name] : fixed)
      if (const auto c = by_payload.find(payload); c != by_payload.end() && c->second.name.empty()) {
        c->second.name = name;
        c->second.clock = "8000";
      }
    for (const auto &[payload, c] : by_payload) {
      int of = 0;
      if (c.name == "RTX" && c.parameters.starts_with("apt=") && is_number(c.parameters.substr(4), 127, of))
        if (const auto to = by_payload.find(of); to != by_payload.end()) to->second.rtx = payload;
    }
    std::vector<OfferedCodec> out;
    for (const int payload : order)
      if (const OfferedCodec &c = by_payload[payload]; !c.name.empty() && c.name != "RTX") out.push_back(c);
    return out;
  }
};

std::string parameter_of(const std::string &parameters, const std::string &name) {
  for (std::size_t at = 0; at < parameters.size();) {
    const std::size_t end = std::min(parameters.find(';', at), parameters.size());
    std::string one = parameters.substr(at, end - at);
    one.erase(0, one.find_first_not_of(' '));
    if (one.starts_with(name + "=")) return one.substr(name.size() + 1);
    at = end + 1;
  }
  return "";
}

// How well a decoder of this H.264 plays a stream of this profile; less is better, below 0 not at all.
int fit_of(const OfferedCodec &c, const std::string &profile) {
  if (parameter_of(c.parameters, "packetization-mode") != "1") return -1;
  const std::string offered = capitals(parameter_of(c.parameters, "profile-level-id")).substr(0, 2);
  if (offered == capitals(profile)) return 0;
  return offered == "64" ? 1 : offered == "4D" ? 2 : 3; // a decoder of a higher profile plays the lower ones
}

} // namespace

Offer::Offer(const std::string &sdp, Way way) : way_(way) {
  Transport session;
  std::vector<Transport> transports;
  std::vector<CodecLines> codecs;
  std::vector<std::string> directions;
  std::string all_directions = "sendrecv";
  std::set<std::string> bundled;
  for (const std::string &line : lines_of(sdp)) {
    if (line[0] == 'm') {
      const auto words = words_of_line(line.substr(2));
      if (media_.size() >= most_media) fail(Error::Kind::bad_data, "the offer has more than 16 media");
      if (words.size() < 4 || words.size() > most_codecs || !all_of(words[0], "-") || !all_of(words[2], "/"))
        fail(Error::Kind::bad_data, "the line ", line.substr(0, 60),
             " is no medium; expected m=video 9 UDP/TLS/RTP/SAVPF 96");
      OfferedMedia m;
      m.kind = words[0];
      m.protocol = words[2];
      codecs.emplace_back();
      for (std::size_t i = 3; i < words.size(); i++) {
        if (!all_of(words[i], "-."))
          fail(Error::Kind::bad_data, "a medium of the offer has the format ", words[i]);
        m.formats += " " + words[i];
        int payload = 0;
        if (is_number(words[i], 127, payload) &&
            codecs.back().by_payload.emplace(payload, OfferedCodec()).second) {
          codecs.back().by_payload[payload].payload = payload;
          codecs.back().order.push_back(payload);
        }
      }
      media_.push_back(m);
      transports.emplace_back();
      directions.push_back(all_directions);
      continue;
    }
    if (line[0] != 'a') continue;
    const Attribute a = attribute_of(line);
    const bool inside = !media_.empty();
    if (a.name == "group" && a.value.starts_with("BUNDLE")) {
      const auto mids = words_of_line(a.value);
      bundled.insert(mids.begin() + 1, mids.end());
    }
    if ((inside ? transports.back() : session).take(a)) continue;
    if (a.name == "sendrecv" || a.name == "recvonly" || a.name == "sendonly" || a.name == "inactive")
      (inside ? directions.back() : all_directions) = a.name;
    constexpr std::size_t most_candidates = 32;
    if (a.name == "candidate" && candidates_.size() < most_candidates) candidates_.push_back(line.substr(2));
    if (!inside) continue;
    if (a.name == "mid") {
      if (!all_of(a.value, "-_+.") || a.value.size() > 64)
        fail(Error::Kind::bad_data, "a medium of the offer has a mid that is no name");
      media_.back().mid = a.value;
    }
    codecs.back().take(a);
  }
  const bool watches = way_ == Way::to_browser;
  if (media_.empty())
    fail(Error::Kind::bad_data,
         "the offer asks for nothing: it has no medium (m=", watches ? "video" : "audio", ")");
  const Transport *used = nullptr;
  for (std::size_t i = 0; i < media_.size(); i++) {
    OfferedMedia &m = media_[i];
    m.codecs = codecs[i].codecs();
    const bool rtp = m.protocol == "UDP/TLS/RTP/SAVPF" && (m.kind == "video" || m.kind == "audio");
    if (!rtp || directions[i] == (watches ? "sendonly" : "recvonly") || directions[i] == "inactive") continue;
    transports[i].complete(session);
    // All goes through one connection: what is not bundled with the first medium is refused.
    if (used && (!bundled.count(m.mid) || transports[i].user != used->user)) continue;
    if (!used) used = &transports[i];
    m.wanted = true;
  }
  if (!used)
    fail(Error::Kind::bad_data,
         watches ? "the offer asks for nothing that a camera has: expected a medium m=video with a=recvonly"
                 : "the offer sends no speech: expected a medium m=audio with a=sendonly");
  check(*used);
  user_ = used->user;
  password_ = used->password;
  fingerprint_ = used->fingerprint;
  setup_ = used->setup;
}

bool Offer::choose(const std::string &kind, const std::string &codec, const std::string &profile,
                   Choice &choice) const {
  int best = -1;
  for (std::size_t i = 0; i < media_.size(); i++) {
    if (!media_[i].wanted || media_[i].kind != kind) continue;
    for (const OfferedCodec &c : media_[i].codecs) {
      if (c.name != codec) continue;
      const int fit = codec == "H264" ? fit_of(c, profile) : 0;
      if (fit < 0 || (best >= 0 && fit >= best)) continue;
      best = fit;
      choice = {i, c};
    }
    if (best >= 0) return true;
  }
  return false;
}

std::string Offer::only(const std::vector<Choice> &choices) const {
  std::string group, out;
  for (const Choice &c : choices) {
    const OfferedMedia &m = media_[c.media];
    const std::string mid = m.mid.empty() ? std::to_string(c.media) : m.mid;
    const std::string payload = std::to_string(c.codec.payload), rtx = std::to_string(c.codec.rtx);
    const bool again = c.codec.rtx >= 0;
    group += " " + mid;
    out += "m=" + m.kind + " 9 " + m.protocol + " " + payload + (again ? " " + rtx : "") +
           "\r\nc=IN IP4 0.0.0.0\r\na=mid:" + mid + "\r\na=ice-ufrag:" + user_ +
           "\r\na=ice-pwd:" + password_ + "\r\na=fingerprint:" + fingerprint_ + "\r\na=setup:" + setup_ +
           (way_ == Way::to_browser ? "\r\na=recvonly" : "\r\na=sendonly") +
           "\r\na=rtcp-mux\r\na=rtpmap:" + payload + " " + c.codec.name + "/" + c.codec.clock + "\r\n";
    if (!c.codec.parameters.empty()) out += "a=fmtp:" + payload + " " + c.codec.parameters + "\r\n";
    for (const std::string &f : c.codec.feedback) out += "a=rtcp-fb:" + payload + " " + f + "\r\n";
    if (again) out += "a=rtpmap:" + rtx + " rtx/90000\r\na=fmtp:" + rtx + " apt=" + payload + "\r\n";
  }
  return "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\na=group:BUNDLE" + group + "\r\n" + out;
}

std::string Offer::answer(const std::string &to_only, const std::vector<Choice> &choices,
                          const std::vector<std::string> &candidates) const {
  std::string head;
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < to_only.size();) {
    const std::size_t end = std::min(to_only.find('\n', at), to_only.size());
    std::string line = to_only.substr(at, end - at);
    at = end + 1;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.starts_with("m=")) parts.emplace_back();
    if (line.empty() || line.starts_with("a=candidate:") || line == "a=end-of-candidates") continue;
    (parts.empty() ? head : parts.back()) += line + "\r\n";
  }
  if (parts.empty() || parts.size() != choices.size())
    fail(Error::Kind::device, "GStreamer answered ", parts.size(), " media of ", choices.size());
  std::string out = head, connection;
  for (const char *name : {"a=ice-ufrag:", "a=ice-pwd:", "a=fingerprint:", "a=setup:"})
    if (const std::size_t at = parts[0].find(name); at != std::string::npos)
      connection += parts[0].substr(at, parts[0].find('\n', at) + 1 - at);
  for (std::size_t i = 0; i < media_.size(); i++) {
    const auto chosen =
        std::find_if(choices.begin(), choices.end(), [&](const Choice &c) { return c.media == i; });
    if (chosen == choices.end()) {
      out += "m=" + media_[i].kind + " 0 " + media_[i].protocol + media_[i].formats +
             "\r\nc=IN IP4 0.0.0.0\r\na=inactive\r\n";
      if (!media_[i].mid.empty()) out += "a=mid:" + media_[i].mid + "\r\n";
      // Some viewers look for all of this in a refused medium, too.
      out += connection;
      if (media_[i].protocol.find("/RTP/") != std::string::npos) out += "a=rtcp-mux\r\n";
      for (const OfferedCodec &c : media_[i].codecs)
        out += "a=rtpmap:" + std::to_string(c.payload) + " " + c.name + "/" + c.clock + "\r\n";
      continue;
    }
    out += parts[static_cast<std::size_t>(chosen - choices.begin())];
    if (chosen != choices.begin()) continue;
    for (const std::string &c : candidates) out += "a=" + c + "\r\n";
    out += "a=end-of-candidates\r\n";
  }
  return out;
}

std::string Offer::offered(const std::string &kind) const {
  std::string out;
  std::set<std::string> seen;
  for (const OfferedMedia &m : media_)
    if (m.wanted && m.kind == kind)
      for (const OfferedCodec &c : m.codecs)
        if (seen.insert(c.name).second && seen.size() < 16)
          out += (out.empty() ? "" : ", ") + c.name.substr(0, 20);
  return out.empty() ? "nothing" : out;
}

std::vector<std::string> candidates_of(const std::string &fragment) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < fragment.size();) {
    const std::size_t end = std::min(fragment.find_first_of("\r\n", at), fragment.size());
    if (const std::string line = fragment.substr(at, end - at); line.starts_with("a=candidate:"))
      out.push_back(line.substr(2));
    at = end + 1;
  }
  return out;
}

bool is_plain_candidate(const std::string &line) {
  const auto words = words_of_line(line);
  constexpr std::size_t transport = 2, address = 4, port = 5, least = 8;
  int number = 0;
  if (line.size() > 512 || words.size() < least || !line.starts_with("candidate:") ||
      !all_of(line, ":.-+/ _") || capitals(words[transport]) != "UDP" ||
      !is_number(words[port], 65535, number) || number == 0)
    return false;
  in_addr v4{};
  in6_addr v6{};
  if (inet_pton(AF_INET, words[address].c_str(), &v4) == 1) {
    const std::uint32_t a = ntohl(v4.s_addr);
    return a >> 24 != 0 && a >> 24 != 127 && a >> 28 < 0xe; // no multicast, no broadcast
  }
  return inet_pton(AF_INET6, words[address].c_str(), &v6) == 1 && !IN6_IS_ADDR_MULTICAST(&v6) &&
         !IN6_IS_ADDR_LOOPBACK(&v6) && !IN6_IS_ADDR_UNSPECIFIED(&v6) && !IN6_IS_ADDR_V4MAPPED(&v6);
}

} // namespace vigil::monitor
