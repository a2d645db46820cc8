// SPDX-License-Identifier: LGPL-2.1-or-later
#include "event_log.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace vigil::monitor {
namespace fs = std::filesystem;
namespace {

constexpr const char *file_name = "events.jsonl", *box = "events.jsonl";

} // namespace

Posting EventLog::line(const Event &e) {
  waiting_ = true;
  return {box, {0, "", to_json(e).dump(), false}};
}

bool EventLog::write_waiting() {
  constexpr int at_once = 100;
  bool some = false;
  while (waiting_) {
    const auto lines = storage_.events().letters(box, at_once);
    for (const Letter &l : lines) {
      if (!has_already(l.payload)) storage_.append_line(file_name, l.payload);
      storage_.events().delivered(l.id);
    }
    waiting_ = !lines.empty();
    some = some || waiting_;
  }
  return some;
}

bool EventLog::has_already(const std::string &line) const {
  const std::string path = storage_.file(file_name);
  std::error_code error;
  const auto size = fs::file_size(path, error);
  if (error) return false;
  const auto length = std::min<std::uintmax_t>(size, line.size() + 2); // with the line ends on both sides
  std::string end(length, '\0');
  std::ifstream in(path, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(size - length));
  in.read(end.data(), static_cast<std::streamsize>(length));
  if (!in || end.empty()) return false;
  const bool whole = end.back() == '\n';
  if (whole) end.pop_back();
  const std::string last = end.substr(end.rfind('\n') + 1); // npos + 1 is 0
  if (whole) return last == line;
  if (line.starts_with(last))
    fs::resize_file(path, size - last.size(), error);
  else
    storage_.append_line(file_name, ""); // another program's half line is not continued
  return false;
}

} // namespace vigil::monitor
