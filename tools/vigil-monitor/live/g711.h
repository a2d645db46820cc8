// SPDX-License-Identifier: LGPL-2.1-or-later
// The two forms of speech that a camera's back channel and every browser have (RFC 3551, RFC 7874).
#pragma once

#include <string>

namespace vigil::monitor {

enum class G711 { mu_law, a_law };

inline const char *name_of(G711 law) { // in SDP
  return law == G711::mu_law ? "PCMU" : "PCMA";
}

// What a camera asks for.
struct SpeechForm {
  G711 law = G711::mu_law;
  int payload = 0; // the type of RTP
};

} // namespace vigil::monitor
