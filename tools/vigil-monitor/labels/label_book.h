// SPDX-License-Identifier: LGPL-2.1-or-later
// Labels of events: examples that people gave, the classifier that learns from them, and guesses for all
// other events.
//
// The examples are a file in the storage folder, labels/examples.json (kernels/label/examples.h), which is on
// the disk before a call that changes them returns. A thread of its own trains and guesses. An example holds
// features and, where the site has a codebook of its own, a small picture of the newest most_pictures
// examples. It outlasts its event; forget(), forget_event() and unname() remove all of it.
#pragma once

#include "../store/event.h"
#include "../visible_cameras.h"
#include "../worker.h"
#include "covered_since.h"
#include "kernels/label/examples.h"
#include "label_store.h"
#include "site_codebook.h"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vigil::monitor {

class LabelBook {
 public:
  using NamesByCamera = std::map<std::string, std::vector<std::string>>;
  struct Surroundings {
    std::function<void(const std::string &)> log;
    // A file that was set aside, for people to see.
    std::function<void(const std::string &)> report;
    // The labels of an event are others now. From any thread.
    std::function<void(const std::string &event, const EventLabels &)> changed;
    // Something was learnt or forgotten: the file is another one, and of each camera these names have
    // examples. From the book's thread.
    std::function<void(const NamesByCamera &)> learnt;
    // Null: examples hold no pictures, and those that have some lose them.
    SiteCodebook *codebook = nullptr;
    // Of what an event shows; empty: it has none. From any thread.
    std::function<label::Picture(const std::string &event)> picture{};
    // Which cameras have privacy; null: none. Pictures of these are not taken from files that are imported.
    const CoveredSince *covered = nullptr;
  };
  static constexpr std::size_t most_pictures = 1000;
  // `database` has the tables; `file`: of the examples. A damaged one is moved aside and reported.
  LabelBook(const std::string &database, std::string file, Surroundings);
  ~LabelBook();

  // For the camera's and the writer's threads; what they bring is worked off later.
  // A record "track" of a camera (docs/reference/live-stream.md).
  void track(const std::string &camera, const nlohmann::json &record);
  void event(const char *type, const Event &); // new, update, end: as soon as it is in the database
  // gpufisher's vector of an event that is in the database, made with the codebook in this file.
  void vector(const Event &, std::vector<float>, const std::string &model_file);
  // Something that uses the file of examples, and may take a while.
  void in_background(std::function<void()> f) { worker_.add_needed(std::move(f)); }

  // For requests. A person says that the events are, or are not, `label`. For each of them whether there was
  // something to learn from: a track or a vector. Throws Error::bad_setting for a name that is none, or when
  // there are too many examples; Error::write.
  std::vector<bool> name(std::span<const Event>, const std::string &label, bool is, double now);
  void unname(std::span<const Event>); // all that was said of them
  // Removes all examples of a label, and the label from all events; how many examples there were.
  std::size_t forget(const std::string &label);
  // Removes the examples of an event, which may be gone itself.
  std::size_t forget_event(const std::string &event);
  // Deletes the pictures of the examples of these cameras, which show what is private now.
  // Throws Error::write.
  void forget_pictures(const std::set<std::string> &cameras);
  // Adds the examples of a file, except those of events that have some already; how many were added. Throws
  // Error::bad_data.
  std::size_t import_examples(std::string_view text);
  std::string export_examples() const;

  struct Taught {
    std::vector<label::TaughtExample> examples;
    std::string codebook; // whose vectors count
  };
  Taught taught() const;
  // Makes the vectors again that were made with another codebook than the site has now, of all that has a
  // picture; later, on the book's thread.
  void describe_again();

  const std::string &file() const { return file_; }
  // As GET /api/labels: of cameras that may be seen.
  nlohmann::json report(const VisibleCameras &) const;
  EventLabels labels(const std::string &event) const;
  // Puts `labels` into events as the API shows them.
  void add_labels(nlohmann::json &events) const;

  // Events of which nobody has said anything and that are alike: one question names all of them.
  struct Group {
    std::vector<std::string> events; // the one in the middle first
    std::optional<EventLabel> guess; // the classifier's for most of them
    double certainty = 0;            // 0: its scores are 0.5; 1: they are 0 or 1
  };
  // Of the newest events, the least certain group first.
  std::vector<Group> groups(const VisibleCameras &, std::size_t most) const;

 private:
  using Classifier = std::shared_ptr<const label::Classifier>;
  using Examples = std::vector<label::TaughtExample>;
  struct OpenCamera {
    std::map<std::int64_t, EventTrack> tracks; // that are before the camera
    std::vector<std::string> events;           // that go on
  };
  struct ModelFile { // whose hash is known
    std::string stamp, codebook;
  };
  Examples load();
  Examples examples() const;
  void store(Examples);                 // with changing_ held: to the disk, then in use
  void learn_soon();                    // with lock_ held
  void keep_pictures(Examples &) const; // of those that may have one
  void see(label::TaughtExample &) const;
  void learn(); // on the worker, as all below
  void describe_examples();
  void describe(const std::string &event);
  void guess_all();
  void guess(const std::string &event);
  std::string codebook_of(const std::string &model_file);
  std::string best_codebook(const Examples &) const;
  EventLabels guesses(const label::Classifier &, const std::string &event) const;
  Classifier classifier() const;
  std::string codebook() const;

  const std::string file_;
  const Surroundings around_;
  LabelStore rows_;
  std::mutex changing_;     // held while examples are changed and written
  mutable std::mutex lock_; // held for moments
  Examples examples_;
  Classifier classifier_ = std::make_shared<label::Classifier>();
  std::string codebook_;      // that events are described with now, and the classifier learns from
  std::size_t set_aside_ = 0; // examples whose vectors were made with another one
  bool learning_ = false;     // a task waits for that
  std::map<std::string, OpenCamera> open_;
  std::map<std::string, ModelFile> models_; // by file; the worker's
  std::atomic<bool> ending_ = false;
  Worker worker_; // last: its thread uses all above
};

} // namespace vigil::monitor
