// Launches and copies that no interposed function sees: of a runtime that is linked statically, or of a library that
// was called past us. CUPTI calls us back in the driver, at some cost for each.
#pragma once

#include "agent/gpu/cupti/library.hpp"

namespace prof::gpu::cupti {

// Asks CUPTI for callbacks if the user wants them, or if nothing else can see this program's launches. Takes its one
// subscription in any case, unless the user wants no callbacks. Ordinary code.
void begin_callbacks(const Library& library);
// Likewise when work of devices turned out to come from calls that nobody saw, or is about to: Triton is loaded. Now
// and then.
void more_callbacks(const Library& library);
// No callbacks any longer: somebody else wants them, of whom CUPTI has but one. `for_good`: not even when CUPTI is
// started again. True: launches were found by them.
bool end_callbacks(bool for_good);
// Whether the callbacks of that number, counted from 1, still come.
bool callbacks_told(std::uint32_t number);
// Ends CUPTI for the whole process, as it advises: in its own callback, at the end of a call of the driver.
void detach(const Library& library);

// Before anything else, once; again is harmless.
void prepare_callbacks();

}  // namespace prof::gpu::cupti
