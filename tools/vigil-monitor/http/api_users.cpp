// SPDX-License-Identifier: LGPL-2.1-or-later
// Signing in and out, users, and sessions.
#include "api.h"

#include "../notify/push.h"
#include "../passwords.h"
#include "common/error.h"

#include <algorithm>

namespace vigil::monitor {

using nlohmann::json;

namespace {

// null: all that the role sees.
std::optional<std::vector<std::string>> cameras_member(const json &value) {
  if (value.is_null()) return std::nullopt;
  if (!value.is_array() ||
      std::any_of(value.begin(), value.end(), [](const json &v) { return !v.is_string(); }))
    refuse(400, "cameras is a list of names, or null for those of the role");
  return value.get<std::vector<std::string>>();
}

json as_json(const std::optional<std::vector<std::string>> &cameras) {
  return cameras ? json(*cameras) : json();
}

json as_json(const StoredUser &u, const std::vector<StoredSession> &sessions) {
  double used = 0;
  int open = 0;
  for (const StoredSession &s : sessions)
    if (s.user == u.id) {
      open++;
      used = std::max(used, s.used);
    }
  return {{"name", u.name},       {"role", u.role},   {"cameras", as_json(u.cameras)},
          {"created", u.created}, {"sessions", open}, {"used", open ? json(used) : json()}};
}

} // namespace

void Api::users_changed() {
  access_.users_changed();
  if (services.push) services.push->remove_void();
}

Response Api::ways_to_sign_in(const Match &m) {
  return json_response({{"users", !access_.users().none()}, {"needed", m.visitor.role == Role::none}});
}

Response Api::login(const Match &m) {
  const json body = json_body(m.request);
  const std::string expected = R"({"token": "..."} or {"user": "...", "password": "..."})";
  only_members(body, {"token", "user", "password"}, expected);
  std::optional<Access::SignedIn> in;
  Visitor who;
  if (body.contains("token")) {
    if (body.size() != 1) refuse(400, "expected " + expected);
    in = access_.sign_in(text_member(body, "token", expected), m.request);
    if (!in) {
      wrong_token(m.request, "login");
      refuse(401, "this is no token of this server");
    }
  } else {
    const std::string name = text_member(body, "user", expected);
    const auto user = need_password(m.request, name, text_member(body, "password", expected));
    in = access_.begin_session(*user, m.request);
    who.user = user->id;
  }
  who.role = in->role;
  who.name = in->name;
  note(m.request, who, "sign-in", json::object());
  Response out = json_response({{"role", role_name(in->role)}});
  out.headers["Set-Cookie"] = in->set_cookie;
  return out;
}

std::shared_ptr<const StoredUser> Api::need_password(const Request &r, const std::string &name,
                                                     const std::string &password) {
  Failures::Verdict verdict;
  if (auto user = access_.check_password(name, password, r, verdict)) return user;
  // A name that is none may be a password that was typed into the wrong field.
  const bool known = access_.users().named(name) != nullptr;
  if (verdict.announce)
    note_wrong(r, "password", known ? "of " + name : "of no user", {{"user", known ? json(name) : json()}});
  refuse(401, "the name or the password is wrong");
}

Response Api::logout(const Match &m) {
  if (!m.visitor.session.empty()) note(m, "sign-out");
  Response out = json_response({{"ok", true}});
  out.headers["Set-Cookie"] = access_.sign_out(m.request);
  return out;
}

// One's own, which ends one's other sessions.
Response Api::set_password(const Match &m) {
  if (!m.visitor.user) refuse(403, "only a user who has signed in has a password");
  const std::string expected = R"({"old": "...", "new": "..."})";
  const json body = json_body(m.request);
  only_members(body, {"old", "new"}, expected);
  const std::string old = text_member(body, "old", expected), wanted = text_member(body, "new", expected);
  check_new_password(m.visitor.name, wanted);
  const auto user = need_password(m.request, m.visitor.name, old);
  Users::Change change;
  change.password = wanted;
  if (!access_.users().change(user->id, change))
    refuse(404, "there is no user '" + user->name + "' any more");
  users_changed();
  note(m, "password");
  Response out = json_response({{"ok", true}});
  if (const auto now = access_.users().find(user->id))
    out.headers["Set-Cookie"] = access_.begin_session(*now, m.request).set_cookie;
  return out;
}

Response Api::users(const Match &) {
  json list = json::array();
  const auto sessions = access_.sessions().all(Utc::system_seconds());
  for (const auto &u : access_.users().all()) list.push_back(as_json(*u, sessions));
  return json_response({{"users", list}, {"passwords", have_passwords()}});
}

std::shared_ptr<const StoredUser> Api::need_user(const std::string &name) {
  auto user = access_.users().named(name);
  if (!user) refuse(404, "there is no user '" + name + "'");
  return user;
}

Response Api::add_user(const Match &m) {
  if (!have_passwords()) refuse(501, no_passwords);
  const std::string expected =
      R"({"name": "...", "role": "viewer, operator or admin", "password": "...", "cameras": [...] or null})";
  const json body = json_body(m.request);
  only_members(body, {"name", "role", "password", "cameras"}, expected);
  const std::string name = user_name(text_member(body, "name", expected)),
                    role = text_member(body, "role", expected);
  if (access_.users().named(name)) refuse(409, "there is a user '" + name + "' already");
  const auto cameras = cameras_member(body.value("cameras", json()));
  access_.users().add(name, role, text_member(body, "password", expected), cameras, Utc::system_seconds());
  users_changed();
  note(m, "add-user", {{"user", name}, {"role", role}, {"cameras", as_json(cameras)}});
  return json_response(as_json(*need_user(name), {}));
}

Response Api::change_user(const Match &m) {
  const auto before = need_user(m.parts[0]);
  const std::string expected =
      R"(one or more of {"role": "viewer, operator or admin", "password": "...", "cameras": [...] or null})";
  const json body = json_body(m.request);
  only_members(body, {"role", "password", "cameras"}, expected);
  if (body.empty()) refuse(400, "expected " + expected);
  Users::Change change;
  json details = {{"user", before->name}};
  if (body.contains("role")) {
    change.role = text_member(body, "role", expected);
    details["role"] = {{"before", before->role}, {"after", *change.role}};
    if (before->id == m.visitor.user && *change.role != before->role)
      refuse(409, "nobody takes the own role away; another administrator can");
  }
  if (const auto c = body.find("cameras"); c != body.end()) {
    change.cameras = cameras_member(*c);
    details["cameras"] = {{"before", as_json(before->cameras)}, {"after", *c}};
  }
  if (body.contains("password")) {
    if (!have_passwords()) refuse(501, no_passwords);
    if (before->id == m.visitor.user)
      refuse(409, "one's own password is changed by /api/password, which asks for the old one");
    change.password = text_member(body, "password", expected);
    details["password"] = "changed";
  }
  if (!access_.users().change(before->id, change)) refuse(404, "there is no user '" + before->name + "'");
  users_changed();
  note(m, "change-user", details);
  return json_response(as_json(*need_user(before->name), access_.sessions().all(Utc::system_seconds())));
}

Response Api::remove_user(const Match &m) {
  const auto user = need_user(m.parts[0]);
  if (user->id == m.visitor.user) refuse(409, "nobody removes the own user; another administrator can");
  if (!access_.users().remove(user->id)) refuse(404, "there is no user '" + user->name + "'");
  users_changed();
  note(m, "remove-user", {{"user", user->name}});
  return json_response({{"ok", true}});
}

namespace {

// One's own are those of the same user, or of a token of the same name.
bool may_end(const Visitor &v, const StoredSession &s) {
  return v.role == Role::admin || s.id == v.session ||
         (v.user ? s.user == v.user : !s.user && s.name == v.name);
}

} // namespace

Response Api::sessions(const Match &m) {
  json list = json::array();
  for (const StoredSession &s : access_.sessions().all(Utc::system_seconds()))
    if (may_end(m.visitor, s))
      list.push_back({{"id", s.id},
                      {"name", s.name},
                      {"user", s.user != 0},
                      {"from", s.address},
                      {"agent", s.agent},
                      {"begun", s.begun},
                      {"used", s.used},
                      {"until", s.until},
                      {"current", s.id == m.visitor.session}});
  return json_response({{"sessions", list}});
}

Response Api::end_session(const Match &m) {
  const auto all = access_.sessions().all(Utc::system_seconds());
  const auto s = std::find_if(all.begin(), all.end(), [&](const auto &x) { return x.id == m.parts[0]; });
  if (s == all.end() || !may_end(m.visitor, *s)) refuse(404, "there is no session " + m.parts[0]);
  note(m, "end-session", {{"of", s->name}, {"from", s->address}});
  access_.end_session(s->id);
  return json_response({{"ok", true}});
}

} // namespace vigil::monitor
