// SPDX-License-Identifier: LGPL-2.1-or-later
#include "site_codebook.h"

#include "../export/sha256.h"
#include "../file_stamp.h"
#include "../store/salvage.h"
#include "common/error.h"
#include "common/file.h"
#include "kernels/fisher/model_file.h"
#include "kernels/label/picture_encoder.h"

#include <filesystem>
#include <utility>

namespace vigil::monitor {
namespace {

// One of vigil-train's usual size has 1 MB.
constexpr std::size_t largest_codebook = std::size_t{64} << 20;

std::vector<std::uint8_t> read_codebook(const std::string &file) {
  return read_plain_file(file, "the codebook of labels", 0, [](auto) { return largest_codebook; });
}

} // namespace

struct SiteCodebook::Loaded {
  std::string id; // empty: there is none
  std::unique_ptr<label::PictureEncoder> encoder{};
};

SiteCodebook::SiteCodebook(std::string file, std::function<void(const std::string &)> report)
    : file_(std::move(file)), report_(std::move(report)), loaded_(std::make_shared<Loaded>()) {
  const std::string stamp = stamp_of(file_);
  if (stamp.empty()) return;
  try {
    loaded_ = load(read_codebook(file_));
    stamp_ = stamp;
  } catch (const std::exception &e) {
    report_(text(file_, ": ", e.what(), set_aside(file_), ", and labels go by shape and motion"));
  }
}

SiteCodebook::~SiteCodebook() = default;

std::shared_ptr<SiteCodebook::Loaded> SiteCodebook::load(std::span<const std::uint8_t> model) {
  constexpr std::size_t enough = 16; // digits of the hash
  Sha256 sum;
  sum.add({reinterpret_cast<const char *>(model.data()), model.size()});
  return std::make_shared<Loaded>(Loaded{
      sum.hex().substr(0, enough), std::make_unique<label::PictureEncoder>(fisher::parse_model(model))});
}

bool SiteCodebook::refresh() {
  const std::string stamp = stamp_of(file_);
  {
    const std::lock_guard guard(lock_);
    if (std::exchange(stamp_, stamp) == stamp) return false;
  }
  auto loaded = std::make_shared<Loaded>();
  try {
    if (!stamp.empty()) loaded = load(read_codebook(file_));
  } catch (const std::exception &e) { // perhaps it is being copied
    report_(text(file_, ": ", e.what(), "; until it is whole the codebook before stays in use"));
    return false;
  }
  const std::lock_guard guard(lock_);
  const bool other = loaded->id != loaded_->id;
  loaded_ = std::move(loaded);
  return other;
}

std::string SiteCodebook::id() const {
  const std::lock_guard guard(lock_);
  return loaded_->id;
}

Looks SiteCodebook::looks(const label::Picture &picture) {
  const std::lock_guard guard(lock_);
  if (!loaded_->encoder) return {};
  return {loaded_->encoder->appearance(picture), loaded_->id};
}

void SiteCodebook::install(std::span<const std::uint8_t> model) {
  auto loaded = load(model);
  const std::string previous = file_ + ".previous";
  for (const std::string &name : {file_, previous})
    if (const std::string moved = move_barred_aside(name); !moved.empty()) report_(moved);
  std::error_code error;
  if (std::filesystem::exists(file_, error)) write_file_atomically(previous, read_codebook(file_));
  write_file_atomically(file_, model);
  const std::lock_guard guard(lock_);
  stamp_ = stamp_of(file_);
  loaded_ = std::move(loaded);
}

} // namespace vigil::monitor
