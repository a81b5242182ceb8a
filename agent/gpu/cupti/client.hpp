// Another client of CUPTI in the same process (PyTorch's profiler is one), which CUPTI would let replace us, or be
// replaced by us. It is served from our buffers instead: of each buffer that CUPTI fills it gets a copy, with the
// records of the kinds that it asked for, in a buffer of its own, in its own callback. All functions may be called by
// any thread, in ordinary code, while CUPTI is ours.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/gpu/cupti/abi.hpp"

namespace prof::gpu::cupti {

// The client registers its callbacks; null: it is gone.
void client_registers(RequestBuffer request, CompleteBuffer complete);
// It enables or disables a kind; whether CUPTI is to be told.
void client_enables(Kind kind);
void client_disables(Kind kind);
// It has enabled kinds in a CUPTI that is ours: it is asked for a buffer, as CUPTI would when records come.
void client_begins();
// It has asked for all records so far: gets the buffer that is being filled.
void client_flushed();
// It wants the times in its records by this clock. One that has none expects CLOCK_REALTIME.
void client_has_clock(Timestamp clock);
// That clock.
Timestamp client_clock();
// It has registered its callbacks, and CUPTI was not ended since.
bool client_known();
// It has used CUPTI before we did: where its libcupti is; empty: it has not. In its calls, and at our start.
void client_uses(const void* function);
const char* client_library();
// It is there, and wants records.
bool client_active();
// CUPTI has lost records, and will not say so again; what it is to be told of such, once.
void client_loses(std::size_t records);
std::size_t client_losses();
// It has that kind enabled.
bool client_wants(Kind kind);
// Those of graphs one by one.
bool client_wants_kernels();
// CUPTI has filled one of our buffers: hands the client its part. In CUPTI's callback, before the buffer is read by us.
void serve_client(const Functions& functions, void* context, std::uint32_t stream, std::uint8_t* buffer,
                  std::size_t valid_bytes);

// A buffer that is not ours has come: it is the client's, which gave it to CUPTI before we did. False: there is none.
bool return_to_client(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t bytes,
                      std::size_t valid_bytes);

// Before anything else, once; again is harmless.
void prepare_client();

}  // namespace prof::gpu::cupti
