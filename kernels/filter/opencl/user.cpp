// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/filter/user.h"

#include "common/file.h"
#include "kernels/filter/user-cl.h"

#include <algorithm>

namespace vigil::filter {
namespace {

// A path as the text of a string constant.
std::string escaped(const std::string &path) {
  std::string r;
  for (const char c : path) {
    if (c == '"' || c == '\\') r += '\\';
    r += c;
  }
  return r;
}

} // namespace

bool has_kernels(const Chain &chain) {
  return std::any_of(chain.begin(), chain.end(), [](const Stage &s) { return s.type->kind == Kind::user; });
}

void load_kernels(Chain &chain) {
  for (Stage &s : chain) {
    if (s.type->kind != Kind::user) continue;
    const auto bytes = read_plain_file(s.file, "the kernel", 0, [](std::span<const std::uint8_t>) {
      return longest_source + 1; // one more is reported below, with the file's name
    });
    if (bytes.size() > longest_source)
      fail(Error::Kind::bad_data, "the kernel ", s.file, " has more than ", longest_source, " bytes");
    s.source.assign(bytes.begin(), bytes.end());
    if (s.source.find('\0') != s.source.npos)
      fail(Error::Kind::bad_data, "the kernel ", s.file, " is no text: it has a byte of value 0");
  }
}

std::array<float, 4> numbers_of(const Stage &s) {
  return {float(s["p0"]), float(s["p1"]), float(s["p2"]), float(s["p3"])};
}

std::string program_of(const Stage &s, PixelFormat format) {
  return text("#define SAMPLES ", is_colour(format) ? 4 : 1, "\n#define DEEP ", int(is_16_bit(format)),
              "\n#define SWAPPED ", int(format == PixelFormat::bgra), "\n#line 1 \"",
              cl::user_prelude_cl.path, "\"\n", cl::user_prelude_cl.text, "\n#line 1 \"", escaped(s.file),
              "\"\n", s.source, "\n#line 1 \"", cl::user_kernel_cl.path, "\"\n", cl::user_kernel_cl.text);
}

ClUserKernel::ClUserKernel(ClDevice &d, const std::string &name, const std::string &program,
                           PixelFormat format, const std::array<float, 4> &numbers, ClRange2 group)
    : device_(d), format_(format), group_(group),
      kernel_(ClProgram(d, name, program, {}).kernel("each_pixel")), numbers_(numbers) {
  if (group_.x == 0) group_ = usual_group;
  if (group_.x * group_.y > kernel_.largest_group()) group_ = {1, 1};
}

void ClUserKernel::warm(Queue &q) {
  const DeviceBuffer none(device_, 4);
  const cl_mem memory = device_.range_of(none.as()).memory;
  const int nothing = 0; // no pixel is inside a picture of no size
  kernel_.launch(static_cast<ClQueue &>(q), group_, group_, memory, nothing, nothing, memory, nothing,
                 nothing, nothing, nothing, cl_float4{});
  q.wait();
}

void ClUserKernel::apply(ConstImage in, Image out, Queue &q) {
  check_pictures(in, out, format_);
  const ClPlane from = device_.view(in).plane[0], to = device_.view(out).plane[0];
  const cl_float4 numbers = {{numbers_[0], numbers_[1], numbers_[2], numbers_[3]}};
  kernel_.launch(static_cast<ClQueue &>(q), {std::size_t(in.width), std::size_t(in.height)}, group_,
                 from.memory, from.offset, from.stride, to.memory, to.offset, to.stride, in.width, in.height,
                 numbers);
}

} // namespace vigil::filter
