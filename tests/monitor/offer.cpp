// SPDX-License-Identifier: LGPL-2.1-or-later
// Offers of WebRTC: what is taken of them, and that nothing else gets through.
#include "tools/vigil-monitor/live/offer.h"

#include "common/error.h"
#include "tests/unit.h"

#include <random>
#include <string>
#include <vector>

using namespace vigil;
using namespace vigil::monitor;
using vigil::test::expect;

namespace {

const std::string head = "v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=group:BUNDLE 0 1\r\n";
const std::string transport =
    "c=IN IP4 0.0.0.0\r\na=ice-ufrag:abcd\r\na=ice-pwd:abcdefghijklmnopqrstuv\r\na=fingerprint:sha-256 "
    "AA:BB:CC:DD\r\na=setup:actpass\r\n";
const std::string video =
    "m=video 9 UDP/TLS/RTP/SAVPF 96 97 98 99 100\r\n" + transport +
    "a=mid:0\r\na=recvonly\r\na=candidate:1 1 udp 1 192.0.2.7 5000 typ host\r\n"
    "a=rtpmap:96 VP8/90000\r\na=rtpmap:97 H264/90000\r\n"
    "a=fmtp:97 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f\r\n"
    "a=rtcp-fb:97 nack pli\r\na=rtpmap:98 rtx/90000\r\na=fmtp:98 apt=97\r\n"
    "a=rtpmap:99 H264/90000\r\na=fmtp:99 packetization-mode=1;profile-level-id=640c1f\r\n"
    "a=rtpmap:100 H264/90000\r\na=fmtp:100 packetization-mode=0;profile-level-id=4d001f\r\n";
const std::string audio = "m=audio 9 UDP/TLS/RTP/SAVPF 111 8\r\n" + transport +
                          "a=mid:1\r\na=recvonly\r\na=rtpmap:111 opus/48000/2\r\na=extmap:1 urn:x\r\n";

std::string why_not(const std::string &sdp) {
  try {
    const Offer o(sdp);
    return "";
  } catch (const Error &e) {
    return e.what();
  }
}

bool has(const std::string &text, const std::string &part) {
  return text.find(part) != text.npos;
}

std::string without(std::string text, const std::string &part) {
  for (std::size_t at; (at = text.find(part)) != text.npos;) text.erase(at, part.size());
  return text;
}

void choices() {
  const Offer o(head + video + audio);
  Offer::Choice c;
  expect(o.choose("video", "H264", "42", c) && c.codec.payload == 97 && c.codec.rtx == 98,
         "the camera's own profile");
  expect(o.choose("video", "H264", "4d", c) && c.codec.payload == 99, "main is played by who plays high");
  expect(!o.choose("video", "H265", "", c), "what is not offered");
  expect(o.choose("audio", "PCMA", "", c) && c.codec.payload == 8, "a payload that needs no line rtpmap");
  expect(!o.choose("audio", "PCMU", "", c), "G.711 of the other kind");
  expect(o.offered("video") == "VP8, H264", "what was offered: " + o.offered("video"));
}

void rewritten() {
  const Offer o(head + audio + video + "m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\na=mid:2\r\n");
  std::vector<Offer::Choice> chosen(2);
  expect(o.choose("video", "H264", "42", chosen[0]) && o.choose("audio", "OPUS", "", chosen[1]), "both");
  expect(chosen[0].media == 1 && chosen[1].media == 0, "their places");
  const std::string only = o.only(chosen);
  expect(has(only, "m=video 9 UDP/TLS/RTP/SAVPF 97 98\r\n") &&
             has(only, "m=audio 9 UDP/TLS/RTP/SAVPF 111\r\n"),
         "the chosen codecs: " + only);
  expect(!has(only, "candidate") && !has(only, "extmap") && !has(only, "VP8") && !has(only, "application"),
         "and nothing else: " + only);
  const std::string answer =
      o.answer("v=0\r\ns=-\r\nm=video 9 UDP/TLS/RTP/SAVPF 97\r\na=mid:0\r\na=candidate:old\r\nm=audio 9 "
               "UDP/TLS/RTP/SAVPF 111\r\na=mid:1\r\n",
               chosen, {"candidate:1 1 UDP 1 127.0.0.1 4000 typ host"});
  const std::size_t first = answer.find("m=audio 9"), second = answer.find("m=video 9"),
                    third = answer.find("m=application 0 UDP/DTLS/SCTP webrtc-datachannel\r\n");
  expect(first < second && second < third && third != answer.npos, "in the order of the offer: " + answer);
  expect(has(answer, "a=candidate:1 1 UDP") && !has(answer, "candidate:old"), "our candidates: " + answer);
}

// aiortc looks for the connection and for codecs in a refused medium, too.
void refused() {
  const Offer o(head + video + audio);
  std::vector<Offer::Choice> chosen(1);
  expect(o.choose("video", "H264", "42", chosen[0]), "pictures alone");
  const std::string answer =
      o.answer("v=0\r\ns=-\r\nm=video 9 UDP/TLS/RTP/SAVPF 97\r\na=mid:0\r\na=ice-ufrag:uvwx\r\n", chosen, {});
  const std::size_t at = answer.find("m=audio 0 UDP/TLS/RTP/SAVPF 111 8\r\n");
  expect(at != answer.npos, "the sound is refused: " + answer);
  for (const char *line : {"a=mid:1\r\n", "a=inactive\r\n", "a=rtcp-mux\r\n", "a=rtpmap:111 OPUS/48000/2\r\n",
                           "a=ice-ufrag:uvwx\r\n"})
    expect(at != answer.npos && answer.find(line, at) != answer.npos, std::string("with ") + line);
}

void wrong() {
  expect(has(why_not(""), "v=0"), "empty");
  expect(has(why_not("{\"sdp\": 1}"), "is no line of SDP"), "JSON");
  expect(has(why_not(head), "asks for nothing"), "no medium");
  expect(has(why_not(std::string(Offer::largest + 1, 'a')), "48 KiB"), "huge");
  expect(has(why_not(head + "a=" + std::string(3000, 'x') + "\r\n"), "2048"), "a huge line");
  std::string lines = head, media = head;
  for (int i = 0; i < 3000; i++) lines += "a=x\r\n";
  for (int i = 0; i < 40; i++) media += "m=video 9 UDP/TLS/RTP/SAVPF 96\r\n";
  expect(has(why_not(lines), "2000 lines"), "many lines");
  expect(has(why_not(media), "16 media"), "many media");
  expect(has(why_not(head + without(video, "a=ice-ufrag:abcd\r\n")), "ice-ufrag"), "no user of ICE");
  expect(has(why_not(head + without(video, "a=ice-pwd:abcdefghijklmnopqrstuv\r\n")), "ice-pwd"),
         "no password of ICE");
  expect(has(why_not(head + without(video, "a=fingerprint:sha-256 AA:BB:CC:DD\r\n")), "fingerprint"),
         "no fingerprint");
  expect(has(why_not(head + without(video, "a=recvonly\r\n") + "a=sendonly\r\n"), "asks for nothing"),
         "it sends");
  expect(has(why_not(head + video + "a=mid:a b\r\n"), "mid"), "a mid that is none");
  expect(has(why_not(head + "m=video\r\n"), "no medium"), "half a medium");
  expect(has(why_not(head + "a=x\x01y\r\n"), "control character"), "a control character");
  const Offer apart(head + video + without(audio, "a=mid:1\r\n"));
  Offer::Choice c;
  expect(!apart.choose("audio", "OPUS", "", c), "sound by another connection is refused");
}

// The other way: what the browser sends is taken, and what it wants to receive alone is not.
void from_browser() {
  const std::string speech = without(audio, "a=recvonly\r\n") + "a=sendonly\r\n";
  const Offer o(head + video + speech, Offer::Way::from_browser);
  Offer::Choice c;
  expect(o.choose("audio", "PCMA", "", c) && c.media == 1, "speech");
  expect(!o.choose("video", "H264", "42", c), "a medium that is received");
  const std::string only = o.only({c});
  expect(has(only, "a=sendonly\r\n") && !has(only, "recvonly") && has(only, "SAVPF 8\r\n"), only);
  expect(has(why_not(head + speech), "asks for nothing"), "who watches does not send");
  try {
    const Offer none(head + audio, Offer::Way::from_browser);
    expect(false, "an offer that sends nothing");
  } catch (const Error &e) {
    expect(has(e.what(), "sends no speech"), e.what());
  }
  const auto fragment = candidates_of("a=mid:0\r\na=candidate:1\na=candidate:2\r\n\na=end");
  expect(fragment == std::vector<std::string>{"candidate:1", "candidate:2"}, "a fragment's candidates");
}

void candidates() {
  const Offer o(head + video);
  expect(o.candidates().size() == 1 && is_plain_candidate(o.candidates()[0]), "a candidate");
  expect(is_plain_candidate("candidate:1 1 udp 1 2001:db8::1 5000 typ host"), "IPv6");
  for (const char *address : {"224.0.0.1", "255.255.255.255", "127.0.0.1", "0.0.0.0", "::1", "ff02::1",
                              "::", "x.local", "::ffff:127.0.0.1", "192.0.2.7;rm"})
    expect(!is_plain_candidate(std::string("candidate:1 1 udp 1 ") + address + " 5000 typ host"), address);
  expect(!is_plain_candidate("candidate:1 1 tcp 1 192.0.2.7 5000 typ host"), "TCP");
  expect(!is_plain_candidate("candidate:1 1 udp 1 192.0.2.7 0 typ host"), "port 0");
  expect(!is_plain_candidate("candidate:1 1 udp"), "half a candidate");
}

// Whatever comes is taken or refused, and what is taken is written without lines of its own.
void damaged() {
  std::mt19937 random(1);
  const std::string good = head + video + audio;
  int taken = 0;
  for (int i = 0; i < 3000; i++) {
    std::string sdp = good;
    for (int n = 1 + static_cast<int>(random() % 4); n > 0; n--) {
      const std::size_t at = random() % sdp.size();
      if (random() % 2)
        sdp[at] = static_cast<char>(random());
      else
        sdp.erase(at, random() % 200);
    }
    try {
      const Offer o(sdp);
      Offer::Choice c;
      if (!o.choose("video", "H264", "42", c)) continue;
      taken++;
      for (const char x : o.only({c}))
        if (static_cast<unsigned char>(x) < 32 && x != '\r' && x != '\n')
          expect(false, "a control character came through");
    } catch (const Error &) {
    }
  }
  expect(taken > 100, "some damage does not matter");
}

} // namespace

int main() {
  return vigil::test::run_cases("test-monitor-offer", {{"choices", choices},
                                                       {"rewritten", rewritten},
                                                       {"refused", refused},
                                                       {"wrong", wrong},
                                                       {"from browser", from_browser},
                                                       {"candidates", candidates},
                                                       {"damaged", damaged}});
}
