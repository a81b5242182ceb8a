// cuBLASLt. What a product asks for stands in the descriptors of its operands, which the library itself reads for us:
// its getters need neither a handle nor a device. Their sizes must be exact.
#include "interpose/cuda/cublaslt.hpp"

#include <initializer_list>
#include "interpose/cuda/library.hpp"

using namespace prof::gpu;

namespace {

using Any = const void*;
using Some = void*;

constexpr int kLtMissing = 1;  // CUBLAS_STATUS_NOT_INITIALIZED
using Attribute = int(Any descriptor, int attribute, void* into, std::size_t bytes, std::size_t* written);

constinit Asked g_layout{"cublasLtMatrixLayoutGetAttribute", {{Library::CublasLt, Role::Plain, 0}, kLtMissing}};
constinit Asked g_product{"cublasLtMatmulDescGetAttribute", {{Library::CublasLt, Role::Plain, 0}, kLtMissing}};

template <class T>
T read(Attribute* getter, Any descriptor, int attribute, T otherwise) {
  T value{};
  std::size_t written = 0;
  if (descriptor == nullptr || getter(descriptor, attribute, &value, sizeof(value), &written) != 0) return otherwise;
  return written == sizeof(value) ? value : otherwise;
}

struct Matrix {
  Element element;
  std::int64_t rows, columns, batch;
};
Matrix matrix(Attribute* getter, Any layout) {
  return {cuda_element(read<std::int32_t>(getter, layout, kLayoutType, -1)),
          static_cast<std::int64_t>(read<std::uint64_t>(getter, layout, kLayoutRows, 0)),
          static_cast<std::int64_t>(read<std::uint64_t>(getter, layout, kLayoutColumns, 0)),
          read<std::int32_t>(getter, layout, kLayoutBatch, 1)};
}

Work product(Any caller, Any description, Any a, Any b, Any d) {
  auto* const layout = reinterpret_cast<Attribute*>(g_layout.real(caller));
  auto* const of_product = reinterpret_cast<Attribute*>(g_product.real(caller));
  if (layout == nullptr || of_product == nullptr) return {};
  const Matrix result = matrix(layout, d), left = matrix(layout, a);
  const bool transposed = read<std::int32_t>(of_product, description, kTransposedA, 0) != 0;
  return gemm(left.element, matrix(layout, b).element, result.element, result.rows, result.columns,
              transposed ? left.rows : left.columns, result.batch);
}

Work transformed(Any caller, Any a, Any b, Any c) {
  auto* const layout = reinterpret_cast<Attribute*>(g_layout.real(caller));
  Work work;
  if (layout == nullptr) return work;
  for (Any operand : {a, b, c}) {
    if (operand == nullptr) continue;
    const Matrix m = matrix(layout, operand);
    work.bytes = plus(work.bytes, times(bytes_of(times(count(m.rows), count(m.columns)), m.element), count(m.batch)));
  }
  return work;
}

}  // namespace

PROF_GPU_NAMED(CublasLt, kLtMissing, cublasLtCreate, Setup, 1, 0)
PROF_GPU_NAMED(CublasLt, kLtMissing, cublasLtDestroy, Setup, 1, 0)
PROF_GPU_NAMED(CublasLt, kLtMissing, cublasLtMatmulAlgoGetHeuristic, Setup, 10, 0)

PROF_GPU_CALL(CublasLt, kLtMissing, 0, int, cublasLtMatmul, Library,
              (Some handle, Any description, Any alpha, Any a, Any alayout, Any b, Any blayout, Any beta, Any c,
               Any clayout, Some d, Any dlayout, Any algorithm, Some workspace, std::size_t workspace_bytes,
               Some stream),
              (handle, description, alpha, a, alayout, b, blayout, beta, c, clayout, d, dlayout, algorithm, workspace,
               workspace_bytes, stream),
              ask(call, product(__builtin_return_address(0), description, alayout, blayout, dlayout)), (void)0)

PROF_GPU_CALL(CublasLt, kLtMissing, 0, int, cublasLtMatrixTransform, Library,
              (Some handle, Any description, Any alpha, Any a, Any alayout, Any beta, Any b, Any blayout, Some c,
               Any clayout, Some stream),
              (handle, description, alpha, a, alayout, beta, b, blayout, c, clayout, stream),
              ask(call, transformed(__builtin_return_address(0), alayout, blayout, clayout)), (void)0)
