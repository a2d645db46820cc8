// SPDX-License-Identifier: LGPL-2.1-or-later
// Files of taught examples (kernels/label/examples.h).
#include "common/error.h"
#include "kernels/label/appearance.h"
#include "kernels/label/examples.h"
#include "tests/fuzz/fuzz.h"

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace vigil::fuzz {
namespace {

std::optional<std::string> written_again(std::string_view text) {
  try {
    return label::write_examples(label::read_examples(text));
  } catch (const Error &e) {
    if (e.kind() == Error::Kind::bad_data) return std::nullopt;
    throw;
  }
}

} // namespace

std::vector<Bytes> seeds() {
  label::TaughtExample plain{{"cat \u00fc", false, {}}, "", "door", 1.5}, whole = plain;
  plain.example.subject.shape[0] = -0.25F;
  whole.event = "20261126T040000000-door-00a1";
  whole.codebook = "0123456789abcdef";
  whole.example.subject.appearance.assign(label::appearance_length, 0.125F);
  whole.picture.assign(label::picture_bytes, 77);
  std::vector<Bytes> files;
  for (const auto &examples :
       {std::vector<label::TaughtExample>{}, {plain}, {plain, plain, plain}, {whole, plain}}) {
    const std::string text = label::write_examples(examples);
    files.emplace_back(text.begin(), text.end());
  }
  return files;
}

bool read(std::span<const std::uint8_t> bytes) {
  const auto once = written_again({reinterpret_cast<const char *>(bytes.data()), bytes.size()});
  if (once && written_again(*once) != once) {
    std::fprintf(stderr, "label_examples: a file that was read and written is refused, or another\n");
    std::abort();
  }
  return once.has_value();
}

} // namespace vigil::fuzz
