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

namespace {

// make(), of what does not fit this file: others may.
template <class Make>
auto made_for_file(Make make) {
  try {
    return make();
  } catch (const Error &e) {
    if (e.kind() == Error::Kind::bad_setting) fail(Error::Kind::bad_data, e.what());
    throw;
  }
}

} // namespace

Engine::Engine(Device &device, const fisher::SiftParams &sift, int lag)
    : device_(device), queue_(device.make_queue()), copy_(device), sift_(sift), lag_(lag) {}

void Engine::prepare(const ConstImage &frame) {
  if (extractor_ && extractor_->width() == frame.width && extractor_->height() == frame.height) return;
  extractor_.reset(); // its memory is given back first
  difference_.reset();
  extractor_ = made_for_file([&] { return fisher::make(device_, frame.width, frame.height, sift_); });
  if (lag_ > 0) difference_ = fisher::make_difference(device_, frame.width, frame.height, lag_);
  positions_ = fisher::positions_for(extractor_->layout(), sift_);
  values_.resize(static_cast<std::size_t>(extractor_->layout().descriptors) * fisher::descriptor_length);
  on_device_ = DeviceBuffer(device_, values_.size() * sizeof(float));
}

Engine::Descriptors Engine::descriptors(const ConstImage &frame, std::uint64_t number) {
  prepare(frame);
  ConstImage picture = copy_.bring(frame, *queue_);
  if (difference_) picture = difference_->step(picture, number, *queue_);
  extractor_->extract(picture, on_device_.as<float>(), *queue_);
  device_.download(values_.data(), on_device_.as(), values_.size() * sizeof(float), *queue_);
  queue_->wait();
  return {values_, positions_};
}

void Engine::remember(const ConstImage &frame, std::uint64_t number) {
  if (lag_ == 0) return;
  prepare(frame);
  difference_->remember(copy_.bring(frame, *queue_), number, *queue_);
  queue_->wait();
}

void Engine::begin_file() {
  if (difference_) difference_->forget();
}

VectorEngine::VectorEngine(Device &device, const fisher::Model &model)
    : device_(device), queue_(device.make_queue()), copy_(device), model_(model) {}

void VectorEngine::prepare(const ConstImage &frame) {
  if (scorer_ && scorer_->width() == frame.width && scorer_->height() == frame.height) return;
  scorer_.reset(); // its memory is given back first
  scorer_ = made_for_file(
      [&] { return std::make_unique<fisher::Scorer>(device_, frame.width, frame.height, model_); });
  parts_.resize(scorer_->vector_floats());
  vector_.resize(static_cast<std::size_t>(scorer_->vector_length()));
  on_device_ = DeviceBuffer(device_, parts_.size() * sizeof(float));
}

std::span<const float> VectorEngine::vector(const ConstImage &frame, std::uint64_t number) {
  prepare(frame);
  scorer_->score(copy_.bring(frame, *queue_), number, on_device_.as<float>(), nullptr, *queue_);
  device_.download(parts_.data(), on_device_.as(), parts_.size() * sizeof(float), *queue_);
  queue_->wait();
  scorer_->join_vector(parts_.data(), vector_);
  return vector_;
}

void VectorEngine::remember(const ConstImage &frame, std::uint64_t number, int every) {
  if (!model_.motion) return;
  prepare(frame);
  if (!scorer_->remembers(number, every)) return;
  scorer_->remember(copy_.bring(frame, *queue_), number, *queue_);
  queue_->wait();
}

void VectorEngine::begin_file() {
  if (scorer_) scorer_->forget();
}

} // namespace vigil::train
