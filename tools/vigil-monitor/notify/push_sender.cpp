// SPDX-License-Identifier: LGPL-2.1-or-later
#include "push_sender.h"

#include "../camera/utc.h"
#include "../http/tokens.h"
#include "common/error.h"
#include "common/guarded.h"
#include "public_address.h"
#include "transfer.h"
#include "vapid_key.h"

#include <algorithm>
#include <memory>
#include <sys/socket.h>
#include <tuple>
#include <unistd.h>

namespace vigil::monitor {
namespace {

constexpr double longest_retry_after = 3600; // seconds

struct OpenedFor {
  bool private_addresses = false, refused = false;
};

curl_socket_t open_checked(void *user, curlsocktype, curl_sockaddr *address) {
  auto &for_whom = *static_cast<OpenedFor *>(user);
  if (!for_whom.private_addresses && !is_public(address->addr)) {
    for_whom.refused = true;
    return CURL_SOCKET_BAD;
  }
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

constexpr curl_socket_t no_socket = CURL_SOCKET_BAD;

} // namespace

const P256Key &PushSender::key() {
  const std::lock_guard held(key_lock_);
  if (!key_) key_ = vapid_key(key_file_);
  return *key_;
}

std::string PushSender::public_key() {
  return base64url(key().point());
}

PushSender::Answer PushSender::send(const PushDevice &d, const std::string &message) {
  const StoredDevice &s = d.stored;
  const std::string origin = push_origin(s.endpoint),
                    body = encrypt_push({s.endpoint, s.p256dh, s.secret}, message);
  const Transfer t(ended_);
  std::unique_ptr<curl_slist, void (*)(curl_slist *)> headers(nullptr, curl_slist_free_all);
  const std::string authorization = push_authorization(
      key(), origin, config_.contact.empty() ? s.site : config_.contact, Utc::system_seconds());
  for (const std::string &line :
       {std::string("Content-Type: application/octet-stream"), std::string("Content-Encoding: aes128gcm"),
        vigil::text("TTL: ", oldest_message), std::string("Urgency: high"), std::string("Expect:"),
        "Authorization: " + authorization}) {
    curl_slist *longer = curl_slist_append(headers.get(), line.c_str());
    if (!longer) fail(Error::Kind::no_memory, "libcurl has no memory");
    std::ignore = headers.release();
    headers.reset(longer);
  }
  OpenedFor opened{config_.private_addresses, false};
  curl_easy_setopt(t.get(), CURLOPT_URL, s.endpoint.c_str());
  curl_easy_setopt(t.get(), CURLOPT_PROTOCOLS_STR, "https");
  curl_easy_setopt(t.get(), CURLOPT_OPENSOCKETFUNCTION, (guarded<open_checked, no_socket>));
  curl_easy_setopt(t.get(), CURLOPT_OPENSOCKETDATA, &opened);
  if (!config_.ca_file.empty()) curl_easy_setopt(t.get(), CURLOPT_CAINFO, config_.ca_file.c_str());
  curl_easy_setopt(t.get(), CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(t.get(), CURLOPT_POSTFIELDSIZE, static_cast<long>(body.size()));
  curl_easy_setopt(t.get(), CURLOPT_POSTFIELDS, body.data());
  long status = 0;
  const CURLcode code = t.perform(status);
  if (opened.refused)
    return {"the push service's address is not public, and push: {private_addresses: true} is not set",
            Answer::Kind::refused, 0};
  if (code != CURLE_OK) return {curl_easy_strerror(code), Answer::Kind::later, 0};
  if (status >= 200 && status < 300) return {};
  constexpr long not_found = 404, gone = 410;
  const std::string wrong = vigil::text("status ", status);
  if (status == not_found || status == gone) return {wrong, Answer::Kind::gone, 0};
  if (refuses_for_good(status)) return {wrong, Answer::Kind::refused, 0};
  curl_off_t after = 0;
  curl_easy_getinfo(t.get(), CURLINFO_RETRY_AFTER, &after);
  return {wrong, Answer::Kind::later, std::clamp(static_cast<double>(after), 0., longest_retry_after)};
}

} // namespace vigil::monitor
