// SPDX-License-Identifier: LGPL-2.1-or-later
#include "client.h"

#include "../camera/utc.h"
#include "../notify/transfer.h"
#include "../printable.h"
#include "common/error.h"
#include "common/guarded.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <random>
#include <utility>

namespace vigil::monitor {
namespace {

std::string random_nonce() {
  std::random_device random;
  std::string out(16, '\0');
  for (char &c : out) c = static_cast<char>(random());
  return out;
}

struct Received {
  std::string bytes;
  bool too_many = false;
};

std::size_t keep_answer(char *data, std::size_t size, std::size_t n, void *user) {
  auto &r = *static_cast<Received *>(user);
  r.too_many = r.bytes.size() + size * n > most_xml_bytes;
  if (r.too_many) return 0; // which ends the transfer
  r.bytes.append(data, size * n);
  return size * n;
}

// 0 when a part of it is missing or none.
double seconds_of(const XmlElement &utc) {
  tm t{};
  const auto number = [&](std::initializer_list<std::string_view> path, int least, int most) {
    const std::string words = utc.text_of(path);
    const int n = words.empty() || words.size() > 4 ? -1 : std::atoi(words.c_str());
    return n >= least && n <= most ? n : -1;
  };
  constexpr int first_year = 1970, last_year = 2999;
  const int year = number({"Date", "Year"}, first_year, last_year), month = number({"Date", "Month"}, 1, 12),
            day = number({"Date", "Day"}, 1, 31), hour = number({"Time", "Hour"}, 0, 23),
            minute = number({"Time", "Minute"}, 0, 59), second = number({"Time", "Second"}, 0, 60);
  if (std::min({year, month, day, hour, minute, second}) < 0) return 0;
  t.tm_year = year - 1900;
  t.tm_mon = month - 1;
  t.tm_mday = day;
  t.tm_hour = hour;
  t.tm_min = minute;
  t.tm_sec = second;
  return static_cast<double>(timegm(&t));
}

} // namespace

OnvifLogin login_in(const std::string &address) {
  auto [user, password] = credentials_in(address);
  return {std::move(user), std::move(password)};
}

OnvifClient::OnvifClient(const ServiceAddress &device, OnvifLogin login, const std::atomic<bool> &ended)
    : device_(device), login_(std::move(login)), ended_(ended), hosts_{device.host},
      begun_(Utc::monotonic_seconds()) {}

ServiceAddress OnvifClient::own_address(const std::string &url, const char *of_what) const {
  ServiceAddress out = parse_address(url);
  if (!hosts_.count(out.host))
    fail(Error::Kind::bad_data, "the device at ", device_.host, " names ", printable(out.host, most_said),
         " as the address of ", of_what,
         "; nothing is asked there, since nobody has named it: ask that address, or correct the device's "
         "network settings");
  return out;
}

void OnvifClient::begin() {
  begun_ = Utc::monotonic_seconds();
}

OnvifClient::Answer OnvifClient::post(const Question &question, const std::string &request,
                                      const OnvifLogin *digest) {
  const ServiceAddress &service = question.service;
  const double left = begun_ + seconds_of_device + question.waits - Utc::monotonic_seconds();
  if (left <= 0)
    fail(Error::Kind::io, "the device at ", device_.host, " is too slow: no end after ", seconds_of_device,
         " seconds");
  const Transfer t(ended_);
  const std::unique_ptr<curl_slist, void (*)(curl_slist *)> headers(
      curl_slist_append(curl_slist_append(nullptr, "Content-Type: application/soap+xml; charset=utf-8"),
                        "Expect:"),
      curl_slist_free_all);
  Received received;
  curl_easy_setopt(t.get(), CURLOPT_URL, service.url.c_str());
  curl_easy_setopt(t.get(), CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(t.get(), CURLOPT_PROXY, ""); // a device is on a network of ours
  curl_easy_setopt(t.get(), CURLOPT_TIMEOUT_MS,
                   static_cast<long>(1e3 * std::min(left, seconds_of_request + question.waits)));
  curl_easy_setopt(t.get(), CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(t.get(), CURLOPT_POSTFIELDSIZE, static_cast<long>(request.size()));
  curl_easy_setopt(t.get(), CURLOPT_POSTFIELDS, request.data());
  curl_easy_setopt(t.get(), CURLOPT_WRITEFUNCTION, guarded<keep_answer>);
  curl_easy_setopt(t.get(), CURLOPT_WRITEDATA, &received);
  if (digest) {
    curl_easy_setopt(t.get(), CURLOPT_HTTPAUTH, CURLAUTH_DIGEST);
    curl_easy_setopt(t.get(), CURLOPT_USERNAME, digest->user.c_str());
    curl_easy_setopt(t.get(), CURLOPT_PASSWORD, digest->password.c_str());
  }
  Answer out;
  const CURLcode code = t.perform(out.status);
  if (received.too_many)
    fail(Error::Kind::bad_data, "the device at ", device_.host, " answers with more than ", most_xml_bytes,
         " bytes");
  if (code != CURLE_OK)
    fail(Error::Kind::io, "the device at ", service.host, " does not answer: ", curl_easy_strerror(code));
  // A name that was asked for is also its address from here on.
  if (char *ip = nullptr; service.host == device_.host &&
                          curl_easy_getinfo(t.get(), CURLINFO_PRIMARY_IP, &ip) == CURLE_OK && ip && *ip)
    hosts_.insert(ip);
  out.body = std::move(received.bytes);
  return out;
}

XmlElement OnvifClient::ask_as(const OnvifLogin &login, const Question &question) {
  constexpr long unauthorized = 401;
  Answer answer;
  for (const bool digest : {false, true}) {
    // Each request has a nonce of its own: a device refuses one that it has seen.
    const std::string request = soap_request(question.body, login, Utc::system_seconds() + clock_offset_,
                                             random_nonce(), question.headers);
    answer = post(question, request, digest ? &login : nullptr);
    if (answer.status != unauthorized || login.user.empty()) break;
  }
  if (answer.status == unauthorized)
    fail(Error::Kind::bad_setting, "the device at ", device_.host,
         login.user.empty() ? " wants a user and a password" : " refuses this user or password");
  constexpr long most_good = 299;
  if (answer.body.empty())
    fail(Error::Kind::bad_data, "the device at ", device_.host, " answers with status ", answer.status,
         " and nothing else");
  XmlElement out;
  try {
    out = soap_body(answer.body);
  } catch (const Error &e) {
    fail(Error::Kind::bad_data, "the device at ", device_.host, " (status ", answer.status, "): ", e.what());
  }
  if (refuses_login(out))
    fail(Error::Kind::bad_setting, "the device at ", device_.host,
         login.user.empty() ? " wants a user and a password" : " refuses this user or password", ": ",
         fault_of(out));
  if (const std::string fault = fault_of(out); !fault.empty())
    fail(Error::Kind::bad_data, "the device at ", device_.host, " answers: ", fault);
  if (answer.status > most_good)
    fail(Error::Kind::bad_data, "the device at ", device_.host, " answers with status ", answer.status);
  return out;
}

XmlElement OnvifClient::ask(const ServiceAddress &service, const std::string &body,
                            const std::string &headers, double waits) {
  return ask_as(login_, {service, body, headers, waits});
}

void OnvifClient::read_clock() {
  const XmlElement answer = ask_as(
      {}, {device_, "<GetSystemDateAndTime xmlns=\"http://www.onvif.org/ver10/device/wsdl\"/>", "", 0});
  const XmlElement *utc = answer.find({"SystemDateAndTime", "UTCDateTime"});
  const double theirs = utc ? seconds_of(*utc) : 0;
  if (theirs > 0) clock_offset_ = theirs - Utc::system_seconds();
}

} // namespace vigil::monitor
