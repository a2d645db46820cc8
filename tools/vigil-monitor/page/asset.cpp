// SPDX-License-Identifier: LGPL-2.1-or-later
#include "asset.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <gio/gio.h>
#include <string>
#include <utility>

namespace vigil::monitor {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> types = {
    {{".html", "text/html; charset=utf-8"},
     {".js", "text/javascript; charset=utf-8"},
     {".css", "text/css; charset=utf-8"},
     {".svg", "image/svg+xml"}}};

} // namespace

std::optional<Asset> page_asset(std::string_view path) {
  if (path == "/") path = "/index.html";
  const auto type =
      std::ranges::find_if(types, [&](const auto &known) { return path.ends_with(known.first); });
  if (type == types.end() || path.find("..") != path.npos || path.find('\0') != path.npos)
    return std::nullopt;
  GBytes *const bytes =
      g_resources_lookup_data(("/page" + std::string(path)).c_str(), G_RESOURCE_LOOKUP_FLAGS_NONE, nullptr);
  if (bytes == nullptr) return std::nullopt;
  gsize size = 0;
  const auto *data = static_cast<const char *>(g_bytes_get_data(bytes, &size));
  const Asset asset{{data, size}, type->second};
  g_bytes_unref(bytes); // the data is the program's own and stays
  return asset;
}

} // namespace vigil::monitor
