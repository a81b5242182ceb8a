// The fake cuDNN: handles, tensors, filters, and convolutions by descriptors.
#include "tests/fakes/libs/cudnn.hpp"

using namespace fakegpu;
using namespace fakegpu::dnn;
using library::Call;

namespace fakegpu::dnn {

std::uint64_t convolve(const Sizes& filter, const Sizes& output) {
  std::uint64_t operations = 0, elements = 1;
  for (const std::int64_t s : output.size) elements *= static_cast<std::uint64_t>(s);
  for (std::uint64_t at = 0; at < elements; ++at) {
    std::uint64_t products = 1;
    for (std::size_t d = 1; d < filter.size.size(); ++d) products *= static_cast<std::uint64_t>(filter.size[d]);
    operations += 2 * products;
  }
  return operations;
}

}  // namespace fakegpu::dnn

namespace {

int convolution(Call& call, void* handle, const void* x, const void* w, const void* y) {
  if (handle == nullptr) return call.done(kNotInitialized);
  const auto &in = *static_cast<const Sizes*>(x), &filter = *static_cast<const Sizes*>(w),
             &out = *static_cast<const Sizes*>(y);
  if (in.size.size() != out.size.size() || filter.size.size() != out.size.size() || filter.size[0] != out.size[1])
    return call.done(kBadParam);
  call.flops = convolve(filter, out);
  call.bytes = in.bytes() + filter.bytes() + out.bytes();
  fakegpu_library_kernel("conv_60us", static_cast<Handle*>(handle)->stream);
  return call.done(0);
}

}  // namespace

FAKE_API int cudnnCreate(void** handle) {
  Call call("cuDNN", "cudnnCreate");
  if (!library::start_driver()) return call.done(kNotInitialized);
  *handle = new Handle;
  return call.done(0);
}
FAKE_API int cudnnDestroy(void* handle) {
  Call call("cuDNN", "cudnnDestroy");
  delete static_cast<Handle*>(handle);
  return call.done(0);
}
FAKE_API int cudnnSetStream(void* handle, void* stream) {
  Call call("cuDNN", "cudnnSetStream");
  static_cast<Handle*>(handle)->stream = stream;
  return call.done(0);
}

FAKE_API int cudnnCreateTensorDescriptor(void** tensor) {
  *tensor = new Sizes;
  return 0;
}
FAKE_API int cudnnDestroyTensorDescriptor(void* tensor) {
  delete static_cast<Sizes*>(tensor);
  return 0;
}
FAKE_API int cudnnSetTensorNdDescriptor(void* tensor, int type, int dims, const int sizes[], const int*) {
  static_cast<Sizes*>(tensor)->type = type;
  static_cast<Sizes*>(tensor)->size.assign(sizes, sizes + dims);
  return 0;
}
FAKE_API int cudnnGetTensorNdDescriptor(const void* tensor, int most, int* type, int* dims, int sizes[],
                                        int strides[]) {
  const auto& of = *static_cast<const Sizes*>(tensor);
  *type = of.type;
  *dims = static_cast<int>(of.size.size());
  int stride = 1;
  for (int d = *dims - 1; d >= 0; --d) {
    const int size = static_cast<int>(of.size[static_cast<std::size_t>(d)]);
    if (d < most) {
      sizes[d] = size;
      strides[d] = stride;
    }
    stride *= size;
  }
  return 0;
}

FAKE_API int cudnnCreateFilterDescriptor(void** filter) { return cudnnCreateTensorDescriptor(filter); }
FAKE_API int cudnnDestroyFilterDescriptor(void* filter) { return cudnnDestroyTensorDescriptor(filter); }
FAKE_API int cudnnSetFilterNdDescriptor(void* filter, int type, int, int dims, const int sizes[]) {
  return cudnnSetTensorNdDescriptor(filter, type, dims, sizes, nullptr);
}
FAKE_API int cudnnGetFilterNdDescriptor(const void* filter, int most, int* type, int* format, int* dims, int sizes[]) {
  int strides[16];
  *format = 0;
  return cudnnGetTensorNdDescriptor(filter, most, type, dims, sizes, strides);
}

FAKE_API int cudnnConvolutionForward(void* handle, const void*, const void* xdesc, const void*, const void* wdesc,
                                     const void*, const void*, int, void*, size_t, const void*, const void* ydesc,
                                     void*) {
  Call call("cuDNN", "cudnnConvolutionForward");
  return convolution(call, handle, xdesc, wdesc, ydesc);
}
FAKE_API int cudnnConvolutionBackwardData(void* handle, const void*, const void* wdesc, const void*, const void* dydesc,
                                          const void*, const void*, int, void*, size_t, const void*, const void* dxdesc,
                                          void*) {
  Call call("cuDNN", "cudnnConvolutionBackwardData");
  return convolution(call, handle, dxdesc, wdesc, dydesc);
}
FAKE_API int cudnnConvolutionBackwardFilter(void* handle, const void*, const void* xdesc, const void*,
                                            const void* dydesc, const void*, const void*, int, void*, size_t,
                                            const void*, const void* dwdesc, void*) {
  Call call("cuDNN", "cudnnConvolutionBackwardFilter");
  return convolution(call, handle, xdesc, dwdesc, dydesc);
}

// Each argument must be its place among them.
FAKE_API int cudnnBatchNormalizationForwardTrainingEx(
    void* handle, int mode, int operations, const void* alpha, const void* beta, const void* xdesc, const void* x,
    const void* zdesc, const void* z, const void* ydesc, void* y, const void* desc, const void* scale, const void* bias,
    double factor, void* mean, void* variance, double epsilon, void* saved_mean, void* saved_variance, void* activation,
    void* workspace, size_t workspace_bytes, void* reserve, size_t reserve_bytes) {
  Call call("cuDNN", "cudnnBatchNormalizationForwardTrainingEx");
  std::uintptr_t place = 0;
  bool right = factor == 0.25 && epsilon == 0.125;
  for (const void* pointer : {static_cast<const void*>(handle),
                              reinterpret_cast<const void*>(static_cast<std::intptr_t>(mode)),
                              reinterpret_cast<const void*>(static_cast<std::intptr_t>(operations)),
                              alpha,
                              beta,
                              xdesc,
                              x,
                              zdesc,
                              z,
                              ydesc,
                              static_cast<const void*>(y),
                              desc,
                              scale,
                              bias,
                              static_cast<const void*>(mean),
                              static_cast<const void*>(variance),
                              static_cast<const void*>(saved_mean),
                              static_cast<const void*>(saved_variance),
                              static_cast<const void*>(activation),
                              static_cast<const void*>(workspace),
                              reinterpret_cast<const void*>(workspace_bytes),
                              static_cast<const void*>(reserve),
                              reinterpret_cast<const void*>(reserve_bytes)}) {
    right = right && reinterpret_cast<std::uintptr_t>(pointer) == ++place;
  }
  return call.done(right ? 0 : kBadParam);
}
