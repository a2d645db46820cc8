// SPDX-License-Identifier: LGPL-2.1-or-later
// Several processes read one configuration, and each watches its share of the cameras. Which one has a camera
// is found by rendezvous hashing (Thaler and Ravishankar 1998): each process has a pseudo-random weight for
// each camera's name, and the greatest wins. When their number changes from n to n + 1, a camera moves only
// to the new process, and about one of n + 1 cameras does. All processes find the same without talking.
#pragma once

#include "tools/base/share.h"

#include <string>
#include <string_view>

namespace vigil::monitor {

struct Config;

using Shard = tools::Share;

// "INDEX/COUNT" with INDEX from 0 to COUNT - 1. INDEX may be the word "host": the number behind the last dash
// of `host_name`, as a pod of a StatefulSet has it. Throws Error::bad_setting.
Shard parse_shard(const std::string &words, const std::string &host_name);

// Which of `count` processes watches the camera.
int shard_of(std::string_view camera, int count);

// Leaves the shard's cameras alone in the configuration, and gives the process a name of its own at the
// broker. There may be no camera left.
void keep_shard(Config &, const Shard &);

} // namespace vigil::monitor
