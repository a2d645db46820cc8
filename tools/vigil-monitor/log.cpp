// SPDX-License-Identifier: LGPL-2.1-or-later
#include "log.h"

#include "camera/utc.h"
#include "config/text.h"
#include "printable.h"
#include "store/event.h"

#include <cstdio>
#include <exception>

namespace vigil::monitor {

void log_line(const std::string &text) noexcept {
  try {
    std::fprintf(stderr, "%s %s\n", utc_timestamp(Utc::system_seconds()).c_str(),
                 printable(mask_credentials(text)).c_str());
  } catch (const std::exception &) {
    std::fputs("there is no memory for a line of the log\n", stderr);
  }
}

} // namespace vigil::monitor
