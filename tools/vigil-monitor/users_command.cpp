// SPDX-License-Identifier: LGPL-2.1-or-later
#include "users_command.h"

#include "camera/utc.h"
#include "common/error.h"
#include "config/text.h"
#include "http/audit.h"
#include "http/users.h"
#include "log.h"
#include "passwords.h"
#include "store/event_store.h"
#include "store/folder_owner.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <termios.h>
#include <unistd.h>

namespace vigil::monitor {
namespace {

// Typed letters are not shown while it lives.
class Unseen {
 public:
  Unseen() : works_(tcgetattr(STDIN_FILENO, &before_) == 0) {
    termios quiet = before_;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    if (works_) tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
  }
  ~Unseen() {
    if (works_) tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
  }
  Unseen(const Unseen &) = delete;
  Unseen &operator=(const Unseen &) = delete;

 private:
  termios before_{};
  const bool works_;
};

std::string read_line() {
  std::string line;
  if (!std::getline(std::cin, line)) fail(Error::Kind::bad_setting, "no password came from standard input");
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

std::string typed(const char *words) {
  std::fprintf(stderr, "%s: ", words);
  const Unseen unseen;
  std::string line = read_line();
  std::fputc('\n', stderr);
  return line;
}

std::string read_password() {
  if (!isatty(STDIN_FILENO)) return read_line();
  std::string password = typed("Password");
  if (typed("The same again") != password) fail(Error::Kind::bad_setting, "the two passwords differ");
  return password;
}

std::optional<std::vector<std::string>> cameras_of(const std::string &text) {
  if (text.empty()) return std::nullopt;
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

std::string shown(const StoredUser &u) {
  std::string cameras = u.role == "admin" ? "all cameras" : "the cameras of the role";
  if (u.cameras && u.role != "admin") {
    cameras = "no cameras";
    for (const std::string &c : *u.cameras) cameras = (&c == u.cameras->data() ? "" : cameras + ", ") + c;
  }
  return u.name + "  " + u.role + "  " + cameras;
}

std::shared_ptr<const StoredUser> need(const Users &users, const std::string &name) {
  auto user = users.named(user_name(name));
  if (!user) fail(Error::Kind::bad_setting, "there is no user '", user_name(name), "'");
  return user;
}

} // namespace

void manage_users(const UsersCommand &c, const std::string &storage) {
  const bool needs_password = !c.add.empty() || !c.set_password.empty();
  if (needs_password && !have_passwords()) fail(Error::Kind::no_device, no_passwords);
  std::error_code error;
  std::filesystem::create_directories(storage, error);
  if (error) fail(Error::Kind::write, "cannot make the folder ", storage, ": ", error.message());
  need_own_folder(storage);
  const std::string database = storage + "/events.db";
  EventStore made(database); // the tables, where they are not there yet
  UserStore store(database);
  Users users(store);
  AuditLog audit(storage + "/audit.jsonl", log_line);
  const auto note = [&](const char *what, nlohmann::json details) {
    audit.add({{"time", Utc::system_seconds()},
               {"who", name_of_owner(getuid())},
               {"role", "admin"},
               {"from", "command line"},
               {"what", what},
               {"details", std::move(details)}});
  };
  if (c.list) {
    for (const auto &u : users.all()) std::printf("%s\n", shown(*u).c_str());
  } else if (!c.add.empty()) {
    const std::string name = user_name(c.add);
    if (users.named(name))
      fail(Error::Kind::bad_setting, "there is a user '", name, "' already; --set-password ", name,
           " changes the password");
    if (role_of_user(c.role) == Role::none)
      fail(Error::Kind::bad_setting, "--role is viewer, operator or admin, not '", c.role.substr(0, 40), "'");
    const auto cameras = cameras_of(c.cameras);
    if (cameras) check_camera_names(*cameras);
    users.add(name, c.role, read_password(), cameras, Utc::system_seconds());
    note("add-user", {{"user", name}, {"role", c.role}});
    std::printf("%s\n", shown(*need(users, name)).c_str());
  } else if (!c.set_password.empty()) {
    const auto user = need(users, c.set_password);
    Users::Change change;
    change.password = read_password();
    users.change(user->id, change);
    note("change-user", {{"user", user->name}, {"password", "changed"}});
    std::printf("%s has a new password; sessions of before have ended\n", user->name.c_str());
  } else if (!c.remove.empty()) {
    const auto user = need(users, c.remove);
    users.remove(user->id);
    note("remove-user", {{"user", user->name}});
    std::printf("%s is removed; its sessions have ended\n", user->name.c_str());
  }
}

} // namespace vigil::monitor
