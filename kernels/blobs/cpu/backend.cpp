// SPDX-License-Identifier: LGPL-2.1-or-later
// Components on the CPU, in bands of rows on all threads:
//   1. each band finds the runs of its rows and unites those that touch; a label is a set of runs
//   2. labels that touch over the border of two bands are united (one thread; it is one row a band)
//   3. each band counts its components by level of area (definitions.h), then gives those that are reported
//   their slots
//   4. each band sums what is asked for over its runs in those components; the bands' sums are added
// A label is a number in the order of first pixels, and the smaller of two becomes the root: the root of a
// component is the label of its first pixel.
#include "common/cpu/device.h"
#include "common/device_cast.h"
#include "kernels/blobs/cpu/runs.h"
#include "kernels/blobs/definitions.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace vigil::blobs {
namespace {

constexpr std::uint32_t no_slot = ~0u;

struct Label {
  std::uint32_t parent; // itself: a root
  std::uint32_t area;   // of a root
  std::uint32_t first;  // pixel, as in Blob
  std::uint32_t slot;   // of its component among the reported ones; until the sums of a root only
};

// What a band knows of a reported component.
struct Part {
  int left, top, right, bottom; // right and bottom are inclusive
  std::uint64_t x, y, xx, xy, yy, colour[3];
};
constexpr Part nothing{32767, 32767, -1, -1, 0, 0, 0, 0, 0, {}};

// Runs of one component in one row.
struct Stretch {
  std::uint32_t slot = no_slot;
  int left = 0, right = 0; // inclusive
  std::uint64_t n = 0, x = 0, xx = 0;
};

struct Band {
  int first_row, end_row;
  std::uint32_t first_label = 0, end_label = 0;
  std::uint64_t foreground = 0, between = 0;
  std::uint32_t components = 0;
  std::array<std::uint32_t, levels> count{}; // of components whose root is here, by level
  std::uint32_t first_slot = 0;
};

// 0 + 1 + .. + (n-1), and of the squares.
constexpr std::uint64_t sum_to(std::uint64_t n) {
  return n * (n - 1) / 2;
}
constexpr std::uint64_t squares_to(std::uint64_t n) {
  return n == 0 ? 0 : (n - 1) * n * (2 * n - 1) / 6;
}

class CpuFinder final : public Finder {
 public:
  CpuFinder(CpuDevice &device, const Config &config) : device_(device), config_(config) {
    check_config(config);
    const std::size_t most = std::size_t(config.height) * std::size_t(most_runs(config.width));
    runs_ = DeviceBuffer(device, most * sizeof(Run));
    labels_ = DeviceBuffer(device, most * sizeof(Label));
    run_count_.resize(std::size_t(config.height));
    const int bands = std::min(device.threads(), (config.height + 15) / 16);
    parts_ = DeviceBuffer(device, std::size_t(bands) * std::size_t(config.most) * sizeof(Part));
    for (int i = 0; i < bands; i++)
      bands_.push_back({.first_row = row_of(i, bands), .end_row = row_of(i + 1, bands)});
  }

  void apply(Plane<const std::uint8_t> mask, const Params &params, const Extras &extras, Results &results,
             Queue &) override {
    check_call(config_, mask, extras, results);
    reach_ = params.neighbours == Neighbours::eight ? 1 : 0;
    min_area_ = std::max(params.min_area, 1u);
    each_band([&](Band &b) { unite_runs(mask, b); });
    for (std::size_t i = 1; i < bands_.size(); i++) unite_rows(bands_[i].first_row);
    each_band([&](Band &b) { count(b); });
    choose(results);
    each_band([&](Band &b) { give_slots(b, results); });
    if (extras.map.cells) std::fill_n(extras.map.cells, extras.map.columns * extras.map.rows, 0);
    if (results.head().blobs > 0) sum(extras, results);
    if (const CellMap &m = extras.map; m.cells && m.host) std::copy_n(m.cells, m.columns * m.rows, m.host);
    if (extras.labels.data) each_band([&](Band &b) { draw_labels(b, extras.labels); });
  }

 private:
  int row_of(int band, int bands) const { return int(std::int64_t{config_.height} * band / bands); }
  template <class Work>
  void each_band(Work work) {
    device_.parallel(int(bands_.size()), 1, [&](int first, int last) {
      for (int i = first; i < last; i++) work(bands_[std::size_t(i)]);
    });
  }
  Label *labels() const { return labels_.as<Label>(); }
  Run *memory_of(int row) const { return runs_.as<Run>() + std::ptrdiff_t{row} * most_runs(config_.width); }
  std::span<Run> row(int y) const { return {memory_of(y), run_count_[std::size_t(y)]}; }
  Part *parts_of(const Band &b) const {
    return parts_.as<Part>() + std::ptrdiff_t(&b - bands_.data()) * config_.most;
  }

  std::uint32_t root_of(std::uint32_t label) const {
    const Label *const l = labels();
    while (l[label].parent != label) label = l[label].parent;
    return label;
  }
  // The same while labels are united: it shortens the way for the next one.
  std::uint32_t find(std::uint32_t label) {
    Label *const l = labels();
    while (l[label].parent != label) label = l[label].parent = l[l[label].parent].parent;
    return label;
  }
  // Unites two components and gives the root; areas move there.
  std::uint32_t unite(std::uint32_t a, std::uint32_t b) {
    Label *const l = labels();
    a = find(a);
    b = find(b);
    if (a == b) return a;
    if (b < a) std::swap(a, b);
    l[b].parent = a;
    l[a].area += l[b].area;
    return a;
  }
  // Calls found(run above, run) for each pair of runs of rows y-1 and y that touch, from left to right.
  template <class Found>
  void touching(int y, Found found) const {
    const std::span<Run> above = row(y - 1);
    std::size_t i = 0;
    for (Run &r : row(y)) {
      while (i < above.size() && above[i].end + reach_ <= r.first) i++;
      for (; i < above.size() && above[i].first < r.end + reach_; i++) {
        found(above[i], r);
        if (above[i].end + reach_ > r.end) break; // it may touch the next run as well
      }
    }
  }

  void unite_runs(Plane<const std::uint8_t> mask, Band &b) {
    Label *const l = labels();
    std::uint32_t next = std::uint32_t(b.first_row) * std::uint32_t(most_runs(config_.width));
    b.first_label = next;
    b.foreground = b.between = 0;
    for (int y = b.first_row; y < b.end_row; y++) {
      Run *const begin = memory_of(y);
      run_count_[std::size_t(y)] =
          std::size_t(find_runs(mask.row(y), config_.width, begin, b.between) - begin);
      if (y > b.first_row)
        touching(y, [&](const Run &above, Run &r) {
          if (above.label == r.label) return; // as most second neighbours
          const std::uint32_t up = find(above.label);
          r.label = r.label == no_label || r.label == up ? up : unite(up, r.label);
        });
      std::uint32_t label = no_label, pixels = 0; // of the runs in a row that have the same label
      for (Run &r : row(y)) {
        if (r.label == no_label) {
          l[next] = {next, 0, std::uint32_t(y) * std::uint32_t(config_.width) + r.first, no_slot};
          r.label = next++;
        }
        if (r.label != label) {
          if (label != no_label) l[find(label)].area += pixels;
          label = r.label;
          pixels = 0;
        }
        pixels += std::uint32_t(r.end - r.first);
        b.foreground += std::uint32_t(r.end - r.first);
      }
      if (label != no_label) l[find(label)].area += pixels;
    }
    b.end_label = next;
    for (std::uint32_t i = b.first_label; i < next; i++)
      l[i].parent = l[l[i].parent].parent; // parents are smaller
  }

  void unite_rows(int y) {
    touching(y, [&](const Run &above, const Run &r) { unite(above.label, r.label); });
  }

  void count(Band &b) {
    const Label *const l = labels();
    b.components = 0;
    b.count.fill(0);
    for (std::uint32_t i = b.first_label; i < b.end_label; i++) {
      if (l[i].parent != i) continue;
      b.components++;
      if (const int level = level_of(l[i].area, min_area_); level >= 0) b.count[std::size_t(level)]++;
    }
  }

  // Which areas are reported, and where each band's components go.
  void choose(Results &results) {
    Results::Head &head = results.head();
    head = {};
    std::array<std::uint32_t, levels> all{};
    for (const Band &b : bands_) {
      head.foreground += b.foreground;
      head.between += b.between;
      head.components += b.components;
      for (std::size_t i = 0; i < all.size(); i++) all[i] += b.count[i];
    }
    const int doubled = doublings(all.data(), std::uint32_t(config_.most));
    min_area_ <<= doubled;
    head.min_area = min_area_;
    for (Band &b : bands_) {
      b.first_slot = head.blobs;
      for (std::size_t i = std::size_t(doubled); i < b.count.size(); i++) head.blobs += b.count[i];
    }
  }

  void give_slots(Band &b, Results &results) {
    Label *const l = labels();
    std::uint32_t next = b.first_slot;
    for (std::uint32_t i = b.first_label; i < b.end_label; i++) {
      if (l[i].parent != i || l[i].area < min_area_) continue;
      Blob &blob = results.memory()[next];
      blob = {};
      blob.area = l[i].area;
      blob.first = l[i].first;
      l[i].slot = next++;
    }
  }

  void sum(const Extras &extras, Results &results) {
    const std::uint32_t n = results.head().blobs;
    each_band([&](Band &b) { sum_band(extras, b, n); });
    for (std::uint32_t i = 0; i < n; i++) {
      Blob &blob = results.memory()[i];
      Part all = nothing;
      for (const Band &b : bands_) {
        const Part &p = parts_of(b)[i];
        all.left = std::min(all.left, p.left);
        all.top = std::min(all.top, p.top);
        all.right = std::max(all.right, p.right);
        all.bottom = std::max(all.bottom, p.bottom);
        blob.sum_x += p.x;
        blob.sum_y += p.y;
        blob.sum_xx += p.xx;
        blob.sum_xy += p.xy;
        blob.sum_yy += p.yy;
        for (int c = 0; c < 3; c++) blob.sum_colour[c] += p.colour[c];
      }
      blob.x = all.left;
      blob.y = all.top;
      blob.width = all.right - all.left + 1;
      blob.height = all.bottom - all.top + 1;
    }
  }

  // Neighbouring runs of a row are mostly of one component: they are added up before what the row is
  // multiplied by.
  void sum_band(const Extras &extras, Band &b, std::uint32_t slots) {
    Part *const parts = parts_of(b);
    std::fill_n(parts, slots, nothing);
    Label *const l = labels();
    for (std::uint32_t i = b.first_label; i < b.end_label; i++)
      if (l[i].parent != i) l[i].slot = l[root_of(i)].slot;
    for (int y = b.first_row; y < b.end_row; y++) {
      Stretch s;
      int marked = 0; // columns of the map that are marked so far
      for (const Run &r : row(y)) {
        const std::uint32_t slot = l[r.label].slot;
        if (slot == no_slot) continue;
        if (slot != s.slot) {
          if (s.slot != no_slot) add(parts[s.slot], s, y);
          s = {.slot = slot, .left = r.first};
        }
        s.right = r.end - 1;
        s.n += std::uint64_t(r.end - r.first);
        s.x += sum_to(r.end) - sum_to(r.first);
        s.xx += squares_to(r.end) - squares_to(r.first);
        if (extras.map.cells && r.end > marked) marked = mark(extras.map, r, y);
        if (extras.picture.data[0])
          for (int x = r.first; x < r.end; x++) {
            const Colour colour = colour_at(extras.picture, x, y);
            for (int c = 0; c < 3; c++) parts[slot].colour[c] += colour.c[c];
          }
      }
      if (s.slot != no_slot) add(parts[s.slot], s, y);
    }
  }
  // Where the last of the run's cells ends.
  static int mark(const CellMap &map, const Run &r, int y) {
    std::uint8_t *const cells = map.cells + y / map.size * map.columns;
    const int last = (r.end - 1) / map.size;
    for (int i = r.first / map.size; i <= last; i++) // bands may share a row of cells
      std::atomic_ref(cells[i]).store(1, std::memory_order_relaxed);
    return (last + 1) * map.size;
  }
  static void add(Part &p, const Stretch &s, int row) {
    const auto y = std::uint64_t(row);
    p.left = std::min(p.left, s.left);
    p.top = std::min(p.top, row);
    p.right = std::max(p.right, s.right);
    p.bottom = row;
    p.x += s.x;
    p.y += s.n * y;
    p.xx += s.xx;
    p.xy += s.x * y;
    p.yy += s.n * y * y;
  }

  void draw_labels(const Band &b, Plane<std::int32_t> out) const {
    for (int y = b.first_row; y < b.end_row; y++) {
      std::int32_t *const to = out.row(y);
      int x = 0;
      std::uint32_t label = no_label; // of the run before
      std::int32_t value = 0;
      for (const Run &r : row(y)) {
        if (r.label != label) value = std::int32_t(labels()[root_of(label = r.label)].first) + 1;
        for (; x < r.first; x++) to[x] = 0;
        for (; x < r.end; x++) to[x] = value;
      }
      std::fill(to + x, to + config_.width, 0);
    }
  }

  CpuDevice &device_;
  Config config_;
  DeviceBuffer runs_, labels_, parts_; // parts_: `most` for each band
  std::vector<std::size_t> run_count_; // of each row
  std::vector<Band> bands_;
  int reach_ = 1;
  std::uint32_t min_area_ = 1;
};

} // namespace

std::unique_ptr<Finder> make_cpu(Device &device, const Config &config) {
  return std::make_unique<CpuFinder>(device_cast<CpuDevice>(device), config);
}

} // namespace vigil::blobs
