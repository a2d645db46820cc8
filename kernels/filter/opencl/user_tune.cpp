// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/tuning/trial.h"
#include "kernels/filter/tune.h"
#include "kernels/filter/user.h"

namespace vigil::filter {
namespace {

// The usual one is the default. Shapes for those who read along a row, in squares, and far down.
constexpr ClRange2 groups[] = {usual_group, {16, 16}, {64, 4}, {128, 1}, {8, 8}, {16, 4}};

} // namespace

TunedUser tune_user(ClDevice &d, const Stage &s, PixelFormat format, int width, int height, tuning::Mode mode,
                    const tuning::Limits &limits) {
  const std::string program = program_of(s, format);
  const auto kernel = [&d, &s, &program, format](ClRange2 group) {
    return std::make_shared<ClUserKernel>(d, s.file, program, format, numbers_of(s), group);
  };
  std::vector<tuning::Variant> variants;
  for (const ClRange2 &group : groups)
    variants.push_back({text(group.x, "x", group.y), [kernel, group](int, int) -> tuning::Apply {
                          return [k = kernel(group)](const ConstImage &in, const Image &out, Queue &q) {
                            k->apply(in, out, q);
                          };
                        }});
  tuning::Trial trial;
  trial.format = format;
  trial.width = trial_width, trial.height = trial_height;
  trial.large_width = width, trial.large_height = height;
  trial.reference = [&](const ConstImage &in, const Image &out, Queue &q) {
    const std::size_t bytes = std::size_t(in.stride[0]) * std::size_t(in.height);
    const DeviceBuffer from(d, bytes), to(d, bytes);
    d.upload(from.as(), in.data[0], bytes, q);
    kernel(usual_group)
        ->apply({format, in.width, in.height, {from.as<std::uint8_t>()}, {in.stride[0]}},
                {format, in.width, in.height, {to.as<std::uint8_t>()}, {in.stride[0]}}, q);
    d.download(out.data[0], to.as(), bytes, q);
    q.wait();
  };
  const tuning::Key key = tuning::key_for(d, "user", program, "", text(width, "x", height));
  tuning::Result r = tuning::choose(d, key, trial, variants, mode, limits);
  return {groups[r.choice], std::move(r)};
}

} // namespace vigil::filter
