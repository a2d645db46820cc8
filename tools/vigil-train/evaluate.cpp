// SPDX-License-Identifier: LGPL-2.1-or-later
// vigil-train evaluate: a model's classifier on labelled frames.
#include "commands.h"
#include "common/error.h"
#include "kernels/fisher/smoothing.h"
#include "measures.h"
#include "tools/vigil-eval/plot.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>

namespace vigil::train {

namespace {

struct Scores {
  std::vector<double> raw, smooth; // of each sample
};

class Evaluation {
 public:
  Evaluation(const EvaluateOptions &o, const fisher::Model &m, const Labels &l, const Features &f)
      : o_(o), model_(m), labels_(l), f_(f) {
    for (int k = 0; k < m.classifier.count(); k++) scores_.push_back(score(k));
  }
  void print_measures();
  void print_events() const;
  void print_confusion() const;
  void write() const;

 private:
  Scores score(int k) const;
  int name_of_class(int k) const;
  bool event_at(std::size_t i, int name) const { return f_.samples[i].name == name; }
  template <class Fn>
  void for_each_file(Fn fn) const; // fn(first sample, last sample + 1)
  std::ofstream open(const std::string &suffix) const;
  const EvaluateOptions &o_;
  const fisher::Model &model_;
  const Labels &labels_;
  const Features &f_;
  std::vector<Scores> scores_; // of each class of the model
  std::vector<Curve> curves_;
};

template <class Fn>
void Evaluation::for_each_file(Fn fn) const {
  for (std::size_t i = 0, end = 0; i < f_.samples.size(); i = end) {
    for (end = i; end < f_.samples.size() && f_.samples[end].file == f_.samples[i].file;) end++;
    fn(i, end);
  }
}

Scores Evaluation::score(int k) const {
  const fisher::Classifier &c = model_.classifier;
  Scores s;
  for (std::size_t i = 0; i < f_.samples.size(); i++) {
    double sum = c.bias[k];
    const auto row = f_.row(i);
    for (std::size_t d = 0; d < f_.length; d++) sum += double{row[d]} * double{c.weights[k * f_.length + d]};
    s.raw.push_back(sum);
  }
  for_each_file([&](std::size_t first, std::size_t end) {
    fisher::Smoother smoother;
    for (std::size_t i = first; i < end; i++)
      s.smooth.push_back(double{smoother.step(static_cast<float>(s.raw[i]), o_.window, c.baseline)});
  });
  return s;
}

int Evaluation::name_of_class(int k) const { // in the labels
  const auto &names = labels_.names;
  const auto found = std::find(names.begin(), names.end(), model_.classifier.classes[k]);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

void Evaluation::print_measures() {
  std::printf("%-20s %8s %8s %8s %10s %10s\n", "class", "AUC", "smoothed", "AP", "recall", "false");
  for (int k = 0; k < model_.classifier.count(); k++) {
    const int name = name_of_class(k);
    std::vector<double> raw, smooth;
    std::vector<char> positive;
    double counts[2][2] = {}; // truth, found
    for (std::size_t i = 0; i < f_.samples.size(); i++) {
      if (f_.samples[i].name < 0) continue;
      raw.push_back(scores_[k].raw[i]);
      smooth.push_back(scores_[k].smooth[i]);
      positive.push_back(event_at(i, name));
      counts[int{positive.back()}][smooth.back() >= double{model_.classifier.begin[k]}]++;
    }
    curves_.push_back(measure(smooth, positive));
    std::printf("%-20s %8.4f %8.4f %8.4f %10.4f %10.4f\n", model_.classifier.classes[k].c_str(),
                measure(raw, positive).auc, curves_.back().auc, curves_.back().average_precision,
                counts[1][1] / (counts[1][0] + counts[1][1]), counts[0][1] / (counts[0][0] + counts[0][1]));
  }
}

// Labelled runs of a class against what the thresholds find in the smoothed scores.
void Evaluation::print_events() const {
  for (int k = 0; k < model_.classifier.count(); k++) {
    const int name = name_of_class(k);
    int found = 0, all = 0, wrong = 0;
    for_each_file([&](std::size_t first, std::size_t end) {
      const std::string &path = labels_.files[f_.samples[first].file].path;
      const auto smooth = std::span(scores_[k].smooth).subspan(first, end - first);
      const auto events =
          find_events(smooth, double{model_.classifier.begin[k]}, double{model_.classifier.end[k]});
      std::vector<char> used(events.size());
      for (std::size_t i = first; i < end;) {
        std::size_t last = i + 1;
        while (last < end && f_.samples[last].name == f_.samples[i].name) last++;
        if (event_at(i, name)) {
          all++;
          const std::size_t a = i - first, b = last - first;
          const Event *hit = nullptr;
          for (std::size_t e = 0; e < events.size(); e++)
            if (events[e].begin < b && events[e].end > a) {
              if (!hit) hit = &events[e];
              used[e] = 1;
            }
          const auto at = [&](std::size_t s) { return static_cast<long long>(f_.samples[first + s].frame); };
          if (hit) {
            found++;
            std::printf("event of %s in %s, frames %lld to %lld: found at frame %lld (%+lld)\n",
                        labels_.names[static_cast<std::size_t>(name)].c_str(), path.c_str(), at(a), at(b - 1),
                        at(hit->begin), at(hit->begin) - at(a));
          } else
            std::printf("event of %s in %s, frames %lld to %lld: missed\n",
                        labels_.names[static_cast<std::size_t>(name)].c_str(), path.c_str(), at(a),
                        at(b - 1));
        }
        i = last;
      }
      for (std::size_t e = 0; e < events.size(); e++) {
        // Wrong only where it lies on frames that are labelled as something else.
        const auto labelled_else = [&](const Sample &s) { return s.name >= 0 && s.name != name; };
        const auto from = f_.samples.begin() + static_cast<std::ptrdiff_t>(first + events[e].begin);
        const auto to = f_.samples.begin() + static_cast<std::ptrdiff_t>(first + events[e].end);
        if (used[e] || std::none_of(from, to, labelled_else)) continue;
        wrong++;
        std::printf("false event of %s in %s, frames %llu to %llu\n", model_.classifier.classes[k].c_str(),
                    path.c_str(), static_cast<unsigned long long>(from->frame),
                    static_cast<unsigned long long>((to - 1)->frame));
      }
    });
    std::printf("%s: %d of %d events found, %d false\n", model_.classifier.classes[k].c_str(), found, all,
                wrong);
  }
}

// The class with the highest score, where the model has a machine for every class of the labels.
void Evaluation::print_confusion() const {
  const int n = model_.classifier.count();
  if (n < 2) return;
  std::vector<std::vector<int>> table(labels_.names.size(), std::vector<int>(static_cast<std::size_t>(n)));
  double right = 0, all = 0, mean = 0;
  for (std::size_t i = 0; i < f_.samples.size(); i++) {
    if (f_.samples[i].name < 0) continue;
    int best = 0;
    for (int k = 1; k < n; k++)
      if (scores_[k].smooth[i] > scores_[best].smooth[i]) best = k;
    table[static_cast<std::size_t>(f_.samples[i].name)][static_cast<std::size_t>(best)]++;
    right += name_of_class(best) == f_.samples[i].name;
    all++;
  }
  std::printf("%-20s", "truth / found");
  for (const std::string &c : model_.classifier.classes) std::printf(" %10.10s", c.c_str());
  std::printf("\n");
  std::size_t counted = 0;
  for (std::size_t t = 0; t < table.size(); t++) {
    std::printf("%-20s", labels_.names[t].c_str());
    double sum = 0, hits = 0;
    for (int k = 0; k < n; k++) {
      const int v = table[t][static_cast<std::size_t>(k)];
      std::printf(" %10d", v);
      sum += v;
      if (name_of_class(k) == static_cast<int>(t)) hits += v;
    }
    std::printf("\n");
    mean += hits / sum;
    counted++;
  }
  std::printf("accuracy %.4f, mean over classes %.4f, of %.0f\n", right / all,
              mean / static_cast<double>(counted), all);
}

std::ofstream Evaluation::open(const std::string &suffix) const {
  std::ofstream out(o_.out + suffix);
  if (!out) fail(Error::Kind::io, "cannot write ", o_.out, suffix);
  out.precision(7);
  return out;
}

void Evaluation::write() const {
  const auto quoted = [](const std::string &s) {
    std::string q = "\"";
    for (const char c : s) q += c == '"' ? "\"\"" : std::string(1, c);
    return q + '"';
  };
  auto frames = open("-frames.csv"), roc = open("-roc.csv");
  frames << "video,frame,truth,class,score,smoothed\n";
  for (std::size_t i = 0; i < f_.samples.size(); i++)
    for (int k = 0; k < model_.classifier.count(); k++) {
      const Sample &s = f_.samples[i];
      frames << quoted(labels_.files[s.file].path) << ',' << s.frame << ','
             << (s.name < 0 ? "" : quoted(labels_.names[static_cast<std::size_t>(s.name)])) << ','
             << quoted(model_.classifier.classes[k]) << ',' << scores_[k].raw[i] << ','
             << scores_[k].smooth[i] << '\n';
    }
  roc << "class,threshold,false_positive_rate,true_positive_rate,precision\n";
  std::vector<eval::RocCurve> curves;
  for (int k = 0; k < model_.classifier.count(); k++) {
    const auto &steps = curves_[k].steps;
    const std::string &name = model_.classifier.classes[k];
    eval::RocCurve curve{text(name, ", AUC ", curves_[k].auc), {}};
    constexpr std::size_t most = 200; // points that a picture shows
    for (std::size_t i = 0; i < steps.size(); i++) {
      const RocStep &s = steps[i];
      roc << quoted(name) << ',' << s.threshold << ',' << s.false_positive_rate << ',' << s.true_positive_rate
          << ',' << s.precision << '\n';
      if (i % (steps.size() / most + 1) == 0 || i + 1 == steps.size())
        curve.points.push_back({s.false_positive_rate, s.true_positive_rate, text("score >= ", s.threshold)});
    }
    curves.push_back(std::move(curve));
  }
  auto svg = open(".svg");
  svg << eval::draw_roc("Frames found, by threshold", text(o_.model, " on ", o_.labels), curves,
                        {"negative frames", "positive frames"});
  frames.close();
  roc.close();
  svg.close();
  if (!frames || !roc || !svg)
    fail(Error::Kind::io, "cannot write ", o_.out, "-frames.csv, -roc.csv and .svg");
  std::printf("wrote %s-frames.csv, %s-roc.csv and %s.svg\n", o_.out.c_str(), o_.out.c_str(), o_.out.c_str());
}

} // namespace

void evaluate(const EvaluateOptions &o) {
  const fisher::Model model = fisher::read_model(o.model);
  if (model.classifier.count() == 0)
    fail(Error::Kind::bad_data, o.model, " has no classifier; make one with vigil-train classifier");
  const Labels labels = read_labels(o.labels);
  for (const std::string &c : model.classifier.classes)
    if (std::find(labels.names.begin(), labels.names.end(), c) == labels.names.end())
      std::fprintf(stderr, "note: the labels have no frame of class '%s'\n", c.c_str());
  const auto device = open_backend(o.backend, o.threads);
  const Features f = compute_features(*device, model, labels, o.features);
  Evaluation e(o, model, labels, f);
  e.print_measures();
  e.print_confusion();
  e.print_events();
  if (!o.out.empty()) e.write();
}

} // namespace vigil::train
