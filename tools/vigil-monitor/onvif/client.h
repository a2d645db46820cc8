// SPDX-License-Identifier: LGPL-2.1-or-later
// Asks one ONVIF device. It is trusted in nothing: answers have limits of size and time, and no request goes
// to a host that was neither named by a person nor found on the local network.
#pragma once

#include "address.h"
#include "soap.h"

#include <atomic>
#include <set>
#include <string>

namespace vigil::monitor {

// User and password in an address, as credentials_in().
OnvifLogin login_in(const std::string &address);

class OnvifClient {
 public:
  static constexpr double seconds_of_request = 4, seconds_of_device = 12;

  // `ended` may become true at any time, and ends a request.
  OnvifClient(const ServiceAddress &device, OnvifLogin, const std::atomic<bool> &ended);

  // The first element in the body of the answer. Throws Error::io without an answer, Error::bad_data when it
  // is a fault or nothing that can be read, and Error::bad_setting when user or password are refused.
  // `headers`: of SOAP. `waits`: seconds by which the device is asked to answer later.
  XmlElement ask(const ServiceAddress &service, const std::string &body, const std::string &headers = "",
                 double waits = 0);
  // Another series of requests: it has seconds_of_device for itself.
  void begin();
  // The same without user and password, which reading the clock does not need.
  void read_clock();
  double clock_offset() const { return clock_offset_; } // seconds by which the device's clock is ahead

  // An address that the device named. Throws Error::bad_data when it is of another host.
  ServiceAddress own_address(const std::string &url, const char *of_what) const;

 private:
  struct Answer {
    long status = 0;
    std::string body;
  };
  struct Question {
    const ServiceAddress &service;
    const std::string &body, &headers;
    double waits;
  };
  XmlElement ask_as(const OnvifLogin &, const Question &);
  Answer post(const Question &, const std::string &request, const OnvifLogin *digest);

  const ServiceAddress device_;
  const OnvifLogin login_;
  const std::atomic<bool> &ended_;
  std::set<std::string> hosts_; // which may be asked
  double clock_offset_ = 0;
  double begun_;
};

} // namespace vigil::monitor
