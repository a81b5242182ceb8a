// Which of two ways the exported copy functions go. They are called before anything else works - by resolvers of
// indirect functions while this library's own addresses are not in place yet - and must cost nothing where copies are
// not recorded.
#pragma once

namespace prof {

// Once, when the library is loaded and the real functions are known: from now on copies are counted, or go straight to
// the real functions. Until then the library copies by itself.
void begin_copies(bool counted);

}  // namespace prof
