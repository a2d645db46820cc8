// SPDX-License-Identifier: LGPL-2.1-or-later
#include "notify_yaml.h"

#include "secrets.h"

#include <algorithm>
#include <string_view>

namespace vigil::monitor {
namespace {

void read_names(const YamlValue &v, std::set<std::string> &out) {
  v.items([&](const YamlValue &name) { out.insert(name.text()); });
}

bool is_plain_ascii(std::string_view s) {
  return std::all_of(s.begin(), s.end(), [](char c) { return c > ' ' && c <= '~'; });
}

void read_secret(const YamlValue &v, std::string &out) {
  out = v.text();
  if (!is_plain_ascii(out)) v.refuse("a token or password here is without spaces, in plain ASCII");
  keep_secret(out);
}

std::string read_address(const YamlValue &v) {
  const std::string a = v.text();
  const std::size_t at = a.find('@');
  if (at == 0 || at == a.npos || at + 1 == a.size() || !is_plain_ascii(a) ||
      a.find_first_of("<>,\"") != a.npos)
    v.refuse("'" + a.substr(0, 80) + "' is no mail address, for example anna@example.org");
  return a;
}

void read_ntfy(const YamlValue &v, NotifyConfig &n) {
  n.kind = NotifyConfig::Kind::ntfy;
  std::string server = "https://ntfy.sh", topic;
  v.members({{"server",
              [&](const YamlValue &x) {
                server = x.text();
                keep_secrets_of_source(server);
                if (!server.starts_with("http://") && !server.starts_with("https://"))
                  x.refuse("the address must begin with http:// or https://");
              }},
             {"topic",
              [&](const YamlValue &x) {
                topic = x.text();
                constexpr std::size_t longest = 64;
                const bool good = std::all_of(topic.begin(), topic.end(), [](char c) {
                  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                         c == '_' || c == '-';
                });
                if (topic.empty() || topic.size() > longest || !good)
                  x.refuse("a topic has 1 to 64 of A-Z a-z 0-9 _ -");
                keep_secret(topic); // anyone who knows it reads the messages
              }},
             {"token", [&](const YamlValue &x) { read_secret(x, n.token); }},
             {"ca_file", [&](const YamlValue &x) { n.ca_file = x.text(); }}});
  if (topic.empty()) v.refuse("topic is missing: the name to which phones subscribe");
  while (server.ends_with('/')) server.pop_back();
  n.url = server + "/" + topic;
}

void read_email(const YamlValue &v, NotifyConfig &n) {
  n.kind = NotifyConfig::Kind::email;
  std::string host, tls = "starttls";
  int port = 0;
  v.members({{"host", [&](const YamlValue &x) { host = x.text(); }},
             {"port", [&](const YamlValue &x) { port = x.integer(1, 65535); }},
             {"tls",
              [&](const YamlValue &x) {
                tls = x.text();
                if (tls != "starttls" && tls != "tls" && tls != "none")
                  x.refuse("'" + tls + "' is none of starttls, tls, none");
              }},
             {"ca_file", [&](const YamlValue &x) { n.ca_file = x.text(); }},
             {"user", [&](const YamlValue &x) { n.user = x.text(); }},
             {"password", [&](const YamlValue &x) { read_secret(x, n.password); }},
             {"from", [&](const YamlValue &x) { n.from = read_address(x); }},
             {"to", [&](const YamlValue &x) {
                if (x.is_scalar())
                  n.to.push_back(read_address(x));
                else
                  x.items([&](const YamlValue &one) { n.to.push_back(read_address(one)); });
              }}});
  if (host.empty() || host.find_first_of("/@ ?#") != host.npos)
    v.refuse("host is missing or is none: the name of the mail server, without port");
  if (n.from.empty() || n.to.empty()) v.refuse("from and to are needed: mail addresses");
  const bool this_machine = host == "localhost" || host.starts_with("127.") || host == "::1";
  if (tls == "none" && !n.password.empty() && !this_machine)
    v.refuse("without TLS the password would be sent for everybody to read; write tls: starttls");
  constexpr int submission = 587, submissions = 465, relay = 25;
  n.tls = tls != "none";
  if (port == 0) port = tls == "tls" ? submissions : tls == "none" ? relay : submission;
  if (host.find(':') != host.npos) host = "[" + host + "]";
  n.url = (tls == "tls" ? "smtps://" : "smtp://") + host + ":" + std::to_string(port);
}

} // namespace

void read_push(const YamlValue &v, PushConfig &p) {
  v.members({{"enabled", [&](const YamlValue &x) { p.enabled = x.flag(); }},
             {"contact",
              [&](const YamlValue &x) {
                p.contact = x.text();
                if ((!p.contact.starts_with("mailto:") && !p.contact.starts_with("https://")) ||
                    !is_plain_ascii(p.contact))
                  x.refuse(
                      "'" + p.contact.substr(0, 80) +
                      "' is no contact, for example mailto:anna@example.org or https://example.org/contact");
              }},
             {"ca_file", [&](const YamlValue &x) { p.ca_file = x.text(); }},
             {"private_addresses", [&](const YamlValue &x) { p.private_addresses = x.flag(); }}});
}

NotifyConfig read_notify(const YamlValue &v, const std::function<bool(const std::string &)> &is_camera) {
  NotifyConfig n;
  int targets = 0;
  v.members({{"ntfy",
              [&](const YamlValue &x) {
                targets++;
                read_ntfy(x, n);
              }},
             {"email",
              [&](const YamlValue &x) {
                targets++;
                read_email(x, n);
              }},
             {"cameras",
              [&](const YamlValue &x) {
                read_names(x, n.cameras);
                for (const std::string &name : n.cameras)
                  if (!is_camera(name)) x.refuse("there is no camera '" + name + "' under cameras:");
              }},
             {"labels", [&](const YamlValue &x) { read_names(x, n.labels); }},
             {"zones", [&](const YamlValue &x) { read_names(x, n.zones); }},
             {"quiet_hours",
              [&](const YamlValue &x) { n.quiet = x.here([&] { return parse_quiet_hours(x.text()); }); }},
             {"min_interval", [&](const YamlValue &x) { n.min_interval = x.number(0, 86400); }}});
  if (targets != 1) v.refuse("expected either ntfy or email: to whom the messages go");
  return n;
}

} // namespace vigil::monitor
