// SPDX-License-Identifier: LGPL-2.1-or-later
// What all backends share: layout, checks, the choice of a backend.
#include "kernels/fisher/model_file.h"

#include "common/error.h"

#include <algorithm>
#include <cmath>

namespace vigil::fisher {
namespace {

int scaled(int size, const SiftParams &p, int scale) {
  return static_cast<int>(std::floor(size * p.largest_scale * std::exp2(-0.5 * scale) + 0.5));
}
int window(const SiftParams &p) {
  return (bins - 1) * p.bin_size + 1;
}
int places(int size, const SiftParams &p) {
  return size < window(p) ? 0 : (size - window(p)) / p.step + 1;
}

void check_params(const SiftParams &params) {
  for_each_param(params_table, [&](int, const auto &p) {
    const auto value = params.*p.field;
    if (!(value >= p.min && value <= p.max)) // so written that NaN fails
      fail(Error::Kind::bad_setting, p.name, " is ", value, ", possible are ", p.min, " to ", p.max);
  });
}

void check_values(const char *what, const std::vector<float> &values, std::size_t count, float min,
                  float max) {
  if (values.size() != count)
    fail(Error::Kind::bad_data, "the ", what, " are ", values.size(), " numbers, not ", count);
  for (const float v : values)
    if (!(v >= min && v <= max)) // so written that NaN fails
      fail(Error::Kind::bad_data, "one of the ", what, " is ", v, ", possible are ", min, " to ", max);
}

// Magnitudes whose squares and sums of squares stay finite.
constexpr float most = 1e12F, least_variance = 1e-12F;

} // namespace

Layout layout_for(int width, int height, const SiftParams &params) {
  check_params(params);
  if (width < 1 || height < 1 || width > 1 << 16 || height > 1 << 16)
    fail(Error::Kind::bad_setting, "a frame of ", width, "x", height, " pixels is not possible");
  Layout layout;
  std::int64_t total = 0;
  for (int i = 0; i < params.scales; i++) {
    ScaleLayout s{scaled(width, params, i), scaled(height, params, i)};
    s.columns = places(s.width, params);
    s.rows = places(s.height, params);
    s.first = total;
    if (s.count() == 0) continue;
    layout.scales.push_back(s);
    total += s.count();
  }
  if (total == 0) {
    int smallest = 1;
    while (scaled(smallest, params, 0) < window(params)) smallest++;
    fail(Error::Kind::bad_setting, "a frame of ", width, "x", height,
         " pixels has no room for a descriptor: with these scales and bins it takes ", smallest, "x",
         smallest);
  }
  if (total > max_descriptors)
    fail(Error::Kind::bad_setting, "a frame of ", width, "x", height, " pixels would have ", total,
         " descriptors, more than ", max_descriptors, ": use a larger step or a smaller largest scale");
  layout.descriptors = static_cast<int>(total);
  return layout;
}

std::vector<float> positions_for(const Layout &layout, const SiftParams &p) {
  std::vector<float> xy;
  xy.reserve(std::size_t(2) * layout.descriptors);
  for (const ScaleLayout &s : layout.scales)
    for (int row = 0; row < s.rows; row++)
      for (int column = 0; column < s.columns; column++) {
        xy.push_back(position(column, s.width, p));
        xy.push_back(position(row, s.height, p));
      }
  return xy;
}

double window_weight(int k, int bin_size) {
  double sum = 0;
  for (int x = 1 - bin_size; x < bin_size; x++) {
    const double z = (x - bin_size * (k - 0.5 * (bins - 1))) / (2. * bin_size);
    sum += std::exp(-0.5 * z * z);
  }
  return sum / (2 * bin_size - 1);
}

void validate(const Codebook &c) {
  if (c.projected < 1 || c.projected > descriptor_length)
    fail(Error::Kind::bad_data, "the projection keeps ", c.projected, " dimensions, possible are 1 to ",
         descriptor_length);
  if (c.components < 1 || c.components > max_components)
    fail(Error::Kind::bad_data, "the mixture has ", c.components, " components, possible are 1 to ",
         max_components);
  const std::size_t n = c.components, values = n * c.dimension();
  check_values("mean's values", c.mean, descriptor_length, -most, most);
  check_values("projection's values", c.projection, std::size_t(c.projected) * descriptor_length, -most,
               most);
  check_values("priors", c.priors, n, 0, 1.001F);
  check_values("means", c.means, values, -most, most);
  check_values("variances", c.variances, values, least_variance, most);
  double sum = 0;
  for (const float p : c.priors) sum += p;
  if (std::abs(sum - 1) > 1e-2) fail(Error::Kind::bad_data, "the priors sum to ", sum, ", not to 1");
}

void validate(const Classifier &c, const Codebook &codebook) {
  validate(c, codebook.vector_length());
}
void validate(const Classifier &c, int vector_length) {
  const std::size_t n = c.classes.size();
  if (n > std::size_t(max_classes))
    fail(Error::Kind::bad_data, "the classifier has ", n, " classes, more than ", max_classes);
  if (c.baseline < 0 || c.baseline > max_baseline)
    fail(Error::Kind::bad_data, "the classifier's baseline is ", c.baseline, ", possible are 0 to ",
         max_baseline);
  check_values("weights", c.weights, n * static_cast<std::size_t>(vector_length), -most, most);
  check_values("biases", c.bias, n, -most, most);
  check_values("thresholds for an event's begin", c.begin, n, -most, most);
  check_values("thresholds for an event's end", c.end, n, -most, most);
  for (std::size_t i = 0; i < n; i++)
    if (c.end[i] > c.begin[i])
      fail(Error::Kind::bad_data, "events of class ", c.classes[i], " would begin at a score of ", c.begin[i],
           " and end below ", c.end[i], ": the end must not be above the begin");
}

Extractor::Extractor(int width, int height, const SiftParams &p, int pictures)
    : width_(width), height_(height), pictures_(pictures), params_(p), layout_(layout_for(width, height, p)) {
  if (pictures < 1 || pictures > max_pictures)
    fail(Error::Kind::bad_setting, "an extractor for ", pictures,
         " pictures is not possible, except for 1 to ", max_pictures);
}

void Extractor::check_frame(const ConstImage &frame) const {
  if (frame.width != width_ || frame.height != height_)
    fail(Error::Kind::bad_setting, "a frame of ", frame.width, "x", frame.height,
         " pixels came where one of ", width_, "x", height_, " was announced");
  if (is_16_bit(frame.format))
    fail(Error::Kind::bad_setting, "descriptors are of pictures of 8 bits; this one has 16");
  if (!frame.data[0]) fail(Error::Kind::bad_setting, "the frame has no memory");
}

Encoder::Encoder(const Codebook &codebook, const Classifier &classifier, int capacity)
    : dimension_(codebook.dimension()), components_(codebook.components), classes_(classifier.count()),
      capacity_(capacity) {
  validate(codebook);
  validate(classifier, codebook);
  if (capacity < 1 || capacity > max_descriptors)
    fail(Error::Kind::bad_setting, "an encoder for ", capacity,
         " descriptors is not possible, except for 1 to ", max_descriptors);
}

void Encoder::check_count(int count) const {
  if (count < 0 || count > capacity_)
    fail(Error::Kind::bad_setting, count, " descriptors came where at most ", capacity_, " were announced");
}

void Encoder::check_pictures(const Extractor &extractor, const Pictures &pictures) const {
  if (pictures.count < 0) fail(Error::Kind::bad_setting, pictures.count, " pictures are not possible");
  check_count(extractor.layout().descriptors);
}

std::unique_ptr<Extractor> make(Device &device, int width, int height, const SiftParams &params,
                                int pictures) {
  return device.backend() == Backend::cuda ? make_cuda(device, width, height, params, pictures)
                                           : make_cpu(device, width, height, params);
}
std::unique_ptr<Encoder> make(Device &device, const Codebook &codebook, const Classifier &classifier,
                              int capacity) {
  return device.backend() == Backend::cuda ? make_cuda(device, codebook, classifier, capacity)
                                           : make_cpu(device, codebook, classifier, capacity);
}

} // namespace vigil::fisher
