// SPDX-License-Identifier: LGPL-2.1-or-later
// How a message goes to a server: ntfy by HTTP, mail by SMTP. Both wait for the network; `ended` ends that.
#pragma once

#include "../config/notify.h"
#include "notice.h"
#include "transfer.h"

#include <atomic>
#include <string>

namespace vigil::monitor {

Delivery send_notice(const NotifyConfig &, const Notice &, const std::atomic<bool> &ended);
// For the log: "ntfy https://ntfy.sh", "mail smtp://mail.example:587".
std::string shown_target(const NotifyConfig &);

} // namespace vigil::monitor
