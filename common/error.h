// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace vigil {

// What went wrong, so that an element can post the GError of the same meaning. The text says what happened,
// with which value, and what to do about it.
class Error : public std::runtime_error {
 public:
  enum class Kind {
    no_device,   // a device, driver or library is missing
    no_memory,   // host or device memory ran out
    bad_setting, // a value that cannot be used
    bad_data,    // a file or a frame that is damaged, foreign or of another size
    io,          // a file that cannot be opened or read
    write,       // a file that cannot be made or written
    device,      // the device reported a failure while working
  };
  Error(Kind kind, const std::string &what) : std::runtime_error(what), kind_(kind) {}
  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

// text("frame is ", w, "x", h) -> "frame is 640x480"
template <class... Parts>
std::string text(const Parts &...parts) {
  std::ostringstream s;
  (s << ... << parts);
  return s.str();
}
template <class... Parts>
[[noreturn]] void fail(Error::Kind kind, const Parts &...parts) {
  throw Error(kind, text(parts...));
}

} // namespace vigil
