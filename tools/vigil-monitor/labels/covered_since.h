// SPDX-License-Identifier: LGPL-2.1-or-later
// Since when the pictures of each camera have been covered as they are now. Older ones may show what is
// private now, so nothing may be learnt from them. A file remembers it over restarts. All methods may be
// called from any thread.
#pragma once

#include "../config/config.h"

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>

namespace vigil::monitor {

class CoveredSince {
 public:
  // Without the file, or with one that cannot be read, all pictures of a covered camera count as older. The
  // latter is set aside and reported.
  CoveredSince(std::string file, const std::function<void(const std::string &)> &report);

  // These are all cameras that cover something. Those of them that did not cover all of it until now.
  std::set<std::string> use(const std::map<std::string, PrivacyConfig> &, double now);
  // To the disk. Call it when what was kept of those cameras is gone: if the program ends before, use() names
  // them again. Throws Error::write.
  void remember();
  // Whether a picture of this time shows nothing that is private now.
  bool covers(const std::string &camera, double time) const;
  bool is_private(const std::string &camera) const;

 private:
  struct Cover {
    std::set<std::string> parts; // polygons as text, and `silhouettes`
    double since = 0;            // seconds since 1970
  };
  const std::string file_;
  mutable std::mutex lock_;
  std::map<std::string, Cover> covers_; // by camera
  std::mutex writing_;                  // taken before lock_
  std::string on_disk_ = "{}";
};

} // namespace vigil::monitor
