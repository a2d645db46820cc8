// SPDX-License-Identifier: LGPL-2.1-or-later
// What vigil-train evaluate leaves as files: tables and pictures.
#include "common/error.h"
#include "common/file.h"
#include "evaluation.h"
#include "time_plot.h"
#include "tools/vigil-eval/plot.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <sstream>

namespace vigil::train {

namespace {

std::string csv_field(const std::string &s) {
  std::string q = "\"";
  for (const char c : s) q += c == '"' ? "\"\"" : std::string(1, c);
  return q + '"';
}

void write_file(const std::string &path, const std::function<void(std::ostream &)> &put) {
  std::ostringstream out;
  out.precision(7);
  put(out);
  const std::string whole = std::move(out).str();
  write_file_atomically(path, {reinterpret_cast<const std::uint8_t *>(whole.data()), whole.size()});
  std::printf("wrote %s\n", path.c_str());
}

void put_classes(const Evaluation &e, std::ostream &out) {
  out << "class,frames,auc,auc_smoothed,average_precision_11,average_precision_area,recall,false_rate\n";
  for (const ClassResult &r : e.classes)
    out << csv_field(r.name) << ',' << r.positives << ',' << r.frames.auc << ',' << r.smoothed.auc << ','
        << r.smoothed.average_precision_11 << ',' << r.smoothed.average_precision << ',' << r.recall << ','
        << r.false_rate << '\n';
}

// Several classes of a frame are joined by semicolons.
std::string truth_of(const Evaluation &e, const Sample &s) {
  std::string names;
  for (const std::size_t n : s.names) names += (names.empty() ? "" : ";") + e.labels.names[n];
  return s.labelled() ? csv_field(names) : "";
}

void put_frames(const Evaluation &e, std::ostream &out) {
  out << "video,frame,truth,class,score,smoothed\n";
  for (std::size_t i = 0; i < e.features.samples.size(); i++) {
    const Sample &s = e.features.samples[i];
    const std::string begin =
        text(csv_field(e.labels.files[s.file].path), ',', s.frame, ',', truth_of(e, s), ',');
    for (const ClassResult &r : e.classes)
      out << begin << csv_field(r.name) << ',' << r.raw[i] << ',' << r.smooth[i] << '\n';
  }
}

void put_roc(const Evaluation &e, std::ostream &out) {
  out << "class,threshold,false_positive_rate,true_positive_rate,precision\n";
  for (const ClassResult &r : e.classes)
    for (const RocStep &s : r.smoothed.steps)
      out << csv_field(r.name) << ',' << s.threshold << ',' << s.false_positive_rate << ','
          << s.true_positive_rate << ',' << s.precision << '\n';
}

std::string roc_picture(const Evaluation &e, const std::string &what) {
  std::vector<eval::RocCurve> curves;
  for (const ClassResult &r : e.classes) {
    const auto &steps = r.smoothed.steps;
    eval::RocCurve curve{text(r.name, ", AUC ", r.smoothed.auc), {}};
    constexpr std::size_t most = 200; // points that a picture shows
    for (std::size_t i = 0; i < steps.size(); i++)
      if (i % (steps.size() / most + 1) == 0 || i + 1 == steps.size())
        curve.points.push_back({steps[i].false_positive_rate, steps[i].true_positive_rate,
                                text("score >= ", steps[i].threshold)});
    curves.push_back(std::move(curve));
  }
  return eval::draw_roc("Frames found, by threshold", what, curves, {"negative frames", "positive frames"});
}

// Runs of samples for which is_in(sample number) holds, by frame number; a run ends where the next sample
// begins.
template <class Fn>
std::vector<FrameRange> ranges(const Evaluation &e, const SampleRun &run, Fn is_in) {
  std::vector<FrameRange> out;
  const auto frame = [&](std::size_t i) { return static_cast<double>(e.features.samples[i].frame); };
  for (std::size_t i = run.first, end = 0; i < run.end; i = end) {
    for (end = i + 1; end < run.end && is_in(end) == is_in(i);) end++;
    if (is_in(i)) out.push_back({frame(i), frame(std::min(end, run.end - 1))});
  }
  return out;
}

std::vector<TimePanel> time_panels(const Evaluation &e) {
  std::vector<TimePanel> panels;
  for (std::size_t f = 0; f < e.files.size(); f++) {
    const SampleRun &run = e.files[f];
    if (run.end - run.first < 2) continue; // a picture
    const auto &samples = e.features.samples;
    TimePanel p{std::filesystem::path(e.path_of(run)).filename().string(), {}, {}, {}};
    for (std::size_t i = run.first; i < run.end; i++)
      p.frames.push_back(static_cast<double>(samples[i].frame));
    p.unlabelled = ranges(e, run, [&](std::size_t i) { return !samples[i].labelled(); });
    for (std::size_t k = 0; k < e.classes.size(); k++) {
      const ClassResult &r = e.classes[k];
      TimeCurve c{{r.smooth.begin() + std::ptrdiff_t(run.first), r.smooth.begin() + std::ptrdiff_t(run.end)},
                  double{e.model.classifier.begin[k]},
                  ranges(e, run,
                         [&](std::size_t i) {
                           return r.label >= 0 && samples[i].has(static_cast<std::size_t>(r.label));
                         }),
                  ranges(e, run, [&](std::size_t i) {
                    return std::any_of(r.events[f].begin(), r.events[f].end(),
                                       [&](const Event &event) { return i >= event.begin && i < event.end; });
                  })};
      p.classes.push_back(std::move(c));
    }
    panels.push_back(std::move(p));
  }
  return panels;
}

} // namespace

void write_evaluation(const Evaluation &e, const std::string &prefix, const std::string &what) {
  write_file(prefix + "-classes.csv", [&](std::ostream &out) { put_classes(e, out); });
  write_file(prefix + "-frames.csv", [&](std::ostream &out) { put_frames(e, out); });
  write_file(prefix + "-roc.csv", [&](std::ostream &out) { put_roc(e, out); });
  write_file(prefix + ".svg", [&](std::ostream &out) { out << roc_picture(e, what); });
  const auto panels = time_panels(e);
  if (panels.empty()) return;
  std::vector<std::string> names;
  for (const ClassResult &r : e.classes) names.push_back(r.name);
  write_file(prefix + "-time.svg", [&](std::ostream &out) { out << draw_scores(what, names, panels); });
}

} // namespace vigil::train
