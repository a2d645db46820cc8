// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ptz_device.h"

#include "common/error.h"
#include "media.h"

#include <chrono>
#include <optional>

namespace vigil::monitor {

PtzDevice::PtzDevice(const std::string &address, const std::atomic<bool> &ended)
    : device_(device_address(address)), client_(device_, login_in(address), ended) {}

PtzAbilities PtzDevice::read() {
  const std::lock_guard asking(asking_);
  client_.begin();
  client_.read_clock();
  OnvifServices services(client_, device_);
  const auto ptz = services.find(ptz_service);
  std::optional<PtzProfile> profile;
  if (OnvifMedia media(client_, services); ptz && media.there()) profile = ptz_profile(media.profiles());
  if (!profile) return {};
  const XmlElement node =
      client_.ask(*ptz, vigil::text("<GetNode xmlns=\"http://www.onvif.org/ver20/ptz/wsdl\"><NodeToken>",
                                    xml_escaped(profile->node), "</NodeToken></GetNode>"));
  const auto said = abilities_of(node);
  ptz_ = *ptz;
  profile_ = profile->token;
  return said ? *said : profile->abilities;
}

namespace {

constexpr std::chrono::seconds patience_with_device(5);

} // namespace

PtzDevice::Turn::Turn(PtzDevice &device) : device_(device), asking_(device.asking_, patience_with_device) {
  if (!asking_)
    fail(Error::Kind::io, "the device at ", device_.host(), " is still busy with an earlier request");
  device_.client_.begin();
}

XmlElement PtzDevice::Turn::ask(const char *request, const std::string &more) {
  return device_.client_.ask(device_.ptz_, ptz_request(request, device_.profile_, more));
}

void PtzDevice::Turn::move(const PtzAbilities &can, const PtzSpeed &speed) {
  constexpr int device_stops_after = 2;
  device_.client_.ask(device_.ptz_, move_request(device_.profile_, can, speed, device_stops_after));
}

} // namespace vigil::monitor
