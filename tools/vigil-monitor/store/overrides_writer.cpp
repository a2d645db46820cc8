// SPDX-License-Identifier: LGPL-2.1-or-later
#include "overrides_writer.h"

#include <utility>

namespace vigil::monitor {

std::shared_future<std::string> OverridesWriter::save(const Overrides &overrides) {
  std::promise<std::string> saver;
  std::shared_future<std::string> out = saver.get_future();
  const std::lock_guard guard(lock_);
  unsaved_ = overrides.all().dump(1) + "\n";
  savers_.push_back(std::move(saver));
  if (!queue_.add_needed([this] { write(); }))
    log_line("the disk is so slow that changes of the page wait to be stored");
  return out;
}

void OverridesWriter::retry() {
  const std::lock_guard guard(lock_);
  if (unsaved_) queue_.add([this] { write(); });
}

void OverridesWriter::write() {
  std::optional<std::string> text;
  std::vector<std::promise<std::string>> savers;
  {
    const std::lock_guard guard(lock_);
    text = unsaved_;
    savers.swap(savers_);
  }
  std::string why;
  try {
    if (text) file_.save(*text);
    if (outage_.worked(Utc::monotonic_seconds())) log_line("changes of the page are stored again");
    const std::lock_guard guard(lock_);
    if (unsaved_ == text) unsaved_.reset();
  } catch (const std::exception &e) {
    why = e.what();
    if (outage_.failed(Utc::monotonic_seconds()))
      log_line(
          why +
          "; changes of the page hold until the program ends, and are tried again until they are stored");
  }
  for (auto &saver : savers) saver.set_value(why);
}

} // namespace vigil::monitor
