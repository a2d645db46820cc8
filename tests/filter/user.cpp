// SPDX-License-Identifier: LGPL-2.1-or-later
// Trials of kernels of the user's: what is good passes, once; what is bad is refused with the reason, and
// nothing of it reaches this process. Exit status: 0 passed, 1 failed, 77 skipped (no OpenCL device).
#include "kernels/filter/user.h"
#include "tests/unit.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace vigil::filter {
namespace {

using test::expect;
namespace fs = std::filesystem;

Stage stage(const fs::path &folder, const char *file, const std::string &source, const char *numbers = "") {
  const fs::path path = folder / file;
  std::ofstream(path, std::ios::binary) << source;
  Chain chain = parse(text("user kernel='", path.string(), "' ", numbers));
  load_kernels(chain);
  return chain[0];
}

// Why the kernel is refused; empty when it passes.
std::string refusal(ClDevice &d, const Stage &s, PixelFormat format = PixelFormat::rgba) {
  try {
    try_kernel(d, s, format, 320, 240);
    return {};
  } catch (const Error &e) {
    return text(e.kind() == Error::Kind::bad_setting ? "" : "(not as a bad setting) ", e.what());
  }
}

struct Bad {
  const char *file, *source;
  std::initializer_list<const char *> words;
  const char *numbers = "";
};

void test_bad(ClDevice &d, const fs::path &folder) {
  const Bad all[] = {
      {"typo.cl",
       "int4 filter(Picture in, int x, int y, float4 p) {\n  return pixel_at(in, x, y)\n}\n",
       {"does not compile", "typo.cl:2:"}},
      {"other-name.cl",
       "int4 filtre(Picture in, int x, int y, float4 p) { return pixel_at(in, x, y); }\n",
       {"does not compile", "int4 filter(Picture in, int x, int y, float4 p)"}},
      {"other-arguments.cl",
       "int4 filter(Picture in, int x) { return pixel_at(in, x, 0); }\n",
       {"does not compile", "int4 filter(Picture in, int x, int y, float4 p)"}},
      {"empty.cl", "", {"does not compile", "int4 filter(Picture in, int x, int y, float4 p)"}},
      {"for-ever.cl",
       "int4 filter(Picture in, int x, int y, float4 p) {\n"
       "  int n = 0;\n"
       "  while (pixel_at(in, x + n, y).x < 300) n++;\n"
       "  return (int4)(n);\n}\n",
       {"longer than 5 seconds", "for-ever.cl"}},
      // Only frames are as large as this.
      {"for-ever-when-large.cl",
       "int4 filter(Picture in, int x, int y, float4 p) {\n"
       "  int n = 0;\n"
       "  while (in.width > 300 && pixel_at(in, x + n, y).x < 300) n++;\n"
       "  return (int4)(n);\n}\n",
       {"longer than 5 seconds"}},
      {"for-ever-by-a-number.cl",
       "int4 filter(Picture in, int x, int y, float4 p) {\n"
       "  int n = 0;\n"
       "  while (p.s1 > 2 && pixel_at(in, x + n, y).x < 300) n++;\n"
       "  return (int4)(n);\n}\n",
       {"longer than 5 seconds"},
       "p1=3"},
      {"writes-before.cl",
       "int4 filter(Picture in, int x, int y, float4 p) {\n"
       "  if (x == 0 && y == 0) ((__global uchar *)in.data)[-7] ^= 1;\n"
       "  return pixel_at(in, x, y);\n}\n",
       {"writes outside of the picture that it reads", "7 bytes before it"}},
      {"writes-behind.cl",
       "int4 filter(Picture in, int x, int y, float4 p) {\n"
       "  ((__global uchar *)in.data)[y * in.stride + in.width * BYTES + 2] ^= 1;\n"
       "  return pixel_at(in, x, y);\n}\n",
       {"writes outside", "2 bytes behind the end of row"}},
      {"writes-far.cl",
       "int4 filter(Picture in, int x, int y, float4 p) {\n"
       "  ((__global uchar *)in.data)[in.height * in.stride + 1000] ^= 1;\n"
       "  return pixel_at(in, x, y);\n}\n",
       {"writes outside", "bytes behind its last row"}},
      {"writes-nowhere.cl",
       "int4 filter(Picture in, int x, int y, float4 p) {\n"
       "  for (long i = 0; i < 1 << 20; i++) ((__global uchar *)in.data)[i << 30] = 1;\n"
       "  return pixel_at(in, x, y);\n}\n",
       {"broke its trial down", "reading or writing outside of the picture"}},
      {"changes-the-picture.cl",
       "int4 filter(Picture in, int x, int y, float4 p) {\n"
       "  const int4 v = pixel_at(in, x, y);\n"
       "  ((__global uchar *)in.data)[y * in.stride + x * BYTES] = 255 - v.x;\n"
       "  return v;\n}\n",
       {"changes the picture that it reads"}},
      {"reads-outside.cl",
       "int4 filter(Picture in, int x, int y, float4 p) {\n"
       "  return pixel_at(in, x, y) + in.data[(y - 1) * in.stride + x * BYTES];\n}\n",
       {"changes from run to run"}},
      {"by-address.cl",
       "int4 filter(Picture in, int x, int y, float4 p) {\n"
       "  return (int4)((int)((ulong)in.data >> 3) & 255);\n}\n",
       {"changes from run to run"}},
      {"by-group.cl",
       "int4 filter(Picture in, int x, int y, float4 p) { return (int4)(get_local_id(1) * 40); }\n",
       {"changes from run to run", "shape of work-groups"}},
  };
  for (const Bad &b : all) {
    const Stage s = stage(folder, b.file, b.source, b.numbers);
    const std::string why = refusal(d, s);
    expect(!why.empty(), text(b.file, " passes its trial"));
    expect(why.find("(not as") == why.npos, why);
    for (const char *w : b.words)
      expect(why.find(w) != why.npos, text(b.file, ": \"", w, "\" is not in: ", why));
    std::printf("%s\n", why.substr(0, 300).c_str());
  }
}

constexpr const char *good = "int4 filter(Picture in, int x, int y, float4 p) {\n"
                             "  int4 v = pixel_at(in, x, y);\n"
                             "  while (v.x > 100 + p.s0) v--;\n"
                             "  return v + pixel_at(in, x - 1000, y + 1000);\n}\n";

void test_good(ClDevice &d, const fs::path &folder) {
  const char *file = "it's \"good\".cl"; // a name that has to be escaped
  std::ofstream(folder / file) << good;
  Chain chain = parse("user kernel=x");
  chain[0].file = folder / file;
  load_kernels(chain);
  for (const PixelFormat format : {PixelFormat::rgba, PixelFormat::bgra, PixelFormat::gray8})
    expect(refusal(d, chain[0], format).empty(), refusal(d, chain[0], format));
  // Once is enough, until something changes that the trial depends on.
  setenv("VIGIL_CL_TRY", "", 1);
  expect(refusal(d, chain[0]).empty(), "what passed is tried again");
  Stage other = chain[0];
  other.values[0] = 1;
  const std::string why = refusal(d, other);
  expect(why.find("vigil-cl-try is missing") != why.npos, text("other numbers are not tried: ", why));
  setenv("VIGIL_CL_TRY", "/nowhere/vigil-cl-try", 1);
  const std::string no = refusal(d, other);
  expect(no.find("does not start") != no.npos, text("without a trial: ", no));
}

void test_files(const fs::path &folder) {
  const auto refused = [](const fs::path &path, Error::Kind kind, const char *word) {
    try {
      Chain chain = parse(text("user kernel=", path.string()));
      load_kernels(chain);
      expect(false, text(path, " is taken"));
    } catch (const Error &e) {
      expect(e.kind() == kind && std::strstr(e.what(), word) && std::strstr(e.what(), path.c_str()),
             e.what());
    }
  };
  std::ofstream(folder / "binary.cl", std::ios::binary) << std::string("int\0four", 8);
  std::ofstream(folder / "large.cl") << std::string(longest_source + 1, ' ');
  refused(folder / "absent.cl", Error::Kind::io, "absent.cl");
  refused(folder, Error::Kind::io, "kernel");
  refused(folder / "binary.cl", Error::Kind::bad_data, "no text");
  refused(folder / "large.cl", Error::Kind::bad_data, "large.cl");
}

int run() {
  char name[] = "/tmp/vigil-user-XXXXXX";
  if (!mkdtemp(name)) fail(Error::Kind::io, "no temporary directory");
  const fs::path folder = name;
  setenv("XDG_CACHE_HOME", (folder / "cache").c_str(), 1);
  std::vector<test::Case> cases = {{"files", [&] { test_files(folder); }}};
  std::unique_ptr<ClDevice> device;
  try {
    device = open_cl();
    cases.push_back({"bad kernels", [&] { test_bad(*device, folder); }});
    cases.push_back({"good kernels", [&] { test_good(*device, folder); }});
  } catch (const Error &e) {
    std::printf("SKIPPED: %s\n", e.what());
  }
  const int status = test::run_cases("filter user", cases);
  fs::remove_all(folder);
  return status == 0 && !device ? test::skipped : status;
}

} // namespace
} // namespace vigil::filter

int main() {
  return vigil::filter::run();
}
