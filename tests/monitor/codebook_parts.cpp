// SPDX-License-Identifier: LGPL-2.1-or-later
// Parts of the site's own codebook: the choice between two, and the file.
#include "common/error.h"
#include "common/file.h"
#include "kernels/label/appearance.h"
#include "tests/fisher/sample_model.h"
#include "tests/unit.h"
#include "tools/vigil-monitor/labels/codebook_choice.h"
#include "tools/vigil-monitor/labels/site_codebook.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <sys/resource.h>
#include <vector>

namespace {

namespace fs = std::filesystem;
using vigil::test::expect;
using namespace vigil;
using namespace vigil::monitor;

constexpr std::size_t each = 20;

// Two names of the same shape at two cameras. Of `lying`, the vectors say the other name at one camera.
std::vector<label::Example> taught(bool with_vectors, std::size_t lying) {
  std::vector<label::Example> out;
  std::mt19937 random(1);
  std::normal_distribution<float> noise(0, 0.05F);
  for (std::size_t n = 0; n < each; n++)
    for (const int name : {0, 1}) {
      label::Example e{name ? "post" : "milk", true, {}, n % 2 ? "door" : "yard"};
      for (float &f : e.subject.shape) f = noise(random);
      const bool says = (name != 0) != (n < lying);
      if (with_vectors) {
        e.subject.appearance.assign(label::appearance_length, 0.F);
        e.subject.appearance[says ? 3 : 7] = 1;
      }
      out.push_back(std::move(e));
    }
  return out;
}

void choice() {
  const auto none = taught(false, 0), good = taught(true, 0), worse = taught(true, 6);
  const CodebookChoice first = choose_codebook(none, good, true);
  expect(first.takes && first.after > first.before + 0.2, "a first one that helps is taken");
  expect(!choose_codebook(good, good, true).takes, "a first one that changes nothing is not");
  expect(choose_codebook(good, good, false).takes, "a later one that is as good is");
  const CodebookChoice loses = choose_codebook(good, worse, false);
  expect(!loses.takes && loses.after < loses.before, "one that is worse is not");
  expect(!choose_codebook({}, {}, true).takes && !choose_codebook({}, {}, false).takes, "nothing to compare");
}

std::vector<std::uint8_t> model(int components) {
  return fisher::serialize(fisher::sample_model(3, components, 0));
}

bool refused(SiteCodebook &codebook, std::span<const std::uint8_t> bytes, Error::Kind kind) {
  try {
    codebook.install(bytes);
    return false;
  } catch (const Error &e) {
    return e.kind() == kind;
  }
}

void file() {
  std::string folder = (fs::temp_directory_path() / "vigil-codebook-XXXXXX").string();
  expect(mkdtemp(folder.data()) != nullptr, "a folder");
  const std::string path = folder + "/codebook.model";
  std::vector<std::string> reported;
  const auto report = [&](const std::string &what) { reported.push_back(what); };
  label::Picture stripes, black(label::picture_bytes);
  for (std::size_t i = 0; i < label::picture_bytes; i++) stripes.push_back(i / 8 % 2 ? 200 : 50);
  {
    SiteCodebook codebook(path, report);
    expect(codebook.id().empty() && codebook.looks(stripes).codebook.empty() && reported.empty(), "none yet");
    codebook.install(model(2));
    const std::string first = codebook.id();
    const Looks looks = codebook.looks(stripes);
    expect(looks.codebook == first && looks.vector.size() == label::appearance_length, "a vector by it");
    expect(codebook.looks(black).vector != looks.vector, "black looks different");
    expect(codebook.looks({1, 2}).vector.empty(), "nor has what is no picture");
    expect(!codebook.refresh(), "the same file");

    // Neither a full disk nor what is no codebook takes the place of one.
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit small{64, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    const bool full = refused(codebook, model(4), Error::Kind::write);
    setrlimit(RLIMIT_FSIZE, &before);
    expect(full && codebook.id() == first && !codebook.refresh(), "a full disk leaves it in use");
    auto cut = model(4);
    cut.resize(cut.size() / 2);
    expect(refused(codebook, cut, Error::Kind::bad_data) && codebook.id() == first, "half of one is none");

    codebook.install(model(4));
    expect(codebook.id() != first && SiteCodebook(path + ".previous", report).id() == first,
           "the one before is kept");
    // A folder in the place of either.
    for (const std::string &name : {path + ".previous", path}) {
      fs::remove(name);
      fs::create_directories(name + "/somebody's");
    }
    codebook.install(model(4));
    expect(codebook.id() != first && fs::is_regular_file(path) && !fs::exists(path + ".previous") &&
               reported.size() == 2 && reported[0].find(" is a folder ") != std::string::npos,
           "folders are set aside");
    reported.clear();
    // By hand.
    write_file_atomically(path, model(2));
    expect(codebook.refresh() && codebook.id() == first, "another file is used");
    expect(codebook.looks(stripes).vector == looks.vector, "the same file, the same vectors");
    fs::remove(path);
    expect(codebook.refresh() && codebook.id().empty() && reported.empty(),
           "a file that is gone is no error");
    codebook.install(model(2));
    write_file_atomically(path, cut);
    expect(!codebook.refresh() && codebook.id() == first && reported.size() == 1 && fs::exists(path),
           "half of one, as while it is copied, is reported and does not take the place");
    expect(!codebook.refresh() && reported.size() == 1, "once");
    expect(SiteCodebook(path, report).id().empty() && reported.size() == 2 && !fs::exists(path),
           "a start sets it aside");
  }
  fs::remove_all(folder);
}

} // namespace

int main() {
  return test::run_cases("codebook of a site", {{"choice", choice}, {"file", file}});
}
