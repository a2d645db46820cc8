// SPDX-License-Identifier: LGPL-2.1-or-later
#include "loudspeaker.h"

#include "../camera/utc.h"
#include "announcement.h"
#include "back_channel.h"
#include "common/error.h"

namespace vigil::monitor {

Loudspeaker::Look Loudspeaker::look(const Target &target, const Wanted &wanted) {
  return target.announced ? Announcement::look(target.address, wanted)
                          : BackChannel::look(target.address, wanted);
}

std::shared_ptr<Loudspeaker> Loudspeaker::open(const Target &target, const Wanted &wanted) {
  if (target.announced) return std::make_shared<Announcement>(target.address, wanted);
  return std::make_shared<BackChannel>(target.address, wanted);
}

void Loudspeaker::push(GstSample *sample) {
  pushing_since_ = Utc::monotonic_seconds();
  send(sample);
  pushing_since_ = 0;
}

std::string Loudspeaker::over(double now) const {
  if (const double since = pushing_since_; since > 0 && now - since > longest_push)
    return text("the camera has taken no speech for ", longest_push, " s");
  return why_over();
}

} // namespace vigil::monitor
