// SPDX-License-Identifier: LGPL-2.1-or-later
// Where a GPU and a processor are there, kernels of the user's that do harm are refused by the processor, and
// never run on the GPU, which a layer plays (gpu_beside_layer.cpp). Exit status: 0 passed, 1 failed, 77
// skipped (no two OpenCL devices).
#include "kernels/filter/user.h"
#include "tests/unit.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace vigil::filter {
namespace {

using test::expect;
namespace fs = std::filesystem;

struct Tried {
  std::string why; // empty when it passed
  bool on_gpu;     // it was run there, on pixels or on none
};

Tried tried(ClDevice &gpu, const fs::path &folder, const std::string &source, int width = 320) {
  const fs::path file = folder / "kernel.cl", launches = folder / "launches";
  fs::remove(launches);
  setenv("VIGIL_GPU_LAUNCHES", launches.c_str(), 1);
  std::ofstream(file) << source;
  Chain chain = parse(text("user kernel='", file.string(), "'"));
  load_kernels(chain);
  std::string why;
  try {
    try_kernel(gpu, chain[0], PixelFormat::rgba, width, 240);
  } catch (const Error &e) {
    why = text(e.kind() == Error::Kind::bad_setting ? "" : "(not as a bad setting) ", e.what());
  }
  std::printf("%s\n", why.substr(0, 300).c_str());
  return {why, fs::exists(launches)};
}

constexpr const char *writes_far =
    "int4 filter(Picture in, int x, int y, float4 p) {\n"
    "  for (long i = 0; i < 1 << 20; i++) ((__global uchar *)in.data)[i << 30] = 1;\n"
    "  return pixel_at(in, x, y);\n}\n";
constexpr const char *writes_near = "int4 filter(Picture in, int x, int y, float4 p) {\n"
                                    "  if (x == 0 && y == 0) ((__global uchar *)in.data)[-7] ^= 1;\n"
                                    "  return pixel_at(in, x, y);\n}\n";
constexpr const char *never_ends = "int4 filter(Picture in, int x, int y, float4 p) {\n"
                                   "  int n = 0;\n"
                                   "  while (in.width > LEAST && pixel_at(in, x + n, y).x < 300) n++;\n"
                                   "  return (int4)(n);\n}\n";

void run_on(ClDevice &gpu, const fs::path &folder) {
  const auto refused_first = [&](const std::string &source, const char *words) {
    const Tried t = tried(gpu, folder, source);
    expect(t.why.find("on a processor first") != t.why.npos && t.why.find(words) != t.why.npos, t.why);
    expect(!t.on_gpu, text("it ran on the GPU before it was refused: ", t.why));
  };
  refused_first(writes_far, "broke its trial down");
  refused_first(writes_near, "writes outside of the picture that it reads");
  refused_first(std::string("#define LEAST 0\n") + never_ends, "longer than 5 seconds");

  // What is slow on frames alone may be fast enough on the GPU: that is for the GPU's trial to say.
  const Tried slow = tried(gpu, folder, std::string("#define LEAST 300\n") + never_ends);
  expect(slow.on_gpu && slow.why.find("longer than 5 seconds") != slow.why.npos &&
             slow.why.find("processor first") == slow.why.npos,
         slow.why);
  const Tried typo = tried(gpu, folder, "int4 filter(Picture in, int x, int y, float4 p) { return 1 }\n");
  expect(typo.why.find("does not compile") != typo.why.npos &&
             typo.why.find("kernel.cl:1:") != typo.why.npos &&
             typo.why.find("processor first") == typo.why.npos,
         typo.why);

  const char *good = "int4 filter(Picture in, int x, int y, float4 p) { return pixel_at(in, x + 1, y); }\n";
  const Tried passes = tried(gpu, folder, good);
  expect(passes.why.empty() && passes.on_gpu, text("a good kernel: ", passes.why));

  // A processor on which nothing runs has no say.
  setenv("VIGIL_BROKEN_PROCESSOR", "1", 1);
  const Tried other = tried(gpu, folder, good, 321);
  expect(other.why.empty() && other.on_gpu, text("with a broken processor: ", other.why));
  const Tried near = tried(gpu, folder, writes_near);
  expect(near.on_gpu && near.why.find("writes outside") != near.why.npos,
         text("with a broken processor: ", near.why));
}

int run() {
  const std::vector<ClCandidate> all = cl_candidates();
  if (all.size() < 2 || !(all[0].type & CL_DEVICE_TYPE_GPU) || !(all[1].type & CL_DEVICE_TYPE_CPU)) {
    std::printf("SKIPPED: PoCL's two devices and the layer over them are not there:\n%s",
                list_of(all).c_str());
    return 77;
  }
  std::string folder = fs::temp_directory_path() / "vigil-user-XXXXXX";
  if (!mkdtemp(folder.data())) fail(Error::Kind::io, "no temporary directory");
  setenv("XDG_CACHE_HOME", (folder + "/cache").c_str(), 1);
  const int status = test::run_cases("filter user first",
                                     {{"a kernel of the user", [&] { run_on(*open_cl("0"), folder); }}});
  fs::remove_all(folder);
  return status;
}

} // namespace
} // namespace vigil::filter

int main() {
  return vigil::filter::run();
}
