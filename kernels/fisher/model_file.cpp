// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/fisher/model_file.h"

#include "common/array_file.h"
#include "common/error.h"
#include "common/file.h"

#include <algorithm>

namespace vigil::fisher {
namespace {

constexpr ArrayFormat format{"VIGILFIS", 1, "the model"};
constexpr std::size_t longest_class_name = 256;
// A file may be no larger than this; a model of the largest sizes would be, and nobody can use one.
constexpr std::size_t largest_file = std::size_t{1} << 31;

// The length of the UTF-8 sequence that starts at s[i], or 0 when there is none.
std::size_t sequence(std::string_view s, std::size_t i) {
  const auto byte = [&](std::size_t at) { return at < s.size() ? static_cast<unsigned char>(s[at]) : 0U; };
  const unsigned lead = byte(i);
  const std::size_t n = lead < 0x80   ? 1
                        : lead < 0xC2 ? 0
                        : lead < 0xE0 ? 2
                        : lead < 0xF0 ? 3
                        : lead < 0xF5 ? 4
                                      : 0;
  for (std::size_t k = 1; k < n; k++)
    if ((byte(i + k) & 0xC0) != 0x80) return 0;
  if ((lead == 0xE0 && byte(i + 1) < 0xA0) || (lead == 0xED && byte(i + 1) > 0x9F) ||
      (lead == 0xF0 && byte(i + 1) < 0x90) || (lead == 0xF4 && byte(i + 1) > 0x8F))
    return 0;
  return n;
}

bool is_text(std::string_view s, bool lines) {
  for (std::size_t i = 0, n = 0; i < s.size(); i += n) {
    n = sequence(s, i);
    const auto c = static_cast<unsigned char>(s[i]);
    const bool control = c < 0x20 || c == 0x7F;
    if (n == 0 || (control && !(lines && c == '\n'))) return false;
  }
  return true;
}

std::vector<std::string> split_lines(const std::string &s) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < s.size();) {
    const std::size_t end = s.find('\n', at);
    if (end == std::string::npos)
      fail(Error::Kind::bad_data, "the model is damaged: the name of its last class has no end");
    lines.push_back(s.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

Classifier read_classifier(const ArrayReader &in, const Codebook &codebook) {
  Classifier c;
  if (!in.has("classes")) return c;
  c.classes = split_lines(in.text("classes"));
  const std::size_t n = c.classes.size();
  c.weights = in.floats("weights", {n, std::size_t(codebook.vector_length())});
  c.bias = in.floats("bias", {n});
  c.begin = in.floats("begin", {n});
  c.end = in.floats("end", {n});
  c.baseline = in.integer("baseline");
  return c;
}

} // namespace

void validate_class_name(const std::string &name) {
  if (name.empty() || name.size() > longest_class_name || !is_text(name, false))
    fail(Error::Kind::bad_data, "the name of a class must be 1 to ", longest_class_name,
         " bytes of UTF-8 without control characters");
}

void validate(const Model &m) {
  for_each_param(params_table, [&](int, const auto &p) {
    const auto v = m.sift.*p.field;
    if (!(v >= p.min && v <= p.max)) // so written that NaN fails
      fail(Error::Kind::bad_data, "the model's ", p.name, " is ", v, ", possible are ", p.min, " to ", p.max);
  });
  validate(m.codebook);
  for (std::size_t i = 0; i < m.classifier.classes.size(); i++) {
    const auto &all = m.classifier.classes;
    validate_class_name(all[i]);
    if (std::find(all.begin(), all.begin() + i, all[i]) != all.begin() + i)
      fail(Error::Kind::bad_data, "two classes have the name '", all[i], "'");
  }
  validate(m.classifier, m.codebook);
  if (!is_text(m.note, true)) fail(Error::Kind::bad_data, "the model's note is no text in UTF-8");
}

std::vector<std::uint8_t> serialize(const Model &m) {
  validate(m);
  ArrayWriter out(format);
  out.add("sift_scales", m.sift.scales);
  out.add("sift_largest_scale", m.sift.largest_scale);
  out.add("sift_bin_size", m.sift.bin_size);
  out.add("sift_step", m.sift.step);
  out.add("sift_contrast_threshold", m.sift.contrast_threshold);
  const Codebook &b = m.codebook;
  const std::size_t n = b.components, dimension = b.dimension(), kept = b.projected;
  out.add("mean", {std::size_t{descriptor_length}}, b.mean);
  out.add("projection", {kept, std::size_t{descriptor_length}}, b.projection);
  out.add("priors", {n}, b.priors);
  out.add("means", {n, dimension}, b.means);
  out.add("covariances", {n, dimension}, b.variances);
  const Classifier &c = m.classifier;
  if (const std::size_t classes = c.classes.size()) {
    std::string names;
    for (const std::string &name : c.classes) names += name + '\n';
    out.add("classes", names);
    out.add("weights", {classes, std::size_t(b.vector_length())}, c.weights);
    out.add("bias", {classes}, c.bias);
    out.add("begin", {classes}, c.begin);
    out.add("end", {classes}, c.end);
    out.add("baseline", c.baseline);
  }
  if (!m.note.empty()) out.add("note", m.note);
  return out.finish();
}

Model parse_model(std::span<const std::uint8_t> bytes) {
  const ArrayReader in(format, bytes);
  Model m;
  m.sift.scales = in.integer("sift_scales");
  m.sift.largest_scale = in.real("sift_largest_scale");
  m.sift.bin_size = in.integer("sift_bin_size");
  m.sift.step = in.integer("sift_step");
  m.sift.contrast_threshold = in.real("sift_contrast_threshold");
  Codebook &b = m.codebook;
  b.mean = in.floats("mean", {descriptor_length});
  const Shape projection = in.shape("projection"), means = in.shape("means");
  b.projection = in.floats("projection", {ArrayReader::any, descriptor_length});
  if (projection[0] < 1 || projection[0] > std::size_t{descriptor_length})
    fail(Error::Kind::bad_data, "the model's projection keeps ", projection[0],
         " dimensions, possible are 1 to ", descriptor_length);
  b.projected = static_cast<int>(projection[0]);
  b.means = in.floats("means", {ArrayReader::any, std::size_t(b.dimension())});
  if (means[0] < 1 || means[0] > std::size_t{max_components})
    fail(Error::Kind::bad_data, "the model's mixture has ", means[0], " components, possible are 1 to ",
         max_components);
  b.components = static_cast<int>(means[0]);
  b.variances = in.floats("covariances", means);
  b.priors = in.floats("priors", {means[0]});
  m.classifier = read_classifier(in, b);
  if (in.has("note")) m.note = in.text("note");
  validate(m);
  return m;
}

void write_model(const std::string &path, const Model &m) {
  write_file_atomically(path, serialize(m));
}

Model read_model(const std::string &path) {
  const auto bytes =
      read_plain_file(path, "the model", format.magic.size(), [&](std::span<const std::uint8_t> head) {
        // a large file that is something else is not read to its end
        if (!std::equal(format.magic.begin(), format.magic.end(), head.begin(), head.end()))
          fail(Error::Kind::bad_data, "'", path, "' is no model of vigil-train: it does not begin with ",
               format.magic);
        return largest_file;
      });
  try {
    return parse_model(bytes);
  } catch (const Error &e) {
    fail(e.kind(), path, ": ", e.what());
  }
}

} // namespace vigil::fisher
