// SPDX-License-Identifier: LGPL-2.1-or-later
#include "mqtt.h"

#include "../camera/backoff.h"
#include "../camera/utc.h"
#include "common/error.h"
#include "common/guarded.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <mosquitto.h>
#include <utility>

namespace vigil::monitor {
namespace {

constexpr int turn_ms = 100;
constexpr std::size_t most_letters = 16; // under way

// `connected` becomes false however a connection ends.
struct UntilTheEnd {
  std::atomic<bool> &connected;
  ~UntilTheEnd() { connected = false; }
};

} // namespace

// They only note what libmosquitto says: it holds a lock while they run.
struct Mqtt::Callbacks {
  static void connected(mosquitto *, void *user, int code) {
    auto &m = *static_cast<Mqtt *>(user);
    if (code) {
      m.last_error_ = mosquitto_connack_string(code);
      return;
    }
    m.connected_ = true;
    if (m.config_.takes_commands())
      mosquitto_subscribe(m.client_, nullptr, (m.config_.topic_prefix + "/+/+/set").c_str(), 1);
    m.states_.connected();
    m.more_ = true; // what the last connection did not see acknowledged
  }
  static void published(mosquitto *, void *user, int message) {
    auto &m = *static_cast<Mqtt *>(user);
    if (message == m.goodbye_) m.goodbye_ = 0;
    if (const auto state = m.state_topics_.find(message); state != m.state_topics_.end()) {
      m.states_.acknowledged(state->second);
      m.state_topics_.erase(state);
    }
    const auto letter = m.letters_.find(message);
    if (letter == m.letters_.end()) return;
    m.delivered_.insert(letter->second);
    m.letters_.erase(letter);
    m.more_ = true;
  }
  static void received(mosquitto *, void *user, const mosquitto_message *message) {
    auto &m = *static_cast<Mqtt *>(user);
    if (m.ended_ || message->retain) return; // a retained one is an order of long ago
    const auto *payload = static_cast<const char *>(message->payload);
    const auto c = parse_command(
        m.config_.topic_prefix, message->topic,
        std::string(payload ? payload : "", payload ? static_cast<std::size_t>(message->payloadlen) : 0));
    if (c && !m.orders_.put(*c))
      caught_at_border("MQTT",
                       text("orders for more than ", Orders::most_switches,
                            " switches a second: who may publish below ", m.config_.topic_prefix, "/?"));
  }
};

Mqtt::Mqtt(MqttConfig config, EventStore &store, Log log, Receive receive)
    : config_(std::move(config)), available_(config_.topic_prefix + "/node/" + config_.node + "/available"),
      store_(store), log_(std::move(log)), receive_(std::move(receive)) {
  mosquitto_lib_init();
  thread_.begin("MQTT", [this] { run(); });
}

Mqtt::~Mqtt() {
  constexpr std::chrono::hours for_ever(24);
  end(for_ever);
  mosquitto_lib_cleanup();
}

bool Mqtt::end(std::chrono::milliseconds patience) {
  {
    const std::lock_guard held(lock_); // or the thread that goes to sleep at this moment misses it
    ended_ = true;
  }
  wake_.notify_all();
  return thread_.ends_within(patience);
}

void Mqtt::run() {
  Backoff backoff;
  while (!ended_) {
    bool worked = false;
    try {
      last_error_.clear();
      worked = session();
    } catch (const std::exception &e) { // of ca_file, for example
      last_error_ = e.what();
    }
    if (ended_) break;
    give_orders(Utc::monotonic_seconds() + Orders::pause); // those that still waited for their turn
    constexpr double long_enough = 60;
    backoff.ran(worked ? long_enough : 0);
    const double wait = backoff.next();
    if (worked || wait <= 1)
      log_("MQTT: no connection to " + config_.host + ": " + last_error_ +
           "; trying again without limit, events are kept meanwhile");
    std::unique_lock held(lock_);
    wake_.wait_for(held, std::chrono::duration<double>(wait), [this] { return ended_.load(); });
  }
}

void Mqtt::set_up_tls() {
  // A client for which this failed would connect without TLS.
  if (!config_.ca_file.empty()) {
    if (mosquitto_tls_set(client_, config_.ca_file.c_str(), nullptr, nullptr, nullptr, nullptr) !=
        MOSQ_ERR_SUCCESS)
      fail(Error::Kind::io, "cannot read ca_file ", config_.ca_file);
  } else if (config_.tls) {
    if (mosquitto_int_option(client_, MOSQ_OPT_TLS_USE_OS_CERTS, 1) != MOSQ_ERR_SUCCESS)
      fail(Error::Kind::bad_setting,
           "this libmosquitto cannot use the system's certificate authorities; name their "
           "file as ca_file");
  }
}

bool Mqtt::session() {
  const std::string id = "vigil-" + config_.node;
  // A clean session: orders that were given while nobody listened are not kept for later.
  client_ = mosquitto_new(id.c_str(), true, this);
  if (!client_) fail(Error::Kind::no_memory, "no memory for an MQTT client");
  const std::unique_ptr<mosquitto, void (*)(mosquitto *)> owner(client_, mosquitto_destroy);
  const UntilTheEnd end{connected_};
  letters_.clear();
  state_topics_.clear();
  mosquitto_connect_callback_set(client_, guarded<Callbacks::connected>);
  mosquitto_publish_callback_set(client_, guarded<Callbacks::published>);
  mosquitto_message_callback_set(client_, guarded<Callbacks::received>);
  if (!config_.user.empty())
    mosquitto_username_pw_set(client_, config_.user.c_str(), config_.password.c_str());
  set_up_tls();
  // A broker that acknowledges no states gets the letters all the same.
  mosquitto_max_inflight_messages_set(client_, RetainedStates::most_under_way + most_letters + 1);
  mosquitto_will_set(client_, available_.c_str(), 7, "offline", 1, true);
  constexpr int keep_alive = 20;
  constexpr double patience = 15; // seconds until the broker has answered
  const double latest = Utc::monotonic_seconds() + patience;
  // Does not wait for the connection: the loop does, in turns, and sees the end meanwhile.
  int code = mosquitto_connect_async(client_, config_.host.c_str(), config_.port, keep_alive);
  bool said = false;
  while (code == MOSQ_ERR_SUCCESS && !ended_) {
    code = mosquitto_loop(client_, turn_ms, 1);
    if (code != MOSQ_ERR_SUCCESS) break;
    give_orders(Utc::monotonic_seconds());
    if (connected_) {
      if (!std::exchange(said, true)) {
        log_("MQTT: connected to " + config_.host);
        set_state({available_, "online"});
      }
      send_states();
      exchange_letters();
    } else if (Utc::monotonic_seconds() > latest) {
      last_error_ = text("no answer within ", patience, " seconds");
      break;
    }
  }
  if (ended_ && connected_) say_goodbye();
  if (last_error_.empty() && code != MOSQ_ERR_SUCCESS) last_error_ = mosquitto_strerror(code);
  return said;
}

void Mqtt::say_goodbye() {
  constexpr double patience = 1;
  const double latest = Utc::monotonic_seconds() + patience;
  int code = mosquitto_publish(client_, &goodbye_, available_.c_str(), 7, "offline", 1, true);
  while (code == MOSQ_ERR_SUCCESS && goodbye_ && Utc::monotonic_seconds() < latest)
    code = mosquitto_loop(client_, turn_ms, 1);
  mosquitto_disconnect(client_);
}

void Mqtt::send_states() {
  while (const auto t = states_.next()) {
    int message = 0;
    if (mosquitto_publish(client_, &message, t->topic.c_str(), static_cast<int>(t->payload.size()),
                          t->payload.data(), 1, true) != MOSQ_ERR_SUCCESS)
      return states_.not_sent(t->topic);
    state_topics_[message] = t->topic;
  }
}

void Mqtt::exchange_letters() {
  const double now = Utc::monotonic_seconds();
  if (!more_ || now < database_again_) return;
  try {
    while (!delivered_.empty()) {
      store_.delivered(*delivered_.begin());
      delivered_.erase(delivered_.begin());
    }
    send_letters();
    if (database_.worked(now)) log_("MQTT: the database takes note of events that were sent again");
  } catch (const std::exception &e) {
    constexpr double pause = 2;
    database_again_ = now + pause;
    more_ = true;
    if (database_.failed(now))
      log_(text("MQTT: ", e.what(), "; the connection goes on, and no event is sent twice meanwhile"));
  }
}

void Mqtt::send_letters() {
  if (letters_.size() >= most_letters || !more_.exchange(false)) return;
  for (const Letter &l : store_.letters("mqtt", static_cast<int>(most_letters))) {
    if (std::any_of(letters_.begin(), letters_.end(), [&](const auto &u) { return u.second == l.id; }))
      continue;
    int message = 0;
    if (mosquitto_publish(client_, &message, l.topic.c_str(), static_cast<int>(l.payload.size()),
                          l.payload.data(), 1, l.retain) == MOSQ_ERR_SUCCESS)
      letters_[message] = l.id;
  }
}

void Mqtt::give_orders(double now) {
  for (const Command &c : orders_.due(now)) guard("an order of MQTT", [&] { receive_(c); });
}

} // namespace vigil::monitor
