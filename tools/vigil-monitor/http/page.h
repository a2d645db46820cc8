// SPDX-License-Identifier: LGPL-2.1-or-later
// The files of the page. On any thread.
#pragma once

#include "server.h"

#include <string>
#include <utility>

namespace vigil::monitor {

class Page {
 public:
  // `folder`: to serve the files from, for those who work on them; empty: those that are compiled in.
  explicit Page(std::string folder) : folder_(std::move(folder)) {}

  Response file(const Request &) const; // throws HttpError 404

 private:
  const std::string folder_;
};

} // namespace vigil::monitor
