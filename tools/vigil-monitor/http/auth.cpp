// SPDX-License-Identifier: LGPL-2.1-or-later
#include "auth.h"

#include "common/error.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace vigil::monitor {
namespace {

std::string new_token() {
  std::random_device random; // getrandom() or rdrand with libstdc++
  constexpr std::string_view letters = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
  std::uniform_int_distribution<std::size_t> letter(0, letters.size() - 1);
  std::string out;
  for (int i = 0; i < 32; i++) out += letters[letter(random)];
  return out;
}

// The page keeps the token as a cookie, which ends at a semicolon, say (RFC 6265, cookie-octet).
bool fits_cookie(std::string_view token) {
  return std::all_of(token.begin(), token.end(), [](char c) {
    return c > ' ' && c <= '~' && c != '"' && c != ',' && c != ';' && c != '\\';
  });
}

bool same(std::string_view a, std::string_view b) {
  unsigned difference = a.size() != b.size();
  for (std::size_t i = 0; i < a.size(); i++)
    difference |=
        static_cast<unsigned char>(a[i]) ^ (i < b.size() ? static_cast<unsigned char>(b[i]) : 0xffu);
  return !difference && !b.empty();
}

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

Tokens::Tokens(const std::string &file, int port) : cookie_name_("vigil_token_" + std::to_string(port)) {
  if (file.empty()) return;
  struct stat info {};
  if (stat(file.c_str(), &info)) {
    if (errno != ENOENT)
      fail(Error::Kind::io, "cannot read the token file ", file, ": ", std::strerror(errno));
    const std::string text = "admin " + new_token() + "\nview " + new_token() + "\n";
    const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) fail(Error::Kind::write, "cannot make the token file ", file, ": ", std::strerror(errno));
    const bool good = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    close(fd);
    if (!good) fail(Error::Kind::write, "cannot write the token file ", file, ": ", std::strerror(errno));
  } else if (info.st_mode & (S_IRWXG | S_IRWXO)) {
    fail(Error::Kind::bad_setting, "the token file ", file, " can be read by others; chmod 600 ", file);
  }
  std::ifstream in(file);
  std::string line;
  for (int number = 1; std::getline(in, line); number++) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string role, token, more;
    words >> role >> token >> more;
    constexpr std::size_t shortest = 16;
    if ((role != "admin" && role != "view") || token.size() < shortest || token.size() > 256 ||
        !fits_cookie(token) || !more.empty())
      fail(Error::Kind::bad_setting, file, ":", number,
           ": expected 'admin TOKEN' or 'view TOKEN' with a token of 16 to 256 characters of ASCII, none of "
           "them \" , ; or \\");
    (role == "admin" ? admin_ : view_) = token;
  }
  if (admin_.empty()) fail(Error::Kind::bad_setting, "the token file ", file, " has no line 'admin TOKEN'");
}

Role Tokens::role(std::string_view token) const {
  const bool admin = same(token, admin_), view = same(token, view_);
  return admin ? Role::admin : view ? Role::view : Role::none;
}

bool Tokens::may_try(double now) {
  const std::lock_guard guard(lock_);
  constexpr std::size_t most = 10;
  constexpr double minute = 60;
  std::erase_if(failures_, [&](double t) { return now - t > minute; });
  return failures_.size() < most;
}

void Tokens::failed(double now) {
  const std::lock_guard guard(lock_);
  failures_.push_back(now);
}

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

Role role_of(const Request &r, const Tokens &tokens) {
  const std::string header = r.header("authorization");
  constexpr std::string_view bearer = "bearer ";
  Role role = Role::none;
  if (lower_case(header.substr(0, bearer.size())) == bearer)
    role = tokens.role(std::string_view(header).substr(bearer.size()));
  else if (const auto c = cookie(r, tokens.cookie_name()))
    role = tokens.role(*c);
  // A proxy on this machine must not make everybody local.
  constexpr const char *by_proxies[] = {"x-forwarded-for",  "forwarded",         "x-real-ip",
                                        "x-forwarded-host", "x-forwarded-proto", "via"};
  const bool forwarded = std::any_of(std::begin(by_proxies), std::end(by_proxies),
                                     [&](const char *name) { return !r.header(name).empty(); });
  if (role == Role::none && r.loopback && !forwarded) role = Role::admin;
  return role;
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
  if (origin.empty() && r.method != "GET" && r.method != "HEAD" && !site.empty() && site != "same-origin" &&
      site != "none")
    return "the request comes from the page of another site";
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
