// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/opencl/choose.h"

#include "common/error.h"

#include <algorithm>
#include <cctype>
#include <cstdio>

namespace vigil {
namespace {

std::string lower(std::string s) {
  std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return s;
}

template <class Get, class Object>
std::string text_of(Get get, Object object, cl_uint what) {
  std::size_t bytes = 0;
  if (get(object, what, 0, nullptr, &bytes) != CL_SUCCESS || bytes == 0) return {};
  std::string s(bytes, '\0');
  if (get(object, what, bytes, s.data(), nullptr) != CL_SUCCESS) return {};
  return s.substr(0, s.find('\0'));
}

template <class T>
T value_of(cl_device_id id, cl_device_info what) {
  T v{};
  clGetDeviceInfo(id, what, sizeof v, &v, nullptr);
  return v;
}

const char *kind_of(cl_device_type t) {
  return t & CL_DEVICE_TYPE_GPU ? "GPU" : t & CL_DEVICE_TYPE_ACCELERATOR ? "accelerator" : "CPU";
}

std::string why_unusable(cl_device_id id) {
  const std::string version = text_of(clGetDeviceInfo, id, CL_DEVICE_VERSION); // "OpenCL 3.0 CUDA"
  int major = 0, minor = 0;
  if (std::sscanf(version.c_str(), "OpenCL %d.%d", &major, &minor) != 2 || 10 * major + minor < 12)
    return text("has ", version.empty() ? "no version" : version, ", OpenCL 1.2 is needed");
  if (!value_of<cl_bool>(id, CL_DEVICE_AVAILABLE)) return "is not available";
  if (!value_of<cl_bool>(id, CL_DEVICE_COMPILER_AVAILABLE)) return "has no compiler";
  if (!value_of<cl_bool>(id, CL_DEVICE_ENDIAN_LITTLE)) return "is big-endian";
  return {};
}

} // namespace

std::vector<ClCandidate> cl_candidates() {
  std::vector<ClCandidate> all;
  cl_uint platforms = 0;
  if (clGetPlatformIDs(0, nullptr, &platforms) != CL_SUCCESS || platforms == 0) return all;
  std::vector<cl_platform_id> platform(platforms);
  if (clGetPlatformIDs(platforms, platform.data(), nullptr) != CL_SUCCESS) return all;
  for (const cl_platform_id p : platform) {
    cl_uint devices = 0;
    if (clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 0, nullptr, &devices) != CL_SUCCESS || devices == 0) continue;
    std::vector<cl_device_id> device(devices);
    if (clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, devices, device.data(), nullptr) != CL_SUCCESS) continue;
    for (const cl_device_id d : device)
      all.push_back({d, p, value_of<cl_device_type>(d, CL_DEVICE_TYPE),
                     text_of(clGetDeviceInfo, d, CL_DEVICE_NAME),
                     text_of(clGetPlatformInfo, p, CL_PLATFORM_NAME), why_unusable(d)});
  }
  return all;
}

std::string list_of(const std::vector<ClCandidate> &all) {
  std::string s;
  for (std::size_t i = 0; i < all.size(); i++)
    s += text("  ", i, ": ", all[i].name, " (", kind_of(all[i].type), ", ", all[i].platform_name, ")",
              all[i].unusable.empty() ? "" : ", which ", all[i].unusable, "\n");
  return s;
}

std::size_t choose(const std::vector<ClCandidate> &all, const std::string &selector) {
  if (all.empty())
    fail(Error::Kind::no_device,
         "there is no OpenCL platform on this machine; install your GPU's OpenCL driver, or the ",
         "package pocl-opencl-icd, which runs OpenCL on the CPU");
  if (selector.empty()) {
    for (const cl_device_type wanted : {CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_CPU})
      for (std::size_t i = 0; i < all.size(); i++)
        if ((all[i].type & wanted) && all[i].unusable.empty()) return i;
    fail(Error::Kind::no_device, "no OpenCL device of this machine can be used:\n", list_of(all));
  }
  std::size_t found = all.size();
  if (std::all_of(selector.begin(), selector.end(), [](unsigned char c) { return std::isdigit(c); })) {
    if (selector.size() < 6) found = std::stoul(selector);
  } else {
    const std::string wanted = lower(selector);
    const auto fits = [&](const ClCandidate &c) {
      return lower(c.name).find(wanted) != std::string::npos ||
             lower(c.platform_name).find(wanted) != std::string::npos;
    };
    found = std::size_t(std::find_if(all.begin(), all.end(), fits) - all.begin());
  }
  if (found >= all.size())
    fail(Error::Kind::no_device, "no OpenCL device is meant by \"", selector, "\"; there are:\n",
         list_of(all));
  if (!all[found].unusable.empty())
    fail(Error::Kind::no_device, "the OpenCL device \"", all[found].name, "\" ", all[found].unusable,
         "; there are:\n", list_of(all));
  return found;
}

} // namespace vigil
