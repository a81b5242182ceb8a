// cuRAND: its generators, and what they write.
#include "interpose/cuda/library.hpp"

using namespace prof::gpu;

namespace {

using Some = void*;

constexpr int kRandMissing = 101;  // CURAND_STATUS_NOT_INITIALIZED

}  // namespace

#define PROF_CURAND(name, params, args, bytes_each) \
  PROF_GPU_CALL(Curand, kRandMissing, 0, int, name, Library, params, args, call.bytes = times(n, bytes_each), (void)0)
#define NAMED(name, role, words) PROF_GPU_NAMED(Curand, kRandMissing, name, role, words, 0)

#define GENERATED(name, bytes_each) \
  PROF_CURAND(name, (Some generator, Some to, std::size_t n), (generator, to, n), bytes_each)
GENERATED(curandGenerate, 4)
GENERATED(curandGenerateLongLong, 8)
GENERATED(curandGenerateUniform, 4)
GENERATED(curandGenerateUniformDouble, 8)

#define NORMAL(name, Real)                                                               \
  PROF_CURAND(name, (Some generator, Some to, std::size_t n, Real mean, Real deviation), \
              (generator, to, n, mean, deviation), sizeof(Real))
NORMAL(curandGenerateNormal, float)
NORMAL(curandGenerateNormalDouble, double)
NORMAL(curandGenerateLogNormal, float)
NORMAL(curandGenerateLogNormalDouble, double)

PROF_CURAND(curandGeneratePoisson, (Some generator, Some to, std::size_t n, double lambda), (generator, to, n, lambda),
            4)
PROF_CURAND(curandGeneratePoissonMethod, (Some generator, Some to, std::size_t n, double lambda, int method),
            (generator, to, n, lambda, method), 4)

NAMED(curandGenerateSeeds, Library, 1)
NAMED(curandCreateGenerator, Setup, 2)
NAMED(curandCreateGeneratorHost, Setup, 2)
NAMED(curandDestroyGenerator, Setup, 1)
PROF_GPU_NAMED(Curand, kRandMissing, curandCreatePoissonDistribution, Setup, 1, 1)
NAMED(curandDestroyDistribution, Setup, 1)
NAMED(curandSetStream, Plain, 2)
NAMED(curandSetPseudoRandomGeneratorSeed, Plain, 2)
NAMED(curandSetGeneratorOffset, Plain, 2)
