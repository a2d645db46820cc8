// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/cuda/shareable.h"

#include "common/cuda/device.h"

#include <cuda.h>

namespace vigil {
namespace {

struct Functions {
  template <class F>
  static void find(F &function, const char *name) {
    function = reinterpret_cast<F>(cuda_driver_function(name));
  }
  Functions() {
    find(granularity, "cuMemGetAllocationGranularity");
    find(create, "cuMemCreate");
    find(release, "cuMemRelease");
    find(reserve, "cuMemAddressReserve");
    find(give_back, "cuMemAddressFree");
    find(map, "cuMemMap");
    find(unmap, "cuMemUnmap");
    find(set_access, "cuMemSetAccess");
    find(export_handle, "cuMemExportToShareableHandle");
  }
  decltype(&cuMemGetAllocationGranularity) granularity;
  decltype(&cuMemCreate) create;
  decltype(&cuMemRelease) release;
  decltype(&cuMemAddressReserve) reserve;
  decltype(&cuMemAddressFree) give_back;
  decltype(&cuMemMap) map;
  decltype(&cuMemUnmap) unmap;
  decltype(&cuMemSetAccess) set_access;
  decltype(&cuMemExportToShareableHandle) export_handle;
};
const Functions &cuda() {
  static const Functions f;
  return f;
}

} // namespace

CudaShareable::CudaShareable(CudaDevice &device, std::size_t bytes) : device_(device) {
  CUmemAllocationProp what{};
  what.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  what.location = {CU_MEM_LOCATION_TYPE_DEVICE, {device.id()}};
  what.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  const CudaScope scope = device.enter();
  std::size_t unit = 0;
  cuda_driver_check(cuda().granularity(&unit, &what, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
                    "memory to share has no unit of allocation");
  bytes_ = (bytes + unit - 1) / unit * unit;
  try {
    cuda_driver_check(cuda().create(&handle_, bytes_, &what, 0), "allocating memory to share");
    cuda_driver_check(cuda().reserve(&address_, bytes_, 0, 0, 0), "reserving addresses for memory to share");
    cuda_driver_check(cuda().map(address_, bytes_, 0, handle_, 0), "mapping memory to share");
    mapped_ = true;
    const CUmemAccessDesc access{what.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    cuda_driver_check(cuda().set_access(address_, bytes_, &access, 1), "opening memory to share");
  } catch (...) {
    undo();
    throw;
  }
}

CudaShareable::~CudaShareable() {
  if (const CudaTeardown scope(device_.context()); scope) undo();
}

void CudaShareable::undo() noexcept {
  if (mapped_) cuda().unmap(address_, bytes_);
  if (address_) cuda().give_back(address_, bytes_);
  if (handle_) cuda().release(handle_);
}

int CudaShareable::export_descriptor() const {
  const CudaScope scope = device_.enter();
  int descriptor = -1;
  cuda_driver_check(cuda().export_handle(&descriptor, handle_, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
                    "exporting memory to share");
  return descriptor;
}

} // namespace vigil
