// SPDX-License-Identifier: LGPL-2.1-or-later
// How global memory likes to be read and written.
#include "bench.h"

#include "common/error.h"
#include "memory-cl.h"

namespace vigil::tune {

// A tile to local memory and from there, backwards, to the result.
void Bench::local_copies() {
  constexpr int tile = 1024; // numbers of 4 floats
  const std::size_t group = group_size();
  const cl_uint tiles = cl_uint(bytes_ / (16 * tile));
  for (const bool async : {false, true}) {
    ClKernel k = ClProgram(device_, {cl::memory_cl}, text("-D TILE=", tile))
                     .kernel(async ? "by_async_copy" : "by_work_items");
    add(async ? "async_work_group_copy, read and write" : "by the work-items, read and write",
        2 * gigabytes(bytes_, time(
                                  [&] {
                                    k.launch(queue_, {tiles * group, 1}, {group, 1}, in(), out());
                                  },
                                  calls())),
        "GB/s");
  }
}

// Each work-item reads numbers that are far apart, with and without a hint about those to come.
void Bench::prefetches() {
  constexpr int reads = 32;
  const std::size_t apart = bytes_ / 16 / reads;
  for (const int ahead : {0, 1, 4}) {
    ClKernel k = ClProgram(device_, {cl::memory_cl}, text("-D READS=", reads, " -D AHEAD=", ahead))
                     .kernel("far_apart");
    add(ahead ? text(ahead, ahead > 1 ? " reads ahead" : " read ahead") : "none",
        gigabytes(bytes_, time(
                              [&] {
                                k.launch(queue_, {apart, 1}, {group_size(), 1}, in(), out(), cl_uint(apart));
                              },
                              calls())),
        "GB/s");
  }
}

// The same numbers in several orders; i is the work-item. Reading in an order, writing side by side, and the
// other way round.
void Bench::patterns() {
  const std::size_t count = bytes_ / 4 / sizeof(cl_float); // a power of two
  int bits = 0;
  while (std::size_t{1} << bits < count) bits++;
  // Neither blanks nor quotes: drivers read options in their own ways.
  const auto rotated = [&](int by) {
    return text("(((i)<<", by, "|(i)>>", bits - by, ")&", count - 1, "u)");
  };
  const struct {
    const char *name;
    std::string place;
  } orders[] = {{"side by side", "(i)"},
                {"backwards", text("(", count - 1, "u-(i))")},
                {"off by one", text("(((i)+1)&", count - 1, "u)")},
                {"2 apart", rotated(1)},
                {"8 apart", rotated(3)},
                {"32 apart", rotated(5)},
                {"scattered", text("(((i)*2654435761u)&", count - 1, "u)")}};
  for (const auto &o : orders)
    for (const bool read : {true, false}) {
      ClKernel k = ClProgram(device_, {cl::memory_cl}, text("-D PLACE(i)=", o.place))
                       .kernel(read ? "read_there" : "write_there");
      add(text(o.name, read ? ", read" : ", written"),
          2 * gigabytes(count * sizeof(cl_float),
                        time(
                            [&] {
                              k.launch(queue_, {count, 1}, {group_size(), 1}, in(), out());
                            },
                            calls())),
          "GB/s");
    }
}

} // namespace vigil::tune
