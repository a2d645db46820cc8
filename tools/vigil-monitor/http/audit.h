// SPDX-License-Identifier: LGPL-2.1-or-later
// Who changed what: audit.jsonl in the storage folder, a line each, which no request can delete. A line is on
// the disk when add() returns.
#pragma once

#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>

namespace vigil::monitor {

class AuditLog {
 public:
  // When a file has grown beyond `largest` bytes it becomes FILE.1, that one FILE.2 and so on; FILE.5 goes. A
  // folder in the place of one of them is moved aside.
  AuditLog(std::string file, std::function<void(const std::string &)> log, std::size_t largest = 16 << 20);
  // What the disk refuses is in the log alone, with the reason. On any thread; waits for the disk.
  void add(const nlohmann::json &line);
  nlohmann::json last(std::size_t lines) const; // the newest first

 private:
  void write(const std::string &line);
  void rotate();
  const std::string file_;
  const std::function<void(const std::string &)> log_;
  const std::size_t largest_;
  mutable std::mutex lock_;
};

} // namespace vigil::monitor
