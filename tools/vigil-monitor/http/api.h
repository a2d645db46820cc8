// SPDX-License-Identifier: LGPL-2.1-or-later
// The API and the page: docs/api/openapi.json.
#pragma once

#include "../labels/label_book.h"
#include "../live/talks.h"
#include "../live/web_viewers.h"
#include "../monitor.h"
#include "../onvif/searches.h"
#include "access.h"
#include "audit.h"
#include "disk_figures.h"
#include "http_util.h"
#include "page.h"
#include "server.h"
#include "stream_looks.h"
#include "streams.h"
#include "uncovered_views.h"

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace vigil::monitor {

class Push;
struct PushDevice;

// Functions of other parts of the program that the API uses. Set before the server starts.
struct ApiServices {
  std::function<nlohmann::json()> mqtt_state = [] { return nlohmann::json(); };
  std::function<nlohmann::json()> codebook_state = [] { return nlohmann::json(); };
  std::function<bool()> make_codebook_now; // false: one is being made; empty: none is made
  std::function<nlohmann::json()> rtsp_state = [] { return nlohmann::json(); }; // of the RTSP server
  // Sends a message for a test to everybody whom the configuration names, and waits.
  std::function<nlohmann::json()> test_notices = [] { return nlohmann::json::array(); };
  Push *push = nullptr; // messages by web push; null: there are none
  // Reads configuration, tokens and certificate again; the names of cameras that changed. On the main loop.
  std::function<std::vector<std::string>()> read_again;
};

class Api {
 public:
  // `page`: a folder to serve the page from, for those who work on it; empty: the page that is compiled in.
  Api(Monitor &, Access &, AuditLog &, LabelBook &, std::string page);
  Response handle(const Request &); // on any thread
  // All that goes by WebRTC; no more begins.
  void end_views() {
    viewers_.stop();
    talks_.stop();
  }

  ApiServices services;
  // Of devices, and looks at streams; they end soon. On any thread.
  void end_searches() {
    searches_.end();
    looks_.end();
  }

 private:
  enum class Scope {
    none,   // nothing of cameras is in the answer
    camera, // the first {} is a camera: one that the visitor may see
    event,  // the first {} is an event: one of such a camera
    own,    // the answer leaves out what the visitor may not see
    all,    // only for those who may see all cameras
  };
  struct Route;
  struct Match {
    const Request &request;
    std::vector<std::string> parts; // what stands for {} in the path
    const Visitor &visitor;
  };
  static const std::vector<Route> &routes();
  Response dispatch(const Request &);

  // Throws HttpError 404 when the visitor may not see what the request is about, as if it were not there.
  void check_scope(Scope, const Match &);
  // Throws HttpError 429 when there were too many from there.
  void wrong_token(const Request &, const char *by, const std::string &repeated = "");
  // A wrong token or password, in the log and the audit log.
  void note_wrong(const Request &, const char *what, const std::string &by, nlohmann::json details);
  // Who did what, in the log and in the audit log. `details` says to what.
  void note(const Match &, const char *what, nlohmann::json details = nlohmann::json::object());
  void note(const Request &, const Visitor &, const char *what, nlohmann::json details);
  // A place for one more live stream. Throws HttpError 503.
  std::shared_ptr<void> stream_place(const Match &);
  static std::string who_watches(const Match &); // for limits of each viewer
  // The compressed stream that is asked for: null where the camera has none yet. One that is uncovered is in
  // the audit log. Throws HttpError.
  std::shared_ptr<Recorder> stream_asked(const Match &);
  std::function<bool()> still_allowed(const Match &); // whether the visitor is who it was, on any thread

  Response live(const Match &);
  Response cameras(const Match &);
  Response camera(const Match &);
  Response picture(const Match &, View);
  // Of pictures without what covers them. On the main loop; throws HttpError 404 where nobody sees them, and
  // 403.
  static void need_uncovered(const Visitor &, const CameraConfig &);
  // Asked before each piece of a view that goes on: false where the role or the camera has changed.
  std::function<bool()> still_uncovered(const Match &, const std::set<std::string> &cameras);
  // In the audit log, where it is a new view.
  void note_uncovered(const Match &, const std::string &camera);
  Response live_mp4(const Match &);
  Response begin_view(const Match &);
  Response add_candidates(const Match &);
  Response end_view(const Match &);
  Response begin_talk(const Match &);
  Response add_candidates_of_talk(const Match &);
  Response end_talk(const Match &);
  Response elements(const Match &);
  Response set_element(const Match &);
  Response set_shape(const Match &);
  Response set_privacy(const Match &);
  Response set_switches(const Match &);
  Response forget_overrides(const Match &);
  // A change is answered with success only when it is on the disk. Throws HttpError 503 or 507.
  static void need_saved(const std::shared_future<std::string> &);

  // Of a camera that is to be added; `record` is empty where the same stream is recorded, `onvif` where no
  // device was named.
  struct Sources {
    std::string detect, record, onvif;
  };
  // Of a body with "source" or with "device", which is asked. Throws HttpError and Error.
  Sources sources_of(const nlohmann::json &body, const std::string &expected);
  Response ptz(const Match &);
  Response move_ptz(const Match &);
  Response stop_ptz(const Match &);
  Response send_ptz(const Match &);
  Response set_preset(const Match &);
  Response remove_preset(const Match &);

  Response search_devices(const Match &);
  Response look_at_device(const Match &);
  Response look_at_streams(const Match &);
  Response add_camera(const Match &);
  Response rename_camera(const Match &);
  Response remove_camera(const Match &);
  Response export_cameras(const Match &);

  Response activity(const Match &);
  Response heat_map(const Match &);
  Response crossings(const Match &);
  Response search_motion(const Match &);
  Response restless(const Match &); // parts of the picture that are proposed as masks

  Response recording(const Match &);
  // `name`: of the file that a browser stores it in, without its ending.
  Response part_of_recording(const Match &, const std::string &camera, double from, double to,
                             const std::string &name);
  Response timeline(const Match &);
  Response preview(const Match &);
  // Throws HttpError 404 with what there is.
  [[noreturn]] void nothing_recorded(const std::string &camera, double from, double to);

  Response add_export(const Match &);
  Response exports(const Match &);
  Response one_export(const Match &);
  Response remove_export(const Match &);
  Response export_file(const Match &);
  Response export_link(const Match &);
  void note_export(const ExportJob &); // that has ended

  Response events(const Match &);
  Event need_event(const std::string &id); // throws HttpError 404
  Response event(const Match &);
  Response remove_event(const Match &);
  Response thumbnail(const Match &);
  Response clip(const Match &);
  Response similar(const Match &);
  Response retain(const Match &);
  Response seen(const Match &);
  Response unseen(const Match &);
  Response mark(const Match &, bool seen);
  Response mark_many(const Match &);
  nlohmann::json shown(const Match &, const Event &); // with its labels and whether the visitor has seen it

  Response label_event(const Match &);
  Response label_events(const Match &); // several at once
  Response labels(const Match &);
  Response label_groups(const Match &);
  Response make_codebook(const Match &);
  Response forget_label(const Match &);
  Response export_labels(const Match &);
  Response import_labels(const Match &);

  Response configuration(const Match &);
  Response overrides(const Match &);
  Response audit(const Match &);
  Response reload(const Match &);
  Response test_notify(const Match &);
  Response stats(const Match &);
  Response version(const Match &);
  Response description(const Match &);
  Response ways_to_sign_in(const Match &);
  Response login(const Match &);
  Response logout(const Match &);
  // Throw HttpError 401 or 429, and 404.
  std::shared_ptr<const StoredUser> need_password(const Request &, const std::string &name,
                                                  const std::string &password);
  std::shared_ptr<const StoredUser> need_user(const std::string &name);
  void users_changed();
  Response users(const Match &);
  Response add_user(const Match &);
  Response change_user(const Match &);
  Response remove_user(const Match &);
  Response set_password(const Match &);
  Response sessions(const Match &);
  Response end_session(const Match &);

  Push &need_push();                                            // throws HttpError 409
  std::shared_ptr<const PushDevice> need_device(const Match &); // throws HttpError 404
  Response push_devices(const Match &);
  Response add_push_device(const Match &);
  Response change_push_device(const Match &);
  Response remove_push_device(const Match &);
  Response test_push_device(const Match &);

  Response metrics(const Match &);
  Response health(const Match &);

  nlohmann::json figures(const VisibleCameras &); // of /api/stats

  Monitor &monitor_;
  Access &access_;
  AuditLog &audit_;
  LabelBook &labels_;
  Streams streams_;
  UncoveredViews uncovered_;
  WebViewers viewers_;
  Talks talks_;
  DeviceSearches searches_;
  StreamLooks looks_;
  const HttpConfig http_; // a copy: threads of requests must not read what a reload replaces
  const Page page_;
  DiskFigures disk_;
};

} // namespace vigil::monitor
