// SPDX-License-Identifier: LGPL-2.1-or-later
// The file of examples: what is written is read again, and nothing else.
#include "kernels/label/examples.h"
#include "common/error.h"
#include "kernels/label/appearance.h"
#include "tests/unit.h"

#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace {

using vigil::test::expect;
using namespace vigil::label;

std::vector<TaughtExample> some() {
  std::vector<TaughtExample> out;
  for (int n = 0; n < 5; n++) {
    TaughtExample e;
    e.example.name = n == 0 ? "\"/\\ Katze 💩" : "van";
    e.example.is = n != 2;
    e.example.subject.shape[0] = 0.1f * float(n);
    if (n == 3) e.example.subject.appearance.assign(appearance_length, 0.125f);
    for (std::size_t i = 0; n == 1 && i < picture_bytes; i++)
      e.picture.push_back(static_cast<std::uint8_t>(i * 7));
    e.event = n == 4 ? "" : "20261126T040000000-door-00a" + std::to_string(n);
    e.camera = "door";
    e.time = 1764130000.25 + n;
    out.push_back(e);
  }
  return out;
}

bool refused(const std::string &text, const std::string &with) {
  try {
    read_examples(text);
    return false;
  } catch (const vigil::Error &e) {
    return e.kind() == vigil::Error::Kind::bad_data && std::string(e.what()).find(with) != std::string::npos;
  }
}

std::string one(const std::string &example) {
  return R"({"format":"vigil-labels","version":1,"examples":[{"label":"a"},)" + example + "]}";
}

void round_trip() {
  const auto before = some();
  const std::string text = write_examples(before);
  const auto after = read_examples(text);
  expect(after.size() == before.size(), "as many");
  for (std::size_t i = 0; i < after.size(); i++) {
    const Example &a = before[i].example, &b = after[i].example;
    expect(a.name == b.name && a.is == b.is && a.subject.appearance == b.subject.appearance &&
               before[i].picture == after[i].picture && before[i].event == after[i].event &&
               before[i].camera == after[i].camera && before[i].time == after[i].time,
           "the same");
    for (std::size_t f = 0; f < feature_count; f++)
      expect(a.subject.shape[f] == b.subject.shape[f] ||
                 (std::isnan(a.subject.shape[f]) && std::isnan(b.subject.shape[f])),
             "the same features");
  }
  expect(write_examples(after) == text, "the same text");
  expect(read_examples(write_examples({})).empty(), "none at all");
}

void refusals() {
  expect(refused("", "no JSON"), "nothing");
  expect(refused("{}", "format"), "another file");
  expect(refused(R"({"format":"vigil-labels","version":2,"examples":[]})", "version is 2"), "a newer one");
  expect(refused(R"({"format":"vigil-labels","version":1})", "examples"), "no list");
  expect(refused(one("3"), "example 2 is number"), "no object");
  expect(refused(one("{}"), "example 2"), "no label");
  expect(refused(one(R"({"label":"a\nb"})"), "example 2"), "a label with a line's end");
  expect(refused(one(R"({"label":"a","is":1})"), "\"is\""), "neither true nor false");
  expect(refused(one(R"({"label":"a","shape":[]})"), "shape"), "a shape that is none");
  expect(refused(one(R"({"label":"a","shape":{"aspect":"x"}})"), "aspect"), "a feature that is no number");
  expect(refused(one(R"({"label":"a","shape":{"aspect":1e300}})"), "aspect"), "a feature that is none");
  expect(refused(one(R"({"label":"a","appearance":[1,2]})"), "appearance"), "too few numbers");
  expect(refused(one(R"({"label":"a","picture":3})"), "picture"), "a picture that is no text");
  expect(refused(one(R"({"label":"a","picture":"a b"})"), "picture"), "a picture that is no base64url");
  expect(refused(one(R"({"label":"a","picture":"AAAA"})"), "has 3 bytes"), "a picture of another size");
  expect(refused(one(R"({"label":"a","time":"x"})"), "time"), "a time that is none");
  expect(refused(std::string(100000, '['), "nested"), "deep nesting");
  std::string many = R"({"format":"vigil-labels","version":1,"examples":[{"label":"a"})";
  for (std::size_t n = 0; n < most_examples; n++) many += R"(,{"label":"a"})";
  expect(refused(many + "]}", "10001"), "too many");
}

// Cut off anywhere, or with any byte changed: read as something, or refused.
void damage() {
  const std::string text = write_examples(some());
  for (std::size_t n = 0; n < text.size(); n++)
    expect(refused(text.substr(0, n), ""), "cut off at " + std::to_string(n));
  std::mt19937_64 random(3);
  for (int n = 0; n < 5000; n++) {
    std::string bad = text;
    for (int k = 0; k < 3; k++) bad[random() % bad.size()] = static_cast<char>(random());
    try {
      for (const TaughtExample &e : read_examples(bad))
        expect(is_name(e.example.name), "what is read has a name");
    } catch (const vigil::Error &) {
    }
  }
}

// Vectors of another codebook are set aside, and the rest of their examples stays.
void codebooks() {
  std::vector<TaughtExample> all(3);
  for (std::size_t n = 0; n < all.size(); n++) {
    all[n].example.name = "a";
    all[n].example.subject.appearance.assign(appearance_length, 0.1f);
    all[n].codebook = n == 0 ? "old" : "new";
    all[n].camera = "door";
  }
  const std::vector<TaughtExample> read = read_examples(write_examples(all));
  expect(read[0].codebook == "old" && read[1].codebook == "new", "the file says which codebook it was");
  std::size_t aside = 9;
  const auto examples = examples_of(read, "new", &aside);
  expect(aside == 1 && examples.size() == 3 && examples[0].subject.appearance.empty() &&
             examples[1].subject.appearance.size() == appearance_length && examples[0].place == "door",
         "one vector is set aside");
  expect(examples_of(read, "another", &aside)[2].subject.appearance.empty() && aside == 3,
         "all are set aside");
}

int run() {
  const std::vector<vigil::test::Case> cases = {
      {"codebooks", codebooks},
      {"round trip", round_trip},
      {"refusals", refusals},
      {"damage", damage},
  };
  return vigil::test::run_cases("label examples", cases);
}

} // namespace

int main() {
  return run();
}
