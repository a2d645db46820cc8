// SPDX-License-Identifier: LGPL-2.1-or-later
#include "discovery.h"

#include "../camera/utc.h"
#include "../percent.h"
#include "../printable.h"
#include "address.h"
#include "common/error.h"
#include "gst/video/gst_ptr.h"
#include "xml.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <glib.h>
#include <ifaddrs.h>
#include <map>
#include <memory>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sstream>
#include <sys/socket.h>
#include <tuple>
#include <unistd.h>
#include <utility>

namespace vigil::monitor {
namespace {

constexpr const char *group = "239.255.255.250";
constexpr std::uint16_t discovery_port = 3702;
constexpr std::size_t most_devices = 256, most_of_sender = 4, most_refused = 20, most_answers = 4096;

struct Socket {
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  Socket() = default;
  ~Socket() {
    if (fd >= 0) close(fd);
  }
  Socket(const Socket &) = delete;
  Socket &operator=(const Socket &) = delete;
};

std::string random_uuid() {
  const gst::TextPtr uuid(g_uuid_string_random());
  return std::string("urn:uuid:") + uuid.get();
}

std::vector<in_addr> own_addresses() {
  ifaddrs *all = nullptr;
  if (getifaddrs(&all) != 0) return {};
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs *)> kept(all, freeifaddrs);
  std::vector<in_addr> out;
  for (const ifaddrs *i = all; i; i = i->ifa_next)
    if (i->ifa_addr && i->ifa_addr->sa_family == AF_INET && (i->ifa_flags & IFF_UP))
      out.push_back(reinterpret_cast<const sockaddr_in *>(i->ifa_addr)->sin_addr);
  return out;
}

// How many networks the question went to.
int send_probe(int fd, const std::string &message) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(discovery_port);
  inet_pton(AF_INET, group, &to.sin_addr);
  int sent = 0;
  for (const in_addr &from : own_addresses()) {
    if (setsockopt(fd, IPPROTO_IP, IP_MULTICAST_IF, &from, sizeof from) != 0) continue;
    sent += sendto(fd, message.data(), message.size(), 0, reinterpret_cast<const sockaddr *>(&to),
                   sizeof to) == static_cast<ssize_t>(message.size());
  }
  return sent;
}

std::vector<std::string> words_of(const std::string &text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

// "onvif://www.onvif.org/name/Front%20door" -> "Front door"
std::string scope(const std::vector<std::string> &scopes, const std::string &kind) {
  const std::string begin = "onvif://www.onvif.org/" + kind + "/";
  constexpr std::size_t longest = 64;
  for (const std::string &s : scopes)
    if (s.starts_with(begin))
      return printable(percent_decoded(std::string_view(s).substr(begin.size())), longest);
  return "";
}

FoundDevice device_in(const XmlElement &match, const std::string &sender) {
  std::string others;
  for (const bool secure : {false, true})
    for (const std::string &word : words_of(match.text_of({"XAddrs"}))) {
      ServiceAddress at;
      try {
        at = parse_address(word);
      } catch (const Error &) { // another one may be good
        continue;
      }
      if (at.scheme != (secure ? "https" : "http")) continue;
      if (at.host == sender) {
        const auto scopes = words_of(match.text_of({"Scopes"}));
        return {at.host, at.url, scope(scopes, "name"), scope(scopes, "hardware")};
      }
      others = at.host;
    }
  fail(Error::Kind::bad_data, others.empty()
                                  ? "it names no address"
                                  : "it names the address of another host, " + printable(others, most_said));
}

// Collects what comes until the time is over.
class Search {
 public:
  void take(std::string_view answer, const std::string &sender, const std::string &id) {
    if (++answers_ > most_answers) return;
    try {
      for (FoundDevice &d : devices_in(answer, sender, id)) {
        if (by_address_.size() >= most_devices || of_sender_[sender] >= most_of_sender) return;
        if (const std::string address = d.address; by_address_.emplace(address, std::move(d)).second)
          of_sender_[sender]++;
      }
    } catch (const Error &e) {
      if (refused_.size() < most_refused) refused_.emplace(sender, e.what());
    }
  }
  FoundDevices found() && {
    FoundDevices out;
    for (auto &[address, device] : by_address_) out.devices.push_back(std::move(device));
    std::sort(out.devices.begin(), out.devices.end(), [](const FoundDevice &a, const FoundDevice &b) {
      return std::tie(a.host, a.address) < std::tie(b.host, b.address);
    });
    for (const auto &[sender, why] : refused_) out.refused.push_back(vigil::text(sender, ": ", why));
    return out;
  }

 private:
  std::map<std::string, FoundDevice> by_address_;
  std::map<std::string, std::size_t> of_sender_;
  std::map<std::string, std::string> refused_; // one of each sender
  std::size_t answers_ = 0;
};

} // namespace

std::string probe_message(const std::string &id) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
         "<s:Envelope xmlns:s=\"http://www.w3.org/2003/05/soap-envelope\" "
         "xmlns:a=\"http://schemas.xmlsoap.org/ws/2004/08/addressing\" "
         "xmlns:d=\"http://schemas.xmlsoap.org/ws/2005/04/discovery\"><s:Header>"
         "<a:Action s:mustUnderstand=\"1\">http://schemas.xmlsoap.org/ws/2005/04/discovery/Probe</a:Action>"
         "<a:MessageID>" +
         id +
         "</a:MessageID><a:ReplyTo><a:Address>http://schemas.xmlsoap.org/ws/2004/08/addressing/role/anonymous"
         "</a:Address></a:ReplyTo>"
         "<a:To s:mustUnderstand=\"1\">urn:schemas-xmlsoap-org:ws:2005:04:discovery</a:To></s:Header>"
         "<s:Body><d:Probe><d:Types xmlns:n=\"http://www.onvif.org/ver10/network/wsdl\">"
         "n:NetworkVideoTransmitter</d:Types></d:Probe></s:Body></s:Envelope>";
}

std::vector<FoundDevice> devices_in(std::string_view answer, const std::string &sender,
                                    const std::string &id) {
  const XmlElement envelope = read_xml(answer);
  if (envelope.name != "Envelope") fail(Error::Kind::bad_data, "the answer is no SOAP envelope");
  if (envelope.text_of({"Header", "RelatesTo"}) != id) return {};
  std::vector<FoundDevice> out;
  const XmlElement *matches = envelope.find({"Body", "ProbeMatches"});
  if (!matches) fail(Error::Kind::bad_data, "the answer has no ProbeMatches");
  for (const XmlElement &match : matches->children) {
    if (match.name == "ProbeMatch") out.push_back(device_in(match, sender));
    if (out.size() == most_of_sender) break;
  }
  return out;
}

FoundDevices search_devices(const std::atomic<bool> &ended) {
  const Socket udp;
  if (udp.fd < 0) fail(Error::Kind::io, "there is no socket for a search: ", std::strerror(errno));
  const std::string id = random_uuid(), message = probe_message(id);
  constexpr double again[] = {0, 0.5, 1.2}; // seconds: UDP loses some
  const double begun = Utc::monotonic_seconds();
  std::size_t asked = 0;
  int networks = 0;
  Search search;
  std::vector<char> datagram(65536);
  for (double passed = 0; passed < seconds_of_search && !ended; passed = Utc::monotonic_seconds() - begun) {
    if (asked < std::size(again) && passed >= again[asked]) {
      networks += send_probe(udp.fd, message);
      asked++;
    }
    pollfd waits{udp.fd, POLLIN, 0};
    constexpr int patience = 50; // ms
    if (poll(&waits, 1, patience) <= 0) continue;
    sockaddr_in from{};
    socklen_t length = sizeof from;
    const ssize_t size =
        recvfrom(udp.fd, datagram.data(), datagram.size(), 0, reinterpret_cast<sockaddr *>(&from), &length);
    char sender[INET_ADDRSTRLEN] = {};
    if (size <= 0 || !inet_ntop(AF_INET, &from.sin_addr, sender, sizeof sender)) continue;
    search.take({datagram.data(), static_cast<std::size_t>(size)}, sender, id);
  }
  if (!networks)
    fail(Error::Kind::io, "no network takes a search: this machine has no IPv4 network that is up");
  return std::move(search).found();
}

} // namespace vigil::monitor
