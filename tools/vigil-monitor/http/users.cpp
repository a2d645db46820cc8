// SPDX-License-Identifier: LGPL-2.1-or-later
#include "users.h"

#include "../config/text.h"
#include "../passwords.h"
#include "common/error.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

namespace vigil::monitor {

Role role_of_user(const std::string &word) {
  return word == "admin"      ? Role::admin
         : word == "operator" ? Role::operate
         : word == "viewer"   ? Role::view
                              : Role::none;
}

std::string user_name(const std::string &text) {
  if (!is_name(text))
    fail(Error::Kind::bad_setting, "'", text.substr(0, 40),
         "' is no name of a user; allowed are 1 to 32 of A-Z a-z 0-9 _ -");
  std::string out = text;
  for (char &c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  return out;
}

void check_camera_names(const std::vector<std::string> &names) {
  constexpr std::size_t most = 1024;
  if (names.size() > most) fail(Error::Kind::bad_setting, "a list of cameras has at most ", most, " names");
  for (const std::string &name : names)
    if (!is_name(name))
      fail(Error::Kind::bad_setting, "'", name.substr(0, 40),
           "' is no name of a camera; allowed are 1 to 32 of A-Z a-z 0-9 _ -");
}

namespace {

void check_role(const std::string &role) {
  if (role_of_user(role) == Role::none)
    fail(Error::Kind::bad_setting, "'", role.substr(0, 40),
         "' is no role of a user; there are viewer, operator and admin");
}

} // namespace

Users::Users(UserStore &store) : store_(store) {
  read();
}

// What was changed between the two questions is read again at the next look.
void Users::read() {
  const std::int64_t changes = store_.changes();
  List now;
  for (StoredUser &u : store_.users()) now.push_back(std::make_shared<const StoredUser>(std::move(u)));
  const std::lock_guard guard(lock_);
  if (changes < changes_) return; // another thread has read later
  users_ = std::move(now);
  changes_ = changes;
}

bool Users::look_again() {
  const std::int64_t changes = store_.changes();
  {
    const std::lock_guard guard(lock_);
    if (changes == changes_) return false;
  }
  read();
  return true;
}

std::shared_ptr<const StoredUser> Users::find(std::int64_t id) const {
  const std::lock_guard guard(lock_);
  const auto u = std::find_if(users_.begin(), users_.end(), [&](const auto &x) { return x->id == id; });
  return u == users_.end() ? nullptr : *u;
}

std::shared_ptr<const StoredUser> Users::named(const std::string &name) const {
  const std::lock_guard guard(lock_);
  const auto u = std::find_if(users_.begin(), users_.end(), [&](const auto &x) { return x->name == name; });
  return u == users_.end() ? nullptr : *u;
}

std::vector<std::shared_ptr<const StoredUser>> Users::all() const {
  const std::lock_guard guard(lock_);
  return users_;
}

bool Users::none() const {
  const std::lock_guard guard(lock_);
  return users_.empty();
}

VisibleCameras Users::cameras_of(const StoredUser &u) const {
  if (role_of_user(u.role) == Role::admin) return {};
  if (u.cameras) return {std::set<std::string>(u.cameras->begin(), u.cameras->end())};
  const std::lock_guard guard(lock_);
  const auto role = roles_.find(u.role);
  if (role == roles_.end()) return {};
  return {role->second};
}

void Users::use_roles(RoleCameras roles) {
  const std::lock_guard guard(lock_);
  roles_ = std::move(roles);
}

void Users::add(const std::string &name, const std::string &role, const std::string &password,
                const std::optional<std::vector<std::string>> &cameras, double now) {
  constexpr std::size_t most = 1000;
  StoredUser u;
  u.name = user_name(name);
  check_role(role);
  if (cameras) check_camera_names(*cameras);
  check_new_password(u.name, password);
  if (all().size() >= most) fail(Error::Kind::bad_setting, "there are ", most, " users already; remove one");
  u.role = role;
  u.cameras = cameras;
  u.created = now;
  u.password = password_hash(password);
  if (!store_.add(u)) fail(Error::Kind::bad_setting, "there is a user '", u.name, "' already");
  read();
}

bool Users::change(std::int64_t id, const Change &c) {
  const auto before = find(id);
  if (!before) return false;
  StoredUser u = *before;
  if (c.role) {
    check_role(*c.role);
    u.role = *c.role;
  }
  if (c.cameras) {
    if (*c.cameras) check_camera_names(**c.cameras);
    u.cameras = *c.cameras;
  }
  if (c.password) {
    check_new_password(u.name, *c.password);
    u.password = password_hash(*c.password);
    u.password_version++;
  }
  const bool there = store_.change(u);
  read();
  return there;
}

bool Users::remove(std::int64_t id) {
  const bool there = store_.remove(id);
  read();
  return there;
}

} // namespace vigil::monitor
