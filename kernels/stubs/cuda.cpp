// SPDX-License-Identifier: LGPL-2.1-or-later
// Takes the place of the CUDA backends of all kernels in builds without nvcc: a request for one reports
// so.
#include "common/error.h"
#include "kernels/bilateral/bilateral.h"
#include "kernels/blobs/blobs.h"
#include "kernels/cleanup/cleanup.h"
#include "kernels/colinearseg/segmenter.h"
#include "kernels/compose/compose.h"
#include "kernels/convert/high_bytes.h"
#include "kernels/convert/rgba.h"
#include "kernels/exposure/exposure.h"
#include "kernels/fisher/expectation.h"
#include "kernels/fisher/fisher.h"
#include "kernels/fisher/motion.h"
#include "kernels/ghost/contour_features.h"
#include "kernels/mog/mog.h"
#include "kernels/registration/border.h"
#include "kernels/registration/registration.h"
#include "kernels/tamper/spots.h"

namespace vigil {
namespace {

// Whatever it was to be, it cannot be made.
[[noreturn]] void absent() {
  fail(Error::Kind::no_device,
       "this build has no CUDA backends; build with nvcc 12 or newer, or use the CPU, OpenCL or OpenGL");
}

} // namespace

std::unique_ptr<bilateral::Filter> bilateral::make_cuda(Device &, const Config &) {
  absent();
}
std::unique_ptr<blobs::Finder> blobs::make_cuda(Device &, const Config &) {
  absent();
}
std::unique_ptr<cleanup::Cleanup> cleanup::make_cuda(Device &, int, int) {
  absent();
}
std::unique_ptr<colinearseg::Segmenter> colinearseg::make_cuda(Device &, const Config &, int) {
  absent();
}
std::unique_ptr<compose::Composer> compose::make_cuda(Device &) {
  absent();
}
std::unique_ptr<exposure::Exposure> exposure::make_cuda(Device &) {
  absent();
}
std::unique_ptr<fisher::Extractor> fisher::make_cuda(Device &, int, int, const SiftParams &, int) {
  absent();
}
std::unique_ptr<fisher::Encoder> fisher::make_cuda(Device &, const Codebook &, const Classifier &, int) {
  absent();
}
std::unique_ptr<fisher::Expectation> fisher::make_expectation_cuda(Device &, int, int) {
  absent();
}
std::unique_ptr<fisher::Difference> fisher::make_cuda_difference(Device &, int, int, int) {
  absent();
}
std::unique_ptr<ghost::ContourFeatures> ghost::make_cuda(Device &) {
  absent();
}
std::unique_ptr<mog::Model> mog::make_cuda(Device &, const Config &) {
  absent();
}
void registration::fill_border_cuda(Device &, const Image &, int, Queue &) {
  absent();
}
std::unique_ptr<registration::Registration> registration::make_cuda(Device &) {
  absent();
}
std::unique_ptr<convert::Converter> convert::make_cuda(Device &) {
  absent();
}
std::unique_ptr<convert::HighBytes> convert::make_high_bytes_cuda(Device &) {
  absent();
}
std::unique_ptr<tamper::Sampler> tamper::make_cuda(Device &) {
  absent();
}

} // namespace vigil
