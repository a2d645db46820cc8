// SPDX-License-Identifier: LGPL-2.1-or-later
// The models that cudamog has learnt of a camera's presets, one file each in a folder of the camera's. For
// threads that may wait for the disk.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

namespace vigil::monitor {

class ViewModels {
 public:
  explicit ViewModels(std::string folder) : folder_(std::move(folder)) {}

  // Where the preset's model is, or would be. Any thread, as the next one, which looks for the file.
  std::string path(const std::string &preset) const;
  bool has(const std::string &preset) const;
  void make_room(const std::string &preset) const; // for its model: the oldest of too many go
  void remove(const std::string &preset) const;
  static void remove_all(const std::string &folder);

  static constexpr std::size_t most = 8;

 private:
  std::string folder_;
};

} // namespace vigil::monitor
