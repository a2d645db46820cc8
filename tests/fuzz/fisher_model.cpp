// SPDX-License-Identifier: LGPL-2.1-or-later
// The model reader must survive any bytes. The checksum is made right first, since no fuzzer would guess it.
#include "common/bytes.h"
#include "common/error.h"
#include "kernels/fisher/model_file.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace vigil;
  std::vector<std::uint8_t> bytes(data, data + size);
  if (size >= 16) {
    const std::uint32_t crc = checksum(std::span(bytes).subspan(16));
    for (int i = 0; i < 4; i++) bytes[12 + i] = static_cast<std::uint8_t>(crc >> (8 * i));
  }
  try {
    const fisher::Model model = fisher::parse_model(bytes);
    // What was accepted is a model: it is written and read again.
    if (fisher::parse_model(fisher::serialize(model)).classifier.classes != model.classifier.classes)
      std::abort();
  } catch (const Error &e) {
    if (e.kind() != Error::Kind::bad_data) throw;
  }
  return 0;
}
