// cuDNN: convolutions, whose sizes the library's own getters tell.
#include "interpose/cuda/cudnn.hpp"

using namespace prof::gpu;

namespace {

using TensorGetter = int(Any tensor, int most, int* type, int* dims, int* sizes, int* strides);
using FilterGetter = int(Any filter, int most, int* type, int* format, int* dims, int* sizes);

constinit Asked g_tensor{"cudnnGetTensorNdDescriptor", {{Library::Cudnn, Role::Plain, 0}, kDnnMissing}};
constinit Asked g_filter{"cudnnGetFilterNdDescriptor", {{Library::Cudnn, Role::Plain, 0}, kDnnMissing}};

Shape shape(int type, int dims, const int* sizes) {
  Shape s{
      cudnn_element(type), dims > 0 && dims <= static_cast<int>(kMostDims) ? static_cast<std::uint32_t>(dims) : 0, {}};
  for (std::uint32_t i = 0; i < s.dims; ++i) s.size[i] = sizes[i];
  return s;
}

Shape tensor(Any caller, Any descriptor) {
  auto* const get = reinterpret_cast<TensorGetter*>(g_tensor.real(caller));
  int type = 0, dims = 0, sizes[kMostDims] = {}, strides[kMostDims] = {};
  if (get == nullptr || descriptor == nullptr || get(descriptor, kMostDims, &type, &dims, sizes, strides) != 0)
    return {};
  return shape(type, dims, sizes);
}

Shape filter(Any caller, Any descriptor) {
  auto* const get = reinterpret_cast<FilterGetter*>(g_filter.real(caller));
  int type = 0, format = 0, dims = 0, sizes[kMostDims] = {};
  if (get == nullptr || descriptor == nullptr || get(descriptor, kMostDims, &type, &format, &dims, sizes) != 0)
    return {};
  return shape(type, dims, sizes);
}

Work convolved(Any caller, Any x, Any w, Any y) {
  return convolution(tensor(caller, x), filter(caller, w), tensor(caller, y));
}

}  // namespace

PROF_CUDNN(cudnnConvolutionForward, Library,
           (Some handle, Any alpha, Any xdesc, Any x, Any wdesc, Any w, Any conv, int algorithm, Some workspace,
            std::size_t workspace_bytes, Any beta, Any ydesc, Some y),
           (handle, alpha, xdesc, x, wdesc, w, conv, algorithm, workspace, workspace_bytes, beta, ydesc, y),
           ask(call, convolved(__builtin_return_address(0), xdesc, wdesc, ydesc)), )
PROF_CUDNN(cudnnConvolutionBiasActivationForward, Library,
           (Some handle, Any alpha1, Any xdesc, Any x, Any wdesc, Any w, Any conv, int algorithm, Some workspace,
            std::size_t workspace_bytes, Any alpha2, Any zdesc, Any z, Any bias_desc, Any bias, Any activation,
            Any ydesc, Some y),
           (handle, alpha1, xdesc, x, wdesc, w, conv, algorithm, workspace, workspace_bytes, alpha2, zdesc, z,
            bias_desc, bias, activation, ydesc, y),
           ask(call, convolved(__builtin_return_address(0), xdesc, wdesc, ydesc)), )
PROF_CUDNN(cudnnConvolutionBackwardData, Library,
           (Some handle, Any alpha, Any wdesc, Any w, Any dydesc, Any dy, Any conv, int algorithm, Some workspace,
            std::size_t workspace_bytes, Any beta, Any dxdesc, Some dx),
           (handle, alpha, wdesc, w, dydesc, dy, conv, algorithm, workspace, workspace_bytes, beta, dxdesc, dx),
           ask(call, convolved(__builtin_return_address(0), dxdesc, wdesc, dydesc)), )
PROF_CUDNN(cudnnConvolutionBackwardFilter, Library,
           (Some handle, Any alpha, Any xdesc, Any x, Any dydesc, Any dy, Any conv, int algorithm, Some workspace,
            std::size_t workspace_bytes, Any beta, Any dwdesc, Some dw),
           (handle, alpha, xdesc, x, dydesc, dy, conv, algorithm, workspace, workspace_bytes, beta, dwdesc, dw),
           ask(call, convolved(__builtin_return_address(0), xdesc, dwdesc, dydesc)), )

// One addition for each element of the gradient.
PROF_CUDNN(cudnnConvolutionBackwardBias, Library,
           (Some handle, Any alpha, Any dydesc, Any dy, Any beta, Any dbdesc, Some db),
           (handle, alpha, dydesc, dy, beta, dbdesc, db),
           const Shape gradient = tensor(__builtin_return_address(0), dydesc);
           ask(call, Work{elements(gradient), bytes_of(gradient)}), )

// What they try out is not counted as work: how much it is, they alone know.
PROF_CUDNN_NAMED(cudnnFindConvolutionForwardAlgorithm, Library, 8, 0)
PROF_CUDNN_NAMED(cudnnFindConvolutionForwardAlgorithmEx, Library, 13, 0)
PROF_CUDNN_NAMED(cudnnFindConvolutionBackwardDataAlgorithm, Library, 8, 0)
PROF_CUDNN_NAMED(cudnnFindConvolutionBackwardDataAlgorithmEx, Library, 13, 0)
PROF_CUDNN_NAMED(cudnnFindConvolutionBackwardFilterAlgorithm, Library, 8, 0)
PROF_CUDNN_NAMED(cudnnFindConvolutionBackwardFilterAlgorithmEx, Library, 13, 0)
PROF_CUDNN_NAMED(cudnnGetConvolutionForwardAlgorithm_v7, Setup, 8, 0)
PROF_CUDNN_NAMED(cudnnGetConvolutionBackwardDataAlgorithm_v7, Setup, 8, 0)
PROF_CUDNN_NAMED(cudnnGetConvolutionBackwardFilterAlgorithm_v7, Setup, 8, 0)
PROF_CUDNN_NAMED(cudnnReorderFilterAndBias, Library, 8, 0)
PROF_CUDNN_NAMED(cudnnIm2Col, Library, 6, 0)
PROF_CUDNN_NAMED(cudnnFusedOpsExecute, Library, 3, 0)
PROF_CUDNN_NAMED(cudnnMakeFusedOpsPlan, Setup, 4, 0)
