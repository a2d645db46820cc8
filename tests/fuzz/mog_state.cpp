// SPDX-License-Identifier: LGPL-2.1-or-later
// mog's saved models (kernels/mog/state_file.h).
#include "common/error.h"
#include "kernels/mog/state_file.h"
#include "tests/fuzz/fuzz.h"

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <zlib.h>

namespace vigil::fuzz {
namespace {

constexpr std::size_t crc_at = 12, crc_from = 16; // as state_file.h says

std::optional<mog::SavedModel> parsed(std::span<const std::uint8_t> bytes) {
  try {
    return mog::parse(bytes);
  } catch (const Error &e) {
    if (e.kind() == Error::Kind::bad_data) return std::nullopt;
    throw;
  }
}

void demand(bool holds, const char *what) {
  if (holds) return;
  std::fprintf(stderr, "mog_state: %s\n", what);
  std::abort();
}

} // namespace

std::vector<Bytes> seeds() {
  std::vector<Bytes> files;
  for (const auto method : {mog::Method::mog, mog::Method::zivkovic})
    for (const int channels : {1, 3}) {
      if (method == mog::Method::mog && channels == 3) continue;
      for (const auto &[width, height] : {std::pair{1, 1}, {3, 2}, {17, 1}}) {
        const mog::Config config{
            .width = width, .height = height, .channels = channels, .method = method, .components = 3};
        mog::SavedModel model{mog::empty_state(config),
                              channels == 1 ? mog::Samples::luma : mog::Samples::yuv};
        model.state.frames = 100;
        const std::size_t n = std::size_t(width) * height;
        for (std::size_t i = 0; i < n; i++) {
          const std::size_t used = i % 4;
          model.state.active[i] = static_cast<std::uint8_t>(used);
          for (std::size_t k = 0; k < used; k++) {
            model.state.weight[k * n + i] = 1.f / float(k + 2);
            model.state.variance[k * n + i] = 10.f + float(i);
            for (int c = 0; c < channels; c++)
              model.state.mean[(k * channels + c) * n + i] = float(20 * k + c + i);
          }
        }
        files.push_back(mog::serialize(model));
        model.lights = {PixelFormat::nv12,
                        {2, Bytes(mog::picture_bytes(PixelFormat::nv12, width, height), 9)}};
        files.push_back(mog::serialize(model));
      }
    }
  return files;
}

// Random bytes hardly ever have the checksum that lets them in, so they are read once as they are and once
// with it.
bool read(std::span<const std::uint8_t> bytes) {
  auto model = parsed(bytes);
  if (!model && bytes.size() >= crc_from) {
    Bytes with_crc(bytes.begin(), bytes.end());
    const auto crc = static_cast<std::uint32_t>(crc32_z(0, bytes.data() + crc_from, bytes.size() - crc_from));
    for (int i = 0; i < 4; i++) with_crc[crc_at + i] = static_cast<std::uint8_t>(crc >> (8 * i));
    model = parsed(with_crc);
  }
  if (!model) return false;
  const Bytes once = mog::serialize(*model);
  const auto back = parsed(once);
  demand(back.has_value(), "what was taken once is refused when written and read again");
  demand(mog::serialize(*back) == once, "a model that was written and read is another");
  return true;
}

} // namespace vigil::fuzz
