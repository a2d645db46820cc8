// SPDX-License-Identifier: LGPL-2.1-or-later
// What a browser offers by WebRTC, as SDP (RFC 8866, RFC 8829). The text comes from outside: it is read line
// by line, and only what is checked here goes on, written anew. Knows no GStreamer.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace vigil::monitor {

struct OfferedCodec {
  std::string name, clock;           // in capitals: H264; 90000, or 48000/2
  int payload = -1, rtx = -1;        // rtx: of what is sent again (RFC 4588); -1: not offered
  std::string parameters;            // the fmtp line
  std::vector<std::string> feedback; // nack, nack pli
};

struct OfferedMedia {
  std::string kind, protocol, formats, mid; // kind: video, audio, application
  bool wanted = false;                      // it goes the way of the offer, and by the one connection
  std::vector<OfferedCodec> codecs;
};

class Offer {
 public:
  static constexpr std::size_t largest = 48 << 10, most_media = 16;

  enum class Way { to_browser, from_browser };
  // Media that go the other way are refused. Throws Error::bad_data, which says what is wrong and where.
  explicit Offer(const std::string &sdp, Way = Way::to_browser);

  const std::vector<OfferedMedia> &media() const { return media_; }
  const std::vector<std::string> &candidates() const { return candidates_; } // as they came, of no check

  struct Choice { // a codec of a medium
    std::size_t media = 0;
    OfferedCodec codec;
  };
  // The first medium of this kind that offers the codec. Of several H.264 the one whose profile is nearest to
  // the camera's: `profile` is the hexadecimal profile_idc of its parameter set. False: none offers it.
  bool choose(const std::string &kind, const std::string &codec, const std::string &profile, Choice &) const;
  // The offer with these media and codecs alone, and without candidates.
  std::string only(const std::vector<Choice> &) const;
  // An answer to only() as one to the whole offer: other media are refused. `candidates`: lines of SDP,
  // without ends of line.
  std::string answer(const std::string &to_only, const std::vector<Choice> &,
                     const std::vector<std::string> &candidates) const;
  std::string offered(const std::string &kind) const; // "H264, VP8", for messages

 private:
  Way way_;
  std::vector<OfferedMedia> media_;
  std::vector<std::string> candidates_;
  std::string user_, password_, fingerprint_, setup_; // of the one connection
};

// The candidates of a fragment of SDP (RFC 8840), as they came, of no check.
std::vector<std::string> candidates_of(const std::string &fragment);

// A candidate that may be used: UDP, and an address as a number. False for all else, as names of mDNS.
// `line`: "candidate:..." without "a=".
bool is_plain_candidate(const std::string &line);

} // namespace vigil::monitor
