// Small objects that live as long as their thread: taken one by one, given back all at once.
#pragma once

#include <cstddef>

namespace prof::python::calls {

class Arena {
 public:
  // Zeroed and aligned to 64; null when there is no memory. Ordinary code. A forked child has a copy.
  void* take(std::size_t bytes);
  void give_back();

 private:
  struct Block {
    Block* before;
    std::size_t bytes;
  };
  Block* newest_ = nullptr;
  char* at_ = nullptr;
  char* end_ = nullptr;
};

}  // namespace prof::python::calls
