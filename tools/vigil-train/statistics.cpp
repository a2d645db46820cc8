// SPDX-License-Identifier: LGPL-2.1-or-later
// vigil-train statistics and maximise: one iteration of expectation maximisation over more descriptors than
// one machine holds. Rows are taken in blocks that a file alone decides, and blocks are added exactly, so
// that the next mixture has the same bits however the files were shared out.
#include "commands.h"
#include "common/error.h"
#include "common/file.h"
#include "gpu_blocks.h"
#include "interrupt.h"
#include "matrix.h"
#include "media.h"
#include "mixture.h"
#include "statistics_file.h"
#include "tools/base/media_files.h"
#include "tools/base/progress.h"

#include <filesystem>
#include <optional>

namespace vigil::train {

namespace {

Mixture mixture_of(const fisher::Codebook &b) {
  return {static_cast<std::size_t>(b.components),
          static_cast<std::size_t>(b.projected) + 2,
          {b.priors.begin(), b.priors.end()},
          {b.means.begin(), b.means.end()},
          {b.variances.begin(), b.variances.end()}};
}

// Rows of one file, a block at a time.
class Blocks {
 public:
  // `gpu` is where the expectation step runs; null: on the CPU.
  Blocks(const fisher::Codebook &b, GpuBlocks *gpu, SharedStatistics &to)
      : codebook_(b), mixture_(mixture_of(b)), to_(to), gpu_(gpu) {
    if (gpu_) gpu_->start(mixture_);
  }
  void add(const Engine::Descriptors &d) {
    const std::size_t count = d.positions.size() / 2, kept = static_cast<std::size_t>(codebook_.projected);
    project(d.values.data(), count, codebook_.mean, codebook_.projection, scratch_, projected_);
    for (std::size_t i = 0; i < count; i++) {
      rows_.insert(rows_.end(), projected_.row(i), projected_.row(i) + kept);
      rows_.insert(rows_.end(), d.positions.begin() + 2 * i, d.positions.begin() + 2 * i + 2);
      if (rows_.size() == block * mixture_.dimension) flush();
    }
  }
  void finish() {
    flush();
    if (!gpu_) return;
    const fisher::ExactStatistics s = gpu_->finish();
    to_.sums.add(s.sums);
    to_.mass.add(s.mass);
    to_.likelihood.add(s.likelihood);
  }

 private:
  void flush() {
    const std::size_t count = rows_.size() / mixture_.dimension;
    if (count == 0) return;
    if (gpu_) {
      gpu_->add(rows_.data(), count);
    } else {
      const Statistics s = expectation({rows_, count, mixture_.dimension}, mixture_);
      to_.sums.add(s.sums);
      to_.mass.add(s.mass);
      to_.likelihood.add(std::span(&s.likelihood, 1));
    }
    to_.rows += static_cast<double>(count);
    rows_.clear();
  }
  static constexpr std::size_t block = fisher::block_rows;
  const fisher::Codebook &codebook_;
  const Mixture mixture_;
  SharedStatistics &to_;
  Matrix scratch_, projected_;
  std::vector<float> rows_;
  GpuBlocks *const gpu_;
};

} // namespace

void collect_statistics(const StatisticsOptions &o) {
  check_writable(o.out);
  const fisher::Model model = fisher::read_model(o.model);
  const std::string how = text("filter ", o.filter, " every ", o.every);
  SharedStatistics all = no_statistics(model, how);
  const auto device = open_backend(o.backend, o.threads);
  Engine engine(*device, model.sift);
  std::optional<GpuBlocks> gpu;
  if (device->backend() == Backend::cuda) gpu.emplace(*device, mixture_of(model.codebook));
  tools::Progress progress("frames", 0, 5);
  const std::vector<std::string> files = tools::expand(o.files);
  for (std::size_t i = 0; i < files.size(); i++) {
    if (!o.share.has(i)) continue;
    SharedStatistics file = no_statistics(model, how); // a file that breaks off leaves nothing behind
    Blocks blocks(model.codebook, gpu ? &*gpu : nullptr, file);
    std::int64_t frames = 0;
    try {
      decode(files[i], o.filter, [&](std::uint64_t n, const ConstImage &frame) {
        stop_if_interrupted();
        if ((n - 1) % static_cast<std::uint64_t>(o.every)) return true;
        blocks.add(engine.descriptors(frame));
        frames++;
        progress.step();
        return true;
      });
    } catch (const Error &e) {
      if (!o.skip_bad || e.kind() != Error::Kind::bad_data) throw;
      std::fprintf(stderr, "skipped: %s\n", e.what());
      continue;
    }
    blocks.finish();
    file.files.insert(text(std::filesystem::canonical(files[i]).string(), '\t', frames));
    add(all, file, files[i]);
  }
  progress.clear();
  write_statistics(o.out, all);
  std::printf("wrote %s: %.0f descriptors of %zu files\n", o.out.c_str(), all.rows, all.files.size());
}

void maximise(const MaximiseOptions &o) {
  check_writable(o.out);
  fisher::Model model = fisher::read_model(o.model);
  SharedStatistics all;
  for (const std::string &path : o.statistics) {
    SharedStatistics more = read_statistics(path, model, o.model);
    if (all.mixture.empty())
      all = std::move(more);
    else
      add(all, more, path);
  }
  fisher::Codebook &b = model.codebook;
  if (all.rows < static_cast<double>(b.components))
    fail(Error::Kind::bad_data, "only ", all.rows, " descriptors, fewer than the ", b.components,
         " components");
  Mixture m = mixture_of(b);
  const Statistics s{all.sums.values(), all.mass.values(), all.likelihood.values().front()};
  maximisation(s, all.rows, m, variance_floor(s, all.rows, m.dimension, o.floor));
  b.priors.assign(m.priors.begin(), m.priors.end());
  b.means.assign(m.means.begin(), m.means.end());
  b.variances.assign(m.variances.begin(), m.variances.end());
  model.classifier = {}; // it was trained on vectors of the old mixture
  const double l = s.likelihood / all.rows;
  model.note += text("maximised: ", all.rows, " descriptors of ", all.files.size(), " files (", all.how,
                     "), log-likelihood before: ", l, "\n");
  fisher::write_model(o.out, model);
  std::printf("wrote %s\nlog-likelihood %.9f a descriptor before this step, of %.0f\n", o.out.c_str(), l,
              all.rows);
}

} // namespace vigil::train
