// Builds a map of voxels from a scanned shell and counts the open faces of its surface.
//
// What is wrong: the hash of a voxel is x + y + z; the 200,000 voxels share some hundreds of values, so each look-up in the
// unordered_map walks along a chain of about a thousand nodes.
// First screen should say: nearly all the time is in unordered_map's find/insert (_M_find_before_node) walking long chains:
// the hash function VoxelHash gives the same value to very many keys.
// Mend: mix the coordinates (multiply each by a big odd number).
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <unordered_map>

static double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

struct Voxel {
  int x, y, z;
  bool operator==(const Voxel& other) const { return x == other.x && y == other.y && z == other.z; }
};

struct VoxelHash {
  size_t operator()(const Voxel& v) const {
    return v.x + v.y + v.z;  // FAULT equal-hashes
  }
};

class Shell {
 public:
  void scan(int radius, double thickness) {
    for (int x = -radius; x <= radius; ++x)
      for (int y = -radius; y <= radius; ++y)
        for (int z = -radius; z <= radius; ++z) {
          double distance = std::sqrt(double(x * x + y * y + z * z));
          if (distance <= radius && distance > radius - thickness) voxels[{x, y, z}] = uint8_t(distance * 7);  // FAULT equal-hashes
        }
  }

  bool filled(int x, int y, int z) const {
    return voxels.find({x, y, z}) != voxels.end();  // FAULT equal-hashes
  }

  long open_faces() const {
    long open = 0;
    for (auto& [v, shade] : voxels) {
      open += !filled(v.x + 1, v.y, v.z) + !filled(v.x - 1, v.y, v.z);
      open += !filled(v.x, v.y + 1, v.z) + !filled(v.x, v.y - 1, v.z);
      open += !filled(v.x, v.y, v.z + 1) + !filled(v.x, v.y, v.z - 1);
    }
    return open;
  }

  long shades() const {
    long sum = 0;
    for (auto& entry : voxels) sum += entry.second;
    return sum;
  }

  size_t size() const { return voxels.size(); }

 private:
  std::unordered_map<Voxel, uint8_t, VoxelHash> voxels;
};

int main() {
  Shell shell;
  double began = now();
  shell.scan(90, 2.2);
  double scanned = now();
  printf("voxels %zu shades %ld\n", shell.size(), shell.shades());
  double counting = now();
  printf("open faces %ld\n", shell.open_faces());
  printf("truth %.3f\n", now() - counting + scanned - began);
}
