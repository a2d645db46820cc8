// SPDX-License-Identifier: LGPL-2.1-or-later
// Gives a target its seeds and random changes of them: what libFuzzer does, without its eyes, in every build.
#include "tests/fuzz/fuzz.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <random>
#include <string>

namespace {

using namespace vigil::fuzz;

constexpr const char *usage = "replay [CHANGES [SEED]]       that many changed files; 20000, 1\n"
                              "replay --write-seeds FOLDER   writes the seeds, for libFuzzer\n";

using Random = std::mt19937_64;

// One small change, as files are damaged or forged: a bit, a byte, a word with a value on some edge, a piece
// cut out, doubled or of another file.
void change(Bytes &b, const std::vector<Bytes> &files, Random &random) {
  const auto below = [&](std::size_t n) {
    return static_cast<std::size_t>(random() % std::max<std::size_t>(n, 1));
  };
  const std::size_t at = below(b.size()), length = 1 + below(std::min<std::size_t>(b.size() - at, 16));
  const auto from = b.begin() + static_cast<std::ptrdiff_t>(at),
             to = from + static_cast<std::ptrdiff_t>(length);
  constexpr std::uint32_t edges[] = {0,          1,          0x7f,       0x80,       0xff,
                                     0xffff,     0x10000,    0x7fffffff, 0x80000000, 0xffffffff,
                                     0x7f800000, 0x7fc00000, 0xbf800000};
  switch (b.empty() ? 5 : below(6)) {
  case 0:
    b[at] ^= static_cast<std::uint8_t>(1u << below(8));
    break;
  case 1:
    b[at] = static_cast<std::uint8_t>(random());
    break;
  case 2: {
    const std::uint32_t v = edges[below(std::size(edges))];
    std::memcpy(&b[at], &v, std::min<std::size_t>(4, b.size() - at));
    break;
  }
  case 3:
    b.erase(from, below(4) ? to : b.end());
    break;
  case 4: {
    const Bytes piece(from, to);
    b.insert(from, piece.begin(), piece.end());
    break;
  }
  default: {
    const Bytes &other = files[below(files.size())];
    const auto cut = static_cast<std::ptrdiff_t>(below(other.size()));
    b.resize(std::min(b.size(), static_cast<std::size_t>(cut)));
    b.insert(b.end(), other.begin() + cut, other.end());
  }
  }
}

int replay(int changes, unsigned long seed) {
  const std::vector<Bytes> files = seeds();
  for (std::size_t i = 0; i < files.size(); i++)
    if (!read(files[i])) {
      std::fprintf(stderr, "seed %zu is refused\n", i);
      return 1;
    }
  Random random(seed);
  int taken = 0;
  for (int i = 0; i < changes; i++) {
    Bytes b = files[random() % files.size()];
    for (std::uint64_t n = 1 + random() % 4; n > 0; n--) change(b, files, random);
    taken += read(b);
  }
  std::printf("%zu seeds and %d changes of them: %d taken, %d refused\n", files.size(), changes, taken,
              changes - taken);
  return 0;
}

int write_seeds(const std::string &folder) {
  int i = 0;
  for (const Bytes &b : seeds()) {
    std::ofstream f(folder + "/seed-" + std::to_string(i++), std::ios::binary);
    f.write(reinterpret_cast<const char *>(b.data()), static_cast<std::streamsize>(b.size()));
    if (!f) {
      std::fprintf(stderr, "cannot write to %s\n", folder.c_str());
      return 2;
    }
  }
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  try {
    if (argc == 3 && !std::strcmp(argv[1], "--write-seeds")) return write_seeds(argv[2]);
    if (argc > 3 || (argc > 1 && argv[1][0] == '-')) {
      std::fputs(usage, stderr);
      return 2;
    }
    return replay(argc > 1 ? std::stoi(argv[1]) : 20000, argc > 2 ? std::stoul(argv[2]) : 1);
  } catch (const std::exception &e) {
    std::fprintf(stderr, "a reader let an exception out: %s\n", e.what());
    return 1;
  }
}
