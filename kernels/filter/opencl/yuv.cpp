// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/filter/opencl/yuv.h"

#include "common/error.h"
#include "kernels/filter/yuv-cl.h"

#include <string>

namespace vigil::filter {
namespace {

constexpr ClRange2 usual_group{32, 4};

ClRange2 group_of(const ClKernel &k) {
  return usual_group.x * usual_group.y <= k.largest_group() ? usual_group : ClRange2{1, 1};
}

std::string options_for(const YuvFactors &f) {
  return text("-D FROM_BITS=", from_yuv_bits, " -D TO_BITS=", to_yuv_bits, " -D BLACK=", f.black,
              " -D Y=", f.y, " -D RV=", f.rv, " -D GU=", f.gu, " -D GV=", f.gv, " -D BU=", f.bu,
              " -D YR=", f.yr, " -D YG=", f.yg, " -D YB=", f.yb, " -D UR=", f.ur, " -D UG=", f.ug,
              " -D UB=", f.ub, " -D VR=", f.vr, " -D VG=", f.vg, " -D VB=", f.vb);
}

} // namespace

ClYuv::ClYuv(ClDevice &d, const Coding &coding)
    : device_(d), program_(d, {cl::yuv_cl}, options_for(factors_of(coding))),
      open_(program_.kernel("open_p010")), close_(program_.kernel("close_p010")) {}

void ClYuv::open(ConstImage p010, Image rgba64, Queue &queue) {
  const ClPlane luma = device_.view(p010).plane[0], chroma = device_.view(p010).plane[1],
                to = device_.view(rgba64).plane[0];
  open_.launch(static_cast<ClQueue &>(queue), {std::size_t(p010.width), std::size_t(p010.height)},
               group_of(open_), luma.memory, luma.offset, luma.stride, chroma.memory, chroma.offset,
               chroma.stride, to.memory, to.offset, to.stride, p010.width, p010.height);
}

void ClYuv::close(ConstImage rgba64, Image p010, Queue &queue) {
  const ClPlane from = device_.view(rgba64).plane[0], luma = device_.view(p010).plane[0],
                chroma = device_.view(p010).plane[1];
  close_.launch(static_cast<ClQueue &>(queue),
                {std::size_t(p010.width + 1) / 2, std::size_t(p010.height + 1) / 2}, group_of(close_),
                from.memory, from.offset, from.stride, luma.memory, luma.offset, luma.stride, chroma.memory,
                chroma.offset, chroma.stride, p010.width, p010.height);
}

} // namespace vigil::filter
