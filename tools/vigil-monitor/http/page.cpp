// SPDX-License-Identifier: LGPL-2.1-or-later
#include "page.h"

#include "http_util.h"
#include "page_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace vigil::monitor {

Response Page::file(const Request &r) const {
  const std::string path = r.path == "/" ? "/index.html" : r.path;
  Response out;
  if (path.find('.', path.rfind('/')) == std::string::npos) { // somebody typed a place in the page
    // Relative, as all addresses of the page are: a proxy may show it below a prefix that is not known here.
    std::string root = "./";
    for (auto n = std::count(path.begin(), path.end(), '/'); n > 1; n--) root += "../";
    out.status = 302;
    out.headers["Location"] = root;
    return out;
  }
  if (!folder_.empty()) {
    if (path.find("..") != std::string::npos) refuse(404, "there is no such file");
    std::ifstream in(folder_ + path, std::ios::binary);
    if (!in || std::filesystem::is_directory(folder_ + path)) refuse(404, "there is no such file");
    out.body.assign(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    const std::string end = path.substr(path.rfind('.'));
    out.type = end == ".html"                  ? "text/html; charset=utf-8"
               : end == ".css"                 ? "text/css; charset=utf-8"
               : end == ".svg"                 ? "image/svg+xml"
               : end == ".js" || end == ".mjs" ? "text/javascript; charset=utf-8"
               : end == ".json"                ? "application/json"
               : end == ".webmanifest"         ? "application/manifest+json"
               : end == ".png"                 ? "image/png"
                                               : "application/octet-stream";
    return out;
  }
  for (const PageFile &f : page_files())
    if (f.path == path) {
      const std::string tag = "\"" + std::string(f.tag) + "\"";
      out.headers = {{"ETag", tag}, {"Cache-Control", "no-cache"}};
      out.type = f.type;
      if (r.header("if-none-match") == tag)
        out.status = 304;
      else
        out.body = f.bytes;
      return out;
    }
  refuse(404, "there is no " + r.path.substr(0, 80));
}

} // namespace vigil::monitor
