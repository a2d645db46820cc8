// SPDX-License-Identifier: LGPL-2.1-or-later
#include "auth.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <system_error>

namespace vigil::monitor {
namespace {

// Names of hosts, and the word Bearer, mean the same in capitals.
std::string lower_case(std::string s) {
  for (char &c : s)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  return s;
}

// "[::1]:8090" -> "::1", "localhost:8090" -> "localhost"
std::string host_name(std::string_view host) {
  if (host.starts_with('['))
    return std::string(host.substr(1, host.find(']') == host.npos ? host.npos : host.find(']') - 1));
  return std::string(host.substr(0, host.find(':')));
}

bool is_address(const std::string &host) {
  if (host.empty()) return false;
  const bool v4 = host.find_first_not_of("0123456789.") == host.npos,
             v6 = host.find(':') != host.npos &&
                  host.find_first_not_of("0123456789abcdefABCDEF:.") == host.npos;
  return v4 || v6;
}

} // namespace

std::optional<std::string> cookie(const Request &r, std::string_view name) {
  const std::string all = r.header("cookie");
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find(';', at), all.size());
    std::string_view one = std::string_view(all).substr(at, end - at);
    while (one.starts_with(' ')) one.remove_prefix(1);
    if (one.size() > name.size() && one.starts_with(name) && one[name.size()] == '=')
      return std::string(one.substr(name.size() + 1));
    at = end + 1;
  }
  return std::nullopt;
}

bool is_forwarded(const Request &r) {
  constexpr std::string_view begins[] = {"x-forwarded-", "x-envoy-", "x-original-"},
                             ends[] = {"-connecting-ip", "-client-ip", "-real-ip"},
                             names[] = {"forwarded", "forwarded-for", "via", "x-request-id", "cdn-loop"};
  return std::any_of(r.headers.begin(), r.headers.end(), [&](const auto &h) {
    const std::string_view name = h.first;
    const auto any = [](const auto &list, const auto &f) {
      return std::any_of(std::begin(list), std::end(list), f);
    };
    return any(begins, [&](std::string_view b) { return name.starts_with(b); }) ||
           any(ends, [&](std::string_view e) { return name.ends_with(e); }) ||
           any(names, [&](std::string_view n) { return name == n; });
  });
}

std::optional<std::string> bearer(const Request &r) {
  const std::string header = r.header("authorization");
  const std::size_t word = std::min(header.find(' '), header.size()); // a space at the end may be taken away
  if (lower_case(header.substr(0, word)) != "bearer") return std::nullopt;
  return header.substr(std::min(word + 1, header.size()));
}

std::string wrong_site(const Request &r, const std::vector<std::string> &hosts) {
  const std::string host = lower_case(r.header("host")), name = host_name(host);
  const bool known =
      name == "localhost" || is_address(name) ||
      std::any_of(hosts.begin(), hosts.end(), [&](const std::string &h) { return lower_case(h) == name; });
  if (!known)
    return "this server is not '" + name.substr(0, 80) +
           "'; use its address, or add the name to http: hosts: in the configuration";
  const std::string origin = lower_case(r.header("origin"));
  if (!origin.empty() && origin != "http://" + host && origin != "https://" + host)
    return "the request comes from the page of another site, " + origin.substr(0, 80);
  const std::string site = r.header("sec-fetch-site");
  const bool foreign = !site.empty() && site != "same-origin" && site != "none";
  const bool reads = r.method == "GET" || r.method == "HEAD";
  // A link on another page may lead here; its scripts, pictures and frames may not ask for anything.
  const bool link = reads && r.header("sec-fetch-mode") == "navigate" &&
                    (r.header("sec-fetch-dest") == "document" || r.header("sec-fetch-dest").empty());
  const bool of_page = reads && !r.path.starts_with("/api") && r.path != "/metrics";
  if (foreign && !link && !of_page) return "the request comes from the page of another site";
  return "";
}

std::optional<ByteRange> parse_range(const std::string &header, std::uint64_t size) {
  const ByteRange whole{0, size, false};
  constexpr std::string_view unit = "bytes=";
  if (!header.starts_with(unit) || header.find(',') != header.npos) return whole;
  const std::string_view s = std::string_view(header).substr(unit.size());
  const std::size_t dash = s.find('-');
  if (dash == s.npos) return whole;
  const auto number = [](std::string_view t, std::uint64_t &v) {
    const auto [end, error] = std::from_chars(t.data(), t.data() + t.size(), v);
    return error == std::errc() && end == t.data() + t.size();
  };
  std::uint64_t from = 0, to = 0;
  if (dash == 0) { // the last bytes
    if (!number(s.substr(1), to)) return whole;
    if (to == 0 || size == 0) return std::nullopt;
    to = std::min(to, size);
    return ByteRange{size - to, to, true};
  }
  if (!number(s.substr(0, dash), from)) return whole;
  if (dash + 1 == s.size())
    to = UINT64_MAX;
  else if (!number(s.substr(dash + 1), to) || to < from)
    return whole;
  if (from >= size) return std::nullopt;
  return ByteRange{from, std::min(to, size - 1) - from + 1, true};
}

} // namespace vigil::monitor
