// SPDX-License-Identifier: LGPL-2.1-or-later
// What the classifier of names learns from drawn features, also from wrong, few, many and odd examples.
#include "kernels/label/classifier.h"
#include "kernels/label/appearance.h"
#include "kernels/label/likeness.h"
#include "tests/unit.h"

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace {

using vigil::test::expect;
using namespace vigil::label;

std::mt19937_64 random_bits(5);
double normal() {
  return std::normal_distribution<double>()(random_bits);
}
double uniform() {
  return std::uniform_real_distribution<double>()(random_bits);
}

void set(Features &f, Feature which, double v) {
  f[static_cast<std::size_t>(which)] = static_cast<float>(v);
}

// Dogs are small and wide, people upright, vans wide and large; all vary.
Subject subject(const std::string &kind) {
  Subject s;
  const double aspect = kind == "person" ? 0.9 : -0.5, size = kind == "van"   ? -1.4
                                                              : kind == "dog" ? -3
                                                                              : -2.2;
  set(s.shape, Feature::aspect, aspect + 0.2 * normal());
  set(s.shape, Feature::size, size + 0.2 * normal());
  set(s.shape, Feature::speed, (kind == "van" ? 0.6 : -0.4) + 0.4 * normal());
  set(s.shape, Feature::straightness, 0.85 + 0.1 * normal());
  set(s.shape, Feature::travel, 1 + normal());
  set(s.shape, Feature::filled, 0.65 + 0.08 * normal());
  return s;
}

std::vector<Example> taught(const std::vector<std::string> &kinds, int each, double wrong = 0) {
  std::vector<Example> out;
  for (int n = 0; n < each; n++)
    for (std::size_t k = 0; k < kinds.size(); k++) {
      const bool lie = uniform() < wrong;
      out.push_back({lie ? kinds[(k + 1) % kinds.size()] : kinds[k], true, subject(kinds[k])});
    }
  return out;
}

double share_right(const Classifier &c, const std::vector<std::string> &kinds, int each = 200) {
  int right = 0;
  for (const std::string &kind : kinds)
    for (int n = 0; n < each; n++) {
      const auto scores = c.scores(subject(kind));
      right += !scores.empty() && scores[0].name == kind && scores[0].score > 0.5;
    }
  return right / double(each * int(kinds.size()));
}

const NameReport &report(const Classifier &c, const std::string &name) {
  for (const NameReport &r : c.report())
    if (r.name == name) return r;
  static const NameReport none;
  expect(false, "there is a report of " + name);
  return none;
}

const std::vector<std::string> kinds = {"dog", "person", "van"};

void few_and_many() {
  const double five = share_right(Classifier(taught(kinds, 5)), kinds);
  const double thirty = share_right(Classifier(taught(kinds, 30)), kinds);
  expect(five >= 0.85, "five of each: " + std::to_string(five));
  expect(thirty >= 0.95, "thirty of each: " + std::to_string(thirty));
}

void wrong_labels() {
  for (const double wrong : {0.1, 0.2, 0.3}) {
    const double right = share_right(Classifier(taught(kinds, 40, wrong)), kinds);
    expect(right >= 0.9, std::to_string(wrong) + " of the labels are wrong: " + std::to_string(right));
  }
}

// One example that is far from all others of its name.
void one_gross_error() {
  std::vector<Example> examples = taught(kinds, 15);
  const double before = share_right(Classifier(examples), kinds);
  Subject far;
  for (std::size_t i = 0; i < feature_count; i++) far.shape[i] = 1e30f;
  for (int n = 0; n < 3; n++) examples.push_back({"dog", true, far});
  const double after = share_right(Classifier(examples), kinds);
  expect(after >= before - 0.05,
         "three gross errors: " + std::to_string(before) + " to " + std::to_string(after));
}

// Cars come towards one camera and pass another one from left to right.
void another_road() {
  std::vector<Example> examples = taught({"person", "van"}, 20);
  for (Example &e : examples) set(e.subject.shape, Feature::sideways, e.name == "van" ? 0.1 : 0.95);
  const Classifier c(examples);
  int right = 0;
  for (int n = 0; n < 100; n++) {
    Subject van = subject("van");
    set(van.shape, Feature::sideways, 0.95);
    right += c.scores(van)[0].name == "van" && c.scores(van)[0].score > 0.8;
  }
  expect(right >= 95, std::to_string(right) + " of 100 vans are vans where they pass from left to right");
}

void one_name_only() {
  const Classifier c(taught({"person"}, 12));
  const auto person = c.scores(subject("person")), van = c.scores(subject("van"));
  expect(person.size() == 1 && van.size() == 1, "one name has one score");
  expect(person[0].score > 0.5, "what was taught alone is known: " + std::to_string(person[0].score));
  expect(person[0].score > van[0].score, "another shape is less like it");
  expect(std::isnan(report(c, "person").accuracy), "without counterexamples there is no accuracy");
  // However many there are, what has another shape is not called so, as far as the shape rule is right.
  const Classifier many(taught({"person"}, 40));
  int wrong = 0;
  for (int n = 0; n < 100; n++) wrong += many.scores(subject("van"))[0].score > 0.5;
  expect(wrong <= 25, std::to_string(wrong) + " of 100 vans are persons after 40 persons alone were taught");
}

void not_that() {
  std::vector<Example> examples = taught({"person"}, 12);
  for (int n = 0; n < 12; n++) examples.push_back({"person", false, subject("dog")});
  for (int n = 0; n < 3; n++) examples.push_back({"ghost", false, subject("dog")});
  const Classifier c(examples);
  expect(c.scores(subject("dog"))[0].score < 0.5, "what it is not is not called that");
  expect(c.scores(subject("person"))[0].score > 0.5, "what it is still is");
  expect(c.scores(subject("dog")).size() == 1, "a name without an example is never given");
  expect(report(c, "ghost").examples == 0 && report(c, "ghost").counterexamples == 3, "but it is reported");
}

void honesty() {
  std::vector<Example> nonsense = taught({"person"}, 60);
  for (Example &e : nonsense) e.name = std::string(random_bits() % 2 ? "a" : "b");
  const Classifier by_chance(nonsense);
  const NameReport &r = report(by_chance, "a");
  expect(r.accuracy > 0.25 && r.accuracy < 0.75, "labels by chance: accuracy " + std::to_string(r.accuracy));
  expect(r.needs == 5, "more are needed then");
  const Classifier good(taught(kinds, 20));
  expect(report(good, "van").accuracy >= 0.9 && report(good, "van").needs == 0,
         "twenty good ones are enough");
  expect(report(Classifier(taught(kinds, 4)), "van").needs == 6, "four need six more");
  // What is said of the taught holds for others: the mean over several draws.
  double said = 0, is = 0;
  constexpr int draws = 10;
  for (int n = 0; n < draws; n++) {
    const Classifier c(taught({"person", "dog"}, 8, 0.1));
    said += report(c, "dog").accuracy / draws;
    is += share_right(c, {"person", "dog"}, 100) / draws;
  }
  expect(said < is + 0.05,
         "accuracy is not promised too high: " + std::to_string(said) + ", is " + std::to_string(is));
}

// Of scores around p, the share p is right.
void calibration() {
  std::vector<Example> examples;
  const auto blurred = [](bool a) {
    Subject s;
    set(s.shape, Feature::size, -2.2 + (a ? 0.35 : -0.35) + 0.7 * normal());
    return s;
  };
  for (int n = 0; n < 300; n++) examples.push_back({n % 2 ? "a" : "b", true, blurred(n % 2)});
  const Classifier c(examples);
  double said = 0, right = 0, count = 0;
  for (int n = 0; n < 3000; n++) {
    const auto scores = c.scores(blurred(n % 2));
    if (scores[0].score < 0.5) continue;
    said += scores[0].score;
    right += scores[0].name == (n % 2 ? "a" : "b");
    count++;
  }
  expect(std::abs(said - right) / count < 0.1,
         "scores " + std::to_string(said / count) + " are right in " + std::to_string(right / count));
}

void odd_input() {
  expect(Classifier().scores(Subject{}).empty() && Classifier(std::vector<Example>{}).empty(),
         "nothing was taught");
  std::vector<Example> same(30, Example{"a", true, subject("dog")});
  for (std::size_t n = 0; n < 15; n++) same[n].name = std::string("b");
  const auto tied = Classifier(same).scores(same[0].subject);
  expect(tied.size() == 2 && std::isfinite(tied[0].score) && tied[0].score < 0.9,
         "one thing under two names is unsure");
  std::vector<Example> unknown = taught(kinds, 10);
  for (std::size_t n = 0; n < unknown.size(); n += 2) unknown[n].subject = {};
  for (Example &e : unknown)
    e.subject.appearance.assign(appearance_length, std::numeric_limits<float>::quiet_NaN());
  unknown[1].subject.appearance = {1, 2};
  for (const NameScore &s : Classifier(unknown).scores(subject("van")))
    expect(s.score >= 0 && s.score <= 1, "examples of which nothing is known do no harm");
  const Classifier a(taught({"x"}, 3)), again = a;
  expect(again.scores(Subject{})[0].score == a.scores(Subject{})[0].score, "a copy is the same");
}

void names() {
  for (const char *good : {"a", "Müllers Katze", "路", "a/b?c=d&e#f", "\"'<>\\", "💩", "..", "%00", "x y"})
    expect(is_name(good), std::string("a name: ") + good);
  expect(is_name(std::string(longest_name, 'x')) && !is_name(std::string(longest_name + 1, 'x')),
         "64 bytes are the most");
  for (const std::string &bad : {std::string(""), std::string("  "), std::string("a\nb"), std::string("\xff"),
                                 std::string("a\0b", 3), std::string("\xc3"), std::string("\xed\xa0\x80")})
    expect(!is_name(bad), "no name: " + bad);
  std::vector<Example> examples;
  for (int n = 0; n < 12; n++) {
    examples.push_back({"\"'<>\\ 💩", true, subject("dog")});
    examples.push_back({"..", true, subject("van")});
  }
  expect(Classifier(examples).scores(subject("dog"))[0].name == "\"'<>\\ 💩", "odd names are names");
}

// The one thing that shape cannot know: the same shape looks different.
void appearance() {
  const auto look = [](double at) {
    std::vector<float> v(4096);
    for (std::size_t i = 0; i < v.size(); i++)
      v[i] = static_cast<float>(std::sin(0.01 * double(i) * at) + 0.5 * normal());
    return appearance_of(v);
  };
  const auto seen = [&](bool post) {
    Subject s = subject("van");
    s.appearance = look(post ? 3 : 4);
    return s;
  };
  std::vector<Example> examples;
  for (int n = 0; n < 15; n++) {
    examples.push_back({"post van", true, seen(true)});
    examples.push_back({"other van", true, seen(false)});
  }
  const Classifier with(examples), without(examples, false);
  int right = 0, blind = 0;
  for (int n = 0; n < 100; n++) {
    const Subject s = seen(n % 2);
    const std::string name = n % 2 ? "post van" : "other van";
    right += with.scores(s)[0].name == name;
    blind += without.scores(s)[0].name == name;
  }
  expect(right >= 90, "vans are known by their looks: " + std::to_string(right));
  expect(blind < 80, "and not without them: " + std::to_string(blind));
  expect(appearance_of({}).empty() && appearance_of(std::vector<float>(100)).empty() &&
             appearance_of(std::vector<float>{1, std::numeric_limits<float>::infinity()}).empty(),
         "vectors that say nothing have no appearance");
}

// How well a name is known, at each place.
void at_places() {
  std::vector<Example> examples = taught(kinds, 20);
  for (std::size_t n = 0; n < examples.size(); n++) examples[n].place = n / 3 % 2 ? "door" : "gate";
  for (int n = 0; n < 3; n++) examples.push_back({"dog", true, subject("dog"), "yard"});
  const Classifier c(examples);
  const NameReport &r = report(c, "dog");
  expect(r.places.size() == 3 && r.places.at("yard").examples == 3 && r.places.at("yard").needs == 2 &&
             std::isnan(r.places.at("yard").accuracy),
         "a place with three examples and nothing else needs two more, and says no accuracy");
  std::size_t sum = 0;
  for (const auto &[place, of] : r.places) sum += of.examples;
  expect(sum == r.examples, "each example is at one place");
}

// Two names for one thing are found; names of different things are not.
void alike() {
  std::vector<Example> examples = taught(kinds, 24);
  for (std::size_t n = 0; n < examples.size(); n++)
    if (examples[n].name == "dog" && n % 2) examples[n].name = "hound";
  const Classifier c(examples);
  expect(report(c, "dog").alike == "hound" && report(c, "hound").alike == "dog", "a dog is a hound");
  expect(report(c, "van").alike.empty() && report(c, "person").alike.empty(), "a van is no person");
  expect(report(Classifier(taught(kinds, 24)), "dog").alike.empty(), "three things have three names");
}

// Groups that are alike are of one kind, and most things are in one.
void groups() {
  std::vector<Subject> subjects;
  std::vector<std::string> of;
  for (int n = 0; n < 90; n++) {
    of.push_back(kinds[std::size_t(n) % kinds.size()]);
    subjects.push_back(subject(of.back()));
  }
  subjects.push_back({}); // of which nothing is known
  const auto found = groups_alike(subjects, 12);
  std::size_t grouped = 0, pure = 0;
  std::vector<int> seen(subjects.size());
  for (const auto &g : found) {
    expect(g.size() >= 2 && g.size() <= 12, "groups have 2 to 12 members");
    for (const std::size_t i : g) {
      expect(!seen[i]++, "each is in one group");
      grouped++;
      pure += i < of.size() && of[i] == of[g[0]];
    }
  }
  expect(!seen.back(), "what is not known is like nothing");
  expect(grouped >= 60, "grouped: " + std::to_string(grouped) + " of 90");
  expect(pure >= grouped * 95 / 100,
         "of one kind: " + std::to_string(pure) + " of " + std::to_string(grouped));
  expect(groups_alike({}, 12).empty() && groups_alike(std::span(subjects).first(1), 12).empty(),
         "few of them");
}

void ten_thousand() {
  std::vector<Example> many = taught(kinds, int(most_examples) / 3 + 100, 0.2);
  const Classifier c(many);
  std::size_t counted = 0;
  for (const NameReport &r : c.report()) counted += r.examples;
  expect(counted == most_examples, "the first ten thousand are taken");
  expect(share_right(c, kinds) >= 0.95, "ten thousand examples, a fifth of them wrong");
}

int run() {
  const std::vector<vigil::test::Case> cases = {
      {"few and many", few_and_many},
      {"wrong labels", wrong_labels},
      {"one gross error", one_gross_error},
      {"another road", another_road},
      {"one name only", one_name_only},
      {"not that", not_that},
      {"honesty", honesty},
      {"calibration", calibration},
      {"odd input", odd_input},
      {"names", names},
      {"appearance", appearance},
      {"at places", at_places},
      {"alike", alike},
      {"groups", groups},
      {"ten thousand", ten_thousand},
  };
  return vigil::test::run_cases("label classifier", cases);
}

} // namespace

int main() {
  return run();
}
