// SPDX-License-Identifier: LGPL-2.1-or-later
// The users as they are in the database, in memory: a request asks neither disk nor database who it is from.
// All methods may be called from any thread.
#pragma once

#include "../store/user_store.h"
#include "../visible_cameras.h"
#include "tokens.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace vigil::monitor {

Role role_of_user(const std::string &word); // viewer, operator, admin; Role::none: another word
// In small letters, as names of users are. Throws Error::bad_setting when it is no name.
std::string user_name(const std::string &);
// Throws Error::bad_setting on what is no name of a camera.
void check_camera_names(const std::vector<std::string> &);

// Cameras by role, from the configuration. A role without a list sees all.
using RoleCameras = std::map<std::string, std::set<std::string>>;

class Users {
 public:
  explicit Users(UserStore &);

  // Null: there is none.
  std::shared_ptr<const StoredUser> find(std::int64_t id) const;
  std::shared_ptr<const StoredUser> named(const std::string &name) const;
  std::vector<std::shared_ptr<const StoredUser>> all() const; // by name
  bool none() const;
  // The user's own list where there is one, else the role's. An administrator sees all.
  VisibleCameras cameras_of(const StoredUser &) const;

  // Stored when they return. Throw Error::bad_setting on what cannot be.
  void add(const std::string &name, const std::string &role, const std::string &password,
           const std::optional<std::vector<std::string>> &cameras, double now);
  struct Change { // what is empty stays
    std::optional<std::string> role, password;
    std::optional<std::optional<std::vector<std::string>>> cameras;
  };
  bool change(std::int64_t id, const Change &); // false: the user is gone
  bool remove(std::int64_t id);

  void use_roles(RoleCameras);
  bool look_again(); // reads them where another program has changed them; false: nothing has changed

 private:
  using List = std::vector<std::shared_ptr<const StoredUser>>;
  void read();
  UserStore &store_;
  mutable std::mutex lock_;
  List users_;
  RoleCameras roles_;
  std::int64_t changes_ = 0; // of the database, when they were read
};

} // namespace vigil::monitor
