// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/label/picture_encoder.h"

#include "common/error.h"
#include "kernels/fisher/mask_weights.h"
#include "kernels/fisher/scorer.h"
#include "kernels/label/appearance.h"

#include <algorithm>
#include <utility>

namespace vigil::label {
namespace {

constexpr int side_of_picture = static_cast<int>(picture_side);
constexpr int encoder_threads = 1;
constexpr int tile_of_gpu = 64; // descriptors; kernels/fisher/fisher.h, encode_pictures()

std::unique_ptr<Device> or_cpu(std::unique_ptr<Device> device) {
  return device ? std::move(device) : open_cpu(encoder_threads);
}

std::unique_ptr<fisher::Encoder> encoder_for(Device &device, const fisher::Codebook &codebook,
                                             const fisher::Extractor &extractor) {
  const int tiles = (extractor.layout().descriptors + tile_of_gpu - 1) / tile_of_gpu;
  return fisher::make(device, codebook, {}, tiles * tile_of_gpu * extractor.pictures());
}

// Nothing moves in a single picture, so this part of the vector is the same for each.
std::vector<float> vector_of_no_motion(const fisher::Model &model, std::size_t of_picture) {
  if (!model.motion) return {};
  const auto device = open_cpu(encoder_threads);
  const auto queue = device->make_queue();
  fisher::Scorer scorer(*device, side_of_picture, side_of_picture, model);
  const Picture black(picture_bytes);
  ConstImage frame;
  frame.format = PixelFormat::gray8;
  frame.width = frame.height = side_of_picture;
  frame.data[0] = black.data();
  frame.stride[0] = side_of_picture;
  std::vector<float> parts(scorer.vector_floats()), whole(std::size_t(scorer.vector_length()));
  scorer.score(frame, 0, parts.data(), nullptr, *queue);
  scorer.join_vector(parts.data(), whole);
  return {whole.begin() + std::ptrdiff_t(of_picture), whole.end()};
}

} // namespace

PictureEncoder::PictureEncoder(const fisher::Model &model, std::unique_ptr<Device> device)
    : device_(or_cpu(std::move(device))), queue_(device_->make_queue()),
      extractor_(fisher::make(*device_, side_of_picture, side_of_picture, model.sift,
                              device_->backend() == Backend::cpu ? 1 : fisher::max_pictures)),
      encoder_(encoder_for(*device_, model.codebook, *extractor_)), together_(extractor_->pictures()) {
  fisher::validate(model);
  of_no_motion_ = vector_of_no_motion(model, std::size_t(encoder_->vector_length()));
  const auto count = std::size_t(together_);
  pixels_.resize(count * picture_bytes);
  shares_.resize(count * std::size_t(extractor_->layout().descriptors));
  found_.resize(count * std::size_t(encoder_->vector_length()));
  pictures_ = DeviceBuffer(*device_, pixels_.size());
  weights_ = DeviceBuffer(*device_, shares_.size() * sizeof(float));
  vectors_ = DeviceBuffer(*device_, found_.size() * sizeof(float));
}

PictureEncoder::~PictureEncoder() = default;

// Leaves their vectors in found_.
void PictureEncoder::encode(std::span<const Look *const> looks, float background) {
  const auto descriptors = std::size_t(extractor_->layout().descriptors);
  bool weighted = false;
  for (std::size_t i = 0; i < looks.size(); i++) {
    std::copy_n(looks[i]->picture.begin(), picture_bytes,
                pixels_.begin() + std::ptrdiff_t(i * picture_bytes));
    const std::span shares(shares_.data() + i * descriptors, descriptors);
    const Picture &mask = looks[i]->silhouette;
    std::fill(shares.begin(), shares.end(), 1.F);
    if (!shows_something(mask)) continue;
    weighted = true;
    fisher::mask_weights(extractor_->layout(), extractor_->params(),
                         {mask.data(), side_of_picture, side_of_picture, side_of_picture},
                         std::clamp(background, 0.F, 1.F), shares);
  }
  fisher::Pictures pictures;
  pictures.first.format = PixelFormat::gray8;
  pictures.first.width = pictures.first.height = side_of_picture;
  pictures.first.data[0] = pictures_.as<std::uint8_t>();
  pictures.first.stride[0] = side_of_picture;
  pictures.apart = picture_bytes;
  pictures.count = int(looks.size());
  device_->upload(pictures_.as(), pixels_.data(), looks.size() * picture_bytes, *queue_);
  if (weighted) {
    device_->upload(weights_.as(), shares_.data(), looks.size() * descriptors * sizeof(float), *queue_);
    pictures.weights = weights_.as<float>();
  }
  encoder_->encode_pictures(*extractor_, pictures, vectors_.as<float>(), *queue_);
  device_->download(found_.data(), vectors_.as(),
                    looks.size() * std::size_t(encoder_->vector_length()) * sizeof(float), *queue_);
  queue_->wait();
}

std::vector<std::vector<float>> PictureEncoder::appearances(std::span<const Look> looks, float background) {
  std::vector<std::vector<float>> out(looks.size());
  std::vector<std::size_t> real; // the others have none
  for (std::size_t i = 0; i < looks.size(); i++)
    if (looks[i].picture.size() == picture_bytes) real.push_back(i);
  const auto length = std::ptrdiff_t(encoder_->vector_length());
  for (std::size_t first = 0; first < real.size(); first += std::size_t(together_)) {
    std::vector<const Look *> some;
    for (std::size_t i = first; i < std::min(real.size(), first + std::size_t(together_)); i++)
      some.push_back(&looks[real[i]]);
    encode(some, background);
    for (std::size_t i = 0; i < some.size(); i++) {
      const auto from = found_.begin() + std::ptrdiff_t(i) * length;
      std::vector<float> vector(from, from + length);
      vector.insert(vector.end(), of_no_motion_.begin(), of_no_motion_.end());
      out[real[first + i]] = appearance_of(vector);
    }
  }
  return out;
}

std::vector<float> PictureEncoder::appearance(const Picture &picture) {
  const Look look{picture, {}};
  return std::move(appearances({&look, 1}, 1).front());
}

} // namespace vigil::label
