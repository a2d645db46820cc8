// SPDX-License-Identifier: LGPL-2.1-or-later
#include "config.h"

#include "../printable.h"
#include "common/error.h"
#include "common/file.h"
#include "detector_yaml.h"
#include "notify_yaml.h"
#include "secrets.h"
#include "text.h"
#include "yaml.h"

#include "../passwords.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace vigil::monitor {

const std::vector<std::string> &chain_elements() {
  static const std::vector<std::string> names = {"clbilateral", "gpufisher",  "cudamog",
                                                 "boxtrack",    "tracklabel", "boxrules"};
  return names;
}

std::string setting_of(const CameraConfig &c, const std::string &element, const std::string &property) {
  const auto e = c.elements.find(element);
  if (e == c.elements.end()) return "";
  const auto p = e->second.find(property);
  return p == e->second.end() ? "" : p->second.value;
}

const char *name_of(PrivacyConfig::Fill fill) {
  return fill == PrivacyConfig::Fill::black ? "black" : "pixelate";
}

std::optional<PrivacyConfig::Fill> fill_named(const std::string &name) {
  for (const auto fill : {PrivacyConfig::Fill::black, PrivacyConfig::Fill::pixelate})
    if (name == name_of(fill)) return fill;
  return std::nullopt;
}

namespace {

void read_elements(const std::string &element, const YamlValue &v, ElementSettings &out) {
  v.each(
      [&](const std::string &property, const YamlValue &value) {
        out[element][property] = {value.text(), value.place()};
      },
      false);
  out[element]; // named without properties: in the chain with its defaults
}

// Days of continuous recording and of its tiers. A camera may take back what `record` says for all.
void read_continuous(const YamlValue &v, RecordConfig &r, double most_days) {
  bool enabled = true;
  std::optional<double> days;
  v.members({{"enabled", [&](const YamlValue &x) { enabled = x.flag(); }},
             {"days", [&](const YamlValue &x) { days = x.number(0, most_days); }}});
  if (enabled && !days && !r.continuous)
    v.refuse("days is missing: for how many days all is kept, 0 for no limit");
  r.continuous = enabled;
  if (days) r.continuous_days = *days;
}

void read_record(const YamlValue &v, RecordConfig &r) {
  constexpr double hour = 3600, years = 36500;
  std::optional<double> retain, events, motion;
  const auto days_of = [&](const YamlValue &x, std::optional<double> &to) {
    x.members({{"days", [&](const YamlValue &days) { to = days.number(0, years); }}});
    if (!to) x.refuse("days is missing: a number, 0 for no limit");
  };
  v.members({{"enabled", [&](const YamlValue &x) { r.enabled = x.flag(); }},
             {"audio", [&](const YamlValue &x) { r.audio = x.flag(); }},
             {"continuous", [&](const YamlValue &x) { read_continuous(x, r, years); }},
             {"motion", [&](const YamlValue &x) { days_of(x, motion); }},
             {"events", [&](const YamlValue &x) { days_of(x, events); }},
             {"pre_capture", [&](const YamlValue &x) { r.pre_capture = x.number(0, 60); }},
             {"post_capture", [&](const YamlValue &x) { r.post_capture = x.number(0, 600); }},
             {"max_clip", [&](const YamlValue &x) { r.max_clip = x.number(1, hour); }},
             {"retain", [&](const YamlValue &x) {
                x.members({{"days", [&](const YamlValue &days) { retain = days.number(0, years); }}});
              }}});
  if (retain && events && *retain != *events)
    v.refuse(
        "retain: {days} and events: {days} both say how long events are kept, and differ; leave one out");
  if (const auto days = events ? events : retain) {
    r.retain_days = *days;
    r.retain_given = true;
  }
  if (motion) r.motion_days = *motion;
}

void read_cold(const YamlValue &v, ColdConfig &c) {
  constexpr double years = 36500;
  v.members(
      {{"path",
        [&](const YamlValue &x) {
          c.path = x.text();
          if (!c.path.starts_with('/')) x.refuse("the path of the second folder must begin with /");
          while (c.path.size() > 1 && c.path.ends_with('/')) c.path.pop_back();
        }},
       {"days", [&](const YamlValue &x) { c.days = x.number(0, years); }},
       {"max_size", [&](const YamlValue &x) { c.max_size = x.here([&] { return parse_size(x.text()); }); }},
       {"min_free", [&](const YamlValue &x) { c.min_free = x.here([&] { return parse_size(x.text()); }); }}});
  if (c.path.empty()) v.refuse("path is missing: the folder that older recordings are moved to");
}

std::vector<Point> read_points(const YamlValue &v, void (*check)(const std::vector<Point> &)) {
  return v.here([&] {
    auto points = parse_points(v.text());
    check(points);
    return points;
  });
}

void need_points(const YamlValue &v, const std::vector<Point> &points) {
  if (points.empty()) v.refuse("coordinates are missing");
}

std::vector<std::string> read_labels(const YamlValue &v) {
  std::vector<std::string> out;
  v.items([&](const YamlValue &name) {
    out.push_back(name.text());
    name.here([&] { check_labels(out); });
  });
  return out;
}

void read_shapes(const YamlValue &v, CameraConfig &c, const std::string &kind) {
  v.each([&](const std::string &name, const YamlValue &shape) {
    if (kind == "zones") {
      Zone zone;
      shape.members(
          {{"coordinates", [&](const YamlValue &x) { zone.points = read_points(x, check_polygon); }},
           {"loiter_seconds", [&](const YamlValue &x) { zone.loiter_seconds = x.number(0, 86400); }},
           {"labels", [&](const YamlValue &x) { zone.labels = read_labels(x); }}});
      need_points(shape, zone.points);
      c.zones[name] = zone;
    } else if (kind == "lines") {
      Line line;
      shape.members({{"coordinates", [&](const YamlValue &x) { line.points = read_points(x, check_line); }},
                     {"direction",
                      [&](const YamlValue &x) {
                        line.direction = x.text();
                        if (line.direction != "both" && line.direction != "in" && line.direction != "out")
                          x.refuse("'" + line.direction + "' is no direction; allowed: both, in, out");
                      }},
                     {"labels", [&](const YamlValue &x) { line.labels = read_labels(x); }}});
      need_points(shape, line.points);
      c.lines[name] = line;
    } else {
      Mask mask;
      shape.members(
          {{"coordinates", [&](const YamlValue &x) { mask.points = read_points(x, check_polygon); }}});
      need_points(shape, mask.points);
      (kind == "masks" ? c.masks : kind == "unmasked" ? c.unmasked : c.privacy.polygons)[name] = mask;
    }
  });
}

void read_privacy(const YamlValue &v, CameraConfig &c) {
  v.members({{"polygons", [&](const YamlValue &x) { read_shapes(x, c, "privacy"); }},
             {"silhouettes", [&](const YamlValue &x) { c.privacy.silhouettes = x.flag(); }},
             {"uncovered_for",
              [&](const YamlValue &x) {
                x.items([&](const YamlValue &role) {
                  const std::string name = role.text();
                  if (name != "viewer" && name != "operator" && name != "admin")
                    role.refuse("'" + printable(name, most_said) +
                                "' is no role; allowed: viewer, operator, admin");
                  c.privacy.uncovered_for.insert(name);
                });
              }},
             {"fill", [&](const YamlValue &x) {
                const std::string name = x.text();
                const auto fill = fill_named(name);
                if (!fill)
                  x.refuse("'" + printable(name, most_said) + "' is no fill; allowed: black, pixelate");
                c.privacy.fill = *fill;
              }}});
}

int read_detect_height(const YamlValue &v) {
  const std::string text = v.text();
  if (text == "half") return detect_half;
  if (text == "full") return detect_full;
  try {
    return v.integer(90, 2160);
  } catch (const Error &e) {
    fail(e.kind(), e.what(), ", nor half or full");
  }
}

double read_detect_fps(const YamlValue &v) {
  if (v.is_scalar() && v.text() == "all") return detect_all;
  if (v.is_scalar() && v.text() == "keys") return detect_keys;
  constexpr double least = 0.5, most = 240; // less would look like a camera that gives no picture
  try {
    return v.number(least, most);
  } catch (const Error &e) {
    fail(e.kind(), e.what(), "; all looks at every picture, keys at key frames alone");
  }
}

struct Presets {
  std::map<std::string, ElementSettings> sets;
};

// One stream, or one to record and a smaller one to look at.
void read_source(const YamlValue &v, CameraConfig &c) {
  if (v.is_scalar() || v.is_null()) {
    c.source = v.text();
  } else {
    v.members({{"record", [&](const YamlValue &x) { c.record_source = x.text(); }},
               {"detect", [&](const YamlValue &x) { c.source = x.text(); }}});
    if (c.source.empty() || c.record_source.empty())
      v.refuse("record and detect are needed both, each a stream of the camera; write source: ADDRESS where "
               "it has one");
    if (c.source == c.record_source) c.record_source.clear();
  }
  for (const std::string &source : c.sources()) keep_secrets_of_source(source);
}

void read_onvif(const YamlValue &v, CameraConfig &c) {
  v.members({{"address", [&](const YamlValue &x) { c.onvif = x.text(); }},
             {"events", [&](const YamlValue &x) { c.onvif_events = x.flag(); }}});
  if (c.onvif.empty())
    v.refuse(
        "address is missing: the camera's ONVIF service, http://USER:PASSWORD@HOST/onvif/device_service");
  keep_secrets_of_source(c.onvif);
}

void read_talk(const YamlValue &v, CameraConfig &c) {
  const std::string words = v.text();
  if (words.find("://") == words.npos) {
    c.talk = v.flag();
    return;
  }
  keep_secrets_of_source(words);
  if (!words.starts_with("rtsp://") && !words.starts_with("rtsps://"))
    v.refuse("'" + printable(mask_credentials(words), most_said) +
             "' takes no speech: allowed are true, false, and an address rtsp:// or rtsps://");
  c.talk_address = words;
}

CameraConfig read_camera(const std::string &name, const YamlValue &v, const Config &all,
                         const Presets &presets) {
  CameraConfig c;
  c.name = name;
  c.record = all.record;
  c.detector = all.detector;
  c.place = v.place();
  ElementSettings own;
  const auto shapes = [&](const char *kind) {
    return [&c, kind](const YamlValue &x) { read_shapes(x, c, kind); };
  };
  const auto element = [&](const char *e) {
    return [&own, e](const YamlValue &x) { read_elements(e, x, own); };
  };
  v.members({{"source", [&](const YamlValue &x) { read_source(x, c); }},
             {"title",
              [&](const YamlValue &x) {
                c.title = x.text();
                if (!is_title(c.title))
                  x.refuse(
                      "'" + printable(c.title, most_said) +
                      "' is no title: 1 to 64 characters, without control characters or marks of direction, "
                      "and without a space at an end");
              }},
             {"onvif", [&](const YamlValue &x) { read_onvif(x, c); }},
             {"enabled", [&](const YamlValue &x) { c.enabled = x.flag(); }},
             {"motion", [&](const YamlValue &x) { c.motion = x.flag(); }},
             {"loop", [&](const YamlValue &x) { c.loop = x.flag(); }},
             {"talk", [&](const YamlValue &x) { read_talk(x, c); }},
             {"preset",
              [&](const YamlValue &x) {
                const auto p = presets.sets.find(x.text());
                std::string known;
                for (const auto &[n, s] : presets.sets) known += " " + n;
                if (p == presets.sets.end())
                  x.refuse("there is no preset '" + x.text() +
                           "'; under presets:" + (known.empty() ? " none" : known));
                c.elements = p->second;
              }},
             {"live",
              [&](const YamlValue &x) {
                x.members({{"height", [&](const YamlValue &y) { c.live_height = y.integer(90, 2160); }},
                           {"fps", [&](const YamlValue &y) { c.live_fps = y.number(0.1, 60); }},
                           {"sound", [&](const YamlValue &y) { c.live_sound = y.flag(); }}});
              }},
             {"detect",
              [&](const YamlValue &x) {
                x.members({{"enabled", [&](const YamlValue &y) { c.analysed = y.flag(); }},
                           {"height", [&](const YamlValue &y) { c.detect_height = read_detect_height(y); }},
                           {"fps", [&](const YamlValue &y) { c.detect_fps = read_detect_fps(y); }}});
              }},
             {"detector",
              [&](const YamlValue &x) {
                if (x.flag() && !c.detector)
                  x.refuse("true, but there is no section detector with a model for all cameras");
                if (!x.flag()) c.detector.reset();
              }},
             {"max_pixels", [&](const YamlValue &x) { c.max_pixels = x.integer(1, 1 << 30); }},
             {"record", [&](const YamlValue &x) { read_record(x, c.record); }},
             {"zones", shapes("zones")},
             {"lines", shapes("lines")},
             {"masks", shapes("masks")},
             {"unmasked", shapes("unmasked")},
             {"privacy", [&](const YamlValue &x) { read_privacy(x, c); }},
             {"clbilateral", element("clbilateral")},
             {"cudamog", element("cudamog")},
             {"boxtrack", element("boxtrack")},
             {"tracklabel", element("tracklabel")},
             {"boxrules", element("boxrules")},
             {"gpufisher", element("gpufisher")}});
  if (c.source.empty())
    v.refuse("source is missing: an address (rtsp://...), a file, /dev/video0, or elements of gst-launch");
  if (c.privacy.silhouettes && !c.record_source.empty())
    v.refuse(std::string("privacy: {silhouettes: true}: ") + silhouettes_of_two_streams);
  if (c.privacy.silhouettes && !c.analysed)
    v.refuse(std::string("privacy: {silhouettes: true}: ") + silhouettes_need_analysis);
  for (auto &[e, properties] : own)
    for (auto &[p, setting] : properties)
      c.elements[e][p] = setting; // the camera's own win over the preset's
  for (const auto &[e, properties] : own) c.elements[e];
  return c;
}

// What a camera has that nothing comes of, since it is not analysed.
void settle_unanalysed(const CameraConfig &c, std::vector<std::string> &warnings) {
  if (c.analysed) return;
  std::string idle;
  const auto name = [&](const std::string &key) { idle += (idle.empty() ? "" : ", ") + key; };
  if (!c.zones.empty()) name("zones");
  if (!c.lines.empty()) name("lines");
  if (!c.masks.empty()) name("masks");
  if (!c.unmasked.empty()) name("unmasked");
  for (const auto &[element, settings] : c.elements) name(element);
  if (!idle.empty())
    warnings.push_back(c.place + ": camera " + c.name +
                       " is not analysed (detect: {enabled: false}), so that " + idle + " have no effect");
}

// ADDRESS:PORT; `example` for words.
void read_listen(const YamlValue &v, const char *example, std::string &address, int &number) {
  const std::string s = v.text();
  const std::size_t colon = s.rfind(':');
  if (colon == s.npos || colon == 0)
    v.refuse("'" + s + "' is no ADDRESS:PORT, for example 127.0.0.1:" + example + " or [::]:" + example);
  address = s.substr(0, colon);
  if (address.front() == '[' && address.back() == ']') address = address.substr(1, address.size() - 2);
  const std::string port = s.substr(colon + 1);
  if (port.empty() || port.size() > 5 ||
      !std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; }) ||
      std::stoi(port) > 65535)
    v.refuse("'" + port + "' is no port from 0 to 65535");
  number = std::stoi(port);
}
void read_listen(const YamlValue &v, HttpConfig &http) {
  read_listen(v, "8090", http.address, http.port);
}

// HOST:PORT, or HOST with the port of STUN and TURN (RFC 8489).
std::string read_ice_server(const YamlValue &v) {
  const std::string s = v.text();
  const bool clean = !s.empty() && s.size() <= 255 && std::all_of(s.begin(), s.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == ':' || c == '[' || c == ']';
  });
  if (!clean) v.refuse("'" + s + "' is no HOST:PORT, for example turn.example.org:3478");
  const bool has_port = s.front() == '[' ? s.find("]:") != s.npos : s.find(':') != s.npos;
  return has_port ? s : s + ":3478";
}

void read_ports(const YamlValue &v, WebRtcConfig &c) {
  const std::string s = v.text();
  int read = 0;
  if (std::sscanf(s.c_str(), "%5d-%5d%n", &c.first_port, &c.last_port, &read) != 2 ||
      static_cast<std::size_t>(read) != s.size() || c.first_port < 1024 || c.last_port > 65535 ||
      c.first_port > c.last_port)
    v.refuse("'" + s + "' is no range of ports FIRST-LAST from 1024 to 65535, for example 50000-50199");
}

void read_webrtc(const YamlValue &v, WebRtcConfig &c) {
  v.members({{"enabled", [&](const YamlValue &x) { c.enabled = x.flag(); }},
             {"ports", [&](const YamlValue &x) { read_ports(x, c); }},
             {"stun", [&](const YamlValue &x) { c.stun = read_ice_server(x); }},
             {"turn", [&](const YamlValue &x) { c.turn = read_ice_server(x); }},
             {"turn_user", [&](const YamlValue &x) { c.turn_user = x.text(); }},
             {"turn_password", [&](const YamlValue &x) {
                c.turn_password = x.text();
                keep_secret(c.turn_password);
              }}});
  if (!c.turn.empty() && (c.turn_user.empty() || c.turn_password.empty()))
    v.refuse("turn needs turn_user and turn_password: a TURN server relays for those alone whom it knows");
}

void read_roles(const YamlValue &v, Config &c) {
  const auto read = [&](const char *role) {
    return [&c, role](const YamlValue &x) {
      x.members({{"cameras", [&](const YamlValue &list) {
                    auto &cameras = c.roles[role];
                    list.items([&](const YamlValue &name) {
                      if (!c.cameras.count(name.text()))
                        name.refuse("there is no camera '" + name.text() + "' under cameras:");
                      cameras.insert(name.text());
                    });
                  }}});
      if (!c.roles.count(role)) x.refuse("cameras is missing: a list of names");
    };
  };
  v.members({{"viewer", read("viewer")}, {"operator", read("operator")}});
  if (!have_passwords()) v.refuse(no_passwords);
}

std::string own_host_name() {
  char name[256] = {};
  if (gethostname(name, sizeof name - 1)) return "vigil";
  std::string clean;
  for (const char *p = name; *p && clean.size() < 32; p++)
    if (is_name(std::string_view(p, 1))) clean += *p;
  return clean.empty() ? "vigil" : clean;
}

void read_topic(const YamlValue &v, std::string &out) {
  out = v.text();
  if (out.empty() || out.size() > 64 || out.find_first_of("#+ ") != out.npos)
    v.refuse("'" + out + "' cannot begin a topic: it must not be empty nor have #, + or spaces");
}

// Port and TLS belong together, and a password is for the broker alone.
void settle_mqtt(const YamlValue &v, Config &c, std::optional<int> port, std::optional<bool> tls) {
  constexpr int plain_port = 1883, tls_port = 8883;
  MqttConfig &m = c.mqtt;
  if (tls == false && !m.ca_file.empty()) v.refuse("ca_file is for TLS; leave out tls: false, or ca_file");
  m.tls = tls.value_or(!m.ca_file.empty());
  m.port = port.value_or(tls == true ? tls_port : plain_port);
  if (m.tls || m.password.empty()) return;
  if (m.port == tls_port)
    v.refuse(
        "port 8883 is for TLS, and without TLS the password would be sent for everybody to read; write tls: "
        "true, and ca_file where the system does not know the broker's certificate authority");
  const bool this_machine = m.host == "localhost" || m.host == "::1" || m.host.starts_with("127.");
  if (!this_machine)
    c.warnings.push_back("mqtt: the password goes to " + m.host +
                         " without TLS, and everybody in between can read it; write tls: true");
}

// Names, passwords and tokens of RTSP clients are in the clear without TLS, and so are the pictures.
void settle_rtsp(Config &c) {
  const std::string &address = c.rtsp.address;
  if (address.empty() || !c.http.certificate.empty()) return;
  const bool this_machine = address == "localhost" || address == "::1" || address.starts_with("127.");
  if (!this_machine)
    c.warnings.push_back("rtsp: passwords, tokens and pictures go without TLS, and everybody in between can "
                         "read them; write certificate and key under http:");
}

Config read_top(const YamlValue &top, const std::string &file) {
  Config c;
  c.mqtt.node = own_host_name();
  Presets presets;
  // Cameras refer to presets and take over `record`: they are read last wherever they stand.
  std::vector<YamlValue> cameras, roles, notify; // the others name cameras
  try {
    top.members(
        {{"http",
          [&](const YamlValue &v) {
            v.members({{"listen", [&](const YamlValue &x) { read_listen(x, c.http); }},
                       {"token_file", [&](const YamlValue &x) { c.http.token_file = x.text(); }},
                       {"certificate", [&](const YamlValue &x) { c.http.certificate = x.text(); }},
                       {"key", [&](const YamlValue &x) { c.http.key = x.text(); }},
                       {"local",
                        [&](const YamlValue &x) {
                          c.http.local = x.text();
                          if (c.http.local != "none" && c.http.local != "view" && c.http.local != "admin")
                            x.refuse("'" + c.http.local + "' is no role; allowed: none, view, admin");
                        }},
                       {"framed", [&](const YamlValue &x) { c.http.framed = x.flag(); }},
                       {"hosts",
                        [&](const YamlValue &x) {
                          x.items([&](const YamlValue &h) { c.http.hosts.push_back(h.text()); });
                        }},
                       {"webrtc", [&](const YamlValue &x) { read_webrtc(x, c.http.webrtc); }}});
            if (c.http.certificate.empty() != c.http.key.empty())
              v.refuse("certificate and key belong together; one is missing");
          }},
         {"rtsp",
          [&](const YamlValue &v) {
            v.members(
                {{"listen", [&](const YamlValue &x) { read_listen(x, "8554", c.rtsp.address, c.rtsp.port); }},
                 {"max_clients", [&](const YamlValue &x) { c.rtsp.max_clients = x.integer(1, 256); }}});
            if (c.rtsp.address.empty()) v.refuse("listen is missing, for example listen: 127.0.0.1:8554");
          }},
         {"mqtt",
          [&](const YamlValue &v) {
            std::optional<int> port;
            std::optional<bool> tls;
            v.members({{"host", [&](const YamlValue &x) { c.mqtt.host = x.text(); }},
                       {"port", [&](const YamlValue &x) { port = x.integer(1, 65535); }},
                       {"user", [&](const YamlValue &x) { c.mqtt.user = x.text(); }},
                       {"password",
                        [&](const YamlValue &x) {
                          c.mqtt.password = x.text();
                          keep_secret(c.mqtt.password);
                        }},
                       {"ca_file", [&](const YamlValue &x) { c.mqtt.ca_file = x.text(); }},
                       {"tls", [&](const YamlValue &x) { tls = x.flag(); }},
                       {"commands", [&](const YamlValue &x) { c.mqtt.commands = x.flag(); }},
                       {"topic_prefix", [&](const YamlValue &x) { read_topic(x, c.mqtt.topic_prefix); }},
                       {"node",
                        [&](const YamlValue &x) {
                          c.mqtt.node = x.text();
                          if (!is_name(c.mqtt.node))
                            x.refuse("'" + c.mqtt.node +
                                     "' is no name; allowed are 1 to 32 of A-Z a-z 0-9 _ -");
                        }},
                       {"discovery", [&](const YamlValue &x) { c.mqtt.discovery = x.flag(); }}});
            if (c.mqtt.host.empty()) v.refuse("host is missing, for example host: 127.0.0.1");
            settle_mqtt(v, c, port, tls);
          }},
         {"webhook",
          [&](const YamlValue &v) {
            v.members({{"url", [&](const YamlValue &x) {
                          c.webhook.url = x.text();
                          keep_secrets_of_webhook(c.webhook.url);
                          if (!c.webhook.url.starts_with("http://") && !c.webhook.url.starts_with("https://"))
                            x.refuse("the address must begin with http:// or https://");
                        }}});
          }},
         {"storage",
          [&](const YamlValue &v) {
            v.members({{"path", [&](const YamlValue &x) { c.storage.path = x.text(); }},
                       {"max_size",
                        [&](const YamlValue &x) {
                          c.storage.max_size = x.here([&] { return parse_size(x.text()); });
                        }},
                       {"min_free",
                        [&](const YamlValue &x) {
                          c.storage.min_free = x.here([&] { return parse_size(x.text()); });
                        }},
                       {"cold", [&](const YamlValue &x) { read_cold(x, c.storage.cold); }}});
            if (!c.storage.cold.path.empty() && c.storage.cold.path == c.storage.path)
              v.refuse("cold: path is the same folder as path; name one on another disk");
          }},
         {"exports",
          [&](const YamlValue &v) {
            constexpr double years = 36500;
            v.members({{"days", [&](const YamlValue &x) { c.storage.export_days = x.number(0, years); }}});
          }},
         {"record", [&](const YamlValue &v) { read_record(v, c.record); }},
         {"detector", [&](const YamlValue &v) { c.detector = read_detector(v); }},
         {"labels",
          [&](const YamlValue &v) {
            v.members({{"codebook", [&](const YamlValue &x) { c.labels.codebook = x.flag(); }},
                       {"hour", [&](const YamlValue &x) { c.labels.hour = x.integer(0, 23); }}});
          }},
         {"roles", [&](const YamlValue &v) { roles.push_back(v); }},
         {"notify", [&](const YamlValue &v) { notify.push_back(v); }},
         {"push", [&](const YamlValue &v) { read_push(v, c.push); }},
         {"presets",
          [&](const YamlValue &v) {
            v.each([&](const std::string &name, const YamlValue &preset) {
              preset.each([&](const std::string &element, const YamlValue &settings) {
                const auto &known = chain_elements();
                if (std::find(known.begin(), known.end(), element) == known.end()) {
                  std::string list;
                  for (const auto &k : known) list += " " + k;
                  settings.refuse("a preset sets properties of elements of the chain:" + list);
                }
                read_elements(element, settings, presets.sets[name]);
              });
              presets.sets[name];
            });
          }},
         {"cameras", [&](const YamlValue &v) { cameras.push_back(v); }}});
    for (const YamlValue &part : cameras)
      part.read([&](const YamlValue &v) {
        v.each([&](const std::string &name, const YamlValue &camera) {
          c.cameras[name] = read_camera(name, camera, c, presets);
          c.order.push_back(name);
          settle_unanalysed(c.cameras[name], c.warnings);
        });
      });
    settle_rtsp(c);
    for (const YamlValue &part : roles) part.read([&](const YamlValue &v) { read_roles(v, c); });
    const auto is_camera = [&](const std::string &name) { return c.cameras.count(name) != 0; };
    for (const YamlValue &part : notify)
      part.read([&](const YamlValue &v) {
        v.items([&](const YamlValue &rule) { c.notify.push_back(read_notify(rule, is_camera)); });
      });
  } catch (const YAML::Exception &e) {
    fail(Error::Kind::bad_setting, file, ":", e.mark.line + 1, ": ", e.msg);
  }
  return c;
}

constexpr std::size_t largest_file = 1 << 20;

YAML::Node load(const std::string &text, const std::string &file) {
  if (text.size() > largest_file)
    fail(Error::Kind::bad_setting, file, ": ", text.size(), " bytes are no configuration; at most ",
         largest_file);
  try {
    return YAML::Load(text);
  } catch (const YAML::Exception &e) {
    fail(Error::Kind::bad_setting, file, ":", e.mark.line + 1, ": this is no YAML: ", e.msg);
  }
}

} // namespace

Config parse_config(const std::string &text, const std::string &file) {
  YAML::Node root = load(text, file);
  Config c = read_top(YamlValue(root, file, ""), file);
  if (c.order.empty() && !(root.IsMap() && root["cameras"].IsMap()))
    fail(Error::Kind::bad_setting, file, ": no cameras; write cameras: {NAME: {source: ADDRESS}}");
  return c;
}

std::vector<KeyDescription> configuration_keys() {
  return YamlValue::describe([](const YamlValue &top) { read_top(top, ""); });
}

Config read_config(const std::string &file, bool pipes) {
  const std::string text =
      (pipes ? read_text_file_or_pipe : read_text_file)(file, "the configuration", largest_file);
  Config c = parse_config(text, file);
  struct stat info {};
  if (!stat(file.c_str(), &info) && (info.st_mode & S_IROTH) && without_secrets(text) != text)
    c.warnings.push_back(file + " holds passwords and can be read by everybody; chmod o-r " + file);
  return c;
}

std::string configured_storage(const std::string &file) {
  YAML::Node root = load(read_text_file_or_pipe(file, "the configuration", largest_file), file);
  if (!root.IsMap() || !root["storage"].IsMap() || !root["storage"]["path"].IsDefined()) return "";
  return YamlValue(root["storage"]["path"], file, "storage.path").text();
}

Config default_config(const std::vector<std::string> &sources) {
  Config c;
  c.mqtt.node = own_host_name();
  c.storage.max_size = 5'000'000'000;
  const auto add = [&](const std::string &name, const std::string &source) {
    CameraConfig &camera = c.cameras[name];
    camera.name = name;
    camera.source = source;
    keep_secrets_of_source(source);
    c.order.push_back(name);
  };
  if (sources.empty()) {
    add("street", "scenetestsrc scene=street quiet=1 density=0.5");
    add("hall", "scenetestsrc scene=indoor quiet=1 density=0.5 seed=3");
    add("lawn", "scenetestsrc scene=foliage quiet=1 density=0.5 seed=5");
    add("square", "scenetestsrc scene=crowd quiet=1 seed=7");
  }
  for (const std::string &source : sources) add("camera" + std::to_string(c.order.size() + 1), source);
  return c;
}

} // namespace vigil::monitor
