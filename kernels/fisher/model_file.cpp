// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/fisher/model_file.h"

#include "common/array_file.h"
#include "common/error.h"
#include "common/file.h"
#include "kernels/fisher/motion.h"

#include <algorithm>

namespace vigil::fisher {
namespace {

// Programs that know no motion refuse its models by their version, and read all others.
constexpr ArrayFormat format{"VIGILFIS", 1, "the model"}, motion_format{"VIGILFIS", 2, "the model"};
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

void write_codebook(ArrayWriter &out, const std::string &prefix, const Codebook &b) {
  const std::size_t n = b.components, dimension = b.dimension(), kept = b.projected;
  out.add(prefix + "mean", {std::size_t{descriptor_length}}, b.mean);
  out.add(prefix + "projection", {kept, std::size_t{descriptor_length}}, b.projection);
  out.add(prefix + "priors", {n}, b.priors);
  out.add(prefix + "means", {n, dimension}, b.means);
  out.add(prefix + "covariances", {n, dimension}, b.variances);
}

Codebook read_codebook(const ArrayReader &in, const std::string &prefix) {
  Codebook b;
  b.mean = in.floats(prefix + "mean", {descriptor_length});
  const Shape projection = in.shape(prefix + "projection"), means = in.shape(prefix + "means");
  b.projection = in.floats(prefix + "projection", {ArrayReader::any, descriptor_length});
  if (projection[0] < 1 || projection[0] > std::size_t{descriptor_length})
    fail(Error::Kind::bad_data, "the model's projection keeps ", projection[0],
         " dimensions, possible are 1 to ", descriptor_length);
  b.projected = static_cast<int>(projection[0]);
  b.means = in.floats(prefix + "means", {ArrayReader::any, std::size_t(b.dimension())});
  if (means[0] < 1 || means[0] > std::size_t{max_components})
    fail(Error::Kind::bad_data, "the model's mixture has ", means[0], " components, possible are 1 to ",
         max_components);
  b.components = static_cast<int>(means[0]);
  b.variances = in.floats(prefix + "covariances", means);
  b.priors = in.floats(prefix + "priors", {means[0]});
  return b;
}

Classifier read_classifier(const ArrayReader &in, int vector_length) {
  Classifier c;
  if (!in.has("classes")) return c;
  c.classes = split_lines(in.text("classes"));
  const std::size_t n = c.classes.size();
  c.weights = in.floats("weights", {n, std::size_t(vector_length)});
  c.bias = in.floats("bias", {n});
  c.begin = in.floats("begin", {n});
  c.end = in.floats("end", {n});
  c.baseline = in.integer("baseline");
  return c;
}

} // namespace

bool is_class_name(std::string_view name) {
  return !name.empty() && name.size() <= longest_class_name && is_text(name, false);
}

void validate_class_name(const std::string &name) {
  if (!is_class_name(name))
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
  if (m.motion) {
    if (m.motion->lag < 1 || m.motion->lag > max_lag)
      fail(Error::Kind::bad_data, "the model's motion is over ", m.motion->lag, " frames, possible are 1 to ",
           max_lag);
    validate(m.motion->codebook);
  }
  for (std::size_t i = 0; i < m.classifier.classes.size(); i++) {
    const auto &all = m.classifier.classes;
    validate_class_name(all[i]);
    if (std::find(all.begin(), all.begin() + i, all[i]) != all.begin() + i)
      fail(Error::Kind::bad_data, "two classes have the name '", all[i], "'");
  }
  validate(m.classifier, m.vector_length());
  if (!is_text(m.note, true)) fail(Error::Kind::bad_data, "the model's note is no text in UTF-8");
}

std::vector<std::uint8_t> serialize(const Model &m) {
  validate(m);
  ArrayWriter out(m.motion ? motion_format : format);
  out.add("sift_scales", m.sift.scales);
  out.add("sift_largest_scale", m.sift.largest_scale);
  out.add("sift_bin_size", m.sift.bin_size);
  out.add("sift_step", m.sift.step);
  out.add("sift_contrast_threshold", m.sift.contrast_threshold);
  write_codebook(out, "", m.codebook);
  if (m.motion) {
    out.add("motion_lag", m.motion->lag);
    write_codebook(out, "motion_", m.motion->codebook);
  }
  const Classifier &c = m.classifier;
  if (const std::size_t classes = c.classes.size()) {
    std::string names;
    for (const std::string &name : c.classes) names += name + '\n';
    out.add("classes", names);
    out.add("weights", {classes, std::size_t(m.vector_length())}, c.weights);
    out.add("bias", {classes}, c.bias);
    out.add("begin", {classes}, c.begin);
    out.add("end", {classes}, c.end);
    out.add("baseline", c.baseline);
  }
  if (!m.note.empty()) out.add("note", m.note);
  return out.finish();
}

Model parse_model(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t version_at = 8; // little-endian; the reader checks all of it
  const bool motion = bytes.size() > version_at && bytes[version_at] >= motion_format.version;
  const ArrayReader in(motion ? motion_format : format, bytes);
  Model m;
  m.sift.scales = in.integer("sift_scales");
  m.sift.largest_scale = in.real("sift_largest_scale");
  m.sift.bin_size = in.integer("sift_bin_size");
  m.sift.step = in.integer("sift_step");
  m.sift.contrast_threshold = in.real("sift_contrast_threshold");
  m.codebook = read_codebook(in, "");
  if (motion) m.motion = Motion{in.integer("motion_lag"), read_codebook(in, "motion_")};
  m.classifier = read_classifier(in, m.vector_length());
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
