// The fake cuBLASLt: its descriptors, whose attributes have exact sizes, and its product.
#include <cstring>
#include <map>

#include "tests/fakes/libs/library.hpp"

using namespace fakegpu;
using library::Call;

namespace {

constexpr int kNotInitialized = 1, kInvalidValue = 7;

// Attributes by number: their bytes.
struct Descriptor {
  std::map<int, std::vector<char>> attributes;

  template <class T>
  void put(int attribute, T value) {
    attributes[attribute].assign(reinterpret_cast<const char*>(&value), reinterpret_cast<const char*>(&value + 1));
  }
  template <class T>
  T get(int attribute) const {
    T value;
    std::memcpy(&value, attributes.at(attribute).data(), sizeof value);
    return value;
  }
};

int set(void* descriptor, int attribute, const void* from, size_t bytes) {
  auto& all = static_cast<Descriptor*>(descriptor)->attributes;
  const auto found = all.find(attribute);
  if (found == all.end() || from == nullptr || found->second.size() != bytes) return kInvalidValue;
  std::memcpy(found->second.data(), from, bytes);
  return 0;
}

int get(void* descriptor, int attribute, void* to, size_t bytes, size_t* written) {
  auto& all = static_cast<Descriptor*>(descriptor)->attributes;
  const auto found = all.find(attribute);
  if (found == all.end()) return kInvalidValue;
  if (written != nullptr) *written = found->second.size();
  if (to == nullptr && bytes == 0) return 0;
  if (to == nullptr || found->second.size() != bytes) return kInvalidValue;
  std::memcpy(to, found->second.data(), bytes);
  return 0;
}

std::uint64_t bytes_of(int type) { return type == CUDA_R_16F ? 2 : type == CUDA_R_32F ? 4 : 8; }

std::uint64_t matrix_bytes(const Descriptor& layout) {
  return layout.get<std::uint64_t>(2) * layout.get<std::uint64_t>(3) * bytes_of(layout.get<int>(0)) *
         static_cast<std::uint64_t>(layout.get<int>(5));
}

}  // namespace

FAKE_API int cublasLtCreate(void** handle) {
  Call call("cuBLASLt", "cublasLtCreate");
  if (!library::start_driver()) return call.done(kNotInitialized);
  *handle = new int(0);
  return call.done(0);
}

FAKE_API int cublasLtDestroy(void* handle) {
  Call call("cuBLASLt", "cublasLtDestroy");
  delete static_cast<int*>(handle);
  return call.done(0);
}

FAKE_API int cublasLtMatmulDescCreate(void** product, int computing, int scale) {
  auto* made = new Descriptor;
  made->put(0, computing);
  made->put(1, scale);
  made->put(3, 0);
  made->put(4, 0);
  made->put(7, 1);
  *product = made;
  return 0;
}
FAKE_API int cublasLtMatmulDescDestroy(void* product) {
  delete static_cast<Descriptor*>(product);
  return 0;
}
FAKE_API int cublasLtMatmulDescSetAttribute(void* product, int attribute, const void* from, size_t bytes) {
  return set(product, attribute, from, bytes);
}
FAKE_API int cublasLtMatmulDescGetAttribute(void* product, int attribute, void* to, size_t bytes, size_t* written) {
  return get(product, attribute, to, bytes, written);
}

FAKE_API int cublasLtMatrixLayoutCreate(void** layout, int type, uint64_t rows, uint64_t columns, int64_t leading) {
  auto* made = new Descriptor;
  made->put(0, type);
  made->put(2, rows);
  made->put(3, columns);
  made->put(4, leading);
  made->put(5, 1);
  *layout = made;
  return 0;
}
FAKE_API int cublasLtMatrixLayoutDestroy(void* layout) {
  delete static_cast<Descriptor*>(layout);
  return 0;
}
FAKE_API int cublasLtMatrixLayoutSetAttribute(void* layout, int attribute, const void* from, size_t bytes) {
  return set(layout, attribute, from, bytes);
}
FAKE_API int cublasLtMatrixLayoutGetAttribute(void* layout, int attribute, void* to, size_t bytes, size_t* written) {
  return get(layout, attribute, to, bytes, written);
}

// An algorithm is given by the fake cuBLAS alone.
FAKE_API int cublasLtMatmul(void* handle, void* product, const void*, const void*, void* alayout, const void*,
                            void* blayout, const void*, const void*, void*, void*, void* dlayout, const void* algorithm,
                            void*, size_t, void* stream) {
  Call call("cuBLASLt", "cublasLtMatmul", algorithm != nullptr);
  if (handle == nullptr) return call.done(kNotInitialized);
  const auto& of = *static_cast<Descriptor*>(product);
  const auto &a = *static_cast<Descriptor*>(alayout), &b = *static_cast<Descriptor*>(blayout),
             &d = *static_cast<Descriptor*>(dlayout);
  // By the second operand: its side that meets the first one's.
  const auto inner = b.get<std::uint64_t>(of.get<int>(4) == 0 ? 2 : 3);
  if (inner != a.get<std::uint64_t>(of.get<int>(3) == 0 ? 3 : 2)) return call.done(kInvalidValue);
  call.flops = library::products(static_cast<std::int64_t>(d.get<std::uint64_t>(2)),
                                 static_cast<std::int64_t>(d.get<std::uint64_t>(3)), static_cast<std::int64_t>(inner),
                                 d.get<int>(5));
  call.bytes = matrix_bytes(a) + matrix_bytes(b) + matrix_bytes(d);
  fakegpu_library_kernel("lt_gemm_30us", stream);
  return call.done(0);
}
