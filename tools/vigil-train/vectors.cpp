// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vectors.h"

#include "common/array_file.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/file.h"
#include "media.h"
#include "tools/base/progress.h"

#include <algorithm>
#include <filesystem>

namespace vigil::train {

namespace fs = std::filesystem;

namespace {

constexpr ArrayFormat vectors_format{"VIGILVEC", 1, "the cache"};

struct FileFeatures {
  std::int32_t frames = 0;           // of the file
  std::vector<std::int32_t> numbers; // of the frames that were looked at
  std::vector<float> values;
};

// Everything that the vectors depend on.
std::string cache_name(const fisher::Model &model, const std::string &path, const FeatureOptions &o) {
  fisher::Model codebook = model; // and that of motion
  codebook.classifier = {};
  codebook.note.clear();
  const auto bytes = fisher::serialize(codebook);
  const std::string file = fs::absolute(path).string();
  const std::string key =
      text(file, '\n', fs::file_size(path), '\n', fs::last_write_time(path).time_since_epoch().count(), '\n',
           o.filter, '\n', o.every);
  const auto hex = [](std::uint32_t v) {
    char words[9];
    std::snprintf(words, sizeof words, "%08x", v);
    return std::string(words);
  };
  return hex(checksum(bytes)) + "-" +
         hex(checksum({reinterpret_cast<const std::uint8_t *>(key.data()), key.size()})) + "-" +
         fs::path(path).stem().string() + ".vectors";
}

FileFeatures from_cache(const std::string &path, std::size_t length) {
  const auto bytes = read_plain_file(path, "the cache", 0, [](auto) { return std::size_t{1} << 34; });
  const ArrayReader in(vectors_format, bytes);
  FileFeatures f{in.integer("frames"), in.integers("numbers", {ArrayReader::any}), {}};
  f.values = in.floats("values", {f.numbers.size(), length});
  return f;
}

void to_cache(const std::string &path, const FileFeatures &f, std::size_t length) {
  ArrayWriter out(vectors_format);
  out.add("frames", f.frames);
  out.add("numbers", {f.numbers.size()}, f.numbers);
  out.add("values", {f.numbers.size(), length}, f.values);
  write_file_atomically(path, out.finish());
}

FileFeatures compute(VectorEngine &engine, const LabelledFile &file, const FeatureOptions &o,
                     tools::Progress &progress) {
  FileFeatures f;
  engine.begin_file();
  f.frames =
      static_cast<std::int32_t>(decode(file.path, o.filter, [&](std::uint64_t n, const ConstImage &frame) {
        if ((n - 1) % static_cast<std::uint64_t>(o.every)) {
          engine.remember(frame, n - 1, o.every);
          return true;
        }
        const auto v = engine.vector(frame, n - 1);
        f.numbers.push_back(static_cast<std::int32_t>(n));
        f.values.insert(f.values.end(), v.begin(), v.end());
        progress.step();
        return true;
      }));
  return f;
}

void check_fits(const LabelledFile &file, std::int32_t frames) {
  for (const Range &r : file.ranges)
    if (r.last != whole_file && r.last > static_cast<std::uint64_t>(frames))
      fail(Error::Kind::bad_data, r.where, ": the labels do not fit the video: they go to frame ", r.last,
           " and ", file.path, " has ", frames);
}

} // namespace

Features compute_features(Device &device, const fisher::Model &model, const Labels &labels,
                          const FeatureOptions &o) {
  Features out;
  out.length = static_cast<std::size_t>(model.vector_length());
  VectorEngine engine(device, model);
  tools::Progress progress("Fisher vectors", 0, 1);
  if (!o.cache.empty()) fs::create_directories(o.cache);
  std::size_t skipped = 0;
  for (std::size_t i = 0; i < labels.files.size(); i++) {
    const LabelledFile &file = labels.files[i];
    FileFeatures f;
    try {
      const std::string cached =
          o.cache.empty() || !fs::exists(file.path) ? "" : o.cache + "/" + cache_name(model, file.path, o);
      if (!cached.empty() && fs::exists(cached))
        f = from_cache(cached, out.length);
      else {
        f = compute(engine, file, o, progress);
        if (!cached.empty()) to_cache(cached, f, out.length);
      }
    } catch (const Error &e) {
      if (!o.skip_bad || (e.kind() != Error::Kind::bad_data && e.kind() != Error::Kind::io)) throw;
      std::fprintf(stderr, "skipped: %s\n", e.what());
      skipped++;
      continue;
    }
    check_fits(file, f.frames);
    for (const std::int32_t n : f.numbers)
      out.samples.push_back(
          {i, static_cast<std::uint64_t>(n), classes_of(file, static_cast<std::uint64_t>(n))});
    out.values.insert(out.values.end(), f.values.begin(), f.values.end());
  }
  if (skipped) std::fprintf(stderr, "%zu of %zu files were skipped\n", skipped, labels.files.size());
  for (std::size_t c = 0; c < labels.names.size(); c++)
    if (std::none_of(out.samples.begin(), out.samples.end(), [&](const Sample &s) { return s.has(c); }))
      fail(Error::Kind::bad_data, "class '", labels.names[c], "' has no frame that could be used");
  return out;
}

} // namespace vigil::train
