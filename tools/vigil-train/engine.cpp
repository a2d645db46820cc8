// SPDX-License-Identifier: LGPL-2.1-or-later
#include "engine.h"

#include "common/error.h"

#include <cstdio>

namespace vigil::train {

std::unique_ptr<Device> open_backend(const std::string &word, int threads) {
  if (word == "cpu") return open_cpu(threads);
  if (word == "cuda") return open_cuda();
  if (word != "auto") fail(Error::Kind::bad_setting, "--backend ", word, " is none of auto, cuda and cpu");
  try {
    return open_cuda();
  } catch (const Error &e) {
    if (e.kind() != Error::Kind::no_device) throw;
    return open_cpu(threads);
  }
}

Engine::Engine(Device &device, const fisher::SiftParams &sift)
    : device_(device), queue_(device.make_queue()), copy_(device), sift_(sift) {}
Engine::Engine(Device &device, const fisher::Model &model) : Engine(device, model.sift) {
  codebook_ = model.codebook;
}

void Engine::prepare(const ConstImage &frame) {
  if (extractor_ && extractor_->width() == frame.width && extractor_->height() == frame.height) return;
  extractor_.reset(); // its memory is given back first
  try {
    extractor_ = fisher::make(device_, frame.width, frame.height, sift_);
  } catch (const Error &e) { // it is this file that does not fit, and others may
    if (e.kind() == Error::Kind::bad_setting) fail(Error::Kind::bad_data, e.what());
    throw;
  }
  const auto count = static_cast<std::size_t>(extractor_->layout().descriptors);
  positions_ = fisher::positions_for(extractor_->layout(), sift_);
  if (!codebook_) {
    values_.resize(count * fisher::descriptor_length);
    on_device_ = DeviceBuffer(device_, values_.size() * sizeof(float));
    return;
  }
  if (encoder_ && encoder_->capacity() >= static_cast<int>(count)) return;
  encoder_.reset();
  encoder_ = fisher::make(device_, *codebook_, {}, static_cast<int>(count));
  vector_.resize(static_cast<std::size_t>(encoder_->vector_length()));
  on_device_ = DeviceBuffer(device_, vector_.size() * sizeof(float));
}

Engine::Descriptors Engine::descriptors(const ConstImage &frame) {
  prepare(frame);
  extractor_->extract(copy_.bring(frame, *queue_), on_device_.as<float>(), *queue_);
  device_.download(values_.data(), on_device_.as(), values_.size() * sizeof(float), *queue_);
  queue_->wait();
  return {values_, positions_};
}

std::span<const float> Engine::vector(const ConstImage &frame) {
  prepare(frame);
  encoder_->encode_frame(*extractor_, copy_.bring(frame, *queue_), on_device_.as<float>(), nullptr, *queue_);
  device_.download(vector_.data(), on_device_.as(), vector_.size() * sizeof(float), *queue_);
  queue_->wait();
  return vector_;
}

} // namespace vigil::train
