// SPDX-License-Identifier: LGPL-2.1-or-later
// A camera's masks as the picture that cudamog reads, drawn in the size of the frames.
#pragma once

#include "../config/config.h"

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace vigil::monitor {

class MaskFile {
 public:
  // `path`: a name below the storage folder to a whole one.
  MaskFile(std::string camera, std::function<std::string(const std::string &below)> path);
  ~MaskFile();
  MaskFile(const MaskFile &) = delete;
  MaskFile &operator=(const MaskFile &) = delete;

  void set(const std::map<std::string, Mask> &); // on any thread; for the next draw()

  // Writes a file of this size and returns its path, empty when there is no mask. On any thread. Each call
  // writes another name, which makes cudamog read it; the file before the last one goes, since a frame that
  // is under way may still be reading the last one. Throws Error::write.
  std::string draw(int width, int height);

 private:
  const std::string camera_;
  const std::function<std::string(const std::string &)> path_;
  std::mutex lock_;
  std::vector<std::vector<Point>> polygons_;
  std::string last_, before_last_;
};

} // namespace vigil::monitor
