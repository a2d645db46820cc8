// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sessions.h"

#include "../export/sha256.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace vigil::monitor {
namespace {

std::string hash(const std::string &text) {
  Sha256 sum;
  sum.add(text);
  return sum.hex();
}

// Of no use to guess a token by: the word is nowhere but in the browser.
std::string token_hash(const std::string &word, const std::string &token) {
  return hash(word + " " + token);
}

} // namespace

Sessions::Sessions(UserStore &store, const Tokens &tokens, Log log, double now)
    : store_(store), tokens_(tokens), log_(std::move(log)) {
  for (StoredSession &s : store_.sessions()) {
    if (s.until < now) {
      forget(s.id);
      continue;
    }
    const std::string secret = s.secret;
    const double used = s.used;
    sessions_[secret] = {{std::move(s), std::nullopt}, used};
  }
}

void Sessions::forget(const std::string &id) {
  try {
    store_.end_session(id);
  } catch (const Error &e) {
    log_(std::string(e.what()) + "; an ended session stays in the database");
  }
}

std::string Sessions::begin(const StoredUser &user, const From &from, double now) {
  StoredSession s;
  s.user = user.id;
  s.password_version = user.password_version;
  s.name = user.name;
  s.address = from.address;
  s.agent = from.agent;
  return begin(std::move(s), nullptr, now);
}

std::string Sessions::begin(const Token &token, const From &from, double now) {
  StoredSession s;
  s.name = token.name;
  s.address = from.address;
  s.agent = from.agent;
  return begin(std::move(s), &token, now);
}

std::string Sessions::begin(StoredSession s, const Token *token, double now) {
  constexpr std::size_t id_length = 16, longest_agent = 200;
  std::string word = random_word();
  s.id = random_word().substr(0, id_length);
  s.secret = hash(word);
  if (token) s.token = token_hash(word, token->text);
  s.agent = s.agent.substr(0, longest_agent);
  s.begun = s.used = now;
  s.until = now + longest;
  std::vector<std::string> gone;
  {
    const std::lock_guard guard(lock_);
    std::erase_if(sessions_, [&](const auto &other) {
      const bool over = other.second.found.session.until < now;
      if (over) gone.push_back(other.second.found.session.id);
      return over;
    });
    if (sessions_.size() >= most) {
      const auto first =
          std::min_element(sessions_.begin(), sessions_.end(), [](const auto &a, const auto &b) {
            return a.second.found.session.until < b.second.found.session.until;
          });
      gone.push_back(first->second.found.session.id);
      sessions_.erase(first);
    }
    sessions_[s.secret] = {{s, token ? std::optional(*token) : std::nullopt}, now};
  }
  for (const std::string &id : gone) forget(id);
  try {
    store_.put(s);
  } catch (const Error &e) {
    log_(std::string(e.what()) + "; this session ends with the program");
  }
  return word;
}

std::optional<Sessions::Found> Sessions::find(const std::string &word, double now) {
  constexpr double often = 3600; // seconds between two writes of when it was used
  const std::string secret = hash(word);
  std::optional<Found> out;
  bool store_use = false, gone = false;
  std::string id;
  {
    const std::lock_guard guard(lock_);
    const auto s = sessions_.find(secret);
    if (s == sessions_.end() || s->second.found.session.until < now) return std::nullopt;
    Entry &e = s->second;
    id = e.found.session.id;
    if (!e.found.session.token.empty() && !e.found.token) { // the first time since the program's start
      e.found.token = tokens_.find_where(
          [&](const Token &t) { return token_hash(word, t.text) == e.found.session.token; });
      gone = !e.found.token;
    }
    if (gone) {
      sessions_.erase(s);
    } else {
      e.found.session.used = now;
      store_use = now - e.stored_use > often;
      if (store_use) e.stored_use = now;
      out = e.found;
    }
  }
  if (gone) forget(id);
  try {
    if (store_use) store_.set_used(id, now);
  } catch (const Error &) { // a matter of the list alone
  }
  return out;
}

std::vector<StoredSession> Sessions::all(double now) const {
  std::vector<StoredSession> out;
  {
    const std::lock_guard guard(lock_);
    for (const auto &[secret, e] : sessions_)
      if (e.found.session.until >= now) out.push_back(e.found.session);
  }
  std::sort(out.begin(), out.end(), [](const auto &a, const auto &b) {
    return a.begun != b.begun ? a.begun > b.begun : a.id < b.id;
  });
  return out;
}

bool Sessions::is_known(std::int64_t user, const std::string &address, double now) const {
  const std::lock_guard guard(lock_);
  return std::any_of(sessions_.begin(), sessions_.end(), [&](const auto &s) {
    const StoredSession &x = s.second.found.session;
    return x.user == user && x.address == address && x.until >= now;
  });
}

bool Sessions::end(const std::string &id) {
  {
    const std::lock_guard guard(lock_);
    if (!std::erase_if(sessions_, [&](const auto &s) { return s.second.found.session.id == id; }))
      return false;
  }
  store_.end_session(id);
  return true;
}

std::vector<std::string> Sessions::end_where(const std::function<bool(const Found &)> &is_over) {
  std::vector<std::string> gone;
  {
    const std::lock_guard guard(lock_);
    std::erase_if(sessions_, [&](const auto &s) {
      const bool over = is_over(s.second.found);
      if (over) gone.push_back(s.second.found.session.id);
      return over;
    });
  }
  for (const std::string &id : gone) forget(id);
  return gone;
}

} // namespace vigil::monitor
