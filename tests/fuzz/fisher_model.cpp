// SPDX-License-Identifier: LGPL-2.1-or-later
// gpufisher's models (kernels/fisher/model_file.h).
#include "common/bytes.h"
#include "common/error.h"
#include "kernels/fisher/model_file.h"
#include "tests/fisher/sample_model.h"
#include "tests/fuzz/fuzz.h"

#include <cstdio>
#include <cstdlib>
#include <optional>

namespace vigil::fuzz {
namespace {

constexpr std::size_t crc_at = 12, crc_from = 16; // as array_file.h says

std::optional<fisher::Model> parsed(std::span<const std::uint8_t> bytes) {
  try {
    return fisher::parse_model(bytes);
  } catch (const Error &e) {
    if (e.kind() == Error::Kind::bad_data) return std::nullopt;
    throw;
  }
}

} // namespace

std::vector<Bytes> seeds() {
  std::vector<Bytes> files;
  for (const auto &[projected, components, classes] : {std::tuple{3, 2, 2}, {1, 1, 0}, {2, 3, 1}})
    files.push_back(fisher::serialize(fisher::sample_model(projected, components, classes)));
  return files;
}

// Random bytes hardly ever have the checksum that lets them in, so they are read once as they are and once
// with it.
bool read(std::span<const std::uint8_t> bytes) {
  auto model = parsed(bytes);
  if (!model && bytes.size() >= crc_from) {
    Bytes with_crc(bytes.begin(), bytes.end());
    const std::uint32_t crc = checksum(bytes.subspan(crc_from));
    for (std::size_t i = 0; i < 4; i++) with_crc[crc_at + i] = static_cast<std::uint8_t>(crc >> (8 * i));
    model = parsed(with_crc);
  }
  if (!model) return false;
  const Bytes once = fisher::serialize(*model);
  const auto back = parsed(once);
  if (!back || fisher::serialize(*back) != once) {
    std::fprintf(stderr, "fisher_model: a model that was written and read is refused, or another\n");
    std::abort();
  }
  return true;
}

} // namespace vigil::fuzz
