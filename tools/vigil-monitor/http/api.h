// SPDX-License-Identifier: LGPL-2.1-or-later
// The API and the page: docs/api/openapi.json.
#pragma once

#include "../monitor.h"
#include "auth.h"
#include "parts.h"
#include "server.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace vigil::monitor {

class Api {
 public:
  // `page`: a folder to serve the page from, for those who work on it; empty: the page that is compiled in.
  Api(Monitor &m, Tokens &tokens, std::string page)
      : monitor_(m), tokens_(tokens), http_(m.config().http), page_(std::move(page)) {}
  Response handle(const Request &); // on any thread

  std::function<nlohmann::json()> mqtt_state = [] { return nlohmann::json(); };

 private:
  struct Route;
  struct Match {
    const Request &request;
    std::vector<std::string> parts; // what stands for {} in the path
    Role role;
  };
  static const std::vector<Route> &routes();
  Response dispatch(const Request &);
  Response file_of_page(const Request &) const;

  Response live(const Match &);
  Response cameras(const Match &);
  Response camera(const Match &);
  Response picture(const Match &, View);
  Response live_mp4(const Match &);
  Response elements(const Match &);
  Response set_element(const Match &);
  Response set_shape(const Match &);
  Response set_switches(const Match &);
  Response forget_overrides(const Match &);
  Response activity(const Match &);
  Response heat_map(const Match &);
  Response crossings(const Match &);

  Response events(const Match &);
  Response event(const Match &);
  Response remove_event(const Match &);
  Response thumbnail(const Match &);
  Response clip(const Match &);
  Response similar(const Match &);
  Response retain(const Match &);

  Response configuration(const Match &);
  Response overrides(const Match &);
  Response reload(const Match &);
  Response stats(const Match &);
  Response version(const Match &);
  Response description(const Match &);
  Response login(const Match &);
  Response logout(const Match &);
  Response metrics(const Match &);
  Response health(const Match &);

  Monitor &monitor_;
  Tokens &tokens_;
  const HttpConfig http_; // a copy: threads of requests must not read what a reload replaces
  const std::string page_;
};

} // namespace vigil::monitor
