// SPDX-License-Identifier: LGPL-2.1-or-later
// The cameras, their configuration and the changes of the page. On the main thread, except title_of().
//
// No lock is held while a camera, a listener or the disk is called.
#pragma once

#include "announcer.h"
#include "camera/camera.h"
#include "config/overrides.h"
#include "store/overrides_writer.h"

#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace vigil::monitor {

class CameraSet {
 public:
  // `file` is read again on reload; empty: the configuration stays. Reads the changes of the page.
  CameraSet(Config, std::string file, Storage &, DiskQueue &, Announcer &, std::shared_ptr<CameraServices>);

  void start();
  void stop(); // no camera runs after; clips are on their way
  void clear();
  void tick();                   // once a second
  void clock_set(double change); // the system's clock, by seconds
  void demand();                 // viewers came or went
  void retry() { overrides_writer_.retry(); }

  const Config &config() const { return config_; }
  Overrides &overrides() { return overrides_; }
  std::shared_ptr<Camera> find(const std::string &name) const; // null: there is none
  std::vector<std::shared_ptr<Camera>> all() const;            // in the configuration's order
  nlohmann::json describe(const std::string &camera) const;
  nlohmann::json configuration() const; // in use, credentials masked

  // Stores the overrides as they are now: OverridesWriter::save().
  std::shared_future<std::string> save_overrides() { return overrides_writer_.save(overrides_); }
  void apply(const std::string &camera); // overrides to this camera
  // The names of what restarted or changed. When it throws, all is as it was.
  std::vector<std::string> reload();
  // A camera of the page (Overrides::add_camera). Throws Error::bad_setting, and all is as it was then.
  void add(const std::string &name, const std::string &source, const std::string &record_source,
           const std::string &onvif = "");
  void remove(const std::string &name); // likewise; its events and recordings stay
  // What people call the camera from now on; empty: its name. Throws Error::bad_setting when the title is
  // none, or another camera's.
  void set_title(const std::string &camera, const std::string &title);
  // What people call the camera of this name; the name itself where there is none. On any thread.
  std::string title_of(const std::string &camera) const;

  std::function<void()> on_change = [] {};     // there are others than before
  std::function<void()> on_configured = [] {}; // or some have other settings, which are in use

 private:
  void join_added(Config &) const;      // cameras of the page
  std::vector<std::string> use(Config); // instead of the one before; the names of what changed
  void keep_titles();

  Config config_;
  const std::string file_;
  Storage &storage_;
  DiskQueue &queue_;
  Announcer &announcer_;
  const std::shared_ptr<CameraServices> services_;
  OverridesWriter overrides_writer_;
  Overrides overrides_;
  std::map<std::string, std::shared_ptr<Camera>> cameras_;
  std::vector<std::shared_ptr<Camera>> leaving_; // out of the configuration; clips are on their way
  mutable std::mutex titles_lock_;
  std::map<std::string, std::string> titles_; // of cameras that have one
};

} // namespace vigil::monitor
