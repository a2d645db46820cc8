// SPDX-License-Identifier: LGPL-2.1-or-later
// The encoder's memory and tables, and its order of launches.
#include "kernels/fisher/cuda/encoder.h"

#include "common/error.h"
#include "kernels/fisher/cuda/extractor.h"

#include <algorithm>
#include <cmath>

namespace vigil::fisher::cuda {
namespace {

constexpr std::size_t posteriors_most = std::size_t{64} << 20; // bytes; more goes in chunks

int padded(int n, int to) {
  return (n + to - 1) / to * to;
}

// Tables of floats, put together on the host and uploaded at once. Offsets are in floats, multiples of 64.
class Tables {
 public:
  std::size_t add(const std::vector<float> &values) {
    const std::size_t at = all_.size();
    all_.insert(all_.end(), values.begin(), values.end());
    all_.resize((all_.size() + 63) / 64 * 64);
    return at;
  }
  DeviceBuffer upload(Device &device, Queue &queue) const {
    DeviceBuffer b(device, all_.size() * sizeof(float));
    device.upload(b.as(), all_.data(), b.bytes(), queue);
    return b;
  }

 private:
  std::vector<float> all_;
};

std::vector<float> transposed_projection(const Codebook &c, int columns) {
  std::vector<float> t(static_cast<std::size_t>(descriptor_length) * columns);
  for (int k = 0; k < c.projected; k++)
    for (int e = 0; e < descriptor_length; e++)
      t[static_cast<std::size_t>(e) * columns + k] = c.projection[static_cast<std::size_t>(k) * descriptor_length + e];
  return t;
}

// P mean, and 0 for the positions: from the origin of the codebook's means to that of encode.h.
std::vector<double> projected_mean(const Codebook &c) {
  std::vector<double> v(c.dimension());
  for (int k = 0; k < c.projected; k++)
    for (int e = 0; e < descriptor_length; e++)
      v[k] += double(c.projection[static_cast<std::size_t>(k) * descriptor_length + e]) * c.mean[e];
  return v;
}

} // namespace

CudaEncoder::CudaEncoder(CudaDevice &device, const Codebook &c, const Classifier &classifier, int capacity)
    : Encoder(c, classifier, capacity), device_(device) {
  const CudaScope scope = device.enter();
  const int n = c.components, d = dimension();
  mixture_.dimension = d;
  mixture_.components = n;
  mixture_.padded = padded(n, wide);
  mixture_.row = padded(d, 32);
  projection_.projected = c.projected;
  projection_.padded = padded(c.projected, 16);

  std::vector<float> lines(static_cast<std::size_t>(mixture_.padded) * d * 2), constant(mixture_.padded, -2e38f);
  const std::size_t values = static_cast<std::size_t>(padded(n, group)) * mixture_.row;
  std::vector<float> means(values), inverse(values), root(std::size_t(2) * n);
  const double unit = std::sqrt(0.5 / std::numbers::ln2); // e^(-z^2/2) = 2^-(unit z)^2
  const std::vector<double> shift = projected_mean(c);
  for (int j = 0; j < n; j++) {
    if (!(c.priors[j] >= smallest_prior)) continue;
    double log_prior = std::log(c.priors[j]);
    for (int k = 0; k < d; k++) {
      const std::size_t from = static_cast<std::size_t>(j) * d + k;
      const double sigma = std::sqrt(c.variances[from]), scale = unit / sigma,
                   mean = c.means[from] + shift[k];
      const std::size_t line = (static_cast<std::size_t>(j / wide) * d + k) * 2 * wide + j % wide;
      lines[line] = static_cast<float>(scale);
      lines[line + wide] = static_cast<float>(-mean * scale);
      means[static_cast<std::size_t>(j) * mixture_.row + k] = static_cast<float>(mean);
      inverse[static_cast<std::size_t>(j) * mixture_.row + k] = static_cast<float>(1 / sigma);
      log_prior -= std::log(sigma);
    }
    constant[j] = static_cast<float>(log_prior / std::numbers::ln2);
    root[j] = static_cast<float>(1 / std::sqrt(c.priors[j]));
    root[n + j] = static_cast<float>(1 / std::sqrt(2. * c.priors[j]));
  }

  Tables tables;
  const std::size_t at[] = {tables.add(transposed_projection(c, projection_.padded)),
                            tables.add(lines),
                            tables.add(constant),
                            tables.add(means),
                            tables.add(inverse),
                            tables.add(root),
                            tables.add(classifier.bias)};
  const auto queue = device.make_queue();
  tables_ = tables.upload(device, *queue);
  const auto *base = tables_.as<const float>();
  projection_.matrix = base + at[0];
  mixture_.lines = base + at[1];
  mixture_.constant = base + at[2];
  mixture_.means = base + at[3];
  mixture_.inverse = base + at[4];
  mixture_.root = base + at[5];
  scores_.bias = base + at[6];
  scores_.classes = classifier.count();
  if (classifier.count() > 0) {
    weights_ = DeviceBuffer(device, classifier.weights.size() * sizeof(float));
    device.upload(weights_.as(), classifier.weights.data(), weights_.bytes(), *queue);
    partial_ = DeviceBuffer(device, sizeof(float) * classifier.count() * n);
  }
  scores_.weights = weights_.as<float>();
  scores_.partial = partial_.as<float>();
  queue->wait();

  const std::size_t tile_bytes = static_cast<std::size_t>(mixture_.padded) * tile * sizeof(float);
  chunk_tiles_ = static_cast<int>(std::min<std::size_t>(posteriors_most / tile_bytes, (capacity - 1) / tile + 1));
  most_parts_ = std::clamp(chunk_tiles_ / 2, 1, 128);
  x_ = DeviceBuffer(device, sizeof(float) * d * tile * chunk_tiles_);
  posteriors_ = DeviceBuffer(device, tile_bytes * chunk_tiles_);
  masks_ = DeviceBuffer(device, sizeof(std::uint64_t) * mixture_.padded * chunk_tiles_);
  parts_ = DeviceBuffer(device, sizeof(float) * 2 * mixture_.row * n * most_parts_);
  norms_ = DeviceBuffer(device, sizeof(float) * n);
  chunk_.x = x_.as<float>();
  chunk_.posteriors = posteriors_.as<float>();
  chunk_.masks = masks_.as<std::uint64_t>();
  prepare_posteriors(mixture_);
}

template <class Project>
void CudaEncoder::encode_chunks(int count, float *vector, float *scores, Queue &queue, Project project) {
  const cudaStream_t stream = stream_of(queue);
  const int tiles = (count + tile - 1) / tile, chunks = (tiles + chunk_tiles_ - 1) / chunk_tiles_;
  // Parts of the first chunk, which none is larger than; the others go on with them.
  const int chunk_tiles = chunks > 0 ? (tiles + chunks - 1) / chunks : 0;
  const Parts parts{parts_.as<float>(), chunks > 0 ? std::clamp(chunk_tiles / 2, 1, most_parts_) : 0};
  for (int first = 0; first < count; first += chunk_tiles * tile) {
    Chunk chunk = chunk_;
    chunk.first = first;
    chunk.count = std::min(count - first, chunk_tiles * tile);
    project(chunk);
    launch_posteriors(mixture_, chunk, stream);
    launch_sums(mixture_, chunk, parts, first > 0, stream);
  }
  Scores wanted = scores_;
  wanted.scores = scores;
  launch_vector(mixture_, parts, count, norms_.as<float>(), vector, wanted, stream);
}

void CudaEncoder::encode(const float *descriptors, const float *positions, int count, float *vector, float *scores,
                         Queue &queue) {
  check_count(count);
  const CudaScope scope = device_.enter();
  encode_chunks(count, vector, scores, queue, [&](const Chunk &chunk) {
    launch_project(projection_, descriptors, positions, chunk, stream_of(queue));
  });
}

void CudaEncoder::encode_frame(Extractor &extractor, const ConstImage &frame, float *vector, float *scores,
                               Queue &queue) {
  auto *from = dynamic_cast<CudaExtractor *>(&extractor);
  if (!from || &from->device() != &device_)
    fail(Error::Kind::bad_setting, "the encoder on a GPU needs an extractor of the same device");
  const int count = extractor.layout().descriptors;
  check_count(count);
  const CudaScope scope = device_.enter();
  from->fill_cells(frame, queue);
  encode_chunks(count, vector, scores, queue, [&](const Chunk &chunk) {
    launch_project(projection_, from->pyramid(), from->positions(), chunk, stream_of(queue));
  });
}

} // namespace vigil::fisher::cuda
