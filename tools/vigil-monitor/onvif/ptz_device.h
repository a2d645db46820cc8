// SPDX-License-Identifier: LGPL-2.1-or-later
// The PTZ service of one ONVIF device, and the profile by which it turns. One thread asks it at a time.
#pragma once

#include "client.h"
#include "ptz.h"

#include <atomic>
#include <mutex>
#include <string>

namespace vigil::monitor {

class PtzDevice {
 public:
  // `address`: of the device's service, with user and password. Throws Error::bad_setting when it is none.
  // `ended` may become true at any time, and ends a request.
  PtzDevice(const std::string &address, const std::atomic<bool> &ended);
  const std::string &host() const { return device_.host; }

  // Looks for the service and the profile. None of the abilities: no profile turns. Throws as OnvifClient.
  PtzAbilities read();

  // The device to itself, for one series of requests.
  class Turn {
   public:
    // Throws Error::io when the device is still busy with an earlier series.
    explicit Turn(PtzDevice &);
    // Throw as OnvifClient does.
    XmlElement ask(const char *request, const std::string &more = "");
    void move(const PtzAbilities &, const PtzSpeed &);

   private:
    PtzDevice &device_;
    const std::unique_lock<std::timed_mutex> asking_;
  };

 private:
  const ServiceAddress device_;
  std::timed_mutex asking_; // guards these
  OnvifClient client_;
  ServiceAddress ptz_;
  std::string profile_;
};

} // namespace vigil::monitor
