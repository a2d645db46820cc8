// SPDX-License-Identifier: LGPL-2.1-or-later
// How often tracks are called right, by how many examples were taught. The tracks are label_tracks.py's.
//
//   label-accuracy TRACKS.jsonl table TEACH JUDGE [MORE]
//     0, 3, 5, 10, 20 examples of each name from the sets TEACH (commas between them), the tracks of the sets
//     JUDGE called; with MORE, 5 examples of each name from these sets as well. Each line: examples, mean of
//     all choices, their deviation, least and most, and the mean for each name.
//   label-accuracy TRACKS.jsonl wrong TEACH JUDGE
//     20 examples of each name, of which a share is wrong, or all are of one name, or one thing has two.
//   label-accuracy TRACKS.jsonl left-out NAME SETS
//     Average precision of NAME: each track is scored by a classifier that all other tracks taught.
//   label-accuracy TRACKS.jsonl by-set NAME SETS
//     The same; each track is scored by what the other sets taught.
//   label-accuracy TRACKS.jsonl cost
//     Bytes on the disk and in memory, and processor time, by the number of examples.
//
// Called right is what the monitor calls so (tools/vigil-monitor/labels/guesses.h): the taught name with the
// highest score from 0.5 on, otherwise the shape rule's.
#include "common/error.h"
#include "kernels/label/appearance.h"
#include "kernels/label/examples.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>
#include <iostream>
#include <malloc.h>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace vigil;
using label::Classifier, label::Example, label::Subject;

constexpr int choices = 50;

struct Track {
  std::string set, label;
  Subject subject;
};
using Tracks = std::vector<Track>;

Tracks read(const std::string &path) {
  std::ifstream in(path);
  if (!in) fail(Error::Kind::io, "cannot open ", path);
  Tracks out;
  for (std::string line; std::getline(in, line);) {
    const auto j = nlohmann::json::parse(line);
    Track t{j.at("set"), j.at("label"), {}};
    for (std::size_t i = 0; i < label::feature_count; i++)
      t.subject.shape[i] =
          j.at("shape").value(label::name_of(static_cast<label::Feature>(i)), t.subject.shape[i]);
    if (j.contains("appearance")) t.subject.appearance = j["appearance"].get<std::vector<float>>();
    if (j.contains("vector"))
      t.subject.appearance = label::appearance_of(j["vector"].get<std::vector<float>>());
    out.push_back(std::move(t));
  }
  return out;
}

std::set<std::string> words(const std::string &list) {
  std::istringstream in(list);
  std::set<std::string> out;
  for (std::string word; std::getline(in, word, ',');) out.insert(word);
  return out;
}

// Of these sets, without those whose truth is nothing.
Tracks of(const Tracks &all, const std::string &sets) {
  const auto wanted = words(sets);
  Tracks out;
  for (const Track &t : all)
    if (wanted.count(t.set) && t.label != "none") out.push_back(t);
  if (out.empty()) fail(Error::Kind::bad_data, "there are no tracks of ", sets);
  return out;
}

std::string called(const Classifier &c, const Subject &s) {
  const auto scores = c.scores(s);
  if (!scores.empty() && scores[0].score >= 0.5) return scores[0].name;
  const label::ShapeScores shape = label::shape_scores(s.shape);
  const label::Shape best = label::likeliest(shape);
  return shape[static_cast<std::size_t>(best)] >= 0.5 ? label::name_of(best) : "";
}

using Right = std::function<bool(const std::string &called, const std::string &truth)>;

// The share that is called right, of each name.
std::map<std::string, double> shares(const Classifier &c, const Tracks &judged, const Right &right) {
  std::map<std::string, std::pair<double, double>> count;
  for (const Track &t : judged) {
    auto &[good, all] = count[t.label];
    all++;
    good += right(called(c, t.subject), t.label);
  }
  std::map<std::string, double> out;
  for (const auto &[name, of_name] : count) out[name] = of_name.first / of_name.second;
  return out;
}

// `each` examples of each name, drawn at random; fewer where there are fewer.
void draw(const Tracks &from, std::size_t each, std::mt19937 &random, std::vector<Example> &out) {
  std::vector<std::size_t> order(from.size());
  for (std::size_t i = 0; i < order.size(); i++) order[i] = i;
  std::shuffle(order.begin(), order.end(), random);
  std::map<std::string, std::size_t> taken;
  for (const std::size_t i : order)
    if (taken[from[i].label]++ < each) out.push_back({from[i].label, true, from[i].subject, from[i].set});
}

struct Row {
  std::vector<double> means;
  std::map<std::string, double> names;
  void add(const std::map<std::string, double> &right) {
    double sum = 0;
    for (const auto &[name, share] : right) {
      sum += share;
      names[name] += share / choices;
    }
    means.push_back(sum / double(right.size()));
  }
  void print(const std::string &what) const {
    double sum = 0, squares = 0;
    for (const double m : means) sum += m;
    const double mean = sum / double(means.size());
    for (const double m : means) squares += (m - mean) * (m - mean);
    const auto [least, most] = std::minmax_element(means.begin(), means.end());
    std::printf("%-24s mean %.3f deviation %.3f least %.3f most %.3f", what.c_str(), mean,
                std::sqrt(squares / double(means.size())), *least, *most);
    for (const auto &[name, share] : names) std::printf(" %s %.3f", name.c_str(), share);
    std::printf("\n");
  }
};

bool same(const std::string &called, const std::string &truth) {
  return called == truth;
}

void table(const Tracks &teach, const Tracks &judge, const Tracks *more) {
  for (const std::size_t n : {0, 3, 5, 10, 20}) {
    Row row;
    for (int choice = 0; choice < choices; choice++) {
      std::mt19937 random(static_cast<unsigned>(choice));
      std::vector<Example> examples;
      draw(teach, n, random, examples);
      if (more) draw(*more, 5, random, examples);
      row.add(shares(Classifier(examples), judge, same));
    }
    row.print(std::to_string(n) + (more ? "+5" : ""));
  }
}

void wrong(const Tracks &teach, const Tracks &judge) {
  constexpr std::size_t each = 20;
  std::vector<std::string> names;
  for (const Track &t : teach)
    if (std::find(names.begin(), names.end(), t.label) == names.end()) names.push_back(t.label);
  using Change = std::function<void(std::vector<Example> &, std::mt19937 &)>;
  const auto lie = [&](double share) {
    return [&names, share](std::vector<Example> &examples, std::mt19937 &random) {
      for (Example &e : examples)
        if (std::uniform_real_distribution<double>()(random) < share)
          e.name = names[std::size_t(std::find(names.begin(), names.end(), e.name) - names.begin() + 1) %
                         names.size()];
    };
  };
  const auto only = [](std::vector<Example> &examples, std::mt19937 &) {
    std::erase_if(examples, [](const Example &e) { return e.name != "person"; });
  };
  const auto rename = [](std::vector<Example> &examples, std::mt19937 &) {
    bool second = false;
    for (Example &e : examples)
      if (e.name == "person" && (second = !second)) e.name = "pedestrian";
  };
  const Right either = [](const std::string &called, const std::string &truth) {
    return called == truth || (truth == "person" && called == "pedestrian");
  };
  const std::vector<std::pair<std::string, Change>> cases = {{"none is wrong", lie(0)},
                                                             {"10 % are wrong", lie(0.1)},
                                                             {"30 % are wrong", lie(0.3)},
                                                             {"only persons are taught", only},
                                                             {"person has two names", rename}};
  for (const auto &[what, change] : cases) {
    Row row;
    int alike = 0;
    for (int choice = 0; choice < choices; choice++) {
      std::mt19937 random(static_cast<unsigned>(choice));
      std::vector<Example> examples;
      draw(teach, each, random, examples);
      change(examples, random);
      const Classifier c(examples);
      row.add(shares(c, judge, either));
      alike +=
          std::any_of(c.report().begin(), c.report().end(), [](const auto &r) { return !r.alike.empty(); });
    }
    row.print(what);
    std::printf("%-24s two names are said to be alike in %d of %d choices\n", "", alike, choices);
  }
}

// The mean of the precision at each track of the name, from the highest score down.
double average_precision(std::vector<std::pair<double, bool>> scored) {
  std::stable_sort(scored.begin(), scored.end(),
                   [](const auto &a, const auto &b) { return a.first > b.first; });
  double found = 0, sum = 0;
  for (std::size_t i = 0; i < scored.size(); i++)
    if (scored[i].second) sum += ++found / double(i + 1);
  return found > 0 ? sum / found : 0;
}

void left_out(const Tracks &tracks, const std::string &name, bool whole_set) {
  std::vector<std::pair<double, bool>> scored;
  for (std::size_t at = 0; at < tracks.size(); at++) {
    std::vector<Example> examples;
    for (std::size_t i = 0; i < tracks.size(); i++)
      if (whole_set ? tracks[i].set != tracks[at].set : i != at)
        examples.push_back({tracks[i].label, true, tracks[i].subject, tracks[i].set});
    double score = 0;
    for (const auto &n : Classifier(examples).scores(tracks[at].subject))
      if (n.name == name) score = n.score;
    scored.push_back({score, tracks[at].label == name});
    if (tracks[at].label == name) std::printf("  %s: %.3f\n", tracks[at].set.c_str(), score);
  }
  const auto many = std::count_if(scored.begin(), scored.end(), [](const auto &s) { return s.second; });
  std::printf("average precision of %s %.3f (%ld of %zu tracks)\n", name.c_str(), average_precision(scored),
              long(many), scored.size());
}

std::size_t allocated() {
  const auto now = mallinfo2();
  return now.uordblks + now.hblkhd;
}

void cost(const Tracks &tracks) {
  for (const std::size_t n : {10, 100, 1000, 10000}) {
    std::vector<label::TaughtExample> taught;
    const std::size_t before = allocated();
    for (std::size_t i = 0; i < n; i++) {
      const Track &t = tracks[i % tracks.size()];
      taught.push_back({{t.label, true, t.subject, "door"}, "20261126T120000000-door-0001", "door", 1.8e9});
    }
    const std::size_t examples = allocated();
    const std::clock_t begin = std::clock();
    const Classifier c(label::examples_of(taught));
    const double seconds = double(std::clock() - begin) / CLOCKS_PER_SEC;
    const std::size_t model = allocated();
    std::printf("%5zu examples: %zu bytes on the disk, %zu in memory, classifier %zu, learnt in %.3f s\n", n,
                label::write_examples(taught).size(), examples - before, model - examples, seconds);
  }
}

int run(const std::vector<std::string> &args) {
  const auto is = [&](const char *what, std::size_t least, std::size_t most) {
    return args.size() >= 2 + least && args.size() <= 2 + most && args[1] == what;
  };
  if (args.size() < 2) fail(Error::Kind::bad_setting, "see the head of label_accuracy.cpp for the arguments");
  const Tracks all = read(args[0]);
  if (is("table", 2, 3)) {
    const Tracks more = args.size() > 4 ? of(all, args[4]) : Tracks();
    table(of(all, args[2]), of(all, args[3]), more.empty() ? nullptr : &more);
  } else if (is("wrong", 2, 2)) {
    wrong(of(all, args[2]), of(all, args[3]));
  } else if (is("left-out", 2, 2) || is("by-set", 2, 2)) {
    left_out(of(all, args[3]), args[2], args[1] == "by-set");
  } else if (is("cost", 0, 0)) {
    cost(all);
  } else {
    fail(Error::Kind::bad_setting, "see the head of label_accuracy.cpp for the arguments");
  }
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception &e) {
    std::cerr << "label-accuracy: " << e.what() << "\n";
    return 2;
  }
}
