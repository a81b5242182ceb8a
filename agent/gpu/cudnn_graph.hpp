// What cuDNN's execution plans ask for. The call that executes a plan says nothing of its sizes, and a plan need not
// tell what it was made of: the descriptors that lead to it are followed from their making on. Each carries its own
// sizes or work as soon as they are known, since programs drop the earlier ones. Ordinary code. More descriptors than
// 49,152 at a time are not known, nor are plans that were read from a text.
#pragma once

#include "agent/gpu/flops.hpp"

namespace prof::gpu::cudnn {

// After each of the backend API's calls that succeeded, with its arguments.
void created(const void* descriptor, std::int32_t type);
void attribute_set(const void* descriptor, std::int32_t name, std::int32_t type, std::int64_t n, const void* values);
// `n` elements were written to `values`.
void attribute_got(const void* descriptor, std::int32_t type, std::int64_t n, const void* values);
void finalized(const void* descriptor);
// Before the descriptor is given up.
void destroyed(const void* descriptor);

// Of one execution; nothing for an unknown plan.
Work work_of(const void* plan);

// Descriptors that are known.
std::uint32_t known_descriptors();

// Once at start.
void prepare();

}  // namespace prof::gpu::cudnn
