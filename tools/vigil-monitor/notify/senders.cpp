// SPDX-License-Identifier: LGPL-2.1-or-later
#include "senders.h"

#include "../config/secrets.h"
#include "../config/text.h"
#include "common/error.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <nettle/base64.h>
#include <random>
#include <tuple>

namespace vigil::monitor {
namespace {

using List = std::unique_ptr<curl_slist, void (*)(curl_slist *)>;

void append(List &list, const std::string &line) {
  curl_slist *longer = curl_slist_append(list.get(), line.c_str());
  if (!longer) fail(Error::Kind::no_memory, "libcurl has no memory");
  std::ignore = list.release();
  list.reset(longer);
}

// Headers are one line.
std::string one_line(std::string text, const char *newline) {
  for (std::size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at))
    text.replace(at, 1, newline);
  std::erase(text, '\r');
  return text;
}

// A header's text for mail servers that take ASCII alone (RFC 2047), in words of 75 characters at most.
std::string mail_words(const std::string &text) {
  if (std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; }))
    return text;
  constexpr std::size_t most = 45; // bytes, which become 60 characters
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(at + most, text.size());
    while (end > at + 1 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) end--;
    std::string word(BASE64_ENCODE_RAW_LENGTH(end - at), '\0');
    base64_encode_raw(word.data(), end - at, reinterpret_cast<const std::uint8_t *>(text.data() + at));
    out += (out.empty() ? "=?UTF-8?B?" : " =?UTF-8?B?") + word + "?=";
    at = end;
  }
  return out;
}

Delivery send_ntfy(const NotifyConfig &c, const Notice &n, const std::atomic<bool> &ended) {
  const Transfer t(ended);
  List headers(nullptr, curl_slist_free_all);
  append(headers, "Title: " + one_line(n.title, " "));
  if (!c.token.empty()) append(headers, "Authorization: Bearer " + c.token);
  const std::string *body = &n.text;
  if (!n.jpeg.empty()) { // the picture is the body then, and ntfy takes \n in the header for a new line
    append(headers, "Message: " + one_line(n.text, "\\n"));
    append(headers, "Filename: " + n.name);
    append(headers, "Content-Type: image/jpeg");
    body = &n.jpeg;
  } else {
    append(headers, "Content-Type: text/plain; charset=utf-8");
  }
  append(headers, "Expect:"); // no server need be asked whether it wants a small picture
  curl_easy_setopt(t.get(), CURLOPT_URL, c.url.c_str());
  curl_easy_setopt(t.get(), CURLOPT_PROTOCOLS_STR, "http,https");
  if (!c.ca_file.empty()) curl_easy_setopt(t.get(), CURLOPT_CAINFO, c.ca_file.c_str());
  curl_easy_setopt(t.get(), CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(t.get(), CURLOPT_POSTFIELDSIZE, static_cast<long>(body->size()));
  curl_easy_setopt(t.get(), CURLOPT_POSTFIELDS, body->data());
  long status = 0;
  if (const CURLcode code = t.perform(status); code != CURLE_OK) return {curl_easy_strerror(code), false};
  if (status >= 200 && status < 300) return {};
  return {vigil::text("status ", status), refuses_for_good(status)};
}

std::string mail_date() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  constexpr const char *days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr const char *months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  char text[64]; // strftime() has the names of the locale
  std::snprintf(text, sizeof text, "%s, %02d %s %d %02d:%02d:%02d +0000", days[parts.tm_wday], parts.tm_mday,
                months[parts.tm_mon], parts.tm_year + 1900, parts.tm_hour, parts.tm_min, parts.tm_sec);
  return text;
}

Delivery send_mail(const NotifyConfig &c, const Notice &n, const std::atomic<bool> &ended) {
  const Transfer t(ended);
  List headers(nullptr, curl_slist_free_all), people(nullptr, curl_slist_free_all);
  std::string all;
  for (const std::string &to : c.to) {
    append(people, "<" + to + ">");
    all += (all.empty() ? "" : ", ") + ("<" + to + ">");
  }
  std::random_device random;
  append(headers, "Date: " + mail_date());
  append(headers, "From: Vigil <" + c.from + ">");
  append(headers, "To: " + all);
  append(headers, "Subject: " + mail_words(one_line(n.title, " ")));
  append(headers,
         vigil::text("Message-ID: <", random(), ".", random(), c.from.substr(c.from.find('@')), ">"));
  append(headers, "Auto-Submitted: auto-generated");
  const std::unique_ptr<curl_mime, void (*)(curl_mime *)> mime(curl_mime_init(t.get()), curl_mime_free);
  curl_mimepart *text = curl_mime_addpart(mime.get());
  curl_mime_data(text, n.text.data(), n.text.size());
  curl_mime_type(text, "text/plain; charset=utf-8");
  curl_mime_encoder(text, "8bit");
  if (!n.jpeg.empty()) {
    curl_mimepart *picture = curl_mime_addpart(mime.get());
    curl_mime_data(picture, n.jpeg.data(), n.jpeg.size());
    curl_mime_type(picture, "image/jpeg");
    curl_mime_filename(picture, n.name.c_str());
    curl_mime_encoder(picture, "base64");
  }
  curl_easy_setopt(t.get(), CURLOPT_URL, c.url.c_str());
  curl_easy_setopt(t.get(), CURLOPT_PROTOCOLS_STR, "smtp,smtps");
  curl_easy_setopt(t.get(), CURLOPT_USE_SSL, static_cast<long>(c.tls ? CURLUSESSL_ALL : CURLUSESSL_NONE));
  if (!c.ca_file.empty()) curl_easy_setopt(t.get(), CURLOPT_CAINFO, c.ca_file.c_str());
  if (!c.user.empty()) {
    curl_easy_setopt(t.get(), CURLOPT_USERNAME, c.user.c_str());
    curl_easy_setopt(t.get(), CURLOPT_PASSWORD, c.password.c_str());
  }
  curl_easy_setopt(t.get(), CURLOPT_MAIL_FROM, ("<" + c.from + ">").c_str());
  curl_easy_setopt(t.get(), CURLOPT_MAIL_RCPT, people.get());
  curl_easy_setopt(t.get(), CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(t.get(), CURLOPT_MIMEPOST, mime.get());
  long status = 0;
  const CURLcode code = t.perform(status);
  if (code == CURLE_OK) return {};
  const bool refused = status >= 500 && status < 600;
  return {std::string(curl_easy_strerror(code)) + (refused ? vigil::text(", status ", status) : ""), refused};
}

} // namespace

Delivery send_notice(const NotifyConfig &c, const Notice &n, const std::atomic<bool> &ended) {
  return c.kind == NotifyConfig::Kind::ntfy ? send_ntfy(c, n, ended) : send_mail(c, n, ended);
}

std::string shown_target(const NotifyConfig &c) {
  return (c.kind == NotifyConfig::Kind::ntfy ? "ntfy " : "mail ") + shown_server(c.url);
}

} // namespace vigil::monitor
