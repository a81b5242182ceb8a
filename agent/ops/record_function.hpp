// What of PyTorch's C++ interface is used, declared by hand: nothing of PyTorch is compiled against.
//
// Source: ATen/record_function.h, the same from 1.13 to 2.x as far as it is used here. at::RecordFunctionCallback is
// {start, end, double sampling_prob, bool scopes[NUM_SCOPES], bool needs_inputs, needs_outputs, needs_ids} and is
// passed in memory; NUM_SCOPES has been 8 to 13, so that a structure of 40 bytes with one of the first eight scopes
// chosen and zeros behind says the same to all of them. A start function returns a std::unique_ptr, by a hidden first
// argument.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/ops/layout.hpp"

namespace prof::ops {

enum class Scope : std::uint8_t { Function = 0, BackwardFunction = 1, TorchScriptFunction = 2, User = 7 };

using StartFunction = void*(void** context, const RecordFunction* function);
using EndFunction = void(const RecordFunction* function, void* context);

struct Callback {
  StartFunction* start;
  EndFunction* end;
  double probability;
  std::uint8_t flags[16];  // by Scope; behind them what it needs
};
static_assert(sizeof(Callback) == 40);

// Where `needs_inputs` stands with ten scopes, as in 1.13 and all of 2.x so far. With another number of them it is a
// scope that nobody enters, or a need without a consequence: then there are no shapes.
inline constexpr std::size_t kNeedsInputs = 10;

// A std::vector of all three ABIs of the C++ library that PyTorch is built with.
template <class T>
struct Vector {
  T* begin;
  T* end;
  T* room;
};
using Sizes = Vector<Vector<std::int64_t>>;

using AddGlobalCallback = std::uint64_t(Callback);
using NameOf = const char*(const RecordFunction*);
using InputSizes = void*(Sizes* result, const RecordFunction*, bool flatten_lists);

// A c10::IntArrayRef, in two registers.
struct SizesView {
  const std::int64_t* begin;
  std::size_t count;
};
using TensorSizes = SizesView(const void* tensor);

using NextNumber = std::uint64_t();
using ThreadNumber = std::uint64_t();

inline constexpr char kAddGlobalCallback[] = "_ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE";
inline constexpr char kNameOf[] = "_ZNK2at14RecordFunction4nameEv";
inline constexpr char kIsAsync[] = "_ZNK2at14RecordFunction7isAsyncEv";
inline constexpr char kInputSizes[] = "_ZN5torch8profiler4impl10inputSizesERKN2at14RecordFunctionEb";
inline constexpr char kNextNumber[] = "_ZN2at15sequence_number4peekEv";
inline constexpr char kThreadNumber[] = "_ZN2at14RecordFunction15currentThreadIdEv";
// Of libc10: what a tensor of the plain class says its sizes are, the class itself, and the tensor that is none.
inline constexpr char kTensorSizes[] = "_ZNK3c1010TensorImpl12sizes_customEv";
inline constexpr char kTensorClass[] = "_ZTVN3c1010TensorImplE";
inline constexpr char kNoTensor[] = "_ZN3c1019UndefinedTensorImpl10_singletonE";
// Exported since the layout above holds.
inline constexpr char kLayoutMark[] = "_ZN2at27getStepCallbacksUnlessEmptyENS_11RecordScopeE";

// What the callbacks ask PyTorch for.
struct Torch {
  NameOf* name_of;
  IsAsync* is_async;
  InputSizes* input_sizes;  // null: neither shapes nor FLOPs are recorded
  bool shapes = true;       // where there is the above
  bool flops = false;       // likewise
  bool stacks = false;      // operators hang below Python frames
  Layout layout{};          // needed for some FLOPs, and to know what made backward functions; for this too:
  NextNumber* next_number = nullptr;
  ThreadNumber* thread_number = nullptr;
  TensorSizes* tensor_sizes = nullptr;  // null: sizes are asked for, and copied
  const void* tensor_class = nullptr;   // what an object of the plain class begins with
  const void* no_tensor = nullptr;
};

}  // namespace prof::ops
