// SPDX-License-Identifier: LGPL-2.1-or-later
// The key by which push services know this server. Browsers bind each subscription to it. With another key
// all of them would be void: it is made once, and kept.
#pragma once

#include "p256.h"

#include <string>

namespace vigil::monitor {

// From the file; where there is none it is made, mode 0600, and is on the disk when this returns. Throws
// Error::io, Error::write, Error::bad_data when the file is none of these, and Error::bad_setting when others
// can read it.
P256Key vapid_key(const std::string &file);

} // namespace vigil::monitor
