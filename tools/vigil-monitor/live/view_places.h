// SPDX-License-Identifier: LGPL-2.1-or-later
// Places for live views by WebRTC: how many there may be in all, of one viewer, and that begin at once.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>

namespace vigil::monitor {

class ViewPlaces {
 public:
  static constexpr std::size_t most = 128, most_of_one = 32, most_beginning = 8;

  // A place of a view that begins. It is free again at the end of this object, unless keep() was called.
  class Beginning {
   public:
    // Throws WebRefused 429 or 503 when there is no place.
    Beginning(ViewPlaces &, std::string who);
    ~Beginning();
    Beginning(const Beginning &) = delete;
    Beginning &operator=(const Beginning &) = delete;
    void keep() { kept_ = true; } // until free()

   private:
    ViewPlaces &places_;
    const std::string who_;
    bool kept_ = false;
  };
  void free(const std::string &who);

 private:
  void free_locked(const std::string &who);

  std::mutex lock_;
  std::map<std::string, std::size_t> of_; // views by `who`, with those that begin
  std::size_t all_ = 0, beginning_ = 0;
};

} // namespace vigil::monitor
