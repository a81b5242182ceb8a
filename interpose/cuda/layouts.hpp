// Structures of the CUDA runtime and driver that are passed by value or looked into, as their ABI has them since CUDA
// 11. Fields that nobody looks at keep their room alone.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof::gpu {

struct Dim3 {
  unsigned x, y, z;
};
struct Extent {
  std::size_t width, height, depth;  // width: bytes of linear memory, elements of an array
};
struct Position {
  std::size_t x, y, z;
};
struct PitchedPtr {
  void* ptr;
  std::size_t pitch, xsize, ysize;
};
struct IpcHandle {
  char reserved[64];
};
struct ChannelFormat {
  int x, y, z, w;  // bits
  int kind;
};

// cudaMemcpy3DParms.
struct Copy3D {
  void* from_array;
  Position from_position;
  PitchedPtr from;
  void* to_array;
  Position to_position;
  PitchedPtr to;
  Extent extent;
  int kind;
};
// cudaMemcpy3DPeerParms.
struct PeerCopy3D {
  void* from_array;
  Position from_position;
  PitchedPtr from;
  int from_device;
  void* to_array;
  Position to_position;
  PitchedPtr to;
  int to_device;
  Extent extent;
};
// cudaMemcpy3DBatchOp.
struct Copy3DOfBatch {
  struct Operand {
    int type;
    std::uint64_t reserved[4];
  };
  Operand from, to;
  Extent extent;
  int order;
  unsigned flags;
};
inline constexpr int kPointerOperand = 1;

// CUDA_MEMCPY2D.
struct DriverCopy2D {
  std::uint64_t reserved[14];
  std::size_t width_bytes, height;
};
// CUDA_MEMCPY3D and CUDA_MEMCPY3D_PEER.
struct DriverCopy3D {
  std::uint64_t reserved[22];
  std::size_t width_bytes, height, depth;
};
// CUDA_ARRAY_DESCRIPTOR and CUDA_ARRAY3D_DESCRIPTOR.
struct DriverArray {
  std::size_t width, height;
  int format;
  unsigned channels;
};
struct DriverArray3D {
  std::size_t width, height, depth;
  int format;
  unsigned channels, flags;
};

// An extent has no side of 0 elements where it has one at all.
inline std::size_t side(std::size_t n) { return n != 0 ? n : 1; }
inline std::size_t bytes_of(const ChannelFormat* f) {
  return f != nullptr ? static_cast<std::size_t>(f->x + f->y + f->z + f->w) / 8 : 0;
}
// Of an array element's format, CUarray_format.
inline constexpr std::size_t bytes_of(int format, unsigned channels) {
  const std::size_t one = format == 0x03 || format == 0x0a || format == 0x20                     ? 4
                          : format == 0x02 || format == 0x09 || format == 0x10 || format == 0xb1 ? 2
                                                                                                 : 1;
  return one * channels;
}
inline std::size_t bytes_of(const Extent& e) { return e.width * e.height * e.depth; }
inline std::size_t bytes_of(const DriverArray* a) {
  return a != nullptr ? bytes_of(a->format, a->channels) * a->width * side(a->height) : 0;
}
inline std::size_t bytes_of(const DriverArray3D* a) {
  return a != nullptr ? bytes_of(a->format, a->channels) * a->width * side(a->height) * side(a->depth) : 0;
}
// Array elements of unknown size count as one byte where both sides are arrays.
inline std::size_t bytes_of(const Copy3D* c) { return c != nullptr ? bytes_of(c->extent) : 0; }
inline std::size_t bytes_of(const PeerCopy3D* c) { return c != nullptr ? bytes_of(c->extent) : 0; }
inline std::size_t bytes_of(const DriverCopy2D* c) { return c != nullptr ? c->width_bytes * c->height : 0; }
inline std::size_t bytes_of(const DriverCopy3D* c) { return c != nullptr ? c->width_bytes * c->height * c->depth : 0; }
inline std::size_t sum_of(const std::size_t* sizes, std::size_t count) {
  std::size_t sum = 0;
  for (std::size_t i = 0; sizes != nullptr && i < count; ++i) sum += sizes[i];
  return sum;
}
inline std::size_t bytes_of(const Copy3DOfBatch* copies, std::size_t count) {
  std::size_t sum = 0;
  for (std::size_t i = 0; copies != nullptr && i < count; ++i) sum += bytes_of(copies[i].extent);
  return sum;
}

}  // namespace prof::gpu
