// SPDX-License-Identifier: LGPL-2.1-or-later
#include "unread.h"

#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace vigil::monitor {

double Unread::seconds(int socket, double now) {
  int waiting = 0;
  tcp_info info{};
  socklen_t size = sizeof info;
  const bool known =
      ioctl(socket, SIOCOUTQ, &waiting) == 0 && getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) == 0;
  if (!known || waiting == 0) {
    since_ = -1;
    return 0;
  }
  const std::uint64_t taken = info.tcpi_bytes_acked;
  if (since_ < 0 || taken != taken_) since_ = now;
  taken_ = taken;
  return now - since_;
}

} // namespace vigil::monitor
