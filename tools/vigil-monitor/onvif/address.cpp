// SPDX-License-Identifier: LGPL-2.1-or-later
#include "address.h"

#include "../config/text.h"
#include "../printable.h"
#include "common/error.h"

#include <algorithm>
#include <curl/curl.h>
#include <memory>

namespace vigil::monitor {
namespace {

using Parts = std::unique_ptr<CURLU, void (*)(CURLU *)>;

[[noreturn]] void refuse_address(const std::string &address) {
  fail(Error::Kind::bad_setting, "'", printable(mask_credentials(address), most_said), "' is no address");
}

Parts parts_of_address(const std::string &address) {
  constexpr std::size_t longest = 1024;
  const bool clean = address.size() <= longest && std::all_of(address.begin(), address.end(), [](char c) {
                       return c > ' ' && c < 0x7f && c != '"' && c != '<' && c != '>' && c != '\\';
                     });
  const std::size_t host = address.find("://"); // libcurl takes http:///path for one of the host "path"
  const bool has_host = host != address.npos && host + 3 < address.size() && address[host + 3] != '/';
  Parts parts(curl_url(), curl_url_cleanup);
  if (!clean || !has_host || !parts ||
      curl_url_set(parts.get(), CURLUPART_URL, address.c_str(), CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK)
    refuse_address(address);
  return parts;
}

std::string part(const Parts &parts, CURLUPart which, unsigned flags = 0) {
  char *text = nullptr;
  if (curl_url_get(parts.get(), which, &text, flags) != CURLUE_OK) return "";
  std::string out = text;
  curl_free(text);
  return out;
}

std::string small_letters(std::string s) {
  std::transform(s.begin(), s.end(), s.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return s;
}

} // namespace

ServiceAddress parse_address(const std::string &address) {
  const Parts parts = parts_of_address(address);
  curl_url_set(parts.get(), CURLUPART_USER, nullptr, 0);
  curl_url_set(parts.get(), CURLUPART_PASSWORD, nullptr, 0);
  curl_url_set(parts.get(), CURLUPART_FRAGMENT, nullptr, 0);
  ServiceAddress out{small_letters(part(parts, CURLUPART_SCHEME)), small_letters(part(parts, CURLUPART_HOST)),
                     part(parts, CURLUPART_URL)};
  if (out.host.size() > 2 && out.host.front() == '[') out.host = out.host.substr(1, out.host.size() - 2);
  if (out.host.empty() || out.url.empty()) refuse_address(address);
  return out;
}

ServiceAddress device_address(const std::string &words) {
  constexpr const char *usual_path = "/onvif/device_service";
  const bool whole = words.find("://") != words.npos;
  const bool has_path = words.find('/') != words.npos;
  const ServiceAddress out = parse_address(whole ? words : "http://" + words + (has_path ? "" : usual_path));
  if (out.scheme != "http" && out.scheme != "https")
    fail(Error::Kind::bad_setting, "the address of an ONVIF device begins with http:// or https://, not ",
         out.scheme, "://");
  return out;
}

std::string with_credentials(const std::string &url, const std::string &user, const std::string &password) {
  if (user.empty()) return url;
  const Parts parts = parts_of_address(url);
  if (curl_url_set(parts.get(), CURLUPART_USER, user.c_str(), CURLU_URLENCODE) != CURLUE_OK ||
      curl_url_set(parts.get(), CURLUPART_PASSWORD, password.c_str(), CURLU_URLENCODE) != CURLUE_OK)
    fail(Error::Kind::bad_setting, "this user or password cannot be in an address");
  return part(parts, CURLUPART_URL);
}

std::pair<std::string, std::string> credentials_in(const std::string &url) {
  const Parts parts = parts_of_address(url);
  return {part(parts, CURLUPART_USER, CURLU_URLDECODE), part(parts, CURLUPART_PASSWORD, CURLU_URLDECODE)};
}

} // namespace vigil::monitor
