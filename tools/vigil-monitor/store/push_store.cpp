// SPDX-License-Identifier: LGPL-2.1-or-later
#include "push_store.h"

namespace vigil::monitor {

void make_push_table(Sqlite &db) {
  db.execute(
      "CREATE TABLE IF NOT EXISTS push_devices(id TEXT PRIMARY KEY, owner TEXT NOT NULL, credential TEXT NOT"
      " NULL, name TEXT NOT NULL, agent TEXT NOT NULL, site TEXT NOT NULL, endpoint TEXT NOT NULL UNIQUE,"
      " p256dh TEXT NOT NULL, secret TEXT NOT NULL, settings TEXT NOT NULL, created REAL NOT NULL,"
      " sent REAL NOT NULL, problem TEXT NOT NULL) WITHOUT ROWID");
}

PushStore::PushStore(const std::string &path) : db_(path) {}

std::vector<StoredDevice> PushStore::devices() const {
  const std::lock_guard guard(lock_);
  Statement s(db_,
              "SELECT id, owner, credential, name, agent, site, endpoint, p256dh, secret, settings, created,"
              " sent, problem FROM push_devices ORDER BY created, id");
  std::vector<StoredDevice> out;
  while (s.step())
    out.push_back({s.text(0), s.text(1), s.text(2), s.text(3), s.text(4), s.text(5), s.text(6), s.text(7),
                   s.text(8), s.text(9), s.real(10), s.real(11), s.text(12)});
  return out;
}

void PushStore::put(const StoredDevice &d) {
  const std::lock_guard guard(lock_);
  Statement(db_,
            "INSERT OR REPLACE INTO push_devices(id, owner, credential, name, agent, site, endpoint, p256dh,"
            " secret, settings, created, sent, problem) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)")
      .bind(d.id)
      .bind(d.owner)
      .bind(d.credential)
      .bind(d.name)
      .bind(d.agent)
      .bind(d.site)
      .bind(d.endpoint)
      .bind(d.p256dh)
      .bind(d.secret)
      .bind(d.settings)
      .bind(d.created)
      .bind(d.sent)
      .bind(d.problem)
      .run();
}

bool PushStore::remove(const std::string &id) {
  const std::lock_guard guard(lock_);
  Statement(db_, "DELETE FROM push_devices WHERE id=?").bind(id).run();
  return db_.changes() > 0;
}

void PushStore::set_result(const std::string &id, double sent, const std::string &problem) {
  const std::lock_guard guard(lock_);
  Statement(db_, "UPDATE push_devices SET sent=?, problem=? WHERE id=?")
      .bind(sent)
      .bind(problem)
      .bind(id)
      .run();
}

} // namespace vigil::monitor
