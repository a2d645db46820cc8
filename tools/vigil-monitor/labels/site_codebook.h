// SPDX-License-Identifier: LGPL-2.1-or-later
// The codebook by which this site's pictures of tracks are described: a file, which the program replaces at
// night, and a person whenever they like. Without the file there is none. All methods may be called from any
// thread.
#pragma once

#include "kernels/label/examples.h"
#include "label_store.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>

namespace vigil::monitor {

class SiteCodebook {
 public:
  // A file that cannot be used is moved aside and reported.
  SiteCodebook(std::string file, std::function<void(const std::string &)> report);
  ~SiteCodebook();

  // Looks whether the file is another one than before, and uses it then. Returns whether it was. One that is
  // no codebook is reported, and the one before stays in use.
  bool refresh();
  std::string id() const; // the same for the same bytes; empty: there is none
  // Without a vector for what is no picture; without an id, too, where there is no codebook.
  Looks looks(const label::Picture &);
  // Takes this model's bytes instead; the one before stays as FILE.previous. Throws Error::bad_data,
  // Error::write; then the one before is in use.
  void install(std::span<const std::uint8_t> model);

 private:
  struct Loaded;
  static std::shared_ptr<Loaded> load(std::span<const std::uint8_t> model);
  const std::string file_;
  const std::function<void(const std::string &)> report_;
  mutable std::mutex lock_;
  std::string stamp_;              // of the file that was read last
  std::shared_ptr<Loaded> loaded_; // never null
};

} // namespace vigil::monitor
