// SPDX-License-Identifier: LGPL-2.1-or-later
#include "push_message.h"

#include "common/error.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <curl/curl.h>
#include <memory>
#include <nettle/gcm.h>
#include <nettle/hmac.h>
#include <nlohmann/json.hpp>

namespace vigil::monitor {
namespace {

const std::uint8_t *octets(std::string_view s) {
  return reinterpret_cast<const std::uint8_t *>(s.data());
}

std::string hmac(std::string_view key, std::string_view words) {
  hmac_sha256_ctx context;
  hmac_sha256_set_key(&context, key.size(), octets(key));
  hmac_sha256_update(&context, words.size(), octets(words));
  std::string out(SHA256_DIGEST_SIZE, '\0');
  hmac_sha256_digest(&context, out.size(), reinterpret_cast<std::uint8_t *>(out.data()));
  return out;
}

// HKDF of RFC 5869 for results of one block.
std::string derive(std::string_view salt, std::string_view key, std::string info, std::size_t size) {
  info += '\1';
  return hmac(hmac(salt, key), info).substr(0, size);
}

std::string info_of(std::string_view what) {
  return std::string(what) + '\0';
}

} // namespace

std::string push_origin(const std::string &endpoint) {
  const std::unique_ptr<CURLU, void (*)(CURLU *)> url(curl_url(), curl_url_cleanup);
  const auto part = [&](CURLUPart which) {
    char *text = nullptr;
    if (curl_url_get(url.get(), which, &text, 0)) return std::string();
    const std::unique_ptr<char, void (*)(void *)> owner(text, curl_free);
    return std::string(text);
  };
  constexpr std::size_t longest = 1024;
  const bool plain =
      std::all_of(endpoint.begin(), endpoint.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (!url || endpoint.size() > longest || !plain ||
      curl_url_set(url.get(), CURLUPART_URL, endpoint.c_str(), 0) || part(CURLUPART_SCHEME) != "https" ||
      part(CURLUPART_HOST).empty() || !part(CURLUPART_USER).empty() || !part(CURLUPART_PASSWORD).empty() ||
      !part(CURLUPART_FRAGMENT).empty())
    fail(Error::Kind::bad_data, "the endpoint is no https address of a push service");
  const std::string port = part(CURLUPART_PORT);
  return "https://" + part(CURLUPART_HOST) + (port.empty() || port == "443" ? "" : ":" + port);
}

std::string encrypt_push(const PushTarget &to, std::string_view message) {
  std::array<std::uint8_t, 16> salt{};
  fill_random(salt);
  return encrypt_push(to, message, P256Key::make(),
                      {reinterpret_cast<const char *>(salt.data()), salt.size()});
}

std::string encrypt_push(const PushTarget &to, std::string_view message, const P256Key &once,
                         std::string_view salt) {
  constexpr std::size_t auth_size = 16;
  if (to.secret.size() != auth_size) fail(Error::Kind::bad_data, "the subscription's auth has 16 bytes");
  if (message.size() > longest_push)
    fail(Error::Kind::bad_data, "a message of ", message.size(), " bytes is too long to push");
  // RFC 8291, 3.4.
  const std::string key = derive(to.secret, once.agree(to.p256dh),
                                 info_of("WebPush: info") + to.p256dh + once.point(), SHA256_DIGEST_SIZE);
  const std::string content_key = derive(salt, key, info_of("Content-Encoding: aes128gcm"), AES128_KEY_SIZE);
  const std::string nonce = derive(salt, key, info_of("Content-Encoding: nonce"), GCM_IV_SIZE);
  // One record of RFC 8188; 2 ends the last one.
  const std::string plain = std::string(message) + '\2';
  std::string sealed(plain.size() + GCM_DIGEST_SIZE, '\0');
  auto *out = reinterpret_cast<std::uint8_t *>(sealed.data());
  gcm_aes128_ctx cipher;
  gcm_aes128_set_key(&cipher, octets(content_key));
  gcm_aes128_set_iv(&cipher, nonce.size(), octets(nonce));
  gcm_aes128_encrypt(&cipher, plain.size(), out, octets(plain));
  gcm_aes128_digest(&cipher, GCM_DIGEST_SIZE, out + plain.size());
  const std::string record_size("\0\0\x10\0", 4); // 4096
  return std::string(salt) + record_size + static_cast<char>(once.point().size()) + once.point() + sealed;
}

std::string push_authorization(const P256Key &key, const std::string &origin, const std::string &contact,
                               double now) {
  constexpr double valid = 12 * 3600; // seconds; RFC 8292 allows 24 hours
  const nlohmann::json head = {{"typ", "JWT"}, {"alg", "ES256"}},
                       claims = {{"aud", origin},
                                 {"exp", static_cast<std::int64_t>(std::floor(now + valid))},
                                 {"sub", contact}};
  const std::string words = base64url(head.dump()) + "." + base64url(claims.dump());
  return "vapid t=" + words + "." + base64url(key.sign(words)) + ", k=" + base64url(key.point());
}

} // namespace vigil::monitor
