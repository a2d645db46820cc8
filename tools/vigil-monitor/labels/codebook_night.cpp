// SPDX-License-Identifier: LGPL-2.1-or-later
#include "codebook_night.h"

#include "../camera/utc.h"
#include "codebook_child.h"
#include "codebook_choice.h"
#include "common/error.h"
#include "common/guarded.h"
#include "kernels/fisher/model_file.h"
#include "kernels/label/picture_encoder.h"

#include <chrono>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <sys/resource.h>
#include <utility>

namespace vigil::monitor {
namespace {

// A codebook of fewer pictures describes those alone; more make it no better, and take longer.
constexpr std::size_t fewest_pictures = 40, most_pictures_of_a_night = 500;

double seconds_until(int hour) {
  const std::time_t now = std::time(nullptr);
  std::tm then{};
  localtime_r(&now, &then);
  const bool passed = then.tm_hour >= hour;
  then.tm_hour = hour;
  then.tm_min = then.tm_sec = 0;
  then.tm_isdst = -1;
  if (passed) then.tm_mday++;
  return std::difftime(std::mktime(&then), now);
}

nlohmann::json known(double accuracy) {
  return std::isnan(accuracy) ? nlohmann::json() : nlohmann::json(accuracy);
}

} // namespace

struct CodebookNight::Outcome {
  std::size_t pictures = 0;
  CodebookChoice choice{std::nan(""), std::nan("")};
  std::string reason; // why it was not taken; empty: it was
};

CodebookNight::CodebookNight(LabelBook &book, SiteCodebook &codebook, std::string folder, int hour,
                             Surroundings around)
    : book_(book), codebook_(codebook), folder_(std::move(folder)), hour_(hour), around_(std::move(around)),
      thread_([this] { guard("the codebook of labels", [&] { run(); }); }) {}

CodebookNight::~CodebookNight() {
  {
    const std::lock_guard guard(lock_);
    ending_ = true;
    asked_.notify_one();
  }
  thread_.join();
}

bool CodebookNight::make_now() {
  const std::lock_guard guard(lock_);
  if (wanted_ || making_) return false;
  wanted_ = true;
  asked_.notify_one();
  return true;
}

nlohmann::json CodebookNight::describe() const {
  const std::string id = codebook_.id();
  const std::lock_guard guard(lock_);
  return {{"in_use", id.empty() ? nlohmann::json() : nlohmann::json(id)},
          {"making", wanted_ || making_},
          {"hour", hour_},
          {"last", last_}};
}

bool CodebookNight::wait_for_turn() {
  // The clock may be set, and the machine may sleep: it looks often.
  constexpr std::chrono::minutes often(1);
  std::unique_lock held(lock_);
  double left = seconds_until(hour_);
  while (!ending_ && !wanted_) {
    asked_.wait_for(held, often);
    const double now = seconds_until(hour_);
    if (now > left + std::chrono::duration<double>(std::chrono::hours(12)).count()) wanted_ = true;
    left = now;
  }
  making_ = std::exchange(wanted_, false);
  return !ending_;
}

void CodebookNight::run() {
  constexpr int niceness = 19;
  setpriority(PRIO_PROCESS, 0, niceness); // of this thread: cameras come first
  std::error_code error;
  std::filesystem::remove_all(folder_, error); // of a program that was killed
  while (wait_for_turn()) {
    guard("the codebook of labels", [&] { make(); });
    const std::lock_guard guard(lock_);
    making_ = false;
  }
}

std::vector<label::Picture> CodebookNight::of_events(std::size_t most) const {
  std::vector<label::Picture> out;
  for (const std::string &id : around_.events(most)) {
    if (ending_) break;
    if (auto picture = around_.picture(id); !picture.empty()) out.push_back(std::move(picture));
  }
  return out;
}

CodebookNight::Outcome CodebookNight::try_codebook() {
  Outcome out;
  if (codebook_.refresh()) book_.describe_again();
  const LabelBook::Taught taught = book_.taught();
  std::vector<label::Picture> pictures;
  for (auto e = taught.examples.rbegin(); e != taught.examples.rend(); ++e)
    if (!e->picture.empty() && pictures.size() < most_pictures_of_a_night) pictures.push_back(e->picture);
  const std::size_t of_examples = pictures.size();
  for (label::Picture &p : of_events(most_pictures_of_a_night - of_examples))
    pictures.push_back(std::move(p));
  out.pictures = pictures.size();
  if (!of_examples || out.pictures < fewest_pictures) {
    out.reason = text("there are ", of_examples, " pictures of examples and ", out.pictures - of_examples,
                      " of other events; it needs ", fewest_pictures, " in all, and examples among them");
    return out;
  }
  const auto model = make_codebook(pictures, folder_, ending_);
  label::PictureEncoder encoder(fisher::parse_model(model));
  auto again = taught.examples;
  for (label::TaughtExample &e : again) {
    if (e.picture.empty()) continue;
    e.example.subject.appearance = encoder.appearance(e.picture);
    e.codebook = "new";
  }
  out.choice = choose_codebook(label::examples_of(taught.examples, taught.codebook),
                               label::examples_of(again, "new"), codebook_.id().empty());
  if (std::isnan(out.choice.before) || std::isnan(out.choice.after))
    out.reason = "too few examples are taught to compare it";
  else if (!out.choice.takes)
    out.reason = "labels would not be known better by it";
  if (!out.reason.empty() || ending_) return out;
  codebook_.install(model);
  book_.describe_again();
  return out;
}

void CodebookNight::make() {
  const double begun = Utc::monotonic_seconds();
  Outcome made;
  try {
    made = try_codebook();
  } catch (const std::exception &e) {
    made.reason = e.what();
  }
  if (ending_) return;
  const auto shown = [](double accuracy) {
    return std::isnan(accuracy) ? std::string("not known") : text(std::round(accuracy * 1000) / 1000);
  };
  around_.log(text("labels: a codebook of ", made.pictures,
                   " pictures: ", made.reason.empty() ? "it is in use" : "it is not used, " + made.reason,
                   "; accuracy before ", shown(made.choice.before), ", with it ", shown(made.choice.after)));
  const std::lock_guard guard(lock_);
  last_ = {{"time", Utc::system_seconds()},
           {"pictures", made.pictures},
           {"taken", made.reason.empty()},
           {"reason", made.reason.empty() ? nlohmann::json() : nlohmann::json(made.reason)},
           {"accuracy_before", known(made.choice.before)},
           {"accuracy_after", known(made.choice.after)},
           {"seconds", Utc::monotonic_seconds() - begun}};
}

} // namespace vigil::monitor
