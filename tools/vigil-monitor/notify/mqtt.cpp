// SPDX-License-Identifier: LGPL-2.1-or-later
#include "mqtt.h"

#include "../camera/backoff.h"
#include "../camera/utc.h"
#include "broker_connection.h"
#include "common/error.h"
#include "common/guarded.h"

#include <cstddef>
#include <exception>
#include <mosquitto.h>
#include <utility>

namespace vigil::monitor {
namespace {

// `connected` becomes false however a connection ends.
struct UntilTheEnd {
  std::atomic<bool> &connected;
  ~UntilTheEnd() { connected = false; }
};

} // namespace

Mqtt::Mqtt(MqttConfig config, EventStore &store, Log log, Receive receive)
    : config_(std::move(config)), available_(config_.topic_prefix + "/node/" + config_.node + "/available"),
      log_(std::move(log)), receive_(std::move(receive)), letters_(store, log_) {
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

// The three that follow only note what the connection says: BrokerConnection::Calls.
void Mqtt::connection_works() {
  connected_ = true;
  states_.connected();
  letters_.wake(); // what the last connection did not see acknowledged
}

void Mqtt::published(int message) {
  if (const auto state = state_topics_.find(message); state != state_topics_.end()) {
    states_.acknowledged(state->second);
    state_topics_.erase(state);
  }
  letters_.acknowledged(message);
}

void Mqtt::received(const char *topic, const std::string &payload) {
  if (ended_) return;
  const auto c = parse_command(config_.topic_prefix, topic, payload);
  if (c && !orders_.put(*c))
    caught_at_border("MQTT", text("orders for more than ", Orders::most_switches,
                                  " switches a second: who may publish below ", config_.topic_prefix, "/?"));
}

bool Mqtt::session() {
  letters_.connection_begins();
  state_topics_.clear();
  // A broker that acknowledges no states gets the letters all the same.
  constexpr std::size_t most = RetainedStates::most_under_way + OutboxLetters::most_under_way + 1;
  BrokerConnection broker(
      config_, available_, static_cast<int>(most),
      {[this] { connection_works(); }, [this](int message) { published(message); },
       [this](const char *topic, const std::string &payload) { received(topic, payload); }});
  const UntilTheEnd end{connected_};
  constexpr double patience = 15; // seconds until the broker has answered
  const double latest = Utc::monotonic_seconds() + patience;
  bool works = broker.begin(), said = false;
  while (works && !ended_) {
    works = broker.turn();
    if (!works) break;
    give_orders(Utc::monotonic_seconds());
    if (broker.connected()) {
      if (!std::exchange(said, true)) {
        log_("MQTT: connected to " + config_.host);
        set_state({available_, "online"});
      }
      send_states(broker);
      letters_.exchange([&](const Letter &l) { return broker.publish(l.topic, l.payload, l.retain); });
    } else if (Utc::monotonic_seconds() > latest) {
      last_error_ = text("no answer within ", patience, " seconds");
      break;
    }
  }
  if (ended_ && broker.connected()) broker.say_goodbye();
  if (last_error_.empty()) last_error_ = broker.error();
  return said;
}

void Mqtt::send_states(BrokerConnection &broker) {
  while (const auto t = states_.next()) {
    const auto message = broker.publish(t->topic, t->payload, true);
    if (!message) return states_.not_sent(t->topic);
    state_topics_[*message] = t->topic;
  }
}

void Mqtt::give_orders(double now) {
  for (const Command &c : orders_.due(now)) guard("an order of MQTT", [&] { receive_(c); });
}

} // namespace vigil::monitor
