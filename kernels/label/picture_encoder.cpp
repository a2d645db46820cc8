// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/label/picture_encoder.h"

#include "common/error.h"
#include "kernels/label/appearance.h"

namespace vigil::label {
namespace {

constexpr int side_of_picture = static_cast<int>(picture_side);
constexpr int encoder_threads = 1;

} // namespace

PictureEncoder::PictureEncoder(const fisher::Model &model)
    : device_(open_cpu(encoder_threads)), queue_(device_->make_queue()),
      scorer_(*device_, side_of_picture, side_of_picture, model),
      on_device_(*device_, scorer_.vector_floats() * sizeof(float)), parts_(scorer_.vector_floats()),
      vector_(static_cast<std::size_t>(scorer_.vector_length())) {}

std::vector<float> PictureEncoder::appearance(const Picture &picture) {
  if (picture.size() != picture_bytes) return {};
  ConstImage frame;
  frame.format = PixelFormat::gray8;
  frame.width = frame.height = side_of_picture;
  frame.data[0] = picture.data();
  frame.stride[0] = side_of_picture;
  scorer_.forget(); // no picture is the one before
  scorer_.score(frame, 0, on_device_.as<float>(), nullptr, *queue_);
  device_->download(parts_.data(), on_device_.as(), parts_.size() * sizeof(float), *queue_);
  queue_->wait();
  scorer_.join_vector(parts_.data(), vector_);
  return appearance_of(vector_);
}

} // namespace vigil::label
