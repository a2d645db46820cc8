// SPDX-License-Identifier: LGPL-2.1-or-later
// One camera: its pipeline, rebuilt whenever it fails, its events and its clips. All methods belong to the
// main thread.
#pragma once

#include "../config/config.h"
#include "../http/hub.h"
#include "../recording/recording.h"
#include "../store/event.h"
#include "../store/outage.h"
#include "activity.h"
#include "backoff.h"
#include "clip.h"
#include "mask_file.h"
#include "pipeline.h"

#include <array>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace vigil::monitor {

// What a camera asks of the program around it.
struct CameraServices {
  tools::SharedContexts &contexts;
  const Utc &utc;
  std::function<void(std::function<void()>)> on_main;       // from any thread
  std::function<void(std::function<void()>)> in_background; // a thread that may wait: pipelines that go down
  std::shared_ptr<ClipThreads> clips;
  std::shared_ptr<RecordingDisk> recordings;
  std::function<std::string(const std::string &below)> file; // a path in the storage folder
  std::function<void(const std::string &camera, View, bool motion, double time, Bytes)>
      picture;                                                                     // from any thread
  std::function<void(const std::string &camera, const nlohmann::json &)> announce; // viewers, MQTT
  std::function<void(const char *type, const Event &)> event;                      // new, update, end
  std::function<void(const Event &, Bytes jpeg)> thumbnail;
  std::function<void(const Event &, std::vector<float>)> vector;
  std::function<void(const std::string &camera, const std::string &line, double time, bool in)> crossing;
  std::function<void(const std::string &camera, double time, std::vector<float>)> heat;
  std::function<void(const std::string &camera, const MovedSeconds &)>
      motion; // once a second, where it moved
  std::function<void(const std::string &)> log;
};

// What streaming threads share with the main thread.
struct CameraFeed {
  explicit CameraFeed(double fps) : plan(std::make_shared<TilePlan>(fps)) {}
  Activity activity;
  std::shared_ptr<TilePlan> plan;
  std::atomic<bool> moving = false, wants_picture = false; // for an event's thumbnail
  std::atomic<double> seen = 0; // when the newest frame that was looked at was captured, monotonic

  struct Picture {
    Bytes jpeg;
    double time = 0, arrived = 0; // captured, UTC; here, by the monotonic clock
  };
  // The newest picture of a view, or null when none that arrived after `after` comes within the wait.
  Picture wait_picture(View, double after, std::chrono::milliseconds wait);
  void put_picture(View, Picture);

  // Collected from frames for the events that go on.
  struct Seen {
    std::vector<std::string> zones; // entered, in order
    std::optional<Rect> box;        // the largest
    double changed = 0;             // the largest
    std::vector<float> vector;
  };
  Seen take_seen();
  void see(const std::vector<Rect> &boxes, double area);
  void set_zones(std::map<std::string, Zone>);
  void set_vector(std::vector<float>);

 private:
  std::mutex lock_;
  std::condition_variable new_picture_;
  std::array<Picture, 4> pictures_;
  std::map<std::string, Zone> zones_;
  Seen seen_;
};

class Camera : public std::enable_shared_from_this<Camera> {
 public:
  Camera(CameraConfig, CameraServices);
  ~Camera();

  void start();
  void stop(const std::string &why); // finishes what goes on
  void tick();                       // once a second
  void clock_set(double change);     // the system's clock was set by so many seconds

  const CameraConfig &config() const { return config_; }
  // Takes over a configuration; the camera restarts only when it must.
  void change(CameraConfig);
  void demand(Hub::Demand);
  nlohmann::json describe(const std::vector<std::string> &overridden) const;
  nlohmann::json stats() const;
  CameraPipeline *pipeline() const { return pipeline_.get(); }
  std::shared_ptr<CameraFeed> feed() const { return feed_; }
  std::shared_ptr<Recorder> recorder() const { return recorder_; } // null before the first start

  // A clip of this event became whole, or did not.
  void clip_finished(const std::string &event, const ClipResult &);
  // Clips of events that have ended are on their way to the disk: this object is needed until they are there.
  bool awaits_clips() const { return !recent_.empty(); }

 private:
  enum class State { starting, online, offline, disabled, ended };
  struct Running {
    Event event;
    bool active = true; // its cause goes on
    double quiet_since = 0;
    double snapshot_score = -1;
    bool recorded = false, pictured = false; // a clip is being written
    bool broke_off = false;                  // its clip, because the stream became another one
    bool of_trouble = false;                 // of the camera itself: no box, no zone
    bool beginning = false;                  // its clip shows its beginning alone, however long it lasts
  };
  PipelineEvents pipeline_events();
  std::shared_ptr<Recording> make_recording();
  void build();
  void fail(const std::string &why);
  void end(const std::string &why); // what is played once, for good
  void take_down();
  void go(State, std::optional<std::string> why);
  void announce_state() const;
  void message(GstMessage *, double time);
  // cudamog's messages about the camera itself; false when the message is none of them.
  bool trouble_message(const GstStructure *, double time);
  // boxrules' messages about who is in a zone for too long; false when the message is none of them.
  using Stay = std::pair<std::string, std::uint64_t>; // zone and track
  bool stay_message(const GstStructure *, double time);
  void stay_begins(const Stay &, double time, double seconds);
  std::map<Stay, std::string>::iterator stay_ends(std::map<Stay, std::string>::iterator, double time);
  void clip_beginning(Running &);
  // `zone`: where, for events that rules tell. `key`: its place in running_; the label, of which one goes on
  // at a time, where it is not given.
  void begin_event(const std::string &label, double time, double score, const std::string &zone = "",
                   std::string key = "", const std::string &continues = "");
  void end_cause(const std::string &key, double time);
  // `clock_change`: by how much the clock was set since quiet_since.
  void end_event(Running &, double clock_change = 0);
  // UTC up to which frames were looked at. A chain that is late still tells of what was before now; an event
  // that ended or began by the clock would begin after the one that is told next.
  double seen_until() const;
  void update_events(double now);
  void clips_broke_off(const std::vector<std::string> &events);
  // Events whose clip broke off end, and others go on from there, with clips of their own.
  void go_on_with_clips(double now);
  // The event that goes on where this one has ended.
  Running &follow(const std::string &key, const Running &, double now);
  void late_clips(double now);        // once a second
  void warn(const std::string &text); // once for each text
  void take_heat(double time);        // once a second; what was collected is stored once a minute
  void heat_ends();
  void hand_over_motion();          // once a second
  void outage_goes_on(double time); // once a second
  void outage_ends(double time);
  void got_picture(Bytes);
  void set_rules();
  nlohmann::json counts() const;
  nlohmann::json trouble() const;

  CameraConfig config_;
  const CameraServices services_;
  std::shared_ptr<CameraFeed> feed_;
  std::shared_ptr<MaskFile> masks_;
  std::shared_ptr<Recorder> recorder_;
  const std::shared_ptr<Recording> recording_;
  std::unique_ptr<CameraPipeline> pipeline_;
  std::map<std::string, Running> running_; // by label; loitering by stay
  struct Recent {
    Event event;
    double since; // by the monotonic clock
    bool logged;  // that it takes long
  };
  std::map<std::string, Recent> recent_; // ended, their clip is on its way
  std::set<std::string> warned_;
  Outage slow_disk_;
  std::uint64_t clip_frames_lost_ = 0; // as told
  std::optional<double> heat_minute_;  // when the minute began that is being collected
  State state_ = State::starting;
  std::optional<std::string> reason_;
  std::optional<Event> outage_; // the event of the one that goes on
  double outage_since_ = 0;
  double since_ = 0, started_ = 0, last_change_ = 0, restart_at_ = 0;
  std::uint64_t last_frames_ = 0, reconnects_ = 0, frames_before_ = 0, tiles_before_ = 0;
  struct LineTotals {
    std::uint64_t in = 0, out = 0;
  };
  std::map<std::string, bool> classes_;       // of gpufisher: whether an event of it goes on
  std::map<std::string, double> trouble_;     // what is wrong with the camera's view, and since when
  std::optional<Point> shift_;                // of a picture whose camera was moved, in pixels
  std::map<Stay, std::string> stays_;         // who stays for too long, and the key of the event
  std::map<std::string, int> inside_;         // by zone, as boxrules told last
  std::map<std::string, LineTotals> crossed_; // by line, since the camera's start
  Backoff backoff_;
  // Connections that are being taken down. One that never ends must not be followed by others for ever.
  std::shared_ptr<std::atomic<int>> going_down_ = std::make_shared<std::atomic<int>>(0);
  Hub::Demand demand_;
  bool was_recording_ = false;
};

} // namespace vigil::monitor
