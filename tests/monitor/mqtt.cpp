// SPDX-License-Identifier: LGPL-2.1-or-later
// vigil-monitor's MQTT client before a broker that fails at chosen moments. Usage: test-monitor-mqtt FOLDER
#include "tools/vigil-monitor/notify/mqtt.h"
#include "tests/expect.h"

#include <arpa/inet.h>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace vigil;
using namespace vigil::monitor;
using test::expect, test::failures;

namespace {

using namespace std::chrono_literals;

bool within(std::chrono::milliseconds patience, const std::function<bool()> &condition) {
  for (const auto end = std::chrono::steady_clock::now() + patience; !condition();
       std::this_thread::sleep_for(20ms))
    if (std::chrono::steady_clock::now() > end) return false;
  return true;
}

// What of MQTT 3.1.1 one client needs. It acknowledges all that comes, but hangs up at the first
// `lost_letters` messages of QoS 1 that are no states.
class Broker {
 public:
  explicit Broker(int lost_letters = 0) : lost_letters_(lost_letters) {
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
  int port = 0;

 private:
  void run() {
    for (int client = 0; (client = accept(listener_, nullptr, nullptr)) >= 0; close(client)) {
      const timeval patience{5, 0};
      setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
      bool first = true;
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
    case 1: // CONNECT
      reply = {0x20, 2, 0, 0};
      break;
    case 3: { // PUBLISH: the topic's length, the topic, the packet's number, the payload
      const std::size_t topic = std::size_t(std::uint8_t(rest[0])) << 8 | std::uint8_t(rest[1]);
      const std::lock_guard guard(lock_);
      if (rest.substr(2, topic) == "vigil/events" && ++letters_ <= lost_letters_) return false;
      reply = {0x40, 2, rest[2 + topic], rest[3 + topic]};
      break;
    }
    case 8: // SUBSCRIBE
      reply = {char(0x90), 3, rest[0], rest[1], 1};
      break;
    case 12: // PINGREQ
      reply = {char(0xd0), 0};
      break;
    default:
      return false;
    }
    return send(client, reply.data(), reply.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(reply.size());
  }

  const int lost_letters_;
  int listener_ = -1, letters_ = 0;
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
  Broker broker(1);
  store.post({"mqtt", {0, "vigil/events", "{}", false}}, 10);
  {
    Mqtt client(
        to(broker), store, [](const std::string &) {}, [](const Command &) {});
    expect(within(15s, [&] { return store.waiting("mqtt") == 0; }),
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

} // namespace

int main(int, char **argv) {
  const std::string folder = std::string(argv[1]) + "/monitor-mqtt";
  std::filesystem::create_directories(folder);
  acknowledgement_is_lost(folder);
  no_authority(folder);
  std::printf("%d failures\n", failures);
  return failures != 0;
}
