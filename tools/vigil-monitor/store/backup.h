// SPDX-License-Identifier: LGPL-2.1-or-later
// The storage folder as one file, and back. Both run the program tar, which compresses by the file's ending
// (.tar, .tar.gz, .tar.zst).
#pragma once

#include <string>

namespace vigil::monitor {

struct
    BackupParts { // in addition to databases, records of events, tokens, settings, the audit log and models
  bool clips = false, recordings = false;
};

// Also while a program works with the folder: databases are copied as they are at one moment, and of the
// files those that are whole. What a restored database says of files that came or went meanwhile is put right
// at the program's next start. The file is for its owner alone. Throws Error::write or Error::io.
void make_backup(const std::string &storage, const std::string &file, const BackupParts &);

// Throws Error::io while a program works with the folder, and Error::bad_data when the file is no whole
// backup or that of a newer program: nothing has changed then. What it takes the place of goes to the folder
// that is returned, below `storage`; empty when there was nothing.
std::string restore_backup(const std::string &storage, const std::string &file);

} // namespace vigil::monitor
