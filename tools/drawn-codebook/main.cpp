// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures of the objects of drawn scenes, for the codebook of tracks that is shipped: YUV4MPEG2 on stdout.
// docs/reference/elements/tracklabel.md says how the codebook is made of them.
#include "common/cpu/device.h"
#include "common/scene/scene.h"
#include "kernels/label/picture.h"

#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace {

using namespace vigil;

constexpr int width = 320, height = 240;
constexpr double seconds = 60, step = 1.5;
constexpr float least_visible = 0.9F;

void write(const label::Picture &picture) {
  const std::string grey(label::picture_bytes / 2, '\x80'); // U and V
  std::fputs("FRAME\n", stdout);
  std::fwrite(picture.data(), 1, picture.size(), stdout);
  std::fwrite(grey.data(), 1, grey.size(), stdout);
}

int pictures_of(scene::Story story, std::uint32_t seed, CpuDevice &device) {
  const scene::Scene drawn({.width = width, .height = height, .story = story, .seed = seed}, device);
  std::vector<std::uint8_t> pixels(std::size_t{width} * height);
  Image image;
  image.width = width;
  image.height = height;
  image.data[0] = pixels.data();
  image.stride[0] = width;
  int count = 0;
  for (int n = 0; n * step < seconds; n++) {
    drawn.draw({static_cast<std::uint64_t>(n), n * step}, image, {});
    for (const scene::TrueObject &o : drawn.objects(n * step)) {
      if (o.visible < least_visible) continue;
      const label::Picture p =
          label::picture_around(image, {double(o.x), double(o.y), double(o.width), double(o.height)});
      if (p.empty()) continue;
      write(p);
      count++;
    }
  }
  return count;
}

} // namespace

int main() {
  try {
    CpuDevice device(1);
    std::printf("YUV4MPEG2 W%zu H%zu F1:1 Ip A1:1 C420\n", label::picture_side, label::picture_side);
    int count = 0;
    for (const scene::Story story : {scene::Story::street, scene::Story::traffic, scene::Story::plaza})
      for (std::uint32_t seed = 101; seed <= 104; seed++) count += pictures_of(story, seed, device);
    std::fprintf(stderr, "%d pictures\n", count);
    return std::fflush(stdout) ? 1 : 0;
  } catch (const std::exception &e) {
    std::fprintf(stderr, "drawn-codebook: %s\n", e.what());
    return 1;
  }
}
