// SPDX-License-Identifier: LGPL-2.1-or-later
// The orders to move and to stop that one camera was given, and when its move must be stopped. Times are
// seconds of the monotonic clock. Used with PtzHead's lock held.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

namespace vigil::monitor {

class PtzOrders {
 public:
  static constexpr double seconds_of_move = 1.5;

  // Both return the number of this order, which takes the place of all before it.
  std::uint64_t move(double now) {
    stop_at_ = now + seconds_of_move;
    stops_failed_ = 0;
    return ++number_;
  }
  std::uint64_t stop(double now) {
    if (stop_at_) stop_at_ = now + seconds_between_stops; // again, if this one fails
    return ++number_;
  }
  // The camera goes to a preset, which a stop on the way would end. Returns when its move was to be stopped.
  std::optional<double> travel() {
    number_++;
    return std::exchange(stop_at_, std::nullopt);
  }
  // It did not go: `stop_at` is travel()'s.
  void travel_failed(std::optional<double> stop_at) {
    if (!stop_at_) stop_at_ = stop_at;
  }
  void stopped(std::uint64_t number) {
    if (number == number_) stop_at_.reset();
  }

  bool is_last(std::uint64_t number) const { return number == number_; }
  std::optional<double> stop_at() const { return stop_at_; } // nothing: no move goes on
  // Where stop_at() has come: the number of the order to stop again; nothing: it failed too often.
  std::optional<std::uint64_t> stop_again(double now) {
    constexpr int most_stops = 5;
    stop_at_.reset();
    if (++stops_failed_ > most_stops) return std::nullopt;
    stop_at_ = now + seconds_between_stops;
    return number_;
  }

 private:
  static constexpr double seconds_between_stops = 1;
  std::uint64_t number_ = 0;
  std::optional<double> stop_at_;
  int stops_failed_ = 0;
};

} // namespace vigil::monitor
