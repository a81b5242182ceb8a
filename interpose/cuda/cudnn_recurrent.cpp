// cuDNN: recurrent networks and attention, as their descriptors tell.
#include "interpose/cuda/cudnn.hpp"

using namespace prof::gpu;

namespace {

using NetGetter = int(Any net, int* algorithm, int* cell, int* bias, int* directions, int* input_mode, int* type,
                      int* precision, int* math, std::int32_t* input, std::int32_t* hidden, std::int32_t* projection,
                      std::int32_t* layers, Some* dropout, std::uint32_t* flags);
using DataGetter = int(Any data, int* type, int* layout, int* longest, int* batch, int* size, int most, int* lengths,
                       Some padding);
using AttentionGetter = int(Any net, unsigned* mode, int* heads, double* scale, int* type, int* precision, int* math,
                            Some* dropout, Some* after, int* q, int* k, int* v, int* q_proj, int* k_proj, int* v_proj,
                            int* out, int* longest_q, int* longest_k, int* batch, int* beam);
using SequenceGetter = int(Any data, int* type, int* dims, int most_dims, int* sizes, int* axes, std::size_t* count,
                           std::size_t most, int* lengths, Some padding);

constinit Asked g_net{"cudnnGetRNNDescriptor_v8", {{Library::Cudnn, Role::Plain, 0}, kDnnMissing}};
constinit Asked g_data{"cudnnGetRNNDataDescriptor", {{Library::Cudnn, Role::Plain, 0}, kDnnMissing}};
constinit Asked g_attention{"cudnnGetAttnDescriptor", {{Library::Cudnn, Role::Plain, 0}, kDnnMissing}};
constinit Asked g_sequence{"cudnnGetSeqDataDescriptor", {{Library::Cudnn, Role::Plain, 0}, kDnnMissing}};

constexpr int kMostLengths = 1024;

std::uint64_t sum_of(const int* lengths, std::uint64_t n) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < n; ++i) sum = plus(sum, count(lengths[i]));
  return sum;
}

// Of all sequences; those of a larger batch than there is room for count with their padding.
std::uint64_t steps_of(Any caller, Any data) {
  auto* const get = reinterpret_cast<DataGetter*>(g_data.real(caller));
  int type = 0, layout = 0, longest = 0, batch = 0, size = 0, lengths[kMostLengths];
  std::uint64_t padding = 0;
  if (get == nullptr || data == nullptr) return 0;
  if (get(data, &type, &layout, &longest, &batch, &size, kMostLengths, lengths, &padding) != 0) return 0;
  if (batch > kMostLengths) return times(count(longest), count(batch));
  return sum_of(lengths, count(batch));
}

Work recurred(Any caller, Any net, Any data) {
  auto* const get = reinterpret_cast<NetGetter*>(g_net.real(caller));
  int algorithm = 0, cell = 0, bias = 0, directions = 0, input_mode = 0, type = 0, precision = 0, math = 0;
  std::int32_t input = 0, hidden = 0, projection = 0, layers = 0;
  Some dropout = nullptr;
  std::uint32_t flags = 0;
  if (get == nullptr || net == nullptr ||
      get(net, &algorithm, &cell, &bias, &directions, &input_mode, &type, &precision, &math, &input, &hidden,
          &projection, &layers, &dropout, &flags) != 0)
    return {};
  constexpr std::uint32_t gates[] = {1, 1, 4, 3};  // CUDNN_RNN_RELU, TANH, LSTM, GRU
  if (cell < 0 || cell > 3) return {};
  return recurrent({gates[cell], directions == 1 ? 2U : 1U, input_mode == 1, input, hidden, projection, layers},
                   steps_of(caller, data));
}

// How many vectors the sequences have, and how many there are.
struct Sequences {
  std::uint64_t vectors, count;
};
Sequences sequences(Any caller, Any data) {
  auto* const get = reinterpret_cast<SequenceGetter*>(g_sequence.real(caller));
  int type = 0, dims = 0, sizes[4] = {}, axes[4] = {}, lengths[kMostLengths];
  std::size_t n = 0;
  std::uint64_t padding = 0;
  if (get == nullptr || data == nullptr) return {};
  if (get(data, &type, &dims, 4, sizes, axes, &n, kMostLengths, lengths, &padding) != 0) return {};
  // Sizes by axis: time, batch, beam, vector.
  if (n > kMostLengths) return {times(count(sizes[0]), count(sizes[1]), count(sizes[2])), n};
  return {sum_of(lengths, n), n};
}

// Each query meets each key of its sequence: with sequences of different lengths, as if all had the mean one.
Work attended(Any caller, Any net, Any queries, Any keys) {
  auto* const get = reinterpret_cast<AttentionGetter*>(g_attention.real(caller));
  unsigned mode = 0;
  int heads = 0, type = 0, precision = 0, math = 0, q = 0, k = 0, v = 0, q_proj = 0, k_proj = 0, v_proj = 0, out = 0;
  int longest_q = 0, longest_k = 0, batch = 0, beam = 0;
  double scale = 0;
  Some dropout = nullptr, after = nullptr;
  if (get == nullptr || net == nullptr ||
      get(net, &mode, &heads, &scale, &type, &precision, &math, &dropout, &after, &q, &k, &v, &q_proj, &k_proj, &v_proj,
          &out, &longest_q, &longest_k, &batch, &beam) != 0)
    return {};
  const Sequences from = sequences(caller, queries), to = sequences(caller, keys);
  const std::uint64_t pairs = to.count == 0 ? 0 : times(from.vectors, to.vectors) / to.count;
  return attention({heads, q, k, v, q_proj, k_proj, v_proj, out}, from.vectors, to.vectors, pairs);
}

}  // namespace

PROF_CUDNN(cudnnRNNForward, Library,
           (Some handle, Some net, int mode, Any lengths, Some xdesc, Any x, Some ydesc, Some y, Some hdesc, Any hx,
            Some hy, Some cdesc, Any cx, Some cy, std::size_t weight_bytes, Any weights, std::size_t workspace_bytes,
            Some workspace, std::size_t reserve_bytes, Some reserve),
           (handle, net, mode, lengths, xdesc, x, ydesc, y, hdesc, hx, hy, cdesc, cx, cy, weight_bytes, weights,
            workspace_bytes, workspace, reserve_bytes, reserve),
           ask(call, recurred(__builtin_return_address(0), net, xdesc)), )
PROF_CUDNN(cudnnRNNBackwardData_v8, Library,
           (Some handle, Some net, Any lengths, Some ydesc, Any y, Any dy, Some xdesc, Some dx, Some hdesc, Any hx,
            Any dhy, Some dhx, Some cdesc, Any cx, Any dcy, Some dcx, std::size_t weight_bytes, Any weights,
            std::size_t workspace_bytes, Some workspace, std::size_t reserve_bytes, Some reserve),
           (handle, net, lengths, ydesc, y, dy, xdesc, dx, hdesc, hx, dhy, dhx, cdesc, cx, dcy, dcx, weight_bytes,
            weights, workspace_bytes, workspace, reserve_bytes, reserve),
           ask(call, recurred(__builtin_return_address(0), net, xdesc)), )
PROF_CUDNN(cudnnRNNBackwardWeights_v8, Library,
           (Some handle, Some net, int adds, Any lengths, Some xdesc, Any x, Some hdesc, Any hx, Some ydesc, Any y,
            std::size_t weight_bytes, Some dweights, std::size_t workspace_bytes, Some workspace,
            std::size_t reserve_bytes, Some reserve),
           (handle, net, adds, lengths, xdesc, x, hdesc, hx, ydesc, y, weight_bytes, dweights, workspace_bytes,
            workspace, reserve_bytes, reserve),
           ask(call, recurred(__builtin_return_address(0), net, xdesc)), )

PROF_CUDNN(cudnnMultiHeadAttnForward, Library,
           (Some handle, Any net, int index, Any low, Any high, Any lengths_q, Any lengths_k, Any qdesc, Any queries,
            Any residuals, Any kdesc, Any keys, Any vdesc, Any values, Any odesc, Some out, std::size_t weight_bytes,
            Any weights, std::size_t workspace_bytes, Some workspace, std::size_t reserve_bytes, Some reserve),
           (handle, net, index, low, high, lengths_q, lengths_k, qdesc, queries, residuals, kdesc, keys, vdesc, values,
            odesc, out, weight_bytes, weights, workspace_bytes, workspace, reserve_bytes, reserve),
           ask(call, attended(__builtin_return_address(0), net, qdesc, kdesc)), )
PROF_CUDNN_NAMED(cudnnMultiHeadAttnBackwardData, Library, 23, 0)
PROF_CUDNN_NAMED(cudnnMultiHeadAttnBackwardWeights, Library, 18, 0)
