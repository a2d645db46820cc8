// SPDX-License-Identifier: LGPL-2.1-or-later
#include "broker_connection.h"

#include "../camera/utc.h"
#include "common/error.h"
#include "common/guarded.h"

#include <cstddef>
#include <mosquitto.h>
#include <utility>

namespace vigil::monitor {
namespace {

constexpr int turn_ms = 100;

} // namespace

struct BrokerConnection::Callbacks {
  static BrokerConnection &self(void *user) { return *static_cast<BrokerConnection *>(user); }

  static void connected(mosquitto *client, void *user, int code) {
    BrokerConnection &c = self(user);
    if (code) {
      c.refused_ = mosquitto_connack_string(code);
      return;
    }
    c.connected_ = true;
    if (c.config_.takes_commands())
      mosquitto_subscribe(client, nullptr, (c.config_.topic_prefix + "/+/+/set").c_str(), 1);
    c.calls_.connected();
  }
  static void published(mosquitto *, void *user, int message) {
    BrokerConnection &c = self(user);
    if (message == c.goodbye_) c.goodbye_ = 0;
    c.calls_.published(message);
  }
  static void received(mosquitto *, void *user, const mosquitto_message *message) {
    if (message->retain) return; // an order of long ago
    const auto *payload = static_cast<const char *>(message->payload);
    self(user).calls_.received(
        message->topic,
        std::string(payload ? payload : "", payload ? static_cast<std::size_t>(message->payloadlen) : 0));
  }
};

// A clean session: orders that were given while nobody listened are not kept for later.
BrokerConnection::BrokerConnection(const MqttConfig &config, std::string available, int most_under_way,
                                   Calls calls)
    : config_(config), available_(std::move(available)), calls_(std::move(calls)),
      client_(mosquitto_new(("vigil-" + config.node).c_str(), true, this), mosquitto_destroy) {
  if (!client_) fail(Error::Kind::no_memory, "no memory for an MQTT client");
  mosquitto_connect_callback_set(client_.get(), guarded<Callbacks::connected>);
  mosquitto_publish_callback_set(client_.get(), guarded<Callbacks::published>);
  mosquitto_message_callback_set(client_.get(), guarded<Callbacks::received>);
  if (!config_.user.empty())
    mosquitto_username_pw_set(client_.get(), config_.user.c_str(), config_.password.c_str());
  set_up_tls();
  mosquitto_max_inflight_messages_set(client_.get(), static_cast<unsigned>(most_under_way));
  mosquitto_will_set(client_.get(), available_.c_str(), 7, "offline", 1, true);
}

void BrokerConnection::set_up_tls() {
  // A client for which this failed would connect without TLS.
  if (!config_.ca_file.empty()) {
    if (mosquitto_tls_set(client_.get(), config_.ca_file.c_str(), nullptr, nullptr, nullptr, nullptr) !=
        MOSQ_ERR_SUCCESS)
      fail(Error::Kind::io, "cannot read ca_file ", config_.ca_file);
  } else if (config_.tls) {
    if (mosquitto_int_option(client_.get(), MOSQ_OPT_TLS_USE_OS_CERTS, 1) != MOSQ_ERR_SUCCESS)
      fail(Error::Kind::bad_setting,
           "this libmosquitto cannot use the system's certificate authorities; name their "
           "file as ca_file");
  }
}

// Does not wait for the connection: the turns do, so that the caller sees the end of the program meanwhile.
bool BrokerConnection::begin() {
  constexpr int keep_alive = 20;
  code_ = mosquitto_connect_async(client_.get(), config_.host.c_str(), config_.port, keep_alive);
  return code_ == MOSQ_ERR_SUCCESS;
}

bool BrokerConnection::turn() {
  code_ = mosquitto_loop(client_.get(), turn_ms, 1);
  return code_ == MOSQ_ERR_SUCCESS;
}

std::string BrokerConnection::error() const {
  if (!refused_.empty()) return refused_;
  return code_ == MOSQ_ERR_SUCCESS ? "" : mosquitto_strerror(code_);
}

std::optional<int> BrokerConnection::publish(const std::string &topic, const std::string &payload,
                                             bool retain) {
  int message = 0;
  if (mosquitto_publish(client_.get(), &message, topic.c_str(), static_cast<int>(payload.size()),
                        payload.data(), 1, retain) != MOSQ_ERR_SUCCESS)
    return std::nullopt;
  return message;
}

void BrokerConnection::say_goodbye() {
  constexpr double patience = 1;
  const double latest = Utc::monotonic_seconds() + patience;
  int code = mosquitto_publish(client_.get(), &goodbye_, available_.c_str(), 7, "offline", 1, true);
  while (code == MOSQ_ERR_SUCCESS && goodbye_ && Utc::monotonic_seconds() < latest)
    code = mosquitto_loop(client_.get(), turn_ms, 1);
  mosquitto_disconnect(client_.get());
}

} // namespace vigil::monitor
