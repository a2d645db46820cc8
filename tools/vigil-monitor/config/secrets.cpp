// SPDX-License-Identifier: LGPL-2.1-or-later
#include "secrets.h"

#include "../percent.h"
#include "text.h"

#include <algorithm>
#include <cctype>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <utility>
#include <vector>

namespace vigil::monitor {
namespace {

constexpr std::size_t shortest = 4, not_by_chance = 8;

struct LongestFirst { // so that a secret that holds another one is replaced as a whole
  bool operator()(const std::string &a, const std::string &b) const {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  }
};
struct Known {
  std::shared_mutex lock;
  std::set<std::string, LongestFirst> secrets;
};
Known &known() {
  static Known all;
  return all;
}

bool is_alnum(char c) {
  return std::isalnum(static_cast<unsigned char>(c));
}
bool is_space(char c) {
  return std::isspace(static_cast<unsigned char>(c));
}

// In all forms in which a library may repeat it.
void keep_forms(std::string_view s) {
  keep_secret(s);
  const std::string plain = percent_decoded(s);
  keep_secret(plain);
  keep_secret(percent_encoded(plain));
}

struct Address {
  std::string_view scheme, user, password, server, rest; // rest: from the first / ? # on
};

// The whole text is one address. A password may hold signs that nobody escaped, / ? and # among them. Where
// that cannot be distinguished from a path with an @, `server` is empty.
Address parts_of(std::string_view url) {
  Address a;
  const std::size_t at = url.find("://");
  a.scheme = url.substr(0, at);
  std::string_view s = url.substr(at + 3);
  std::size_t end = std::min(s.find_first_of("/?#"), s.size());
  std::size_t sign = s.substr(0, end).rfind('@');
  const std::size_t first_colon = s.substr(0, end).find(':');
  const bool doubtful = sign == s.npos && first_colon != s.npos && s.find('@', end) != s.npos;
  if (doubtful) sign = s.rfind('@');
  if (sign != s.npos) {
    const std::string_view user = s.substr(0, sign);
    const std::size_t colon = user.find(':');
    a.user = user.substr(0, colon);
    if (colon != user.npos) a.password = user.substr(colon + 1);
    s.remove_prefix(sign + 1);
    end = std::min(s.find_first_of("/?#"), s.size());
  }
  if (!doubtful) a.server = s.substr(0, end);
  a.rest = s.substr(end);
  return a;
}

void keep_values_of_query(std::string_view rest) {
  std::size_t at = rest.find('?');
  while (at != rest.npos && at < rest.size()) {
    const std::size_t end = std::min(rest.find('&', at + 1), rest.size());
    const std::string_view pair = rest.substr(at + 1, end - at - 1);
    const std::size_t sign = pair.find('=');
    // What a camera is asked for (channel=1, subtype=0, mode=caller) is no secret; all else may be.
    const std::string_view name = pair.substr(0, sign);
    constexpr std::string_view harmless[] = {"channel", "subtype", "mode",      "stream",  "resolution",
                                             "fps",     "monitor", "transport", "latency", "unicast"};
    if (sign != pair.npos && std::find(std::begin(harmless), std::end(harmless), name) == std::end(harmless))
      keep_forms(pair.substr(sign + 1));
    at = end;
  }
}

void keep_secrets_of_address(std::string_view url) {
  const Address a = parts_of(url);
  if (!a.password.empty())
    keep_forms(a.password);
  else
    keep_forms(a.user); // a token that is given as the user
  keep_values_of_query(a.rest);
}

bool is_address(std::string_view source) {
  const std::size_t at = source.find("://");
  return at != source.npos && source.find_first_of(" !") > at;
}

bool is_path(std::string_view source) {
  return source.starts_with('/') || source.starts_with("./") || source.starts_with("../");
}

bool is_launch(std::string_view source) {
  return !is_address(source) && !is_path(source) &&
         (source.find('!') != source.npos ||
          (source.find(' ') != source.npos && source.find('=') != source.npos));
}

bool is_host(std::string_view server) {
  if (server.empty()) return false;
  std::string_view port;
  if (server.starts_with('[')) {
    const std::size_t end = server.find(']');
    if (end == server.npos ||
        server.substr(1, end - 1).find_first_not_of("0123456789abcdefABCDEF:.%") != server.npos)
      return false;
    port = server.substr(end + 1);
  } else {
    const std::size_t colon = std::min(server.find(':'), server.size());
    for (const char c : server.substr(0, colon))
      if (!is_alnum(c) && c != '.' && c != '-' && c != '_') return false;
    port = server.substr(colon);
  }
  return port.empty() ||
         (port.size() <= 6 && port[0] == ':' && port.find_first_not_of("0123456789", 1) == port.npos);
}

} // namespace

void keep_secret(std::string_view secret) {
  if (secret.size() < shortest) return;
  const std::unique_lock guard(known().lock);
  known().secrets.emplace(secret);
}

void keep_secrets_of_source(std::string_view source) {
  if (is_address(source)) return keep_secrets_of_address(source);
  if (!is_launch(source)) return;
  // Each word, or quoted text, of a launch line.
  for (std::size_t at = source.find("://"); at != source.npos; at = source.find("://", at + 3)) {
    std::size_t begin = at, end = at;
    while (begin > 0 && is_alnum(source[begin - 1])) begin--;
    const bool quoted = begin > 0 && source[begin - 1] == '"';
    while (end < source.size() &&
           (quoted ? source[end] != '"' : !is_space(source[end]) && source[end] != '"'))
      end++;
    keep_secrets_of_address(source.substr(begin, end - begin));
  }
  for (const auto &[from, to] : secret_settings(source)) {
    const std::string_view value = source.substr(from, to - from);
    keep_forms(value);
    // A structure, "headers,Authorization=(string)Basic...": its parts as well.
    for (std::size_t sign = value.find_first_of("=)"); sign != value.npos;
         sign = value.find_first_of("=)", sign + 1))
      keep_forms(value.substr(sign + 1, value.find_first_of(",;\"", sign + 1) - sign - 1));
  }
}

void keep_secrets_of_webhook(std::string_view url) {
  if (url.find("://") == url.npos) return;
  keep_secrets_of_address(url);
  const Address a = parts_of(url);
  // Not a path that is an ordinary word: the log would have *** where it says "events".
  constexpr std::size_t long_word = 12;
  const std::string_view path = std::string_view(a.rest).substr(std::min<std::size_t>(1, a.rest.size()));
  const bool word = path.size() < long_word &&
                    std::all_of(path.begin(), path.end(), [](unsigned char c) { return std::isalpha(c); });
  if (!word) keep_secret(path);
  // A part of the path by itself where it is too long to be a word like "webhook".
  for (std::size_t at = 0; at < a.rest.size();) {
    const std::size_t end = std::min(a.rest.find_first_of("/?#", at), a.rest.size());
    if (end - at >= long_word) keep_forms(a.rest.substr(at, end - at));
    at = end + 1;
  }
}

std::string without_secrets(std::string_view text) {
  std::string out(text);
  const std::shared_lock guard(known().lock);
  for (const std::string &secret : known().secrets)
    for (std::size_t at = out.find(secret); at != out.npos; at = out.find(secret, at)) {
      const std::size_t end = at + secret.size();
      const bool word = (at == 0 || !is_alnum(out[at - 1])) && (end == out.size() || !is_alnum(out[end]));
      if (secret.size() < not_by_chance && !word) {
        at++;
        continue;
      }
      out.replace(at, secret.size(), "***");
      at += 3;
    }
  return out;
}

std::string shown_server(std::string_view url) {
  const Address a = parts_of(url);
  const bool known_host = is_host(a.server);
  return std::string(a.scheme) + "://" + (known_host ? std::string(a.server) : "***");
}

std::string shown_source(std::string_view source) {
  if (is_address(source)) {
    if (source.starts_with("file://")) return std::string(source);
    return shown_server(source) + (parts_of(source).rest.empty() ? "" : "/...");
  }
  if (!is_launch(source)) return std::string(source);
  std::string out;
  bool element_comes = true;
  char quote = 0;
  for (std::size_t at = 0; at < source.size();) {
    const char c = source[at];
    if (quote) {
      if (c == '\\') at++;
      if (c == quote) quote = 0;
      at++;
    } else if (c == '"' || c == '\'') {
      quote = c;
      element_comes = false;
      at++;
    } else if (is_space(c) || c == '(') {
      at++;
    } else if (c == '!') {
      element_comes = true;
      at++;
    } else {
      std::size_t end = at;
      while (end < source.size() && !is_space(source[end]) && source[end] != '"' && source[end] != '\'')
        end += source[end] == '\\' ? 2 : 1;
      end = std::min(end, source.size());
      const std::string_view word = source.substr(at, end - at);
      const bool name =
          std::all_of(word.begin(), word.end(), [](char x) { return is_alnum(x) || x == '-' || x == '_'; });
      if (element_comes && name) out += (out.empty() ? "" : " ! ") + std::string(word);
      element_comes = false;
      at = end;
    }
  }
  return out.empty() ? "..." : out;
}

} // namespace vigil::monitor
