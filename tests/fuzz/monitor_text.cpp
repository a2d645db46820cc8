// SPDX-License-Identifier: LGPL-2.1-or-later
// What vigil-monitor reads of people and clients: the configuration, overrides, coordinates, headers. The
// first byte chooses.
#include "tests/fuzz/fuzz.h"

#include "common/error.h"
#include "tools/vigil-monitor/config/config.h"
#include "tools/vigil-monitor/config/overrides.h"
#include "tools/vigil-monitor/config/secrets.h"
#include "tools/vigil-monitor/config/text.h"
#include "tools/vigil-monitor/http/auth.h"
#include "tools/vigil-monitor/notify/topics.h"

#include <string>

namespace vigil::fuzz {

std::vector<Bytes> seeds() {
  std::vector<Bytes> out;
  for (const char *text :
       {"ycameras:\n  a: {source: x, zones: {z: {coordinates: '0,0,1,0,1,1'}}, live: {fps: 5}}\nrecord: "
        "{pre_capture: 3}\n",
        "yhttp: {listen: '[::1]:80'}\npresets: {p: {cudamog: {median: 5}}}\ncameras: {a: {source: "
        "'rtsp://u:p@h', preset: p}}\n",
        "o{\"cameras\": {\"a\": {\"zones\": {\"z\": {\"coordinates\": \"0,0,1,0,1,1\"}}, \"motion\": true}}}",
        "p0.1,0.5,0.4,0.5,0.4,1", "rbytes=0-99", "rbytes=-5", "ca=b; vigil_session=x", "h127.0.0.1:8090",
        "h[::1]:1", "mrtsp://user:pw@host/x?token=1 user-pw=2", "tvigil/door/motion/set"})
    out.emplace_back(text, text + std::char_traits<char>::length(text));
  return out;
}

bool read(std::span<const std::uint8_t> bytes) {
  using namespace vigil::monitor;
  if (bytes.empty()) return false;
  const std::string text(bytes.begin() + 1, bytes.end());
  Request r;
  try {
    switch (bytes[0]) {
    case 'y':
      parse_config(text, "file");
      return true;
    case 'o':
      Overrides(text).applied({});
      return true;
    case 'p':
      check_polygon(parse_points(text));
      return true;
    case 'r':
      return parse_range(text, 1000).has_value();
    case 'c':
      r.headers["cookie"] = text;
      return cookie(r, "vigil_session").has_value();
    case 'h':
      r.headers["host"] = text;
      r.headers["origin"] = "http://" + text;
      return wrong_site(r, {}).empty();
    case 't':
      return parse_command("vigil", text, "ON").has_value();
    default:
      return (mask_credentials(text) != text) | !shown_source(text).empty();
    }
  } catch (const Error &) {
    return false;
  }
}

} // namespace vigil::fuzz
