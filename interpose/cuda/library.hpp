// What the rows of the libraries above CUDA share: the work that their arguments ask for, and rows of functions whose
// arguments nobody looks at.
#pragma once

#include "agent/gpu/flops.hpp"
#include "interpose/cuda/call.hpp"

namespace prof::gpu {

inline void ask(Call& call, const Work& work) {
  call.flops = work.flops;
  call.bytes = work.bytes;
}

}  // namespace prof::gpu

// A function by name and time alone:
//
//   PROF_GPU_NAMED(Curand, 101, curandGenerateNormal, Library, 3, 2)
//
// with `words` arguments that are integers, pointers or enumerations and `reals` that are floating-point numbers, in
// whatever order: the ABI hands out the two kinds of registers independently of each other. (It would not if a
// floating-point number had to go on the stack: no such function has more than eight.) Of complex numbers, single ones
// take one register and double ones two. Each argument is passed on as what its register or stack slot holds.
#define PROF_GPU_NAMED(library_, missing_, name_, role_, words, reals)                             \
  PROF_GPU_CALL(library_, missing_, 0, int, name_, role_, (PROF_WORDS_##words PROF_REALS_##reals), \
                (PROF_GIVEN_WORDS_##words PROF_GIVEN_REALS_##reals), (void)0, (void)0)

#define PROF_REALS_0
#define PROF_REALS_1 , double r1
#define PROF_REALS_2 , double r1, double r2
#define PROF_REALS_3 , double r1, double r2, double r3
#define PROF_GIVEN_REALS_0
#define PROF_GIVEN_REALS_1 , r1
#define PROF_GIVEN_REALS_2 , r1, r2
#define PROF_GIVEN_REALS_3 , r1, r2, r3
#define PROF_WORDS_0
#define PROF_GIVEN_WORDS_0
#define PROF_WORDS_1 std::uint64_t w1
#define PROF_GIVEN_WORDS_1 w1
#define PROF_WORDS_2 PROF_WORDS_1, std::uint64_t w2
#define PROF_GIVEN_WORDS_2 PROF_GIVEN_WORDS_1, w2
#define PROF_WORDS_3 PROF_WORDS_2, std::uint64_t w3
#define PROF_GIVEN_WORDS_3 PROF_GIVEN_WORDS_2, w3
#define PROF_WORDS_4 PROF_WORDS_3, std::uint64_t w4
#define PROF_GIVEN_WORDS_4 PROF_GIVEN_WORDS_3, w4
#define PROF_WORDS_5 PROF_WORDS_4, std::uint64_t w5
#define PROF_GIVEN_WORDS_5 PROF_GIVEN_WORDS_4, w5
#define PROF_WORDS_6 PROF_WORDS_5, std::uint64_t w6
#define PROF_GIVEN_WORDS_6 PROF_GIVEN_WORDS_5, w6
#define PROF_WORDS_7 PROF_WORDS_6, std::uint64_t w7
#define PROF_GIVEN_WORDS_7 PROF_GIVEN_WORDS_6, w7
#define PROF_WORDS_8 PROF_WORDS_7, std::uint64_t w8
#define PROF_GIVEN_WORDS_8 PROF_GIVEN_WORDS_7, w8
#define PROF_WORDS_9 PROF_WORDS_8, std::uint64_t w9
#define PROF_GIVEN_WORDS_9 PROF_GIVEN_WORDS_8, w9
#define PROF_WORDS_10 PROF_WORDS_9, std::uint64_t w10
#define PROF_GIVEN_WORDS_10 PROF_GIVEN_WORDS_9, w10
#define PROF_WORDS_11 PROF_WORDS_10, std::uint64_t w11
#define PROF_GIVEN_WORDS_11 PROF_GIVEN_WORDS_10, w11
#define PROF_WORDS_12 PROF_WORDS_11, std::uint64_t w12
#define PROF_GIVEN_WORDS_12 PROF_GIVEN_WORDS_11, w12
#define PROF_WORDS_13 PROF_WORDS_12, std::uint64_t w13
#define PROF_GIVEN_WORDS_13 PROF_GIVEN_WORDS_12, w13
#define PROF_WORDS_14 PROF_WORDS_13, std::uint64_t w14
#define PROF_GIVEN_WORDS_14 PROF_GIVEN_WORDS_13, w14
#define PROF_WORDS_15 PROF_WORDS_14, std::uint64_t w15
#define PROF_GIVEN_WORDS_15 PROF_GIVEN_WORDS_14, w15
#define PROF_WORDS_16 PROF_WORDS_15, std::uint64_t w16
#define PROF_GIVEN_WORDS_16 PROF_GIVEN_WORDS_15, w16
#define PROF_WORDS_17 PROF_WORDS_16, std::uint64_t w17
#define PROF_GIVEN_WORDS_17 PROF_GIVEN_WORDS_16, w17
#define PROF_WORDS_18 PROF_WORDS_17, std::uint64_t w18
#define PROF_GIVEN_WORDS_18 PROF_GIVEN_WORDS_17, w18
#define PROF_WORDS_19 PROF_WORDS_18, std::uint64_t w19
#define PROF_GIVEN_WORDS_19 PROF_GIVEN_WORDS_18, w19
#define PROF_WORDS_20 PROF_WORDS_19, std::uint64_t w20
#define PROF_GIVEN_WORDS_20 PROF_GIVEN_WORDS_19, w20
#define PROF_WORDS_21 PROF_WORDS_20, std::uint64_t w21
#define PROF_GIVEN_WORDS_21 PROF_GIVEN_WORDS_20, w21
#define PROF_WORDS_22 PROF_WORDS_21, std::uint64_t w22
#define PROF_GIVEN_WORDS_22 PROF_GIVEN_WORDS_21, w22
#define PROF_WORDS_23 PROF_WORDS_22, std::uint64_t w23
#define PROF_GIVEN_WORDS_23 PROF_GIVEN_WORDS_22, w23
#define PROF_WORDS_24 PROF_WORDS_23, std::uint64_t w24
#define PROF_GIVEN_WORDS_24 PROF_GIVEN_WORDS_23, w24
#define PROF_WORDS_25 PROF_WORDS_24, std::uint64_t w25
#define PROF_GIVEN_WORDS_25 PROF_GIVEN_WORDS_24, w25
#define PROF_WORDS_26 PROF_WORDS_25, std::uint64_t w26
#define PROF_GIVEN_WORDS_26 PROF_GIVEN_WORDS_25, w26
#define PROF_WORDS_27 PROF_WORDS_26, std::uint64_t w27
#define PROF_GIVEN_WORDS_27 PROF_GIVEN_WORDS_26, w27
#define PROF_WORDS_28 PROF_WORDS_27, std::uint64_t w28
#define PROF_GIVEN_WORDS_28 PROF_GIVEN_WORDS_27, w28
#define PROF_WORDS_29 PROF_WORDS_28, std::uint64_t w29
#define PROF_GIVEN_WORDS_29 PROF_GIVEN_WORDS_28, w29
#define PROF_WORDS_30 PROF_WORDS_29, std::uint64_t w30
#define PROF_GIVEN_WORDS_30 PROF_GIVEN_WORDS_29, w30
#define PROF_WORDS_31 PROF_WORDS_30, std::uint64_t w31
#define PROF_GIVEN_WORDS_31 PROF_GIVEN_WORDS_30, w31
#define PROF_WORDS_32 PROF_WORDS_31, std::uint64_t w32
#define PROF_GIVEN_WORDS_32 PROF_GIVEN_WORDS_31, w32
