// SPDX-License-Identifier: LGPL-2.1-or-later
#include "silhouettes.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vigil::monitor {
namespace {

constexpr int most_rows = 270; // of cells
constexpr double never = -1;
constexpr double longest_gap = 2; // seconds between two frames, after which nothing is held

std::size_t at(int column, int row, int columns) {
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column);
}

int whole_cells(double pixels, int size) {
  return static_cast<int>(std::ceil(pixels / size));
}

} // namespace

Silhouettes::Silhouettes() : Silhouettes(Growth{}) {}

Silhouettes::Silhouettes(const Growth &growth) : growth_(growth) {}

void Silhouettes::forget() {
  known_since_ = -1;
  covered_.assign(covered_.size(), never);
}

void Silhouettes::set_size(int width, int height) {
  width_ = width;
  height_ = height;
  size_ = (height + most_rows - 1) / most_rows;
  columns_ = (width + size_ - 1) / size_;
  rows_ = (height + size_ - 1) / size_;
  const std::size_t cells = static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_);
  mask_.assign(cells, 0);
  spread_.assign(cells, 0);
  covered_.assign(cells, never);
  known_since_ = -1;
}

bool Silhouettes::knows(const Frame &f) {
  const bool follows = f.seconds >= last_ && f.seconds <= last_ + longest_gap;
  last_ = f.seconds;
  if (!f.says_anything) {
    forget();
    return false;
  }
  if (!follows) covered_.assign(covered_.size(), never);
  if (known_since_ < 0 || known_since_ > f.seconds) {
    forget();
    known_since_ = f.seconds;
  }
  return f.seconds - known_since_ >= growth_.learning;
}

void Silhouettes::sample(const Frame &f) {
  std::fill(mask_.begin(), mask_.end(), std::uint8_t{0});
  for (int y = 0; y < height_; y++) {
    const std::uint8_t *from = f.mask + y * f.stride;
    std::uint8_t *to = mask_.data() + at(0, y / size_, columns_);
    for (int x = 0; x < width_; x++)
      if (from[x]) to[x / size_] = 1;
  }
}

// Cells at most `by` rows and columns from one of the mask in this part.
void Silhouettes::spread(int left, int top, int right, int bottom, int by) {
  left = std::max(left, 0);
  top = std::max(top, 0);
  right = std::min(right, columns_);
  bottom = std::min(bottom, rows_);
  if (left >= right || top >= bottom) return;
  const int from = std::max(0, left - by), to = std::min(columns_, right + by);
  for (int row = top; row < bottom; row++) {
    std::uint8_t *out = spread_.data() + at(0, row, columns_);
    const std::uint8_t *in = mask_.data() + at(0, row, columns_);
    std::fill(out + from, out + to, std::uint8_t{0});
    int filled = from; // up to here `out` is right
    for (int column = left; column < right; column++) {
      if (!in[column]) continue;
      const int end = std::min(to, column + by + 1);
      for (int x = std::max(filled, column - by); x < end; x++) out[x] = 1;
      filled = std::max(filled, end);
    }
  }
  for (int column = from; column < to; column++) {
    int filled = std::max(0, top - by);
    for (int row = top; row < bottom; row++) {
      if (!spread_[at(column, row, columns_)]) continue;
      const int end = std::min(rows_, row + by + 1);
      for (int y = std::max(filled, row - by); y < end; y++) covered_[at(column, y, columns_)] = until_;
      filled = std::max(filled, end);
    }
  }
}

void Silhouettes::fill(const Box &b, int by) {
  const int left = std::max(0, b.x / size_ - by),
            right = std::min(columns_, (b.x + b.width - 1) / size_ + by + 1),
            top = std::max(0, b.y / size_ - by),
            bottom = std::min(rows_, (b.y + b.height - 1) / size_ + by + 1);
  for (int row = top; row < bottom; row++)
    for (int column = left; column < right; column++) covered_[at(column, row, columns_)] = until_;
}

SharedSilhouettes Silhouettes::find(const Frame &f, std::span<const Box> boxes) {
  if (!f.mask || f.width <= 0 || f.height <= 0) {
    forget();
    return nullptr;
  }
  if (f.width != width_ || f.height != height_) set_size(f.width, f.height);
  if (!knows(f)) return nullptr;
  sample(f);
  until_ = f.seconds + growth_.hold;
  spread(0, 0, columns_, rows_, whole_cells(growth_.least * height_, size_));
  for (const Box &b : boxes) {
    if (b.width <= 0 || b.height <= 0 || b.x > width_ || b.y > height_ || b.x < 0 || b.y < 0 ||
        b.width > width_ || b.height > height_)
      continue;
    const double side = std::min(b.width, b.height);
    spread(b.x / size_, b.y / size_, (b.x + b.width - 1) / size_ + 1, (b.y + b.height - 1) / size_ + 1,
           whole_cells(growth_.of_box * side, size_));
    if (!b.seen) fill(b, whole_cells(growth_.of_unseen * side, size_));
  }
  auto found = std::make_shared<SilhouetteCells>();
  found->width = width_;
  found->height = height_;
  found->size = size_;
  found->cells.resize(covered_.size());
  std::transform(covered_.begin(), covered_.end(), found->cells.begin(),
                 [now = f.seconds](double until) { return std::uint8_t{until >= now}; });
  return found;
}

} // namespace vigil::monitor
