// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ptz.h"

#include "../printable.h"
#include "common/error.h"
#include "media.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace vigil::monitor {
namespace {

constexpr std::size_t most_presets = 256, longest_ptz_token = 64;
constexpr const char *ptz_schema = "http://www.onvif.org/ver10/schema";

int count_in(const std::string &words, int most) {
  int out = 0;
  std::from_chars(words.data(), words.data() + words.size(), out);
  return std::clamp(out, 0, most);
}

// Independent of the locale, as numbers of XML are.
std::string decimal(double v) {
  char out[32];
  const auto end =
      std::to_chars(out, out + sizeof out, std::clamp(v, -1.0, 1.0), std::chars_format::fixed, 3);
  return std::string(out, end.ptr);
}

} // namespace

bool is_ptz_token(const std::string &s) {
  return !s.empty() && s.size() <= longest_ptz_token && s != "." && s != ".." &&
         std::all_of(s.begin(), s.end(), [](char c) { return c > ' ' && c < 0x7f && c != '/' && c != '\\'; });
}

std::optional<PtzProfile> ptz_profile(const XmlElement &answer) {
  for (const XmlElement &p : answer.children) {
    const XmlElement *ptz = p.name == "Profiles" ? ptz_of_profile(p) : nullptr;
    const std::string token = p.attribute("token");
    if (!ptz || token.empty() || token.size() > 2 * longest_ptz_token) continue;
    PtzProfile out{token, ptz->text_of({"NodeToken"}), {}};
    out.abilities.pan_tilt = ptz->child("DefaultContinuousPanTiltVelocitySpace") != nullptr;
    out.abilities.zoom = ptz->child("DefaultContinuousZoomVelocitySpace") != nullptr;
    return out;
  }
  return std::nullopt;
}

std::optional<PtzAbilities> abilities_of(const XmlElement &answer) {
  const XmlElement *node = answer.child("PTZNode");
  if (!node) return std::nullopt;
  return PtzAbilities{node->find({"SupportedPTZSpaces", "ContinuousPanTiltVelocitySpace"}) != nullptr,
                      node->find({"SupportedPTZSpaces", "ContinuousZoomVelocitySpace"}) != nullptr,
                      node->text_of({"HomeSupported"}) == "true" || node->text_of({"HomeSupported"}) == "1",
                      count_in(node->text_of({"MaximumNumberOfPresets"}), 10000)};
}

std::vector<PtzPreset> presets_of(const XmlElement &answer) {
  std::vector<PtzPreset> out;
  for (const XmlElement &p : answer.children) {
    if (p.name != "Preset" || !is_ptz_token(p.attribute("token"))) continue;
    constexpr std::size_t longest_name = 64;
    const std::string name = printable(p.text_of({"Name"}), longest_name);
    out.push_back({p.attribute("token"), name.empty() ? p.attribute("token") : name});
    if (out.size() == most_presets) break;
  }
  return out;
}

std::string ptz_request(const char *name, const std::string &profile, const std::string &more) {
  return vigil::text("<", name, " xmlns=\"http://www.onvif.org/ver20/ptz/wsdl\"><ProfileToken>",
                     xml_escaped(profile), "</ProfileToken>", more, "</", name, ">");
}

std::string move_request(const std::string &profile, const PtzAbilities &can, const PtzSpeed &speed,
                         int seconds) {
  std::string velocity;
  if (can.pan_tilt)
    velocity += vigil::text("<PanTilt xmlns=\"", ptz_schema, "\" x=\"", decimal(speed.pan), "\" y=\"",
                            decimal(speed.tilt), "\"/>");
  if (can.zoom) velocity += vigil::text("<Zoom xmlns=\"", ptz_schema, "\" x=\"", decimal(speed.zoom), "\"/>");
  return ptz_request("ContinuousMove", profile,
                     vigil::text("<Velocity>", velocity, "</Velocity><Timeout>PT", seconds, "S</Timeout>"));
}

} // namespace vigil::monitor
