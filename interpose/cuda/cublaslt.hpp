// Numbers of cuBLASLt that its rows use. A test compares them with the real headers.
#pragma once

namespace prof::gpu {

// cublasLtMatrixLayoutAttribute_t; of a type, two unsigned words of 64 bits, and an int.
enum LayoutAttribute : int { kLayoutType = 0, kLayoutRows = 2, kLayoutColumns = 3, kLayoutBatch = 5 };
// cublasLtMatmulDescAttributes_t; an int.
enum ProductAttribute : int { kTransposedA = 3 };

}  // namespace prof::gpu
