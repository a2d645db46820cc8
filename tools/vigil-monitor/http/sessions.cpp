// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sessions.h"

#include <algorithm>

namespace vigil::monitor {

std::string Sessions::begin(const Token &token, double now) {
  const std::lock_guard guard(lock_);
  std::erase_if(sessions_, [&](const auto &s) { return s.second.until < now; });
  if (sessions_.size() >= most)
    sessions_.erase(std::min_element(sessions_.begin(), sessions_.end(), [](const auto &a, const auto &b) {
      return a.second.until < b.second.until;
    }));
  std::string id = random_word();
  sessions_[id] = {token, now + longest};
  return id;
}

std::optional<Token> Sessions::find(const std::string &id, double now) {
  const std::lock_guard guard(lock_);
  const auto s = sessions_.find(id);
  if (s == sessions_.end() || s->second.until < now) return std::nullopt;
  return s->second.token;
}

void Sessions::end(const std::string &id) {
  const std::lock_guard guard(lock_);
  sessions_.erase(id);
}

void Sessions::keep_only(const std::vector<Token> &tokens) {
  const std::lock_guard guard(lock_);
  std::erase_if(sessions_, [&](const auto &s) {
    return std::find(tokens.begin(), tokens.end(), s.second.token) == tokens.end();
  });
}

} // namespace vigil::monitor
