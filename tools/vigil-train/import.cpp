// SPDX-License-Identifier: LGPL-2.1-or-later
// vigil-train import: numpy's .npz, a zip of .npy files. Nothing that the file claims is believed: an array
// is read in pieces, and only up to the largest size that a codebook's array can have.
#include "commands.h"
#include "common/error.h"

#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>
#include <zip.h>

namespace vigil::train {

namespace {

struct Close {
  void operator()(zip_t *z) const { zip_discard(z); }
  void operator()(zip_file_t *f) const { zip_fclose(f); }
};

struct Array {
  std::vector<std::size_t> shape;
  std::vector<float> values;
};

// What stands between `before` and the first of `after` behind it, in the header's dictionary.
std::string part(const std::string &header, const std::string &before, const std::string &after,
                 const std::string &name) {
  const std::size_t from = header.find(before);
  const std::size_t to = from == std::string::npos ? from : header.find_first_of(after, from + before.size());
  if (to == std::string::npos) fail(Error::Kind::bad_data, name, ": the .npy header has no ", before);
  return header.substr(from + before.size(), to - from - before.size());
}

std::vector<std::size_t> parse_shape(const std::string &words, const std::string &name) {
  std::vector<std::size_t> shape;
  for (const char *at = words.data(), *end = at + words.size(); at != end;) {
    if (*at == ' ' || *at == ',') {
      at++;
      continue;
    }
    std::size_t n = 0;
    const auto [next, error] = std::from_chars(at, end, n);
    if (error != std::errc{} || n > std::size_t{1} << 24)
      fail(Error::Kind::bad_data, name, ": its shape is (", words, ")");
    shape.push_back(n);
    at = next;
  }
  return shape;
}

Array parse_npy(const std::vector<std::uint8_t> &bytes, const std::string &name) {
  constexpr std::size_t prefix = 10;
  if (bytes.size() < prefix + 2 || std::memcmp(bytes.data(), "\x93NUMPY", 6) != 0)
    fail(Error::Kind::bad_data, name, " is no .npy file");
  const bool long_head = bytes[6] > 1; // version 2 has four bytes for the header's length
  std::size_t length = bytes[8] | bytes[9] << 8;
  if (long_head) length |= std::size_t{bytes[10]} << 16 | std::size_t{bytes[11]} << 24;
  const std::size_t start = prefix + (long_head ? 2 : 0);
  if (bytes.size() - start < length) fail(Error::Kind::bad_data, name, " is cut off");
  const std::string header(bytes.begin() + static_cast<std::ptrdiff_t>(start),
                           bytes.begin() + static_cast<std::ptrdiff_t>(start + length));
  const std::string type = part(header, "'descr': '", "'", name);
  const bool single = type == "<f4", fortran = part(header, "'fortran_order': ", ",}", name) == "True";
  if (!single && type != "<f8")
    fail(Error::Kind::bad_data, name, " has values of type ", type, "; float32 and float64 can be read");
  Array a{parse_shape(part(header, "'shape': (", ")", name), name), {}};
  std::size_t count = 1;
  const std::size_t have = (bytes.size() - start - length) / (single ? 4 : 8);
  for (const std::size_t n : a.shape) {
    count *= n;
    if (count > have) break;
  }
  if (count != have || a.shape.size() > 2)
    fail(Error::Kind::bad_data, name, " has ", have, " values, which are not those of its shape");
  const auto *data = bytes.data() + start + length;
  const std::size_t rows = a.shape.empty() ? 1 : a.shape[0], columns = a.shape.size() < 2 ? 1 : a.shape[1];
  a.values.resize(count);
  for (std::size_t i = 0; i < count; i++) {
    const std::size_t from = fortran ? i % columns * rows + i / columns : i;
    if (single)
      std::memcpy(&a.values[i], data + 4 * from, 4);
    else {
      double v;
      std::memcpy(&v, data + 8 * from, 8);
      a.values[i] = static_cast<float>(v);
    }
  }
  return a;
}

class Npz {
 public:
  explicit Npz(const std::string &path) : path_(path) {
    int error = 0;
    zip_.reset(zip_open(path.c_str(), ZIP_RDONLY, &error));
    if (zip_) return;
    zip_error_t text;
    zip_error_init_with_code(&text, error);
    const std::string words = zip_error_strerror(&text);
    zip_error_fini(&text);
    fail(error == ZIP_ER_NOENT || error == ZIP_ER_OPEN ? Error::Kind::io : Error::Kind::bad_data,
         "cannot read ", path, ": ", words);
  }
  bool has(const std::string &array) const {
    return zip_name_locate(zip_.get(), (array + ".npy").c_str(), 0) >= 0;
  }
  Array read(const std::string &array) const {
    const std::string name = path_ + ", array " + array;
    if (!has(array)) fail(Error::Kind::bad_data, path_, " has no array '", array, "'");
    const std::unique_ptr<zip_file_t, Close> file(zip_fopen(zip_.get(), (array + ".npy").c_str(), 0));
    if (!file) fail(Error::Kind::bad_data, name, ": ", zip_strerror(zip_.get()));
    constexpr std::size_t most = std::size_t{fisher::max_components} * 130 * sizeof(double) + 65536,
                          piece = 65536;
    std::vector<std::uint8_t> bytes;
    for (;;) {
      const std::size_t have = bytes.size();
      bytes.resize(have + piece);
      const zip_int64_t n = zip_fread(file.get(), bytes.data() + have, piece);
      if (n < 0) fail(Error::Kind::bad_data, name, " is damaged: ", zip_file_strerror(file.get()));
      bytes.resize(have + static_cast<std::size_t>(n));
      if (n == 0) return parse_npy(bytes, name);
      if (bytes.size() > most) fail(Error::Kind::bad_data, name, " is larger than any codebook's");
    }
  }

 private:
  std::string path_;
  std::unique_ptr<zip_t, Close> zip_;
};

} // namespace

void import_npz(const std::string &path, const fisher::SiftParams &sift, const std::string &out) {
  const Npz npz(path);
  fisher::Model m;
  m.sift = sift;
  const Array means = npz.read("means"), projection = npz.read("projection");
  const auto wrong = [&](const char *what) {
    fail(Error::Kind::bad_data, path, ": ", what,
         "; wanted are projection (P, 128), means and covariances (N, P + 2), priors (N) and, optionally, "
         "mean (128)");
  };
  if (projection.shape.size() != 2 || projection.shape[1] != std::size_t{fisher::descriptor_length} ||
      projection.shape[0] < 1 || projection.shape[0] > std::size_t{fisher::descriptor_length})
    wrong("projection has another shape");
  if (means.shape.size() != 2 || means.shape[1] != projection.shape[0] + 2 || means.shape[0] < 1 ||
      means.shape[0] > std::size_t{fisher::max_components})
    wrong("means has another shape");
  const Array covariances = npz.read("covariances");
  if (covariances.shape != means.shape) wrong("covariances has another shape than means");
  fisher::Codebook &b = m.codebook;
  b.projected = static_cast<int>(projection.shape[0]);
  b.components = static_cast<int>(means.shape[0]);
  b.projection = projection.values;
  b.means = means.values;
  b.variances = covariances.values;
  b.priors = npz.read("priors").values;
  b.mean = npz.has("mean") ? npz.read("mean").values : std::vector<float>(fisher::descriptor_length);
  m.note = "codebook: imported from numpy\n";
  fisher::write_model(out, m); // which checks the values
  std::printf("wrote %s\n", out.c_str());
}

} // namespace vigil::train
