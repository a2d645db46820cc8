// SPDX-License-Identifier: LGPL-2.1-or-later
// Borders to foreign code. An exception must not pass through the frames of C, nor out of a thread: both end
// the program. What is called from there runs in here.
//
// A callback of C:     gst_pad_add_probe(pad, type, guarded<on_buffer, GST_PAD_PROBE_OK>, this, nullptr);
// A thread's entry:    std::thread([this] { guard("MQTT", [&] { run(); }); });
//
// What is caught is logged with the name of the place, each place at most once a minute.
#pragma once

#include <cstddef>
#include <exception>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace vigil {

// Where such lines go; without it to stderr. On any thread; the function must not throw.
void log_at_borders(void (*log)(const std::string &line));
// For guard() alone: `what` was thrown at `place`.
void caught_at_border(std::string_view place, std::string_view what) noexcept;

// Runs f; true when it threw nothing.
template <class F>
bool guard(std::string_view place, F &&f) noexcept {
  try {
    std::forward<F>(f)();
    return true;
  } catch (const std::exception &e) {
    caught_at_border(place, e.what());
  } catch (...) {
    caught_at_border(place, "something that is no std::exception");
  }
  return false;
}

namespace border {

// The name of a callback, out of the compiler's words for a function with it as a parameter.
template <auto Callback>
constexpr std::string_view name() {
  std::string_view words = __PRETTY_FUNCTION__;
  constexpr std::string_view before[] = {
      "Callback = ", "vigil::monitor::", "{anonymous}::", "(anonymous namespace)::"};
  for (const std::string_view b : before)
    if (const std::size_t at = words.find(b); at != words.npos) words.remove_prefix(at + b.size());
  return words.substr(0, words.find_first_of(";]"));
}

template <class F, F Callback, auto... Otherwise>
struct Border;
template <class Result, class... Arguments, Result (*Callback)(Arguments...), auto... Otherwise>
struct Border<Result (*)(Arguments...), Callback, Otherwise...> {
  static Result call(Arguments... arguments) noexcept {
    if constexpr (std::is_void_v<Result>) {
      guard(name<Callback>(), [&] { Callback(arguments...); });
    } else {
      Result result{Otherwise...};
      guard(name<Callback>(), [&] { result = Callback(arguments...); });
      return result;
    }
  }
};

} // namespace border

// A function of Callback's type that returns `Otherwise`, or the type's zero, when Callback throws.
template <auto Callback, auto... Otherwise>
inline constexpr auto guarded = border::Border<decltype(Callback), Callback, Otherwise...>::call;

} // namespace vigil
