// SPDX-License-Identifier: LGPL-2.1-or-later
#include "administrators.h"

#include "common/error.h"
#include "common/file.h"
#include "sqlite.h"

#include <filesystem>
#include <string_view>
#include <system_error>

namespace vigil::monitor {
namespace {

constexpr std::string_view some_words = "some\n", none_words = "none\n";

std::string file_of(const std::string &database) {
  return (std::filesystem::path(database).parent_path() / "administrators").string();
}

// Throws where the database cannot be read.
bool has_administrators(const std::string &database) {
  const Sqlite db(database, Sqlite::Mode::read_only);
  return one_integer(db, "SELECT count(*) FROM sqlite_master WHERE type='table' AND name='users'") > 0 &&
         one_integer(db, "SELECT count(*) FROM users WHERE role='admin'") > 0;
}

} // namespace

std::optional<bool> remembered_administrators(const std::string &database) {
  constexpr std::size_t most = 4096;
  try {
    const std::string text = read_text_file(file_of(database), "the note of administrators", most);
    if (text.starts_with(some_words)) return true;
    if (text.starts_with(none_words)) return false;
  } catch (const Error &) {
  }
  return std::nullopt;
}

void remember_administrators(const std::string &database, bool some) {
  if (remembered_administrators(database) == some) return;
  const std::string text =
      std::string(some ? some_words : none_words) +
      "Whether events.db has had administrators with passwords. Where this says some and the database has\n"
      "none, they were lost: this machine's own requests need a sign-in then. Add one by --add-user.\n";
  write_file_atomically(file_of(database),
                        {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()});
}

bool may_have_administrators(const std::string &database) {
  const auto remembered = remembered_administrators(database);
  if (remembered == true) return true;
  std::error_code error;
  if (!std::filesystem::exists(database, error) && !error) return false;
  try {
    return has_administrators(database);
  } catch (const Error &) {
    return remembered != false;
  }
}

std::string lost_administrators(const std::string &database) {
  try {
    if (remembered_administrators(database) != true || has_administrators(database)) return "";
  } catch (const Error &) {
    return "";
  }
  return text("the database ", database,
              " has no administrator any more, and has had one: the users were lost with it. Requests of this"
              " machine need a token or a user; add one by vigil-monitor --storage ",
              std::filesystem::path(database).parent_path().string(), " --add-user NAME --role admin");
}

} // namespace vigil::monitor
