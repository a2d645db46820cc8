// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/filter/chain.h"

#include "kernels/filter/deblock.h"
#include "kernels/filter/temporal.h"
#include "kernels/filter/tone.h"
#include "kernels/filter/user.h"

#include <algorithm>

namespace vigil::filter {

std::vector<Chain> parts_of(const Chain &chain) {
  const auto joins = [](const Stage &s) { return fuses(s.type->kind); };
  std::vector<Chain> parts;
  for (const Stage &s : chain) {
    if (parts.empty() || !joins(s) || !joins(parts.back().back())) parts.emplace_back();
    parts.back().push_back(s);
  }
  if (parts.empty()) parts.emplace_back();
  return parts;
}

// One part. What it was made for may change without a new one as long as fits() says so.
class ClChain::Part {
 public:
  virtual ~Part() = default;
  virtual bool fits(const Chain &) const = 0;
  virtual void set(const Chain &) = 0; // one that fits
  virtual void apply(ConstImage in, Image out, Queue &) = 0;
  virtual void forget() {}
  virtual std::size_t passes() const { return 1; }
  virtual std::string variant() const = 0;
};

namespace {

// Of a part: temporal, deblock, tone or user; table stands for all that fuse.
Kind kind_of(const Chain &part) {
  return part.empty() || fuses(part[0].type->kind) ? Kind::table : part[0].type->kind;
}

class Fused final : public ClChain::Part {
 public:
  Fused(ClDevice &d, const Chain &chain, PixelFormat format, const Shape &shape, bool stored_costs)
      : filter_(d, chain, format, ClOptions{.shape = shape, .stored_costs = stored_costs}) {}
  bool fits(const Chain &chain) const override {
    return kind_of(chain) == Kind::table && filter_.has_structure_of(chain);
  }
  void set(const Chain &chain) override { filter_.set_chain(chain); }
  void apply(ConstImage in, Image out, Queue &q) override { filter_.apply(in, out, q); }
  std::size_t passes() const override { return filter_.passes(); }
  std::string variant() const override { return filter_.shape().name(); }

 private:
  ClFilter filter_;
};

class Users final : public ClChain::Part {
 public:
  Users(ClDevice &d, const Stage &s, PixelFormat format, ClRange2 group)
      : program_(program_of(s, format)), kernel_(d, s.file, program_, format, numbers_of(s), group),
        name_(text("user ", group.x, "x", group.y)), format_(format) {}
  bool fits(const Chain &chain) const override {
    return kind_of(chain) == Kind::user && program_of(chain[0], format_) == program_;
  }
  void set(const Chain &chain) override { kernel_.set_numbers(numbers_of(chain[0])); }
  void apply(ConstImage in, Image out, Queue &q) override { kernel_.apply(in, out, q); }
  std::string variant() const override { return name_; }

 private:
  std::string program_;
  ClUserKernel kernel_;
  std::string name_;
  PixelFormat format_;
};

class OverTime final : public ClChain::Part {
 public:
  OverTime(ClDevice &d, const Stage &s, PixelFormat format)
      : filter_(d, temporal_of(s, full_scale(format)), format), format_(format) {}
  bool fits(const Chain &chain) const override { return kind_of(chain) == Kind::temporal; }
  void set(const Chain &chain) override { filter_.set(temporal_of(chain[0], full_scale(format_))); }
  void apply(ConstImage in, Image out, Queue &q) override { filter_.apply(in, out, q); }
  void forget() override { filter_.forget(); }
  std::string variant() const override { return "temporal"; }

 private:
  ClTemporal filter_;
  PixelFormat format_;
};

class Deblocks final : public ClChain::Part {
 public:
  Deblocks(ClDevice &d, const Stage &s, PixelFormat format)
      : filter_(d, blocks_of(s, full_scale(format)), format), format_(format) {}
  bool fits(const Chain &chain) const override { return kind_of(chain) == Kind::deblock; }
  void set(const Chain &chain) override { filter_.set(blocks_of(chain[0], full_scale(format_))); }
  void apply(ConstImage in, Image out, Queue &q) override { filter_.apply(in, out, q); }
  std::string variant() const override { return "deblock"; }

 private:
  ClDeblock filter_;
  PixelFormat format_;
};

class Tones final : public ClChain::Part {
 public:
  Tones(ClDevice &d, const Stage &s, PixelFormat format)
      : filter_(d, tone_of(s, full_scale(format)), format), format_(format), values_(s.values) {}
  bool fits(const Chain &chain) const override { return kind_of(chain) == Kind::tone; }
  void set(const Chain &chain) override {
    if (chain[0].values == values_) return; // its tables are large
    filter_.set(tone_of(chain[0], full_scale(format_)));
    values_ = chain[0].values;
  }
  void apply(ConstImage in, Image out, Queue &q) override { filter_.apply(in, out, q); }
  std::size_t passes() const override { return 2; }
  std::string variant() const override { return "tone"; }

 private:
  ClTone filter_;
  PixelFormat format_;
  std::vector<double> values_;
};

// What several searches were, as one.
void add(tuning::Result &all, const tuning::Result &one) {
  all.searched = all.searched || one.searched;
  all.stored = all.stored || one.stored;
  all.seconds += one.seconds;
}

} // namespace

ClChain::ClChain(ClDevice &d, const Chain &chain, PixelFormat format, tuning::Mode mode, int width,
                 int height, const Coding &coding)
    : device_(d), format_(format), worked_(worked_on(format)), shape_(default_shape(d)),
      stored_costs_(mode != tuning::Mode::off) {
  check_format(chain, worked_);
  if (worked_ != format) ends_.emplace(d, coding);
  for (const Chain &part : parts_of(chain)) {
    Shape shape = shape_;
    ClRange2 group = usual_group;
    if (kind_of(part) == Kind::user && width > 0 && height > 0) {
      const TunedUser tuned = tune_user(d, part[0], worked_, width, height, mode);
      group = tuned.group;
      add(tuning_, tuned.result);
    }
    if (kind_of(part) == Kind::table) {
      const Tuned tuned = tune(d, part, worked_, mode);
      shape = tuned.shape;
      add(tuning_, tuned.result);
    }
    parts_.push_back(make(part, shape, group));
    if (parts_.size() == 1) shape_ = shape;
  }
}
ClChain::~ClChain() = default;

std::unique_ptr<ClChain::Part> ClChain::make(const Chain &chain, const Shape &shape, ClRange2 group) const {
  if (kind_of(chain) == Kind::user) return std::make_unique<Users>(device_, chain[0], worked_, group);
  if (kind_of(chain) == Kind::deblock) return std::make_unique<Deblocks>(device_, chain[0], worked_);
  if (kind_of(chain) == Kind::tone) return std::make_unique<Tones>(device_, chain[0], worked_);
  if (kind_of(chain) == Kind::temporal) return std::make_unique<OverTime>(device_, chain[0], worked_);
  return std::make_unique<Fused>(device_, chain, worked_, shape, stored_costs_);
}

bool ClChain::set_chain(const Chain &chain) {
  check_format(chain, worked_);
  const std::vector<Chain> wanted = parts_of(chain);
  // First all that may fail.
  std::vector<std::unique_ptr<Part>> made(wanted.size());
  bool built = false;
  for (std::size_t i = 0; i < wanted.size(); i++) {
    if (i < parts_.size() && parts_[i]->fits(wanted[i])) continue;
    made[i] = make(wanted[i], shape_, usual_group);
    built = true;
  }
  for (std::size_t i = 0; i < wanted.size(); i++) {
    if (made[i]) continue;
    parts_[i]->set(wanted[i]);
    made[i] = std::move(parts_[i]);
  }
  parts_ = std::move(made);
  return built;
}

void ClChain::apply(ConstImage in, Image out, Queue &queue) {
  check_pictures(in, out, format_);
  const std::ptrdiff_t stride = packed_stride(worked_, in.width);
  const std::size_t bytes = std::size_t(stride) * std::size_t(in.height);
  const std::size_t pictures = parts_.size() - 1 + (ends_ ? 2 : 0); // between the kernels
  for (std::size_t i = 0; i < std::min<std::size_t>(2, pictures); i++)
    if (between_[i].bytes() < bytes) between_[i] = DeviceBuffer(device_, bytes);
  const auto between = [&](std::size_t i) {
    return Image{worked_, in.width, in.height, {between_[i % 2].as<std::uint8_t>()}, {stride}};
  };
  ConstImage from = in;
  if (ends_) {
    ends_->open(in, between(1), queue);
    from = between(1);
  }
  for (std::size_t i = 0; i < parts_.size(); i++) {
    const Image to = ends_ || i + 1 < parts_.size() ? between(i) : out;
    parts_[i]->apply(from, to, queue);
    from = to;
  }
  if (ends_) ends_->close(from, out, queue);
}

void ClChain::forget() {
  for (const auto &p : parts_) p->forget();
}

std::size_t ClChain::passes() const {
  std::size_t n = ends_ ? 2 : 0;
  for (const auto &p : parts_) n += p->passes();
  return n;
}

std::string ClChain::variant() const {
  std::string all;
  for (const auto &p : parts_) all += text(all.empty() ? "" : "; ", p->variant());
  return all;
}

} // namespace vigil::filter
