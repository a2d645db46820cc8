// SPDX-License-Identifier: LGPL-2.1-or-later
// Web push: keys, the encryption of RFC 8291 by the RFC's own example, the signature of RFC 8292, which
// addresses are public, and what a device may choose. Usage: test-monitor-push-message FOLDER
#include "tools/vigil-monitor/notify/push_message.h"
#include "common/error.h"
#include "tests/unit.h"
#include "tools/vigil-monitor/notify/public_address.h"
#include "tools/vigil-monitor/notify/push_settings.h"
#include "tools/vigil-monitor/notify/vapid_key.h"

#include <arpa/inet.h>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <netinet/in.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

using namespace vigil;
using namespace vigil::monitor;
using test::expect;

namespace {

P256Key key_of(const char *text) {
  const std::string secret = from_base64url(text);
  return P256Key({reinterpret_cast<const std::uint8_t *>(secret.data()), secret.size()});
}

template <class F>
bool refuses(F f) {
  try {
    f();
  } catch (const Error &) {
    return true;
  }
  return false;
}

// RFC 8291, 5 and appendix A.
void known_message() {
  const P256Key browser = key_of("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"),
                server = key_of("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw");
  expect(base64url(browser.point()) ==
             "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
         "the browser's point");
  expect(base64url(server.point()) ==
             "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8",
         "the server's point");
  expect(browser.agree(server.point()) == server.agree(browser.point()), "both agree");
  const PushTarget to{"https://push.example/x", browser.point(), from_base64url("BTBZMqHH6r4Tts7J_aSIgg")};
  expect(base64url(encrypt_push(to, "When I grow up, I want to be a watermelon", server,
                                from_base64url("DGv6ra1nlYgDCS1FRnbzlw"))) ==
             "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_"
             "c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wE"
             "qKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
         "the message of RFC 8291");
  expect(encrypt_push(to, "x") != encrypt_push(to, "x"), "each message has a key of its own");
  expect(encrypt_push(to, std::string(longest_push, 'x')).size() <= 4096,
         "services take the longest message");
  expect(refuses([&] { encrypt_push(to, std::string(longest_push + 1, 'x')); }),
         "a message that is too long");
}

void bad_keys() {
  const std::string good = P256Key::make().point();
  std::string off = good;
  off.back() = static_cast<char>(off.back() ^ 1);
  const std::string secret(16, 's');
  for (const std::string &point : {std::string(), good.substr(1), off, std::string(65, '\0'),
                                   std::string(65, '\4'), '\2' + good.substr(1), good + "x"})
    expect(refuses([&] {
             encrypt_push({"https://p.example/", point, secret}, "x");
           }),
           "a point that is none");
  for (const std::string &auth : {std::string(), std::string(15, 'x'), std::string(17, 'x')})
    expect(refuses([&] { encrypt_push({"https://p.example/", good, auth}, "x"); }), "an auth that is none");
  const std::string zero(32, '\0'),
      order("\xff\xff\xff\xff\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xbc\xe6\xfa\xad\xa7"
            "\x17\x9e\x84\xf3\xb9\xca\xc2\xfc\x63\x25\x51",
            32);
  for (const std::string &s : {zero, order, zero.substr(1)})
    expect(refuses([&] {
             P256Key({reinterpret_cast<const std::uint8_t *>(s.data()), s.size()});
           }),
           "a secret that is none");
  for (const char *text : {"A", "AB", "ab+c", "a b", "AAAAA"})
    expect(refuses([&] { from_base64url(text); }), "text that is no base64url");
  for (const std::string &bytes :
       {std::string(), std::string("a"), std::string("ab"), std::string("abc"), std::string(1, '\xff')})
    expect(from_base64url(base64url(bytes)) == bytes, "there and back");
}

void origins() {
  expect(push_origin("https://fcm.googleapis.com/fcm/send/abc?x=1") == "https://fcm.googleapis.com",
         "a usual one");
  expect(push_origin("https://push.example:8443/a") == "https://push.example:8443", "with a port");
  expect(push_origin("https://push.example:443/a") == "https://push.example", "with the usual port");
  for (const char *bad :
       {"", "http://push.example/a", "https://user@push.example/", "https://u:p@push.example/",
        "ftp://push.example/", "file:///etc/passwd", "push.example", "https://push.example/a b",
        "https://push.example/a#b", "javascript:alert(1)", "https://push.example/\n"})
    expect(refuses([&] { push_origin(bad); }), bad);
}

void addresses() {
  const auto is = [](const char *text) {
    sockaddr_storage all{};
    auto &v4 = reinterpret_cast<sockaddr_in &>(all);
    auto &v6 = reinterpret_cast<sockaddr_in6 &>(all);
    if (inet_pton(AF_INET, text, &v4.sin_addr) == 1)
      all.ss_family = AF_INET;
    else if (inet_pton(AF_INET6, text, &v6.sin6_addr) == 1)
      all.ss_family = AF_INET6;
    return is_public(reinterpret_cast<const sockaddr &>(all));
  };
  for (const char *inside : {"127.0.0.1",
                             "127.255.255.254",
                             "0.0.0.0",
                             "10.1.2.3",
                             "172.16.0.1",
                             "172.31.255.255",
                             "192.168.1.1",
                             "169.254.169.254",
                             "100.64.0.1",
                             "192.0.2.1",
                             "198.18.0.1",
                             "203.0.113.9",
                             "224.0.0.1",
                             "255.255.255.255",
                             "::",
                             "::1",
                             "fe80::1",
                             "fc00::1",
                             "fd12::1",
                             "ff02::1",
                             "::ffff:127.0.0.1",
                             "::ffff:192.168.0.1",
                             "64:ff9b::7f00:1",
                             "2002:7f00:1::",
                             "2001:db8::1",
                             "2001::1",
                             "no address"})
    expect(!is(inside), inside);
  for (const char *outside : {"1.1.1.1", "142.250.0.1", "172.32.0.1", "100.128.0.1", "2606:4700::1",
                              "2a00:1450:4001::1", "::ffff:1.1.1.1", "64:ff9b::101:101"})
    expect(is(outside), outside);
}

void key_file(const std::string &folder) {
  const std::string file = folder + "/vapid.key";
  std::filesystem::remove(file);
  const P256Key made = vapid_key(file);
  struct stat info {};
  expect(!stat(file.c_str(), &info) && (info.st_mode & 0777) == 0600, "for its owner alone");
  expect(vapid_key(file).point() == made.point(), "the same key at the next start");
  chmod(file.c_str(), 0640);
  expect(refuses([&] { vapid_key(file); }), "a key that others can read");
  const std::string half = base64url(made.secret()).substr(0, 21);
  std::ofstream(file) << half;
  chmod(file.c_str(), 0600);
  try {
    vapid_key(file);
    expect(false, "half of a key is none");
  } catch (const Error &e) {
    expect(std::string(e.what()).find(half.substr(0, 8)) == std::string::npos,
           std::string("nobody is shown a part of the key: ") + e.what());
  }
  std::filesystem::remove(file);
  std::filesystem::create_directory(file);
  expect(refuses([&] { vapid_key(file); }), "a folder");
  std::filesystem::remove(file);
  for (const char *text : {"", "x", "AAAA", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}) {
    std::ofstream(file) << text;
    chmod(file.c_str(), 0600);
    expect(refuses([&] { vapid_key(file); }), "a file that is no key");
  }
  std::ifstream in(file);
  const std::string left((std::istreambuf_iterator<char>(in)), {});
  expect(left.size() == 43, "what was there is not overwritten");
}

void settings() {
  using nlohmann::json;
  const PushSettings s = changed_settings(
      {}, json::parse(
              R"({"cameras": ["a", "b"], "quiet_hours": "22:00-06:00", "days": [1, 2], "min_interval": 5})"));
  expect(changed_settings({}, to_json(s)).cameras == s.cameras &&
             to_json(changed_settings({}, to_json(s))) == to_json(s),
         "there and back");
  expect(is_silent(s, 3, 12 * 60) && !is_silent(s, 1, 12 * 60) && is_silent(s, 1, 23 * 60) &&
             is_silent(s, 2, 60) && !is_silent(s, 2, 6 * 60),
         "days and quiet hours");
  expect(!changed_settings(s, json::parse(R"({"quiet_hours": null})")).quiet, "taken back");
  for (const char *bad :
       {R"({"cameras": "a"})", R"({"cameras": [1]})", R"({"cameras": [""]})", R"({"days": [0]})",
        R"({"days": [8]})", R"({"days": [1.5]})", R"({"days": 1})", R"({"quiet_hours": "25:00-1:00"})",
        R"({"quiet_hours": 5})", R"({"min_interval": -1})", R"({"min_interval": 1e9})",
        R"({"min_interval": "5"})", R"({"time_zone": "/etc/passwd"})", R"({"time_zone": "../x"})",
        R"({"language": 5})", R"({"more": 1})", "[]", "5"})
    expect(refuses([&] { changed_settings({}, json::parse(bad)); }), bad);
}

} // namespace

int main(int, char **argv) {
  const std::vector<test::Case> cases = {
      {"known message", known_message},
      {"bad keys", bad_keys},
      {"origins", origins},
      {"addresses", addresses},
      {"key file", [&] { key_file(argv[1]); }},
      {"settings", settings},
  };
  return test::run_cases("monitor push message", cases);
}
