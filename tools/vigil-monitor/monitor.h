// SPDX-License-Identifier: LGPL-2.1-or-later
// The program: cameras, storage, viewers and the threads between them.
//
// Threads: the main loop owns cameras and configuration; `writer` the database and files; each clip has one
// that writes it, and so have all recordings together; the reaper's take pipelines down, each one. HTTP
// threads ask the main loop by call().
#pragma once

#include "call_on_loop.h"
#include "camera/camera.h"
#include "config/overrides.h"
#include "deleted_events.h"
#include "detector/detectors.h"
#include "export/exports.h"
#include "http/hub.h"
#include "log.h"
#include "reaper.h"
#include "recording/cold_mover.h"
#include "recording/disk.h"
#include "store/clock_trust.h"
#include "store/event_log.h"
#include "store/outage.h"
#include "store/overrides_file.h"
#include "store/storage.h"
#include "worker.h"

#include <atomic>
#include <deque>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace vigil::monitor {

class StreamLook;

class Monitor {
 public:
  // `file` is read again on reload; empty: the configuration stays.
  Monitor(Config, std::string file);
  ~Monitor();

  void start(); // the cameras
  // False when a pipeline does not end: it still uses this object, which must not be destroyed then.
  bool stop();

  // Runs f on the main loop and waits for it (call_on_loop.h). Throws what f throws, and std::runtime_error
  // when the loop does not come to it within ten seconds.
  template <class F>
  auto call(F f) -> decltype(f());
  // Runs f on the main loop at some time, and does not wait for it. On any thread.
  static void post(std::function<void()> f) { on_main(std::move(f)); }

  // For the main loop (by call):
  const Config &config() const { return config_; }
  Overrides &overrides() { return overrides_; }
  std::shared_ptr<Camera> camera(const std::string &name) const; // null: there is none
  std::vector<std::shared_ptr<Camera>> cameras() const;          // in the configuration's order
  nlohmann::json describe(const std::string &camera) const;
  // Stores the overrides as they are now. The result, for a thread that may wait: empty once they are on the
  // disk, else why they are not yet; they hold all the same, and are tried again.
  std::shared_future<std::string> save_overrides();
  void apply(const std::string &camera); // overrides to this camera
  // The names of what restarted or changed. When it throws, all is as it was.
  std::vector<std::string> reload();
  // A camera of the page (Overrides::add_camera). Throws Error::bad_setting, and all is as it was then.
  void add_camera(const std::string &name, const std::string &source, const std::string &record_source,
                  const std::string &onvif = "");
  void remove_camera(const std::string &name); // likewise; its events and recordings stay
  nlohmann::json configuration() const;        // in use, credentials masked
  nlohmann::json detectors() const { return detectors_.describe(); } // as GET /api/stats
  // Opens a stream and looks at it; ends when the last owner lets go, on any thread. Throws as add_camera().
  std::shared_ptr<StreamLook> look_at(const std::string &source);

  // For any thread:
  Hub &hub() { return hub_; }
  Storage &storage() { return *storage_; }
  const Utc &utc() const { return utc_; }
  Worker &writer() { return writer_; }
  Exports &exports() { return exports_; }
  const OpenSegments &open_segments() const { return recordings_->open_segments(); }
  bool storage_writable() const { return writable_; }
  double uptime() const { return Utc::monotonic_seconds() - started_; }
  double since_last_turn() const { return Utc::monotonic_seconds() - last_turn_; } // of the main loop
  nlohmann::json storage_stats(const StorageConfig &limits) const;                 // waits for the disk
  // Deletes event and files, and tells viewers. On any thread; false when there is no such event.
  bool remove_event(const std::string &id);
  // Somebody named the event, or it is guessed to be something else: news for viewers, and for all receivers
  // of events if it is one of just now. On any thread.
  void relabelled(const std::string &id, const EventLabels &);
  void set_retained(Event &, bool);

  using EventListener = std::function<void(const char *type, const Event &)>;
  using TellListener = std::function<void(const std::string &camera, const nlohmann::json &)>;
  // What goes out because of an event: stored with it, so that neither is without the other. On the writer
  // thread.
  using EventNews = std::function<std::vector<Posting>(const char *type, const Event &)>;
  std::vector<EventNews> news_of;
  std::vector<EventListener> on_event;      // on the writer thread, once it is in the database
  std::vector<TellListener> on_announce;    // on the main thread
  std::function<void()> on_cameras = [] {}; // there are others than before. On the main thread.
  // What an event is called. On any thread.
  std::function<EventLabels(const std::string &event)> labels_of;
  // An event has its vector, which gpufisher made with this model. On the writer thread.
  std::function<void(const Event &, const std::vector<float> &, const std::string &model_file)> on_vector;
  // A camera begins with this element. On the main thread.
  std::function<void(GstElement *tracklabel)> on_tracklabel;
  // What a pass of retention has deleted, with the time. On the writer thread.
  std::function<void(const Departed &, double now)> on_retention;

 private:
  class Services;                       // monitor_services.h
  void join_added(Config &) const;      // cameras of the page
  std::vector<std::string> use(Config); // in the place of the one before; the names of what changed
  void tick();
  static int on_timer(void *monitor); // of GLib
  void save(const char *type, const Event &);
  void wait(std::string type, Event);                          // on the writer thread: until it is stored
  void lost(const char *what);                                 // the writer's queue is full
  void save_crossings();                                       // on the writer thread
  void save_motion();                                          // on the writer thread
  void save_thumbnail(const Event &, const std::string &jpeg); // on the writer thread
  // On the writer thread: stores what waits, in order. What the disk refuses stays and is tried again.
  void put_waiting();
  bool store_waiting(); // true when there was something
  ExportSource export_source();
  void announce_recorded();
  void retention(const std::map<std::string, CameraConfig> &, double retain_days, const StorageConfig &);
  void write_overrides(); // on the writer thread: the last ones, if they are not on the disk
  void tell_removed(const std::string &camera);
  void deleted_cold(std::vector<Departure>); // on any thread
  nlohmann::json cold_stats(const ColdConfig &, std::int64_t bytes) const;
  void demand();
  static void on_main(std::function<void()>);

  Config config_;
  const std::string file_;
  Overrides overrides_;
  Utc utc_;
  tools::SharedContexts contexts_;
  Hub hub_{[this] { on_main([this] { demand(); }); }};
  std::unique_ptr<Storage> storage_;
  EventLog event_log_{*storage_};           // the writer thread's
  OverridesFile overrides_file_{*storage_}; // likewise, after the start
  ClockTrust clock_;                        // likewise
  double clock_stored_ = 0;                 // likewise: the monotonic time of it
  Outage overrides_outage_;                 // likewise
  std::mutex unsaved_lock_;
  std::optional<std::string> unsaved_; // overrides that are not on the disk
  std::vector<std::promise<std::string>> savers_;
  std::map<std::string, std::shared_ptr<Camera>> cameras_;
  struct Waiting { // news of an event that is on its way to the disk
    std::string type;
    Event event;
  };
  bool store(Waiting &);
  bool store_or_drop(Waiting &);
  static void drop(const Waiting &, const char *why);
  std::deque<Waiting> waiting_;                      // the writer thread's
  std::map<CrossingPlace, Crossings> crossings_;     // likewise; not stored yet
  Outage disk_, lines_, thumbnails_, counts_, news_; // likewise
  Outage motion_;                                    // likewise
  Outage queue_;                                     // the main thread's
  std::atomic<bool> writable_ = true;
  std::string last_retention_;
  std::optional<std::string> next_retention_;
  mutable std::mutex retention_lock_;
  unsigned timer_ = 0, ticks_ = 0;
  const double started_ = Utc::monotonic_seconds();
  std::atomic<double> last_turn_ = Utc::monotonic_seconds();
  Worker writer_;
  const std::shared_ptr<ClipThreads> clips_ = std::make_shared<ClipThreads>();
  const std::shared_ptr<RecordingDisk> recordings_;
  std::shared_ptr<ColdMover> cold_;    // null: no second folder
  std::atomic<std::int64_t> min_free_; // of the disk, for exports
  Exports exports_;
  Detectors detectors_;
  const std::shared_ptr<CameraServices> services_;
  std::vector<std::shared_ptr<Camera>> leaving_; // out of the configuration; clips are on their way
  DeletedEvents deleted_;
  Reaper reaper_;
};

template <class F>
auto Monitor::call(F f) -> decltype(f()) {
  constexpr std::chrono::seconds patience(10);
  return ask(on_main, std::move(f), patience);
}

} // namespace vigil::monitor
