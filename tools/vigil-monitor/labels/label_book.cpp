// SPDX-License-Identifier: LGPL-2.1-or-later
#include "label_book.h"

#include "../counted.h"
#include "../export/sha256.h"
#include "../file_stamp.h"
#include "../store/salvage.h"
#include "common/error.h"
#include "common/file.h"
#include "guesses.h"
#include "kernels/label/appearance.h"
#include "kernels/label/likeness.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <set>
#include <utility>

namespace vigil::monitor {
namespace {

constexpr std::size_t most_tasks = 4096;
// Events that are named again when something was learnt: the newest.
constexpr int most_events = 20000, batch = 256;

void need_name(const std::string &label) {
  if (!label::is_name(label))
    fail(Error::Kind::bad_setting, "a label is 1 to ", label::longest_name,
         " bytes of UTF-8 without control characters, and not only spaces");
}

// A disk that is full fails for each track: the log has one line a minute.
std::function<void(const std::string &)> once_a_minute(std::function<void(const std::string &)> log) {
  return
      [log = std::move(log), next = std::chrono::steady_clock::time_point()](const std::string &why) mutable {
        const auto now = std::chrono::steady_clock::now();
        if (now < next) return;
        next = now + std::chrono::minutes(1);
        log(why + "; events of this time may have no labels");
      };
}

EventTrack read_track(const nlohmann::json &r) {
  EventTrack t;
  t.track = r.at("track").get<std::int64_t>();
  t.views = r.at("views").get<std::int64_t>();
  for (std::size_t i = 0; i < label::feature_count; i++)
    t.shape[i] = r.at("shape").value(label::name_of(static_cast<label::Feature>(i)), t.shape[i]);
  if (!r.at("taught").get<bool>()) t.guess = r.at("label").get<std::string>();
  t.guess_score = r.at("score").get<double>();
  if (r.at("by") == "detector") t.guess_by = EventLabel::By::detector;
  return t;
}

nlohmann::json or_null(double accuracy) {
  return std::isnan(accuracy) ? nlohmann::json() : nlohmann::json(accuracy);
}

// Of the camera itself: nobody was there.
bool of_camera(const Event &e) {
  return e.label.starts_with("camera-");
}

} // namespace

LabelBook::LabelBook(const std::string &database, std::string file, Surroundings around)
    : file_(std::move(file)), around_(std::move(around)), rows_(database), examples_(load()),
      worker_(most_tasks, once_a_minute(around_.log)) {
  if (examples_.empty()) return;
  worker_.add_needed([this] { describe_examples(); });
  const std::lock_guard guard(lock_);
  learn_soon();
}

LabelBook::~LabelBook() {
  ending_ = true;
  worker_.stop();
}

LabelBook::Examples LabelBook::load() {
  std::error_code error;
  if (!std::filesystem::exists(file_, error)) return {};
  try {
    return label::read_examples(read_text_file(file_, "the file of labels", label::largest_examples_file));
  } catch (const Error &e) {
    around_.report(text(e.what(), set_aside(file_), ", and labels begin without examples"));
    return {};
  }
}

LabelBook::Examples LabelBook::examples() const {
  const std::lock_guard guard(lock_);
  return examples_;
}

void LabelBook::keep_pictures(Examples &examples) const {
  std::size_t kept = 0;
  for (auto e = examples.rbegin(); e != examples.rend(); ++e)
    if (!e->picture.empty() && (!around_.codebook || ++kept > most_pictures)) e->picture = {};
}

// What the site's codebook says of the example's picture, instead of what another one said.
void LabelBook::see(label::TaughtExample &e) const {
  if (e.picture.empty()) return;
  Looks looks = around_.codebook->looks(e.picture);
  if (looks.codebook.empty()) return;
  e.example.subject.appearance = std::move(looks.vector);
  e.codebook = std::move(looks.codebook);
}

LabelBook::Taught LabelBook::taught() const {
  const std::lock_guard guard(lock_);
  return {examples_, codebook_};
}

void LabelBook::describe_again() {
  worker_.add_needed([this] { describe_examples(); });
  // Older events keep their guesses by shape and motion.
  constexpr int newest = 500;
  for (const std::string &event : rows_.describable("", newest))
    worker_.add([this, event] {
      if (!ending_) describe(event);
    });
}

void LabelBook::describe_examples() {
  const std::lock_guard changing(changing_);
  Examples all = examples();
  const std::string now = around_.codebook ? around_.codebook->id() : "";
  std::size_t pictures = 0, made = 0;
  for (const label::TaughtExample &e : all) pictures += !e.picture.empty();
  keep_pictures(all);
  std::size_t kept = 0;
  for (label::TaughtExample &e : all) {
    kept += !e.picture.empty();
    if (e.picture.empty() || now.empty() || e.codebook == now) continue;
    see(e);
    made++;
  }
  if (made || kept < pictures) store(std::move(all));
  if (kept < pictures)
    around_.log(text("labels: the pictures of ", counted(pictures - kept, "example"), " are deleted"));
  if (made)
    around_.log(
        text("labels: the vectors of ", counted(made, "example"), " are made again, with codebook ", now));
}

void LabelBook::describe(const std::string &event) {
  if (!around_.codebook || around_.codebook->id().empty()) return;
  const Looks looks = around_.codebook->looks(around_.picture(event));
  if (looks.vector.empty()) return;
  rows_.put_looks(event, looks);
  guess(event);
}

void LabelBook::learn_soon() {
  if (!std::exchange(learning_, true)) worker_.add_needed([this] { learn(); });
}

void LabelBook::store(Examples examples) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(file_).parent_path(), error);
  const std::string text = label::write_examples(examples);
  write_file_atomically(file_, {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()});
  const std::lock_guard guard(lock_);
  examples_ = std::move(examples);
  learn_soon();
}

LabelBook::Classifier LabelBook::classifier() const {
  const std::lock_guard guard(lock_);
  return classifier_;
}

std::string LabelBook::codebook() const {
  const std::lock_guard guard(lock_);
  return codebook_;
}

// The site's own. Otherwise, of the codebooks that events are described with now, the one that most examples
// have: the others' vectors are of no use. Before the first event all count.
std::string LabelBook::best_codebook(const Examples &examples) const {
  if (around_.codebook)
    if (std::string own = around_.codebook->id(); !own.empty()) return own;
  std::map<std::string, std::size_t> count;
  for (const auto &[file, model] : models_) count.try_emplace(model.codebook);
  for (const label::TaughtExample &e : examples) {
    if (e.example.subject.appearance.empty()) continue;
    if (const auto found = count.find(e.codebook); found != count.end())
      found->second++;
    else if (models_.empty())
      count[e.codebook] = 1;
  }
  const auto fewer = [](const auto &a, const auto &b) { return a.second < b.second; };
  const auto best = std::max_element(count.begin(), count.end(), fewer);
  return best == count.end() ? "" : best->first;
}

void LabelBook::learn() {
  Examples examples;
  {
    const std::lock_guard guard(lock_);
    examples = examples_;
    learning_ = false;
  }
  const std::string codebook = best_codebook(examples);
  std::size_t set_aside = 0;
  auto learnt = std::make_shared<const label::Classifier>(label::examples_of(examples, codebook, &set_aside));
  NamesByCamera names;
  for (const label::NameReport &r : learnt->report())
    for (const auto &[camera, of] : r.places) names[camera].push_back(r.name);
  bool more_set_aside = false;
  {
    const std::lock_guard guard(lock_);
    classifier_ = std::move(learnt);
    codebook_ = codebook;
    more_set_aside = set_aside > set_aside_;
    set_aside_ = set_aside;
  }
  if (more_set_aside)
    around_.log(text("labels: ", set_aside, " of ", counted(examples.size(), "example"), " ",
                     word_for(set_aside, "has a vector", "have vectors"),
                     " of another codebook than events have now; only shape and motion count there"));
  around_.learnt(names);
  guess_all();
}

EventLabels LabelBook::guesses(const label::Classifier &classifier, const std::string &event) const {
  Looks looks = rows_.looks(event);
  if (looks.codebook != codebook()) looks.vector.clear();
  return guesses_of(classifier, rows_.tracks(event), looks.vector);
}

void LabelBook::guess_all() {
  std::string before;
  const Classifier with = classifier();
  for (int n = 0; n < most_events; n += batch) {
    const auto events = rows_.describable(before, batch);
    std::vector<std::pair<std::string, EventLabels>> guessed;
    for (const std::string &e : events) {
      if (ending_) return;
      {
        const std::lock_guard guard(lock_);
        if (learning_) return; // more was taught meanwhile: that guesses again
      }
      guessed.emplace_back(e, guesses(*with, e));
    }
    for (const std::string &e : rows_.set_guesses(guessed)) around_.changed(e, labels(e));
    if (events.size() < static_cast<std::size_t>(batch)) return;
    before = events.back();
  }
}

void LabelBook::guess(const std::string &event) {
  const std::vector one{std::pair(event, guesses(*classifier(), event))};
  if (!rows_.set_guesses(one).empty()) around_.changed(event, labels(event));
}

void LabelBook::track(const std::string &camera, const nlohmann::json &record) {
  const EventTrack t = read_track(record);
  const bool ended = record.at("ended").get<bool>();
  std::vector<std::string> events;
  {
    const std::lock_guard guard(lock_);
    OpenCamera &open = open_[camera];
    if (ended)
      open.tracks.erase(t.track);
    else
      open.tracks[t.track] = t;
    constexpr std::size_t most_tracks = 256; // of ends that were never heard
    if (open.tracks.size() > most_tracks) open.tracks.erase(open.tracks.begin());
    events = open.events;
  }
  for (const std::string &e : events)
    worker_.add([this, e, t] {
      if (rows_.put_track(e, t)) guess(e);
    });
}

void LabelBook::event(const char *type, const Event &e) {
  if (of_camera(e)) return;
  const std::string what = type;
  std::vector<EventTrack> there;
  {
    const std::lock_guard guard(lock_);
    OpenCamera &open = open_[e.camera];
    const auto known = std::find(open.events.begin(), open.events.end(), e.id);
    if (what == "new" && known == open.events.end()) {
      open.events.push_back(e.id);
      for (const auto &[id, track] : open.tracks) there.push_back(track);
    }
    if (what == "end" && known != open.events.end()) open.events.erase(known);
    constexpr std::size_t most_open = 64;
    if (open.events.size() > most_open) open.events.erase(open.events.begin());
  }
  for (const EventTrack &t : there) worker_.add([this, id = e.id, t] { rows_.put_track(id, t); });
  if (!there.empty() || what == "end") worker_.add([this, id = e.id] { guess(id); });
  if (what != "end" || !around_.codebook) return;
  if (around_.codebook->refresh()) describe_again();
  worker_.add([this, id = e.id] { describe(id); });
}

std::string LabelBook::codebook_of(const std::string &model_file) {
  const std::string stamp = stamp_of(model_file);
  ModelFile &known = models_[model_file];
  if (known.codebook.empty() || known.stamp != stamp) {
    constexpr std::size_t enough = 16; // digits of the hash
    known = {stamp, sha256_of_file(model_file).substr(0, enough)};
  }
  return known.codebook;
}

void LabelBook::vector(const Event &e, std::vector<float> v, const std::string &model_file) {
  worker_.add([this, id = e.id, v = std::move(v), model_file] {
    rows_.put_looks(id, {label::appearance_of(v), codebook_of(model_file)});
    if (best_codebook(examples()) != codebook()) {
      const std::lock_guard guard(lock_);
      learn_soon();
    }
    guess(id);
  });
}

std::vector<bool> LabelBook::name(std::span<const Event> events, const std::string &label, bool is,
                                  double now) {
  need_name(label);
  const std::lock_guard changing(changing_);
  const Classifier before = classifier();
  Examples all = examples(), fresh;
  std::vector<bool> learns;
  std::set<std::string> named;
  for (const Event &e : events) {
    named.insert(e.id);
    const auto tracks = rows_.tracks(e.id);
    const Looks looks = rows_.looks(e.id);
    label::TaughtExample taught{{label, is, {}}, e.id, e.camera, now};
    taught.example.subject.appearance = looks.vector;
    if (!looks.vector.empty()) taught.codebook = looks.codebook;
    if (const EventTrack *t = track_of(*before, tracks, label)) taught.example.subject.shape = t->shape;
    if (around_.codebook) taught.picture = around_.picture(e.id);
    see(taught);
    learns.push_back(!tracks.empty() || !taught.example.subject.appearance.empty());
    if (learns.back()) fresh.push_back(std::move(taught));
  }
  // Another name takes the place of the one before; "not that" is said of one label.
  std::erase_if(all, [&](const label::TaughtExample &x) {
    return named.count(x.event) && (is || x.example.name == label);
  });
  if (all.size() + fresh.size() > label::most_examples)
    fail(Error::Kind::bad_setting, "there would be ", all.size() + fresh.size(), " examples of labels, and ",
         label::most_examples, " are the most; delete a label that is needed no more");
  all.insert(all.end(), fresh.begin(), fresh.end());
  keep_pictures(all);
  store(std::move(all));
  rows_.set_word(named, label, is ? 1 : 0);
  for (const std::string &e : named) around_.changed(e, labels(e));
  return learns;
}

void LabelBook::unname(std::span<const Event> events) {
  const std::lock_guard changing(changing_);
  std::set<std::string> named;
  for (const Event &e : events) named.insert(e.id);
  Examples all = examples();
  if (std::erase_if(all, [&](const label::TaughtExample &x) { return named.count(x.event) != 0; }))
    store(std::move(all));
  rows_.remove_words(named);
  for (const std::string &e : named) {
    worker_.add([this, e] { guess(e); });
    around_.changed(e, labels(e));
  }
}

std::size_t LabelBook::forget(const std::string &label) {
  const std::lock_guard changing(changing_);
  Examples all = examples();
  const std::size_t gone =
      std::erase_if(all, [&](const label::TaughtExample &x) { return x.example.name == label; });
  if (gone) store(std::move(all));
  rows_.remove_label(label);
  return gone;
}

std::size_t LabelBook::forget_event(const std::string &event) {
  const std::lock_guard changing(changing_);
  Examples all = examples();
  const std::size_t gone =
      std::erase_if(all, [&](const label::TaughtExample &x) { return x.event == event; });
  if (gone) store(std::move(all));
  rows_.remove_words({event});
  worker_.add([this, event] { guess(event); });
  around_.changed(event, labels(event));
  return gone;
}

void LabelBook::forget_pictures(const std::set<std::string> &cameras) {
  const std::lock_guard changing(changing_);
  Examples all = examples();
  std::size_t gone = 0;
  for (label::TaughtExample &x : all) {
    if (x.picture.empty() || !cameras.count(x.camera)) continue;
    x.picture = {};
    gone++;
  }
  if (!gone) return;
  store(std::move(all));
  around_.log(text("labels: the pictures of ", counted(gone, "example"),
                   " are deleted, since they may show what is private now"));
}

std::size_t LabelBook::import_examples(std::string_view text) {
  Examples more = label::read_examples(text);
  const std::lock_guard changing(changing_);
  Examples all = examples();
  std::set<std::string> known;
  for (const label::TaughtExample &x : all) known.insert(x.event);
  std::erase_if(more,
                [&](const label::TaughtExample &x) { return !x.event.empty() && known.count(x.event); });
  if (all.size() + more.size() > label::most_examples)
    fail(Error::Kind::bad_setting, "there would be ", all.size() + more.size(), " examples of labels, ",
         label::most_examples, " are the most");
  for (label::TaughtExample &x : more)
    if (around_.covered && around_.covered->is_private(x.camera)) x.picture = {};
  all.insert(all.end(), more.begin(), more.end());
  keep_pictures(all);
  for (auto e = all.end() - static_cast<std::ptrdiff_t>(more.size()); e != all.end(); ++e) see(*e);
  if (!more.empty()) store(std::move(all));
  return more.size();
}

std::string LabelBook::export_examples() const {
  return label::write_examples(examples());
}

nlohmann::json LabelBook::report(const VisibleCameras &visible) const {
  nlohmann::json out = nlohmann::json::array();
  Classifier with;
  bool learning = false;
  std::size_t set_aside = 0;
  {
    const std::lock_guard guard(lock_);
    with = classifier_;
    learning = learning_;
    set_aside = set_aside_;
  }
  for (const label::NameReport &r : with->report()) {
    nlohmann::json cameras = nlohmann::json::object();
    for (const auto &[camera, of] : r.places)
      if (visible.has(camera))
        cameras[camera] = {{"examples", of.examples},
                           {"counterexamples", of.counterexamples},
                           {"accuracy", or_null(of.accuracy)},
                           {"needs", of.needs}};
    // A name that is known from other cameras alone may say who comes by there.
    if (!visible.all() && cameras.empty()) continue;
    out.push_back({{"label", r.name},
                   {"examples", r.examples},
                   {"counterexamples", r.counterexamples},
                   {"accuracy", or_null(r.accuracy)},
                   {"needs", r.needs},
                   {"alike", r.alike.empty() || !visible.all() ? nlohmann::json() : nlohmann::json(r.alike)},
                   {"cameras", cameras}});
  }
  return {{"labels", out}, {"training", learning}, {"set_aside", set_aside}};
}

EventLabels LabelBook::labels(const std::string &event) const {
  return rows_.labels(event);
}

void LabelBook::add_labels(nlohmann::json &events) const {
  std::vector<std::string> ids;
  for (const auto &e : events) ids.push_back(e.at("id"));
  const auto all = rows_.labels(ids);
  for (auto &e : events)
    if (const auto found = all.find(e.at("id").get<std::string>()); found != all.end())
      e["labels"] = to_json(found->second);
}

std::vector<LabelBook::Group> LabelBook::groups(const VisibleCameras &visible, std::size_t most) const {
  constexpr int newest = 400;
  constexpr std::size_t most_in_group = 12;
  const Classifier with = classifier();
  const std::string codebook_now = codebook();
  std::vector<std::string> events;
  std::vector<label::Subject> subjects;
  std::vector<EventLabels> guessed;
  for (const std::string &e : rows_.unnamed(visible, newest)) {
    const auto tracks = rows_.tracks(e);
    Looks looks = rows_.looks(e);
    if (looks.codebook != codebook_now) looks.vector.clear();
    events.push_back(e);
    guessed.push_back(guesses_of(*with, tracks, looks.vector));
    subjects.push_back(
        {tracks.empty() ? label::Subject::unknown_features() : tracks.front().shape, looks.vector});
  }
  std::vector<Group> out;
  for (const auto &members : label::groups_alike(subjects, most_in_group)) {
    Group g;
    std::map<std::string, std::pair<std::size_t, EventLabel>> guesses;
    for (const std::size_t i : members) {
      g.events.push_back(events[i]);
      if (guessed[i].empty()) continue;
      const EventLabel &l = guessed[i].front();
      auto &[count, of] = guesses.try_emplace(l.label, 0, l).first->second;
      of.score += (l.score - of.score) / double(++count); // the mean
      g.certainty += std::abs(2 * l.score - 1) / double(members.size());
    }
    for (const auto &[name, found] : guesses)
      if (2 * found.first > members.size()) g.guess = found.second;
    out.push_back(std::move(g));
  }
  // Of groups that are as certain the larger one first: one answer says more.
  std::stable_sort(out.begin(), out.end(),
                   [](const Group &a, const Group &b) { return a.certainty < b.certainty; });
  out.resize(std::min(out.size(), most));
  return out;
}

} // namespace vigil::monitor
