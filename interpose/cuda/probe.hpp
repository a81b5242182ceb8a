// What a program finds that asks whether CUDA is there: by dlsym, or by a weak reference. Our definitions of CUDA's
// functions stand in the global scope whether there is a CUDA or not, and would say yes.
//
// dlsym (probe.S) says no where only our definition answers; its message then names libc as the object that was
// searched. Weak references of what is loaded at the start are made null again. Those of an object that is loaded
// later, without any CUDA, stay with our definitions, which return the error of a CUDA that cannot be started.
#pragma once

namespace prof::gpu {

// Makes the weak references to functions of CUDA null that nothing but our definitions answers. Once at start, when
// nothing else of the program has run. Costs a look at the names that each object wants.
void clear_weak_references();

}  // namespace prof::gpu

// For probe.S.
extern "C" {
extern __attribute__((visibility("hidden"))) void* (*prof_real_dlsym)(void*, const char*);
__attribute__((visibility("hidden"))) void* prof_find_dlsym();
// What dlsym(handle, name) from `caller` is to find; null: what libc's finds; 1: nothing, and the error message is in
// place.
__attribute__((visibility("hidden"))) void* prof_answer(void* handle, const char* name, const void* caller);
}
