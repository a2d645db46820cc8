// SPDX-License-Identifier: LGPL-2.1-or-later
// The encoder's memory and tables, and its order of launches.
#include "kernels/fisher/cuda/encoder.h"

#include "common/device_cast.h"
#include "common/error.h"
#include "kernels/fisher/cuda/extractor.h"
#include "kernels/fisher/cuda/mixture_tables.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <cuda_fp16.h>

namespace vigil::fisher::cuda {
namespace {

constexpr std::size_t posteriors_most = std::size_t{256} << 20; // bytes; more goes in chunks

int padded(int n, int to) {
  return (n + to - 1) / to * to;
}

// Tables, put together on the host and uploaded at once. Each begins at a multiple of 256 bytes.
class Tables {
 public:
  template <class T>
  std::size_t add(const std::vector<T> &values) {
    const std::size_t at = all_.size(), bytes = values.size() * sizeof(T);
    all_.resize((at + bytes + 255) / 256 * 256);
    if (bytes > 0) std::memcpy(&all_[at], values.data(), bytes);
    return at;
  }
  DeviceBuffer upload(Device &device, Queue &queue) const {
    DeviceBuffer b(device, all_.size());
    device.upload(b.as(), all_.data(), b.bytes(), queue);
    return b;
  }

 private:
  std::vector<std::byte> all_;
};

// Powers of two in which x is measured, so that none of a descriptor of norm 1 exceeds 32 and its square is a
// fair number in half precision as well.
std::vector<double> units(const Codebook &c) {
  std::vector<double> u(c.dimension(), 32.);
  for (int k = 0; k < c.projected; k++) {
    double squares = 0;
    for (int e = 0; e < descriptor_length; e++) {
      const double p = c.projection[static_cast<std::size_t>(k) * descriptor_length + e];
      squares += p * p;
    }
    if (squares > 0) u[k] = std::exp2(std::floor(std::log2(32 / std::sqrt(squares))));
  }
  return u;
}

std::vector<float> transposed_projection(const Codebook &c, int columns, const std::vector<double> &unit) {
  std::vector<float> t(static_cast<std::size_t>(descriptor_length) * columns);
  for (int k = 0; k < c.projected; k++)
    for (int e = 0; e < descriptor_length; e++)
      t[static_cast<std::size_t>(e) * columns + k] =
          static_cast<float>(unit[k] * c.projection[static_cast<std::size_t>(k) * descriptor_length + e]);
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

// The projection for tensor cores: the columns of a product of 16 descriptors with 8 outputs.
std::vector<__half> projection_fragments(const std::vector<float> &transposed, int columns) {
  std::vector<__half> halves(static_cast<std::size_t>(descriptor_length) * columns * 2);
  for (int e = 0; e < descriptor_length; e++)
    for (int k = 0; k < columns; k++) {
      const float v = transposed[static_cast<std::size_t>(e) * columns + k];
      const __half high = __float2half(v), low = __float2half(v - __half2float(high));
      const int lane = k % 8 * 4 + e % 8 / 2, word = e % 16 / 8;
      const std::size_t at =
          (((static_cast<std::size_t>(e / 16) * (columns / 8) + k / 8) * 32 + lane) * 4 + word) * 2 + e % 2;
      halves[at] = high;
      halves[at + 4] = low;
    }
  return halves;
}

// The mixture for tensor cores. A component's row is divided by a power of two that keeps it within half's
// range.
struct Fragments {
  static constexpr int step_halves = mma_step_bytes / sizeof(__half);
  std::vector<__half> halves;
  std::vector<float> affine = std::vector<float>(std::size_t(2) * wide);

  explicit Fragments(int dimension)
      : halves((dimension + mma_dimensions - 1) / mma_dimensions * step_halves, __float2half(0)) {
    for (int j = 0; j < wide; j++) affine[2 * j] = -2e38f;
  }
  // Row j: log2 of q is `constant` + sum of row[2 k] x_k + row[2 k + 1] x_k^2.
  void put(int j, double constant, const std::vector<double> &row) {
    double most = 0;
    for (const double v : row) most = std::max(most, std::abs(v));
    const double unit = most > 0 ? std::exp2(std::floor(std::log2(most)) - 14) : 1;
    affine[2 * j] = static_cast<float>(constant);
    affine[2 * j + 1] = static_cast<float>(unit);
    for (std::size_t i = 0; i < row.size(); i++) {
      const double v = row[i] / unit;
      const __half high = __double2half(v), low = __double2half(v - static_cast<double>(__half2float(high)));
      const int step = static_cast<int>(i) / 16, column = static_cast<int>(i) % 16;
      const int lane = j % 8 * 4 + column % 8 / 2, r = j % 16 / 8 + column / 8 * 2;
      const int at = step * step_halves + ((j / 16 * 2 * 32 + lane) * 4 + r) * 2 + column % 2;
      halves[at] = high;
      halves[at + 32 * 8] = low;
    }
  }
};

} // namespace

CudaEncoder::CudaEncoder(CudaDevice &device, const Codebook &c, const Classifier &classifier, int capacity)
    : Encoder(c, classifier, capacity), device_(device) {
  const CudaScope scope = device.enter();
  const int n = c.components, d = dimension();
  MixtureTables mixture(n, d);
  mixture_.dimension = d;
  mixture_.components = n;
  mixture_.padded = mixture.padded;
  mixture_.row = mixture.row;
  projection_.projected = c.projected;
  projection_.padded = padded(c.projected, 16);

  std::vector<float> root(std::size_t(2) * n);
  const std::vector<double> shift = projected_mean(c), unit = units(c);
  Fragments fragments(d);
  std::vector<double> row(std::size_t(2) * d), mean(d), sigma(d);
  for (int j = 0; j < n; j++) {
    if (!(c.priors[j] >= smallest_prior)) continue;
    double log_prior = std::log(c.priors[j]), at_origin = 0;
    for (int k = 0; k < d; k++) {
      const std::size_t from = static_cast<std::size_t>(j) * d + k;
      sigma[k] = std::sqrt(c.variances[from]) * unit[k];
      mean[k] = (c.means[from] + shift[k]) * unit[k];
      const double scale = binary / sigma[k];
      log_prior -= std::log(sigma[k]);
      at_origin += mean[k] * scale * mean[k] * scale;
      row[std::size_t(2) * k] = 2 * mean[k] * scale * scale;
      row[std::size_t(2) * k + 1] = -scale * scale;
    }
    mixture.put(j, log_prior, mean.data(), sigma.data());
    if (j < wide) fragments.put(j, log_prior / std::numbers::ln2 - at_origin, row);
    root[j] = static_cast<float>(1 / std::sqrt(c.priors[j]));
    root[n + j] = static_cast<float>(1 / std::sqrt(2. * c.priors[j]));
  }

  const std::vector<float> matrix = transposed_projection(c, projection_.padded, unit);
  Tables tables;
  const std::size_t at[] = {
      tables.add(matrix),           tables.add(mixture.lines),
      tables.add(mixture.constant), tables.add(mixture.means),
      tables.add(mixture.inverse),  tables.add(root),
      tables.add(classifier.bias),  tables.add(fragments.halves),
      tables.add(fragments.affine), tables.add(projection_fragments(matrix, projection_.padded))};
  const auto queue = device.make_queue();
  tables_ = tables.upload(device, *queue);
  const auto table = [&](int i) { return reinterpret_cast<const float *>(tables_.as<std::byte>() + at[i]); };
  projection_.position_unit = static_cast<float>(unit.back());
  projection_.matrix = table(0);
  projection_.fragments = table(9);
  mixture_.lines = table(1);
  mixture_.constant = table(2);
  mixture_.means = table(3);
  mixture_.inverse = table(4);
  mixture_.root = table(5);
  scores_.bias = table(6);
  if (mma_possible(mixture_)) {
    mixture_.fragments = table(7);
    mixture_.affine = reinterpret_cast<const float2 *>(table(8));
    prepare_posteriors_mma();
  }
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
  chunk_tiles_ =
      static_cast<int>(std::min<std::size_t>(posteriors_most / tile_bytes, (capacity - 1) / tile + 1));
  most_parts_ = parts_for(chunk_tiles_);
  x_ = DeviceBuffer(device, sizeof(float) * row_of_x(d) * tile * chunk_tiles_);
  posteriors_ = DeviceBuffer(device, tile_bytes * chunk_tiles_);
  masks_ = DeviceBuffer(device, sizeof(std::uint64_t) * mixture_.padded * chunk_tiles_);
  parts_ = DeviceBuffer(device, sizeof(float) * 2 * mixture_.row * n * most_parts_);
  norms_ = DeviceBuffer(device, sizeof(float) * n * most_parts_); // of as many pictures, each with one part
  chunk_.x = x_.as<float>();
  chunk_.posteriors = posteriors_.as<float>();
  chunk_.masks = masks_.as<std::uint64_t>();
  prepare_posteriors(mixture_);
}

void CudaEncoder::sum_chunk(const Chunk &chunk, const Parts &parts, bool add, cudaStream_t stream) const {
  mixture_.fragments ? launch_posteriors_mma(mixture_, chunk, stream)
                     : launch_posteriors(mixture_, chunk, stream);
  launch_sums(mixture_, chunk, parts, add, stream);
}

template <class Project>
void CudaEncoder::encode_chunks(int count, const float *weights, float *vector, float *scores, Queue &queue,
                                Project project) {
  const cudaStream_t stream = stream_of(queue);
  const int tiles = (count + tile - 1) / tile, chunks = (tiles + chunk_tiles_ - 1) / chunk_tiles_;
  // Parts of the first chunk, which none is larger than; the others go on with them.
  const int chunk_tiles = chunks > 0 ? (tiles + chunks - 1) / chunks : 0;
  const Parts parts{parts_.as<float>(), chunks > 0 ? parts_for(chunk_tiles) : 0};
  for (int first = 0; first < count; first += chunk_tiles * tile) {
    Chunk chunk = chunk_;
    chunk.first = first;
    chunk.count = std::min(count - first, chunk_tiles * tile);
    chunk.weights = weights;
    project(chunk);
    sum_chunk(chunk, parts, first > 0, stream);
  }
  Scores wanted = scores_;
  wanted.scores = scores;
  launch_vector(mixture_, parts, count, norms_.as<float>(), vector, wanted, stream);
}

void CudaEncoder::encode(const float *descriptors, const float *positions, int count, float *vector,
                         float *scores, Queue &queue) {
  check_count(count);
  const CudaScope scope = device_.enter();
  encode_chunks(count, nullptr, vector, scores, queue, [&](const Chunk &chunk) {
    launch_project(projection_, descriptors, positions, chunk, stream_of(queue));
  });
}

CudaExtractor &CudaEncoder::own(Extractor &extractor) const {
  auto *from = dynamic_cast<CudaExtractor *>(&extractor);
  if (!from || &from->device() != &device_)
    fail(Error::Kind::bad_setting, "the encoder on a GPU needs an extractor of the same device");
  return *from;
}

void CudaEncoder::encode_picture(CudaExtractor &from, const Pictures &picture, float *vector, float *scores,
                                 Queue &queue) {
  from.fill_cells(picture, queue);
  encode_chunks(from.layout().descriptors, picture.weights, vector, scores, queue, [&](const Chunk &chunk) {
    launch_project(projection_, from.pyramid(), from.positions(), chunk, stream_of(queue));
  });
}

void CudaEncoder::encode_frame(Extractor &extractor, const ConstImage &frame, float *vector, float *scores,
                               Queue &queue) {
  CudaExtractor &from = own(extractor);
  check_count(extractor.layout().descriptors);
  const CudaScope scope = device_.enter();
  encode_picture(from, {frame}, vector, scores, queue);
}

void CudaEncoder::encode_together(CudaExtractor &from, const Pictures &pictures, float *vectors,
                                  Queue &queue) {
  const cudaStream_t stream = stream_of(queue);
  Chunk chunk = chunk_;
  chunk.first = 0;
  chunk.count = from.layout().descriptors;
  chunk.pictures = pictures.count;
  chunk.weights = pictures.weights;
  const Parts parts{parts_.as<float>(), parts_for(chunk.tiles())};
  from.fill_cells(pictures, queue);
  launch_project(projection_, from.pyramid(), from.positions(), chunk, stream);
  sum_chunk(chunk, parts, false, stream);
  launch_vector(mixture_, parts, chunk.count, norms_.as<float>(), vectors, {}, stream, pictures.count);
}

void CudaEncoder::encode_pictures(Extractor &extractor, const Pictures &pictures, float *vectors,
                                  Queue &queue) {
  CudaExtractor &from = own(extractor);
  check_pictures(extractor, pictures);
  const CudaScope scope = device_.enter();
  const int count = extractor.layout().descriptors, tiles = (count + tile - 1) / tile;
  const int together =
      std::max(1, std::min({from.pictures(), chunk_tiles_ / tiles, most_parts_ / parts_for(tiles)}));
  for (int i = 0; i < pictures.count; i += together) {
    Pictures some = pictures;
    some.first = pictures.picture(i);
    some.count = std::min(together, pictures.count - i);
    if (pictures.weights) some.weights = pictures.weights + static_cast<std::size_t>(count) * i;
    float *to = vectors + static_cast<std::size_t>(vector_length()) * i;
    together > 1 ? encode_together(from, some, to, queue) : encode_picture(from, some, to, nullptr, queue);
  }
}

} // namespace vigil::fisher::cuda

namespace vigil::fisher {

std::unique_ptr<Encoder> make_cuda(Device &device, const Codebook &codebook, const Classifier &classifier,
                                   int capacity) {
  return std::make_unique<cuda::CudaEncoder>(device_cast<CudaDevice>(device), codebook, classifier, capacity);
}

} // namespace vigil::fisher
