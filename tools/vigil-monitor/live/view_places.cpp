// SPDX-License-Identifier: LGPL-2.1-or-later
#include "view_places.h"

#include "common/error.h"
#include "web_connection.h"

#include <utility>

namespace vigil::monitor {

ViewPlaces::Beginning::Beginning(ViewPlaces &places, std::string who)
    : places_(places), who_(std::move(who)) {
  const std::lock_guard guard(places_.lock_);
  const auto known = places_.of_.find(who_);
  if (known != places_.of_.end() && known->second >= most_of_one)
    throw WebRefused{429, text(most_of_one, " live views of yours are open; close one")};
  if (places_.all_ >= most)
    throw WebRefused{503, text("all ", most, " places for live views by WebRTC are taken")};
  if (places_.beginning_ >= most_beginning)
    throw WebRefused{503, "too many live views begin at once; try it again in some seconds"};
  places_.of_[who_]++;
  places_.all_++;
  places_.beginning_++;
}

ViewPlaces::Beginning::~Beginning() {
  const std::lock_guard guard(places_.lock_);
  places_.beginning_--;
  if (!kept_) places_.free_locked(who_);
}

void ViewPlaces::free(const std::string &who) {
  const std::lock_guard guard(lock_);
  free_locked(who);
}

void ViewPlaces::free_locked(const std::string &who) {
  all_--;
  if (const auto of = of_.find(who); of != of_.end() && --of->second == 0) of_.erase(of);
}

} // namespace vigil::monitor
