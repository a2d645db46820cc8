// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sampler.h"

#include "common/error.h"

#include <algorithm>

namespace vigil::train {
namespace {

std::uint64_t mix(std::uint64_t z) { // SplitMix64's finaliser (Steele et al. 2014)
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
  z = (z ^ z >> 27) * 0x94D049BB133111EBU;
  return z ^ z >> 31;
}

} // namespace

void Sampler::add(std::uint64_t file, std::uint64_t frame, std::span<const float> descriptors,
                  std::span<const float> positions) {
  const std::size_t count = positions.size() / 2,
                    length = descriptors.size() / std::max<std::size_t>(count, 1);
  const std::uint64_t base = mix(mix(mix(seed_ + 0x9E3779B97F4A7C15U) + file) + frame);
  seen_ += count;
  for (std::size_t i = 0; i < count; i++) {
    const std::uint64_t number = mix(base + (i + 1) * 0x9E3779B97F4A7C15U);
    if (number > limit_) continue;
    kept_.push_back({number, rows_.size() / width});
    rows_.insert(rows_.end(), descriptors.begin() + i * length, descriptors.begin() + (i + 1) * length);
    rows_.insert(rows_.end(), positions.begin() + 2 * i, positions.begin() + 2 * i + 2);
  }
  if (kept_.size() > wanted_ + wanted_ / 2 + 1024) prune();
}

void Sampler::prune() {
  std::sort(kept_.begin(), kept_.end());
  if (kept_.size() > wanted_) {
    kept_.resize(wanted_);
    limit_ = kept_.empty() ? 0 : kept_.back().number;
  }
  std::vector<float> rows;
  rows.reserve(kept_.size() * width);
  for (std::size_t i = 0; i < kept_.size(); i++) {
    const auto from = rows_.begin() + static_cast<std::ptrdiff_t>(kept_[i].row * width);
    rows.insert(rows.end(), from, from + width);
    kept_[i].row = i;
  }
  rows_ = std::move(rows);
}

std::vector<float> Sampler::take() {
  prune();
  kept_.clear();
  return std::move(rows_);
}

void Sampler::save(ArrayWriter &out) {
  prune();
  std::vector<std::int32_t> numbers; // halves, the lower one first
  const auto put = [&](std::uint64_t v) {
    numbers.push_back(static_cast<std::int32_t>(v));
    numbers.push_back(static_cast<std::int32_t>(v >> 32));
  };
  put(seen_);
  put(limit_);
  for (const Kept &k : kept_) put(k.number);
  out.add("sampler_numbers", {numbers.size()}, numbers);
  out.add("sampler_rows", {kept_.size(), width}, rows_);
}

void Sampler::load(const ArrayReader &in) {
  const auto halves = in.integers("sampler_numbers", {ArrayReader::any});
  std::vector<std::uint64_t> numbers;
  for (std::size_t i = 0; i + 1 < halves.size(); i += 2)
    numbers.push_back(static_cast<std::uint32_t>(halves[i]) |
                      std::uint64_t{static_cast<std::uint32_t>(halves[i + 1])} << 32);
  if (numbers.size() < 2)
    fail(Error::Kind::bad_data, "the checkpoint is damaged: it lacks the sampler's state");
  seen_ = numbers[0];
  limit_ = numbers[1];
  rows_ = in.floats("sampler_rows", {numbers.size() - 2, width});
  kept_.clear();
  for (std::size_t i = 2; i < numbers.size(); i++) kept_.push_back({numbers[i], i - 2});
}

} // namespace vigil::train
