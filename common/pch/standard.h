// SPDX-License-Identifier: LGPL-2.1-or-later
// Headers that most files include, compiled once for each library where the build uses precompiled headers
// (./run does). Each file includes what it uses all the same: builds without them must work, and tests/lint
// checks it.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>
