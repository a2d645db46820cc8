// SPDX-License-Identifier: LGPL-2.1-or-later
#include "mqtt.h"

#include "../camera/backoff.h"
#include "common/error.h"

#include <chrono>
#include <memory>
#include <mosquitto.h>

namespace vigil::monitor {

struct Mqtt::Callbacks {
  static void connected(mosquitto *, void *user, int code) {
    auto &m = *static_cast<Mqtt *>(user);
    if (code) {
      m.last_error_ = mosquitto_connack_string(code);
      return;
    }
    m.connected_ = true;
    const std::string topic = m.config_.topic_prefix + "/+/+/set";
    mosquitto_subscribe(m.client_, nullptr, topic.c_str(), 1);
    const std::lock_guard guard(m.lock_);
    for (const auto &[t, payload] : m.states_) m.changed_.insert(t);
    m.more_ = true; // what the last connection did not see acknowledged
  }
  static void published(mosquitto *, void *user, int message) {
    auto &m = *static_cast<Mqtt *>(user);
    const auto letter = m.under_way_.find(message);
    if (letter == m.under_way_.end()) return;
    m.store_.delivered(letter->second);
    m.sent_.erase(letter->second);
    m.under_way_.erase(letter);
    m.more_ = true;
  }
  static void received(mosquitto *, void *user, const mosquitto_message *message) {
    auto &m = *static_cast<Mqtt *>(user);
    if (message->retain) return; // an order of long ago
    const auto *payload = static_cast<const char *>(message->payload);
    if (const auto c = parse_command(
            m.config_.topic_prefix, message->topic,
            std::string(payload ? payload : "", payload ? static_cast<std::size_t>(message->payloadlen) : 0)))
      m.receive_(*c);
  }
};

Mqtt::Mqtt(MqttConfig config, EventStore &store, Log log, Receive receive)
    : config_(std::move(config)), store_(store), log_(std::move(log)), receive_(std::move(receive)) {
  mosquitto_lib_init();
  thread_ = std::thread([this] { run(); });
}

Mqtt::~Mqtt() {
  {
    const std::lock_guard guard(lock_); // or the thread that goes to sleep at this moment misses it
    ended_ = true;
  }
  wake_.notify_all();
  thread_.join();
  mosquitto_lib_cleanup();
}

void Mqtt::set_state(const Topic &t) {
  const std::lock_guard guard(lock_);
  std::string &now = states_[t.topic];
  if (now == t.payload) return;
  now = t.payload;
  changed_.insert(t.topic);
}

void Mqtt::run() {
  Backoff backoff;
  while (!ended_) {
    bool worked = false;
    try {
      worked = session();
    } catch (const Error &e) { // of the database or of ca_file
      last_error_ = e.what();
    }
    if (ended_) break;
    constexpr double long_enough = 60;
    backoff.ran(worked ? long_enough : 0);
    const double wait = backoff.next();
    if (worked || wait <= 1)
      log_("MQTT: no connection to " + config_.host + ": " + last_error_ +
           "; trying again for ever, events are kept meanwhile");
    std::unique_lock guard(lock_);
    wake_.wait_for(guard, std::chrono::duration<double>(wait), [this] { return ended_.load(); });
  }
}

bool Mqtt::session() {
  const std::string available = config_.topic_prefix + "/node/" + config_.node + "/available";
  const std::string id = "vigil-" + config_.node;
  client_ = mosquitto_new(id.c_str(), false, this);
  if (!client_) fail(Error::Kind::no_memory, "no memory for an MQTT client");
  const std::unique_ptr<mosquitto, void (*)(mosquitto *)> owner(client_, mosquitto_destroy);
  under_way_.clear();
  sent_.clear();
  mosquitto_connect_callback_set(client_, Callbacks::connected);
  mosquitto_publish_callback_set(client_, Callbacks::published);
  mosquitto_message_callback_set(client_, Callbacks::received);
  if (!config_.user.empty())
    mosquitto_username_pw_set(client_, config_.user.c_str(), config_.password.c_str());
  // A client for which this failed would connect without TLS.
  if (!config_.ca_file.empty() && mosquitto_tls_set(client_, config_.ca_file.c_str(), nullptr, nullptr,
                                                    nullptr, nullptr) != MOSQ_ERR_SUCCESS)
    fail(Error::Kind::io, "cannot read ca_file ", config_.ca_file);
  mosquitto_will_set(client_, available.c_str(), 7, "offline", 1, true);
  constexpr int keep_alive = 20, turn_ms = 100;
  int code = mosquitto_connect(client_, config_.host.c_str(), config_.port, keep_alive);
  bool said = false;
  while (code == MOSQ_ERR_SUCCESS && !ended_) {
    code = mosquitto_loop(client_, turn_ms, 1);
    if (code != MOSQ_ERR_SUCCESS || !connected_) continue;
    if (!said) {
      said = true;
      log_("MQTT: connected to " + config_.host);
      set_state({available, "online"});
      last_error_.clear();
    }
    send_states();
    send_letters();
  }
  if (ended_ && connected_) {
    mosquitto_publish(client_, nullptr, available.c_str(), 7, "offline", 1, true);
    for (int i = 0; i < 10 && mosquitto_want_write(client_); i++) mosquitto_loop(client_, turn_ms, 1);
    mosquitto_loop(client_, turn_ms, 1);
    mosquitto_disconnect(client_);
  }
  connected_ = false;
  if (last_error_.empty() && code != MOSQ_ERR_SUCCESS) last_error_ = mosquitto_strerror(code);
  return said;
}

void Mqtt::send_states() {
  std::vector<Topic> now;
  {
    const std::lock_guard guard(lock_);
    for (const std::string &t : changed_) now.push_back({t, states_[t]});
    changed_.clear();
  }
  for (const Topic &t : now)
    mosquitto_publish(client_, nullptr, t.topic.c_str(), static_cast<int>(t.payload.size()), t.payload.data(),
                      1, true);
}

void Mqtt::send_letters() {
  constexpr std::size_t most_under_way = 16;
  if (sent_.size() >= most_under_way || !more_.exchange(false)) return;
  for (const Letter &l : store_.letters("mqtt", static_cast<int>(most_under_way))) {
    if (!sent_.insert(l.id).second) continue; // under way already
    int message = 0;
    if (mosquitto_publish(client_, &message, l.topic.c_str(), static_cast<int>(l.payload.size()),
                          l.payload.data(), 1, l.retain) == MOSQ_ERR_SUCCESS)
      under_way_[message] = l.id;
    else
      sent_.erase(l.id);
  }
}

} // namespace vigil::monitor
