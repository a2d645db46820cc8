// SPDX-License-Identifier: LGPL-2.1-or-later
// bench-label-crops CODEBOOK [cpu|cuda ...]: the time of a picture of a track, from the pixels in the host's
// memory to the numbers that names are learnt from, by the clock. Pictures of noise and edges go through by
// ones and in batches, with and without silhouettes. Medians of 21 rounds; without names of backends both.
#include "common/error.h"
#include "common/file.h"
#include "kernels/fisher/fisher.h"
#include "kernels/label/picture_encoder.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <random>

namespace {

using namespace vigil;
using label::Look;

std::vector<Look> drawn_looks(std::size_t count, bool silhouettes) {
  std::mt19937 random(1);
  std::vector<Look> looks(count);
  for (Look &l : looks) {
    const auto edge = random() % label::picture_side;
    for (std::size_t i = 0; i < label::picture_bytes; i++) {
      const bool object = i % label::picture_side > edge;
      l.picture.push_back(static_cast<std::uint8_t>((object ? 150 : 60) + random() % 24));
      if (silhouettes) l.silhouette.push_back(object ? 255 : 0);
    }
  }
  return looks;
}

// Milliseconds of one picture.
double time_of(label::PictureEncoder &encoder, const std::vector<Look> &looks, std::size_t batch) {
  constexpr int rounds = 21;
  std::vector<double> times;
  for (int n = 0; n < rounds; n++) {
    const auto begun = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < looks.size(); i += batch)
      encoder.appearances({looks.data() + i, std::min(batch, looks.size() - i)}, 0.3F);
    const std::chrono::duration<double, std::milli> lasted = std::chrono::steady_clock::now() - begun;
    times.push_back(lasted.count() / static_cast<double>(looks.size()));
  }
  std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
  return times[rounds / 2];
}

void measure(const fisher::Model &model, Backend backend) {
  auto device = backend == Backend::cpu ? open_cpu(1) : open_cuda();
  std::printf("%s, %s\n", name_of(backend), device->name().c_str());
  label::PictureEncoder encoder(model, std::move(device));
  for (const bool silhouettes : {false, true}) {
    const auto looks = drawn_looks(fisher::max_pictures, silhouettes);
    for (const std::size_t batch : {1, 2, 4, 16, 64})
      std::printf("  %2zu together%s: %.4f ms each\n", batch, silhouettes ? ", with silhouettes" : "",
                  time_of(encoder, looks, batch));
  }
}

} // namespace

int main(int argc, char **argv) {
  try {
    if (argc < 2) fail(Error::Kind::bad_setting, "usage: bench-label-crops CODEBOOK [cpu|cuda ...]");
    constexpr std::size_t largest = std::size_t{64} << 20;
    const auto model =
        fisher::parse_model(read_plain_file(argv[1], "the codebook", 0, [](auto) { return largest; }));
    std::printf("%d Gaussians of %d dimensions\n", model.codebook.components, model.codebook.projected);
    for (const Backend backend : {Backend::cpu, Backend::cuda}) {
      const auto named = [&](const char *word) { return !std::strcmp(word, name_of(backend)); };
      if (argc == 2 || std::any_of(argv + 2, argv + argc, named)) measure(model, backend);
    }
    return 0;
  } catch (const std::exception &e) {
    std::fprintf(stderr, "bench-label-crops: %s\n", e.what());
    return 1;
  }
}
