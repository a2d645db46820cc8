// SPDX-License-Identifier: LGPL-2.1-or-later
// Takes the place of the OpenGL backends of kernels in builds without OpenGL: a request for one reports so.
#include "common/error.h"
#include "kernels/blobs/blobs.h"
#include "kernels/cleanup/cleanup.h"
#include "kernels/compose/compose.h"
#include "kernels/convert/high_bytes.h"
#include "kernels/convert/rgba.h"
#include "kernels/exposure/exposure.h"
#include "kernels/ghost/contour_features.h"
#include "kernels/mog/mog.h"
#include "kernels/registration/border.h"
#include "kernels/registration/registration.h"
#include "kernels/tamper/spots.h"

namespace vigil {
namespace {

// Whatever it was to be, it cannot be made.
[[noreturn]] void no_gl() {
  fail(Error::Kind::no_device,
       "this build has no OpenGL backends; build with -Dgl=enabled, or use the CPU or CUDA");
}

} // namespace

std::unique_ptr<blobs::Finder> blobs::make_gl(Device &, const Config &) {
  no_gl();
}
std::unique_ptr<cleanup::Cleanup> cleanup::make_gl(Device &, int, int) {
  no_gl();
}
std::unique_ptr<compose::Composer> compose::make_gl(Device &) {
  no_gl();
}
std::unique_ptr<convert::Converter> convert::make_gl(Device &) {
  no_gl();
}
std::unique_ptr<convert::HighBytes> convert::make_high_bytes_gl(Device &) {
  no_gl();
}
std::unique_ptr<exposure::Exposure> exposure::make_gl(Device &) {
  no_gl();
}
std::unique_ptr<ghost::ContourFeatures> ghost::make_gl(Device &) {
  no_gl();
}
std::unique_ptr<mog::Model> mog::make_gl(Device &, const Config &) {
  no_gl();
}
std::unique_ptr<registration::Registration> registration::make_gl(Device &) {
  no_gl();
}
void registration::fill_border_gl(Device &, const Image &, int, Queue &) {
  no_gl();
}
std::unique_ptr<tamper::Sampler> tamper::make_gl(Device &) {
  no_gl();
}

} // namespace vigil
