// The function of Python that PROF_STEP names: it is watched, and each call of it is a step.
#pragma once

namespace prof::python::calls {

// Whether there is one.
bool has_step_function();

// The patterns of what is to be watched, that function included; they stay. Once, with the GIL, before the next two.
const char* with_step_function(const char* patterns);

// A watched call of `code` begins and ends in the calling thread. With the GIL.
void step_function_begins(const void* code);
void step_function_ends(const void* code);

class StepCall {
 public:
  explicit StepCall(const void* code) : code_(code) { step_function_begins(code); }
  ~StepCall() { step_function_ends(code_); }
  StepCall(const StepCall&) = delete;
  StepCall& operator=(const StepCall&) = delete;

 private:
  const void* code_;
};

}  // namespace prof::python::calls
