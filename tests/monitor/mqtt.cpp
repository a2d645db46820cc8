// SPDX-License-Identifier: LGPL-2.1-or-later
// vigil-monitor's MQTT client before a broker that fails at chosen moments. Usage: test-monitor-mqtt FOLDER
#include "tools/vigil-monitor/notify/mqtt.h"
#include "tests/unit.h"
#include "tools/vigil-monitor/store/sqlite.h"

#include <arpa/inet.h>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace vigil;
using namespace vigil::monitor;
using test::expect;

namespace {

using namespace std::chrono_literals;

bool within(std::chrono::milliseconds patience, const std::function<bool()> &condition) {
  for (const auto end = std::chrono::steady_clock::now() + patience; !condition();
       std::this_thread::sleep_for(20ms))
    if (std::chrono::steady_clock::now() > end) return false;
  return true;
}

struct Manners {
  int lost_letters = 0;                                    // it hangs up at so many events
  bool silent = false;                                     // it takes connections and says nothing
  bool acknowledges_states = true;                         // else events alone
  std::vector<std::pair<std::string, std::string>> orders; // published to each subscriber
};

// The part of MQTT 3.1.1 that one client needs. It acknowledges each message, except those that its manners
// exclude.
class Broker {
 public:
  explicit Broker(Manners manners = {}) : manners_(std::move(manners)) {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    bind(listener_, reinterpret_cast<sockaddr *>(&address), size);
    listen(listener_, 8);
    getsockname(listener_, reinterpret_cast<sockaddr *>(&address), &size);
    port = ntohs(address.sin_port);
    thread_ = std::thread([this] { run(); });
  }
  ~Broker() {
    ended_ = true;
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }
  Broker(const Broker &) = delete;
  Broker &operator=(const Broker &) = delete;

  // The first byte of each connection: 0x10 is CONNECT in the clear, 0x16 the begin of TLS.
  std::vector<int> first_bytes() {
    const std::lock_guard guard(lock_);
    return first_bytes_;
  }
  int letters() { // how often an event came
    const std::lock_guard guard(lock_);
    return letters_;
  }
  int states() { // how many came
    const std::lock_guard guard(lock_);
    return states_;
  }
  bool said_goodbye() {
    const std::lock_guard guard(lock_);
    return goodbye_;
  }
  std::vector<bool> clean_sessions() {
    const std::lock_guard guard(lock_);
    return clean_;
  }
  int subscriptions() {
    const std::lock_guard guard(lock_);
    return subscriptions_;
  }
  int port = 0;

 private:
  void run() {
    for (int client = 0; (client = accept(listener_, nullptr, nullptr)) >= 0; close(client)) {
      const timeval patience{40, 0};
      setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
      bool first = true;
      while (manners_.silent && !ended_) std::this_thread::sleep_for(10ms);
      while (answer(client, std::exchange(first, false))) {
      }
    }
  }
  static bool get(int client, std::string &bytes) {
    return recv(client, bytes.data(), bytes.size(), MSG_WAITALL) == static_cast<ssize_t>(bytes.size());
  }
  // One packet; false when the connection is over.
  bool answer(int client, bool first) {
    std::string type(1, 0), digit(1, 0);
    if (!get(client, type)) return false;
    const int head = static_cast<unsigned char>(type[0]);
    if (first) {
      const std::lock_guard guard(lock_);
      first_bytes_.push_back(head);
      if (head != 0x10) return false;
    }
    std::size_t length = 0;
    for (int shift = 0; shift < 28; shift += 7) {
      if (!get(client, digit)) return false;
      length |= std::size_t(digit[0] & 127) << shift;
      if (!(digit[0] & 128)) break;
    }
    std::string rest(length, 0);
    if (length && !get(client, rest)) return false;
    std::string reply;
    switch (head >> 4) {
    case 1: { // CONNECT; the flags come after the name of the protocol and its level
      reply = {0x20, 2, 0, 0};
      const std::lock_guard guard(lock_);
      clean_.push_back(std::uint8_t(rest[7]) & 2);
      break;
    }
    case 3: { // PUBLISH: the topic's length, the topic, the packet's number, the payload
      const std::size_t topic = std::size_t(std::uint8_t(rest[0])) << 8 | std::uint8_t(rest[1]);
      const std::lock_guard guard(lock_);
      const bool event = rest.substr(2, topic) == "vigil/events";
      if (event && ++letters_ <= manners_.lost_letters) return false;
      if (!event) states_++;
      if (rest.find("/available") != rest.npos && rest.ends_with("offline")) goodbye_ = true;
      if (!event && !manners_.acknowledges_states) return true;
      reply = {0x40, 2, rest[2 + topic], rest[3 + topic]};
      break;
    }
    case 8: { // SUBSCRIBE
      reply = {char(0x90), 3, rest[0], rest[1], 1};
      for (const auto &[name, payload] : manners_.orders)
        reply +=
            std::string{0x30, char(2 + name.size() + payload.size()), 0, char(name.size())} + name + payload;
      const std::lock_guard guard(lock_);
      subscriptions_++;
      break;
    }
    case 12: // PINGREQ
      reply = {char(0xd0), 0};
      break;
    default:
      return false;
    }
    return send(client, reply.data(), reply.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(reply.size());
  }

  const Manners manners_;
  std::atomic<bool> ended_ = false;
  int listener_ = -1, letters_ = 0, states_ = 0, subscriptions_ = 0;
  bool goodbye_ = false;
  std::vector<bool> clean_;
  std::mutex lock_;
  std::vector<int> first_bytes_;
  std::thread thread_;
};

MqttConfig to(const Broker &broker) {
  MqttConfig c;
  c.host = "127.0.0.1";
  c.port = broker.port;
  c.node = "test";
  c.user = "somebody";
  c.password = "secret";
  return c;
}

EventStore empty_store(const std::string &folder) {
  std::filesystem::remove(folder + "/events.db");
  return EventStore(folder + "/events.db");
}

// The broker goes after it got an event and before it acknowledged it; no other event comes after that.
void acknowledgement_is_lost(const std::string &folder) {
  EventStore store = empty_store(folder);
  Broker broker({.lost_letters = 1});
  store.post({"mqtt", {0, "vigil/events", "{}", false}}, 10);
  {
    Mqtt client(
        to(broker), store, [](const std::string &) {}, [](const Command &) {});
    expect(within(15s, [&] { return store.letters("mqtt", 1).empty(); }),
           "an event that was not acknowledged is sent again at the next connection");
  }
  expect(broker.letters() == 2, "twice it came");
}

// A certificate authority whose file cannot be read is no reason to show the password to everybody.
void no_authority(const std::string &folder) {
  EventStore store = empty_store(folder);
  Broker broker;
  MqttConfig c = to(broker);
  c.ca_file = folder + "/gone.pem";
  std::mutex lock;
  std::string said;
  const auto log = [&](const std::string &line) {
    const std::lock_guard guard(lock);
    said += line;
  };
  Mqtt client(c, store, log, [](const Command &) {});
  expect(within(5s,
                [&] {
                  const std::lock_guard guard(lock);
                  return said.find(c.ca_file) != said.npos;
                }),
         "the log names the file");
  std::this_thread::sleep_for(200ms);
  expect(broker.first_bytes().empty(), "nothing is sent in the clear");
}

// Who waits for the end of a client does so for this long at most.
bool ends(Mqtt &client, std::chrono::seconds limit = 5s) {
  const auto begun = std::chrono::steady_clock::now();
  return client.end(limit) && std::chrono::steady_clock::now() - begun < limit;
}

const auto no_log = [](const std::string &) {};
const auto no_order = [](const Command &) {};

// A broker behind a filter that drops packets: here the queue of a listener that is full.
void no_connection(const std::string &folder) {
  EventStore store = empty_store(folder);
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  bind(listener, reinterpret_cast<sockaddr *>(&address), size);
  listen(listener, 0);
  getsockname(listener, reinterpret_cast<sockaddr *>(&address), &size);
  std::vector<int> waiting;
  for (int i = 0; i < 4; i++) {
    waiting.push_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    static_cast<void>(connect(waiting.back(), reinterpret_cast<sockaddr *>(&address), size));
  }
  MqttConfig c;
  c.host = "127.0.0.1";
  c.port = ntohs(address.sin_port);
  c.node = "test";
  Mqtt client(c, store, no_log, no_order);
  std::this_thread::sleep_for(500ms);
  expect(!client.connected(), "nobody answers");
  expect(ends(client), "a connection that neither opens nor fails does not hold up the end");
  for (const int s : waiting) close(s);
  close(listener);
}

void silent_broker(const std::string &folder) {
  EventStore store = empty_store(folder);
  Broker broker({.silent = true});
  Mqtt client(to(broker), store, no_log, no_order);
  std::this_thread::sleep_for(500ms);
  expect(!client.connected(), "a connection without an answer of the broker is none");
  expect(ends(client), "a broker that says nothing does not hold up the end");
}

void goodbye(const std::string &folder) {
  EventStore store = empty_store(folder);
  Broker broker;
  Mqtt client(to(broker), store, no_log, no_order);
  expect(within(15s, [&] { return client.connected(); }), "connected");
  expect(ends(client), "it ends");
  expect(!client.connected(), "and is not connected then");
  expect(broker.said_goodbye(), "the client says goodbye to the broker");
  expect(broker.clean_sessions() == std::vector<bool>{true},
         "a clean session: the broker keeps no orders for later");
}

// A broker that acknowledges no states gets a bounded number of them, and all events.
void unacknowledged_states(const std::string &folder) {
  EventStore store = empty_store(folder);
  Broker broker({.acknowledges_states = false});
  Mqtt client(to(broker), store, no_log, no_order);
  expect(within(15s, [&] { return client.connected(); }), "connected");
  for (int i = 0; i < 500; i++) {
    client.set_state({"vigil/cam/snapshot", std::to_string(i)});
    client.set_state({"vigil/cam" + std::to_string(i) + "/motion", "ON"});
    std::this_thread::sleep_for(1ms);
  }
  store.post({"mqtt", {0, "vigil/events", "{}", false}}, 10);
  client.wake();
  expect(within(15s, [&] { return store.letters("mqtt", 1).empty(); }), "events pass");
  const int most = static_cast<int>(RetainedStates::most_under_way);
  expect(broker.states() <= most, std::to_string(broker.states()) + " states under way");
  expect(ends(client), "it ends");
}

// The database takes nothing while the broker acknowledges: the connection goes on, and nothing is sent
// again.
void database_fails(const std::string &folder) {
  EventStore store = empty_store(folder);
  constexpr int letters = 4;
  for (int i = 0; i < letters; i++) store.post({"mqtt", {0, "vigil/events", "{}", false}}, 10);
  Sqlite other(folder + "/events.db");
  other.execute("BEGIN IMMEDIATE"); // every write of `store` fails after five seconds
  std::mutex lock;
  std::string said;
  const auto log = [&](const std::string &line) {
    const std::lock_guard guard(lock);
    said += line + "\n";
  };
  Broker broker;
  Mqtt client(to(broker), store, log, no_order);
  expect(within(60s,
                [&] {
                  const std::lock_guard guard(lock);
                  return said.find("locked") != said.npos;
                }),
         "the log says that the database fails");
  expect(client.connected(), "the connection goes on");
  other.execute("ROLLBACK");
  expect(within(30s, [&] { return store.letters("mqtt", 1).empty(); }),
         "the database takes note when it works again");
  expect(broker.letters() == letters, "each came once: " + std::to_string(broker.letters()));
  expect(broker.clean_sessions().size() == 1, "by one connection");
  expect(client.end(30s), "it ends");
}

void orders_of_a_broker(const std::string &folder) {
  EventStore store = empty_store(folder);
  Manners manners;
  for (int i = 0; i < 500; i++) manners.orders.emplace_back("vigil/door/motion/set", i % 2 ? "ON" : "OFF");
  manners.orders.emplace_back("vigil/door/recordings/set", "OFF");
  std::mutex lock;
  std::vector<Command> got;
  const auto receive = [&](const Command &c) {
    const std::lock_guard guard(lock);
    got.push_back(c);
    if (got.size() == 1) throw std::runtime_error("of the receiver");
  };
  const auto last_motion = [&] {
    const std::lock_guard guard(lock);
    bool on = false, recordings = false;
    for (const Command &c : got) {
      if (c.name == "motion") on = c.on;
      recordings = recordings || c.name == "recordings";
    }
    return on && recordings;
  };
  Broker broker(manners);
  const auto begun = std::chrono::steady_clock::now();
  Mqtt client(to(broker), store, no_log, receive);
  expect(within(15s, last_motion), "the last order of each switch is given, whatever its receiver throws");
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  {
    const std::lock_guard guard(lock);
    expect(static_cast<double>(got.size()) <= 2 * (seconds + 1),
           std::to_string(got.size()) + " orders are given");
  }
  expect(ends(client), "it ends");

  // Where the broker knows nobody by name, anybody can give orders.
  Broker anybody(manners);
  MqttConfig c = to(anybody);
  c.user.clear();
  c.password.clear();
  Mqtt deaf(c, store, no_log, no_order);
  expect(within(15s, [&] { return anybody.states() > 0; }), "connected");
  std::this_thread::sleep_for(300ms);
  expect(anybody.subscriptions() == 0, "without a user no orders are taken");
}

void orders() {
  Orders o;
  o.put({"door", "motion", true});
  o.put({"door", "motion", false});
  o.put({"hall", "motion", true});
  const auto first = o.due(100);
  expect(first.size() == 2 && first[0].camera == "door" && !first[0].on, "the last one of each switch");
  o.put({"door", "motion", true});
  expect(o.due(100.5).empty(), "not within a second");
  expect(o.due(101.1).size() == 1 && o.due(103).empty(), "once, a second later");
  std::size_t taken = 0;
  for (int i = 0; i < 5000; i++) taken += o.put({"c" + std::to_string(i), "motion", true});
  expect(taken == Orders::most_switches, "not without a limit: " + std::to_string(taken));
}

void states() {
  RetainedStates s;
  s.set({"a", "1"});
  s.set({"a", "1"});
  expect(s.next() == Topic{"a", "1"} && !s.next(), "once");
  s.set({"a", "2"});
  s.set({"a", "3"});
  expect(!s.next(), "not before the one before is acknowledged");
  s.acknowledged("a");
  expect(s.next() == Topic{"a", "3"} && !s.next(), "then the last one");
  s.not_sent("a");
  expect(s.next() == Topic{"a", "3"}, "what was not sent is tried again");
  s.connected();
  expect(s.next() == Topic{"a", "3"}, "at a new connection all again");
  for (int i = 0; i < 100; i++) s.set({"b" + std::to_string(i), ""});
  std::size_t under_way = 1;
  while (s.next()) under_way++;
  expect(under_way == RetainedStates::most_under_way, "few at a time: " + std::to_string(under_way));
}

} // namespace

int main(int, char **argv) {
  const std::string folder = std::string(argv[1]) + "/monitor-mqtt";
  std::filesystem::create_directories(folder);
  const std::vector<vigil::test::Case> cases = {
      {"orders", orders},
      {"states", states},
      {"acknowledgement is lost", [&] { acknowledgement_is_lost(folder); }},
      {"no authority", [&] { no_authority(folder); }},
      {"no connection", [&] { no_connection(folder); }},
      {"silent broker", [&] { silent_broker(folder); }},
      {"goodbye", [&] { goodbye(folder); }},
      {"unacknowledged states", [&] { unacknowledged_states(folder); }},
      {"database fails", [&] { database_fails(folder); }},
      {"orders of a broker", [&] { orders_of_a_broker(folder); }},
  };
  return vigil::test::run_cases("monitor mqtt", cases);
}
