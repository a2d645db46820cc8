// SPDX-License-Identifier: LGPL-2.1-or-later
// Which GPUs a fit takes, and which rows each gets. The list of devices is made up: no GPU is needed.
#include "common/error.h"
#include "kernels/fisher/expectation.h"
#include "tests/unit.h"
#include "tools/vigil-train/gpu_rows.h"

#include <algorithm>

using namespace vigil;
using namespace vigil::train;
using test::expect;

namespace {

constexpr std::size_t block = fisher::block_rows, rows_worth_a_gpu = 16 * block;

// A machine with so many devices. It counts those that were opened; `broken` is the number of one that has no
// memory left.
struct Machine {
  int devices = 0, broken = -1, opened = 0;
  OpenDevice opener() {
    return [this](int id) -> std::unique_ptr<Device> {
      expect(id == opened, "devices are opened in order, each once");
      if (id >= devices) fail(Error::Kind::no_device, "there is no device ", id);
      if (id == broken) fail(Error::Kind::no_memory, "device ", id, " is full");
      opened++;
      return open_cpu(1);
    };
  }
};

Error::Kind error_of(Machine &m, std::size_t rows) {
  try {
    gpus_for(rows, m.opener());
  } catch (const Error &e) {
    return e.kind();
  }
  expect(false, "an error");
  return {};
}

void devices() {
  for (int there = 1; there <= 9; there++)
    for (std::size_t worth = 0; worth <= 9; worth++) {
      const auto should = std::clamp<std::size_t>(worth, 1, static_cast<std::size_t>(there));
      for (const std::size_t rows : {worth * rows_worth_a_gpu, worth * rows_worth_a_gpu + 15 * block}) {
        Machine m{there};
        const auto found = gpus_for(rows, m.opener());
        expect(found.size() == should && m.opened == static_cast<int>(should),
               text(rows, " rows on ", there, " devices take ", found.size(), ", not ", should));
        expect(std::all_of(found.begin(), found.end(), [](const auto &d) { return d != nullptr; }),
               "each is a device");
      }
    }
}

void errors() {
  Machine none, full{3, 1}, full_but_unneeded{3, 1};
  expect(error_of(none, 4 * rows_worth_a_gpu) == Error::Kind::no_device, "no device at all");
  expect(error_of(full, 4 * rows_worth_a_gpu) == Error::Kind::no_memory, "a device without memory");
  expect(gpus_for(rows_worth_a_gpu, full_but_unneeded.opener()).size() == 1, "it is not opened");
}

// All rows, each once, in order; whole blocks; no device has more than one block more than another.
void shares() {
  for (const std::size_t rows :
       {std::size_t{1}, block - 1, block, block + 1, 7 * block, 16 * block + 5, 1000 * block - 1})
    for (std::size_t n = 1; n <= 9; n++) {
      std::size_t next = 0, least = rows, most = 0;
      for (std::size_t i = 0; i < n; i++) {
        const RowRange r = rows_of_device(i, n, rows);
        expect(r.first == next && r.first <= r.last, text("rows ", r.first, " of device ", i, " of ", n));
        expect(r.first % block == 0 || r.first == rows, "whole blocks");
        const std::size_t blocks = (r.last - r.first + block - 1) / block;
        least = std::min(least, blocks);
        most = std::max(most, blocks);
        next = r.last;
      }
      expect(next == rows, text(next, " of ", rows, " rows on ", n, " devices"));
      expect(most - least <= 1, text("even shares of ", rows, " rows on ", n, " devices"));
    }
}

} // namespace

int main() {
  const std::vector<vigil::test::Case> cases = {
      {"devices", devices},
      {"errors", errors},
      {"shares", shares},
  };
  return vigil::test::run_cases("tools train devices", cases);
}
