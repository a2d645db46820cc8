// SPDX-License-Identifier: LGPL-2.1-or-later
// The model file: what is written is read back, and nothing that is read can do harm.
#include "common/array_file.h"
#include "common/bytes.h"
#include "common/error.h"
#include "kernels/fisher/motion.h"
#include "sample_model.h"
#include "tests/unit.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <sys/resource.h>

using namespace vigil;
using test::expect;
using namespace vigil::fisher;

namespace {

using Bytes = std::vector<std::uint8_t>;
void refused(const std::string &what, const std::function<void()> &act, const std::string &says,
             Error::Kind kind = Error::Kind::bad_data) {
  try {
    act();
    expect(false, what + ": was accepted");
  } catch (const Error &e) {
    expect(e.kind() == kind, what + ": another kind of error: " + e.what());
    expect(std::string(e.what()).find(says) != std::string::npos,
           what + ": says '" + e.what() + "', not " + says);
  }
}

bool same(const Codebook &x, const Codebook &y) {
  return x.projected == y.projected && x.components == y.components && x.mean == y.mean &&
         x.projection == y.projection && x.priors == y.priors && x.means == y.means &&
         x.variances == y.variances;
}

bool same(const Model &a, const Model &b) {
  const Classifier &c = a.classifier, &d = b.classifier;
  if (a.motion.has_value() != b.motion.has_value()) return false;
  if (a.motion && (a.motion->lag != b.motion->lag || !same(a.motion->codebook, b.motion->codebook)))
    return false;
  return a.sift == b.sift && same(a.codebook, b.codebook) && c.classes == d.classes &&
         c.weights == d.weights && c.bias == d.bias && c.begin == d.begin && c.end == d.end &&
         c.baseline == d.baseline && a.note == b.note;
}

void seal(Bytes &b) { // makes the checksum right again
  if (b.size() < 16) return;
  const std::uint32_t crc = checksum(std::span(b).subspan(16));
  for (int i = 0; i < 4; i++) b[12 + i] = static_cast<std::uint8_t>(crc >> (8 * i));
}

void round_trips() {
  for (const int classes : {0, 1, 5}) {
    const Model m = sample_model(7, 3, classes);
    expect(same(parse_model(serialize(m)), m),
           text("a model of ", classes, " classes is read back the same"));
  }
  const std::string path = (std::filesystem::temp_directory_path() / text("vigil-model-", getpid())).string();
  const Model m = sample_model();
  write_model(path, m);
  expect(same(read_model(path), m), "a file is read back the same");
  std::filesystem::resize_file(path, 100);
  refused(
      "half a file", [&] { read_model(path); }, path + ": the model is cut off");
  std::ofstream(path) << "not a model";
  refused(
      "another file", [&] { read_model(path); }, "does not begin with VIGILFIS");
  std::filesystem::remove(path);
  refused(
      "no file", [&] { read_model(path); }, "cannot open the model", Error::Kind::io);
  refused(
      "a folder", [&] { read_model("/"); }, "is not a plain file", Error::Kind::io);
  refused(
      "a folder that is not there", [&] { write_model("/no/such/folder/m", m); }, "cannot write",
      Error::Kind::write);
}

// A sample model with a codebook of motion, whose sizes differ from the other's.
Model motion_model() {
  Model m = sample_model(4, 3, 2);
  m.motion = Motion{6, sample_model(5, 2, 0).codebook};
  std::vector<float> more = m.classifier.weights; // longer vectors
  more.resize(std::size_t(2) * std::size_t(m.vector_length()), 0.25F);
  m.classifier.weights = more;
  return m;
}

void motion() {
  const Model m = motion_model();
  const Bytes good = serialize(m);
  expect(good[8] == 2, "a model with motion is of version 2, which older programs refuse");
  expect(serialize(sample_model())[8] == 1, "one without is of version 1, which they read");
  expect(same(parse_model(good), m), "a model with motion is read back the same");
  const auto broken = [&](const std::string &what, const std::string &says, auto change) {
    Model b = m;
    change(b);
    refused(
        what, [&] { serialize(b); }, says);
  };
  broken("a lag of 0", "motion is over 0 frames", [](Model &b) { b.motion->lag = 0; });
  broken("a lag that is too long", "possible are 1 to", [](Model &b) { b.motion->lag = max_lag + 1; });
  broken("weights of the pictures alone", "weights",
         [](Model &b) { b.classifier.weights = sample_model(4, 3, 2).classifier.weights; });
  broken("a variance of motion that is 0", "variances",
         [](Model &b) { b.motion->codebook.variances[1] = 0; });
  Bytes other = good; // the version of models without motion, whose weights are shorter
  other[8] = 1;
  seal(other);
  refused(
      "another version's number", [&] { parse_model(other); }, "weights");
  other[8] = 3;
  seal(other);
  refused(
      "a later version", [&] { parse_model(other); }, "of version 3, newer");
  Bytes plain = serialize(sample_model());
  plain[8] = 2;
  seal(plain);
  refused(
      "version 2 without motion", [&] { parse_model(plain); }, "motion_lag");
}

void damage() {
  const Bytes good = serialize(sample_model());
  for (std::size_t n = 0; n < good.size(); n++)
    refused(
        text("the first ", n, " bytes"), [&] { parse_model(std::span(good).first(n)); }, "");
  for (std::size_t bit = 0; bit < 8 * good.size(); bit++) {
    Bytes b = good;
    b[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
    refused(
        text("bit ", bit, " flipped"), [&] { parse_model(b); }, "");
  }
  Bytes more = good;
  more.push_back(0);
  seal(more);
  refused(
      "a byte too many", [&] { parse_model(more); }, "1 bytes follow its end");
  for (const int version : {0, 3}) {
    Bytes b = good;
    b[8] = static_cast<std::uint8_t>(version);
    refused(
        "another version", [&] { parse_model(b); },
        version ? "newer than this program's" : "older than this");
  }
}

void impossible_values() {
  const auto bad = [](const char *says, const std::function<void(Model &)> &change) {
    Model m = sample_model();
    change(m);
    refused(
        says, [&] { serialize(m); }, says);
  };
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              infinity = std::numeric_limits<float>::infinity();
  bad("variances is nan", [&](Model &m) { m.codebook.variances[3] = nan; });
  bad("variances is 0", [&](Model &m) { m.codebook.variances[0] = 0; });
  bad("variances is -1", [&](Model &m) { m.codebook.variances[0] = -1; });
  bad("means is inf", [&](Model &m) { m.codebook.means[0] = infinity; });
  bad("priors sum to", [&](Model &m) { m.codebook.priors[0] = 0; });
  bad("weights is nan", [&](Model &m) { m.classifier.weights.back() = nan; });
  bad("the end must not be above the begin", [&](Model &m) { m.classifier.end[0] = 1; });
  bad("two classes have the name", [&](Model &m) { m.classifier.classes[1] = m.classifier.classes[0]; });
  bad("name of a class", [&](Model &m) { m.classifier.classes[1] = std::string("two\nlines"); });
  bad("name of a class", [&](Model &m) { m.classifier.classes[1] = std::string("\xff"); });
  bad("baseline is -1", [&](Model &m) { m.classifier.baseline = -1; });
  bad("baseline is 2000000", [&](Model &m) { m.classifier.baseline = 2000000; });
  bad("scales is 0", [&](Model &m) { m.sift.scales = 0; });
  bad("largest-scale is nan", [&](Model &m) { m.sift.largest_scale = nan; });
  bad("mean's values are 127", [&](Model &m) { m.codebook.mean.pop_back(); });

  // The same NaN in a file whose checksum is right, where only the reader can find it.
  const Model m = sample_model();
  Bytes b = serialize(m);
  std::uint8_t value[4];
  std::memcpy(value, &m.codebook.variances[3], 4);
  const auto at = std::search(b.begin(), b.end(), value, value + 4);
  std::memcpy(&*at, &nan, 4);
  seal(b);
  refused(
      "a file with a NaN", [&] { parse_model(b); }, "variances is nan");
}

// Files whose checksum is right and whose claims are not.
void claims() {
  const ArrayFormat format{"VIGILFIS", 1, "the model"};
  const std::vector<float> none;
  const auto finish = [&](std::uint32_t sizes,
                          int dimensions) { // "means", of `dimensions` sizes, and no values
    ArrayWriter w(format);
    w.add("means", Shape(dimensions, 0), none);
    Bytes b = w.finish();
    for (int d = 0; d < dimensions; d++) std::memcpy(&b[24 + 12 + 4 * d], &sizes, 4);
    seal(b);
    return b;
  };
  for (const std::uint32_t size : {0xFFFFFFFFU, 0x80000000U, 0x10000U, 1000U})
    for (const int dimensions : {1, 2, 4})
      refused(
          text(dimensions, " sizes of ", size), [&] { parse_model(finish(size, dimensions)); }, "cut off");
  ArrayWriter twice(format);
  twice.add("mean", {0}, none);
  twice.add("mean", {0}, none);
  refused(
      "one name twice", [&] { parse_model(twice.finish()); }, "two arrays 'mean'");
  refused(
      "nothing in it", [&] { parse_model(ArrayWriter(format).finish()); }, "lacks the array");
  Bytes many = ArrayWriter(format).finish();
  many[16] = many[17] = many[18] = many[19] = 0xFF;
  seal(many);
  refused(
      "4294967295 arrays", [&] { parse_model(many); }, "cut off");
}

// Random changes, half of them with the checksum made right again: whatever is accepted is a usable model.
void mutations() {
  const Bytes good = serialize(sample_model());
  std::mt19937 rng(7);
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(rng); };
  int accepted = 0;
  constexpr int rounds = 60000;
  for (int i = 0; i < rounds; i++) {
    Bytes b = good;
    for (std::size_t n = 1 + below(4); n > 0; n--) {
      const std::size_t at = below(4) ? below(b.size()) : below(std::min<std::size_t>(b.size(), 400));
      constexpr std::uint8_t edges[] = {0, 1, 0x7F, 0x80, 0xFF};
      switch (below(5)) {
      case 0:
        b[at] = edges[below(5)];
        break;
      case 1:
        b[at] ^= static_cast<std::uint8_t>(1 << below(8));
        break;
      case 2:
        b.erase(b.begin() + at, b.begin() + std::min(b.size(), at + 1 + below(64)));
        break;
      case 3:
        b.insert(b.begin() + at, 1 + below(64), edges[below(5)]);
        break;
      default:
        std::copy_n(good.begin() + below(good.size() - 8), std::min<std::size_t>(8, b.size() - at),
                    b.begin() + at);
      }
      if (b.empty()) break;
    }
    if (below(8)) seal(b);
    try {
      const Model m = parse_model(b);
      validate(m);
      accepted++;
      expect(same(parse_model(serialize(m)), m), "an accepted mutation can be written and read");
    } catch (const Error &e) {
      if (e.kind() != Error::Kind::bad_data) expect(false, text("another kind of error: ", e.what()));
    }
  }
  std::printf("%d of %d mutations were still models\n", accepted, rounds);
  expect(accepted > 100 && accepted < rounds, "some mutations are accepted, not all");
}

} // namespace

int main() {
  // What a file claims must not be allocated: one that did would run into this.
  const rlimit limit{std::size_t{1} << 30, std::size_t{1} << 30};
#if !defined(__SANITIZE_ADDRESS__)
  setrlimit(RLIMIT_AS, &limit);
#endif
  const std::vector<vigil::test::Case> cases = {
      {"round trips", round_trips}, {"motion", motion},
      {"damage", damage},           {"impossible values", impossible_values},
      {"claims", claims},           {"mutations", mutations},
  };
  return vigil::test::run_cases("fisher model file", cases);
}
