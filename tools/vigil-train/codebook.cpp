// SPDX-License-Identifier: LGPL-2.1-or-later
// vigil-train codebook: descriptors are sampled, projected, clustered, and a mixture is fitted. An interrupt
// leaves a checkpoint, from which the same options with --resume go on to the same bits.
#include "commands.h"
#include "common/array_file.h"
#include "common/error.h"
#include "common/file.h"
#include "gpu_rows.h"
#include "interrupt.h"
#include "matrix.h"
#include "media.h"
#include "mixture.h"
#include "pca.h"
#include "sampler.h"
#include "tools/base/media_files.h"
#include "tools/base/progress.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <numbers>
#include <oneapi/tbb/parallel_for.h>

namespace vigil::train {

namespace {

constexpr ArrayFormat checkpoint_format{"VIGILCKP", 1, "the checkpoint"};

// What was done so far.
struct State {
  std::int32_t files_done = 0, frames = 0, skipped = 0; // while sampling
  bool sampled = false;
  double seen = 0; // descriptors
  Pca pca;
  std::vector<float> rows; // projected, with positions
  std::int32_t iteration = 0;
  std::vector<double> likelihoods; // of each iteration
  Mixture mixture;                 // no component before the first iteration
};

class CodebookTrainer {
 public:
  explicit CodebookTrainer(const CodebookOptions &o)
      : o_(o), sampler_(static_cast<std::size_t>(o.samples), o.seed) {
    if (!o.base.empty()) base_ = fisher::read_model(o.base);
    sift_ = o.base.empty() ? o.sift : base_.sift;
  }
  void run();

 private:
  void sample();
  void project(std::vector<float> sampled);
  using Expect = std::function<Statistics(const Mixture &)>;
  Expect make_expectation(const Data &);
  void fit();
  void write() const;
  void save_checkpoint();
  void load_checkpoint();
  std::string checkpoint() const { return o_.out + ".checkpoint"; }
  std::string fingerprint() const;
  std::size_t dimension() const { return static_cast<std::size_t>(o_.projected) + 2; }
  Data data() const { return {state_.rows, state_.rows.size() / dimension(), dimension()}; }
  const CodebookOptions &o_;
  fisher::Model base_; // with a lag: what the codebook is added to
  fisher::SiftParams sift_;
  Labels labels_; // files, and the frames of them that are used
  Sampler sampler_;
  State state_;
  std::vector<std::unique_ptr<Device>> gpus_;
  std::unique_ptr<GpuRows> gpu_rows_;
};

void CodebookTrainer::run() {
  check_writable(o_.out); // not after hours of work
  if (o_.labels.empty())
    for (const std::string &path : tools::expand(o_.videos))
      labels_.files.push_back({path, {{1, whole_file, 0, path}}});
  else
    labels_ = read_labels(o_.labels, ""); // any classes go together
  if (o_.resume)
    load_checkpoint();
  else if (std::filesystem::exists(checkpoint()))
    std::fprintf(stderr, "note: %s is there and will be written over; --resume would go on from it\n",
                 checkpoint().c_str());
  try {
    if (!state_.sampled) sample();
    fit();
  } catch (const Interrupted &) {
    save_checkpoint();
    throw;
  }
  write();
  std::filesystem::remove(checkpoint());
}

// Time grows with the number of descriptors, here and in use, and the largest scale has most of them.
// 640x480 with the defaults has 73,125; the paper's pictures are of 320x240.
void note_a_large_frame(int width, int height, const fisher::SiftParams &sift) {
  constexpr int many = 150000;
  const int descriptors = fisher::layout_for(width, height, sift).descriptors;
  fisher::SiftParams smaller = sift;
  smaller.largest_scale =
      std::round(100 * std::numbers::sqrt2 * std::sqrt(320. * 240 / (static_cast<double>(width) * height))) /
      100;
  if (descriptors < many || smaller.largest_scale < 1. / 16) return;
  std::fprintf(stderr,
               "note: a frame of %dx%d has %d descriptors; --largest-scale %.2g looks at it as at one of "
               "320x240, with %d\n",
               width, height, descriptors, smaller.largest_scale,
               fisher::layout_for(width, height, smaller).descriptors);
}

void CodebookTrainer::sample() {
  const auto device = open_backend(o_.backend, o_.threads);
  std::printf("descriptors are taken on %s\n", device->name().c_str());
  Engine engine(*device, sift_, o_.lag);
  tools::Progress progress("frames sampled", 0, 5);
  for (; state_.files_done < static_cast<std::int32_t>(labels_.files.size()); state_.files_done++) {
    const auto file = static_cast<std::size_t>(state_.files_done);
    const Sampler before = sampler_; // a file that was broken off counts as not begun
    std::int32_t frames = 0;
    engine.begin_file();
    try {
      decode(labels_.files[file].path, o_.filter, [&](std::uint64_t n, const ConstImage &frame) {
        stop_if_interrupted();
        if ((n - 1) % static_cast<std::uint64_t>(o_.every) || classes_of(labels_.files[file], n).empty()) {
          engine.remember(frame, n - 1);
          return true;
        }
        const auto d = engine.descriptors(frame, n - 1);
        if (!state_.frames && !frames && o_.base.empty())
          note_a_large_frame(frame.width, frame.height, sift_);
        sampler_.add(file, n, d.values, d.positions);
        frames++;
        progress.step();
        return true;
      });
    } catch (const Interrupted &) {
      sampler_ = before;
      throw;
    } catch (const Error &e) {
      if (!o_.skip_bad || e.kind() != Error::Kind::bad_data) throw;
      std::fprintf(stderr, "skipped: %s\n", e.what());
      sampler_ = before;
      state_.skipped++;
      frames = 0;
    }
    state_.frames += frames;
  }
  state_.seen = static_cast<double>(sampler_.seen());
  project(sampler_.take());
  std::printf(
      "%zu of %.0f descriptors of %d frames in %zu files; the projection to %d dimensions keeps %.1f %% of "
      "their variance\n",
      data().rows, state_.seen, state_.frames,
      labels_.files.size() - static_cast<std::size_t>(state_.skipped), o_.projected,
      100 * state_.pca.explained);
  std::fflush(stdout);
  state_.sampled = true;
}

void CodebookTrainer::project(std::vector<float> sampled) {
  constexpr std::size_t length = fisher::descriptor_length, block = 1024;
  const std::size_t count = sampled.size() / Sampler::width, kept = static_cast<std::size_t>(o_.projected);
  std::vector<float> descriptors;
  descriptors.reserve(count * length);
  for (std::size_t i = 0; i < count; i++) {
    const auto row = sampled.begin() + static_cast<std::ptrdiff_t>(i * Sampler::width);
    descriptors.insert(descriptors.end(), row, row + length);
  }
  state_.pca = fit_pca(descriptors, length, kept);
  state_.rows.resize(count * dimension());
  oneapi::tbb::parallel_for(std::size_t{0}, (count + block - 1) / block, [&](std::size_t b) {
    const std::size_t first = b * block, n = std::min(block, count - first);
    Matrix x, y;
    vigil::train::project(descriptors.data() + first * length, n, state_.pca.mean, state_.pca.projection, x,
                          y);
    for (std::size_t i = 0; i < n; i++) {
      float *to = state_.rows.data() + (first + i) * dimension();
      std::copy_n(y.row(i), kept, to);
      std::copy_n(sampled.data() + (first + i) * Sampler::width + length, 2, to + kept);
    }
  });
}

// The expectation step on all GPUs that there are, otherwise on the CPU.
CodebookTrainer::Expect CodebookTrainer::make_expectation(const Data &d) {
  if (o_.backend != "cpu") try {
      gpus_ = gpus_for(d.rows);
      gpu_rows_ = std::make_unique<GpuRows>(gpus_, d, static_cast<std::size_t>(o_.components));
      std::printf("the mixture is fitted on %zu x %s\n", gpus_.size(), gpus_.front()->name().c_str());
      return [this](const Mixture &m) { return gpu_rows_->expectation(m); };
    } catch (const Error &e) {
      if (o_.backend == "cuda" || (e.kind() != Error::Kind::no_device && e.kind() != Error::Kind::no_memory))
        throw;
      if (e.kind() == Error::Kind::no_memory)
        std::printf("the mixture is fitted on the CPU, since the GPU has no room for the descriptors: %s\n",
                    e.what());
    }
  return [d](const Mixture &m) { return expectation(d, m); };
}

void CodebookTrainer::fit() {
  const Data d = data();
  const auto floor = variance_floor(d, o_.floor);
  if (state_.mixture.components == 0) {
    stop_if_interrupted();
    constexpr int k_means_iterations = 25;
    const auto centres = k_means(d, static_cast<std::size_t>(o_.components),
                                 static_cast<std::uint64_t>(o_.seed), k_means_iterations);
    state_.mixture = from_clusters(d, centres, floor);
  }
  const Expect expect = make_expectation(d);
  using Clock = std::chrono::steady_clock;
  tools::Progress progress("iterations", static_cast<std::uint64_t>(o_.iterations), 1);
  for (; state_.iteration < o_.iterations; state_.iteration++) {
    stop_if_interrupted();
    const auto start = Clock::now();
    const Statistics sums = expect(state_.mixture);
    maximisation(sums, static_cast<double>(d.rows), state_.mixture, floor);
    const double l = sums.likelihood / static_cast<double>(d.rows);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    const double before =
        state_.likelihoods.empty() ? -std::numeric_limits<double>::infinity() : state_.likelihoods.back();
    state_.likelihoods.push_back(l);
    progress.clear();
    std::printf("iteration %3d: log-likelihood %.6f a descriptor (%.2f s)\n", state_.iteration + 1, l,
                seconds);
    std::fflush(stdout);
    progress.step();
    if (l - before < o_.tolerance * std::abs(l)) {
      state_.iteration++;
      break;
    }
  }
}

void CodebookTrainer::write() const {
  fisher::Model model = base_;
  model.sift = sift_;
  if (o_.lag > 0) {
    model.classifier = {}; // it was trained on shorter vectors
    model.motion = fisher::Motion{o_.lag, {}};
  }
  fisher::Codebook &b = model.motion ? model.motion->codebook : model.codebook;
  b.projected = o_.projected;
  b.components = o_.components;
  b.mean = state_.pca.mean;
  b.projection = state_.pca.projection;
  b.priors.assign(state_.mixture.priors.begin(), state_.mixture.priors.end());
  b.means.assign(state_.mixture.means.begin(), state_.mixture.means.end());
  b.variances.assign(state_.mixture.variances.begin(), state_.mixture.variances.end());
  model.note += text(o_.lag > 0 ? "motion: " : "codebook: ", o_.how, "\nseed: ", o_.seed,
                     "\ndescriptors: ", data().rows, " of ", static_cast<std::uint64_t>(state_.seen), " in ",
                     state_.frames, " frames\nvariance kept: ", state_.pca.explained,
                     "\niterations: ", state_.iteration,
                     "\nlog-likelihood: ", state_.likelihoods.empty() ? 0. : state_.likelihoods.back(), "\n");
  fisher::write_model(o_.out, model);
  std::printf("wrote %s\n", o_.out.c_str());
}

// Everything that the result depends on.
std::string CodebookTrainer::fingerprint() const {
  std::string s = text("seed ", o_.seed, " samples ", o_.samples, " components ", o_.components,
                       " projected ", o_.projected, " floor ", o_.floor, " every ", o_.every, " filter ",
                       o_.filter, " lag ", o_.lag, " sift");
  for_each_param(fisher::params_table, [&](int, const auto &p) { s += text(' ', sift_.*p.field); });
  for (const LabelledFile &f : labels_.files) {
    s += '\n' + f.path;
    for (const Range &r : f.ranges) s += text(' ', r.first, '-', r.last);
  }
  return s;
}

void CodebookTrainer::save_checkpoint() {
  ArrayWriter out(checkpoint_format);
  out.add("fingerprint", fingerprint());
  out.add("files_done", state_.files_done);
  out.add("frames", state_.frames);
  out.add("skipped", state_.skipped);
  if (!state_.sampled)
    sampler_.save(out);
  else {
    const std::size_t kept = static_cast<std::size_t>(o_.projected);
    out.add("seen", state_.seen);
    out.add("explained", state_.pca.explained);
    out.add("mean", {state_.pca.mean.size()}, state_.pca.mean);
    out.add("projection", {kept, state_.pca.mean.size()}, state_.pca.projection);
    out.add("rows", {data().rows, dimension()}, state_.rows);
    out.add("iteration", state_.iteration);
    out.add("likelihoods", {state_.likelihoods.size()}, state_.likelihoods);
    const Mixture &m = state_.mixture;
    out.add("priors", {m.priors.size()}, m.priors);
    out.add("means", {m.means.size()}, m.means);
    out.add("variances", {m.variances.size()}, m.variances);
  }
  write_file_atomically(checkpoint(), out.finish());
  std::fprintf(stderr, "interrupted; the same command with --resume goes on from %s\n", checkpoint().c_str());
}

void CodebookTrainer::load_checkpoint() {
  const auto bytes =
      read_plain_file(checkpoint(), "the checkpoint", 0, [](auto) { return std::size_t{1} << 36; });
  const ArrayReader in(checkpoint_format, bytes);
  if (in.text("fingerprint") != fingerprint())
    fail(Error::Kind::bad_setting, checkpoint(),
         " is of a training with other options or files; give the same ones, "
         "or leave --resume out");
  constexpr std::size_t any = ArrayReader::any;
  state_.files_done = in.integer("files_done");
  state_.frames = in.integer("frames");
  state_.skipped = in.integer("skipped");
  state_.sampled = in.has("rows");
  if (!state_.sampled) {
    sampler_.load(in);
    return;
  }
  const std::size_t kept = static_cast<std::size_t>(o_.projected),
                    n = static_cast<std::size_t>(o_.components);
  state_.seen = in.real("seen");
  state_.pca.explained = in.real("explained");
  state_.pca.mean = in.floats("mean", {fisher::descriptor_length});
  state_.pca.projection = in.floats("projection", {kept, fisher::descriptor_length});
  state_.rows = in.floats("rows", {any, dimension()});
  state_.iteration = in.integer("iteration");
  state_.likelihoods = in.doubles("likelihoods", {any});
  if (in.shape("priors") == Shape{0}) return; // interrupted before the first iteration
  state_.mixture = {n, dimension(), in.doubles("priors", {n}), in.doubles("means", {n * dimension()}),
                    in.doubles("variances", {n * dimension()})};
}

} // namespace

void train_codebook(const CodebookOptions &o) {
  if (std::int64_t{o.components} * 4 > o.samples)
    fail(Error::Kind::bad_setting, o.samples, " samples are too few for ", o.components, " components");
  CodebookTrainer(o).run();
}

} // namespace vigil::train
