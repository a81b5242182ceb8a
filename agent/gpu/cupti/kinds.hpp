// Which records CUPTI is asked for.
#pragma once

#include "agent/gpu/cupti/abi.hpp"

namespace prof::gpu::cupti {

// Enables the kinds one by one, telling of each that cannot be had. The first kernels' result decides: success when
// kernels or copies will come. `whole_runtime`: asks for the runtime's calls as a whole, since a context may exist
// already: CUPTI records none that are asked for one by one from then on.
Result enable_kinds(const Functions& functions, bool whole_runtime);
// Whether we asked for the kind as such.
bool own_kind(Kind kind);
// Another client, which had all calls of the runtime recorded, does not want them any longer, and CUPTI is not told:
// takes back those that do not matter to us either.
void keep_runtime_calls(const Functions& functions);
// Another client has disabled a kind as a whole: puts back what we need of it.
void restore_kind(const Functions& functions, Kind kind);
// Has kernels run one after the other, as another client wants it, or as they come, as we do. False: that was not to be
// had, and all is as it was.
bool serialise_kernels(const Functions& functions, bool serial);
// Asks for nothing any longer.
void disable_kinds(const Functions& functions);
// Asks for all calls of the APIs instead of those that matter alone, at a price: for a CUPTI that tells who made a call
// only then. Once; again is harmless.
void enable_all_calls(const Functions& functions);
// Has graphs told of as a whole, whose kernels CUPTI has no room to time one by one. Once; again is harmless.
void enable_whole_graphs(const Functions& functions);
// The names of results, for notes.
const char* result_text(const Functions& functions, Result result);

// Before anything else, once; again is harmless.
void prepare_kinds();

}  // namespace prof::gpu::cupti
