// SPDX-License-Identifier: LGPL-2.1-or-later
// A number with its noun in messages: 1 day, 2 days, 0.5 days.
#pragma once

#include "common/error.h"

#include <string>
#include <string_view>

namespace vigil::monitor {

// The word that goes with n: word_for(1, "is", "are").
template <class Number>
std::string_view word_for(Number n, std::string_view one, std::string_view many) {
  return n == Number{1} ? one : many;
}

template <class Number>
std::string counted(Number n, std::string_view one) {
  return vigil::text(n, " ", one, n == Number{1} ? "" : "s");
}
template <class Number>
std::string counted(Number n, std::string_view one, std::string_view many) {
  return vigil::text(n, " ", word_for(n, one, many));
}

} // namespace vigil::monitor
