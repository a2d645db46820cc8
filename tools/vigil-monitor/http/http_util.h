// SPDX-License-Identifier: LGPL-2.1-or-later
// Parts of requests and answers, whatever they are about.
#pragma once

#include "server.h"

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace vigil::monitor {

struct HttpError { // thrown by what answers
  int status;
  std::string what;
};
[[noreturn]] void refuse(int status, const std::string &what);
// As text, without the secrets that are known (config/secrets.h) wherever it holds more than a name.
std::string json_text(nlohmann::json);
Response json_response(const nlohmann::json &);

// Parts of requests. Throw HttpError 400.
nlohmann::json json_body(const Request &);
// The members of a body: no others than these, and one that is a text. `expected`: what it should be.
void only_members(const nlohmann::json &, std::initializer_list<const char *> names,
                  const std::string &expected);
std::string text_member(const nlohmann::json &, const char *name, const std::string &expected);
std::optional<double> number_of(const Request &, const std::string &name);
int integer_of(const Request &, const std::string &name, int least, int most, int otherwise);

// A file, or the part of it that the request's Range names. Throws HttpError 404.
Response file_response(const Request &, const std::string &path, const char *type);

} // namespace vigil::monitor
