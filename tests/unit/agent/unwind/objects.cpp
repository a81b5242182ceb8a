// Which object holds an address, with and without the loader's help.
#include "agent/unwind/objects.hpp"

#include <dlfcn.h>

#include <atomic>
#include <string_view>
#include <thread>

#include "tests/support/catch.hpp"

using namespace prof;

namespace {

// A library of libc's own that the tests do not use.
struct Library {
  void* handle = dlopen("libmvec.so.1", RTLD_LAZY | RTLD_LOCAL);
  std::uintptr_t code = handle != nullptr ? reinterpret_cast<std::uintptr_t>(dlsym(handle, "_ZGVbN2v_sin")) : 0;

  void close() {
    modules_closing();
    dlclose(handle);
    modules_closed();
  }
};

struct WithoutFind {
  WithoutFind() { prepare_objects(false, false); }
  ~WithoutFind() { prepare_objects(false); }
};

bool is_in(std::uintptr_t address, std::string_view name) {
  Object o{};
  return object_at(address, o) && std::string_view(o.name).find(name) != std::string_view::npos;
}

const auto kOwn = reinterpret_cast<std::uintptr_t>(&is_in);
const auto kLibc = reinterpret_cast<std::uintptr_t>(dlsym(RTLD_DEFAULT, "qsort"));

}  // namespace

TEST_CASE("agent: the objects of the loader's own list are those that its function finds") {
  prepare_objects(false);
  Object found[2]{}, listed[2]{};
  REQUIRE(object_at(kOwn, found[0]));
  REQUIRE(object_at(kLibc, found[1]));
  const WithoutFind without;
  for (int again = 0; again < 2; ++again) {
    REQUIRE(object_at(kOwn, listed[0]));
    REQUIRE(object_at(kLibc, listed[1]));
    for (int i = 0; i < 2; ++i) {
      CHECK(listed[i].bias == found[i].bias);
      CHECK(listed[i].eh_frame_hdr == found[i].eh_frame_hdr);
      CHECK(std::string_view(listed[i].name) == found[i].name);
    }
    modules_changed();  // all anew
    refresh_objects();
  }
}

// Catches libraries that are invisible because they were opened after the start, and addresses of closed ones.
TEST_CASE("agent: without the loader's function, objects that come and go are known when somebody has looked") {
  const WithoutFind without;
  for (int turn = 0; turn < 3; ++turn) {
    Library library;
    REQUIRE(library.code != 0);
    refresh_objects();
    CHECK(is_in(library.code, "libmvec"));
    CHECK(is_in(kLibc, "libc.so"));
    modules_closing();  // its code may be gone at any moment from now on
    CHECK_FALSE(is_in(library.code, "libmvec"));
    CHECK(is_in(kLibc, "libc.so"));
    modules_closed();
    refresh_objects();
    CHECK(is_in(library.code, "libmvec"));
    library.close();
    CHECK_FALSE(is_in(library.code, "libmvec"));  // before anybody has looked
    CHECK(is_in(kLibc, "libc.so"));
    refresh_objects();
    CHECK_FALSE(is_in(library.code, "libmvec"));
    CHECK(is_in(kLibc, "libc.so"));
  }
}

TEST_CASE("agent: objects are looked up and looked at while others come and go") {
  const WithoutFind without;
  std::atomic<bool> over{false};
  std::atomic<long> wrong{0}, right{0};
  std::thread reader([&] {
    while (!over) {
      refresh_objects();
      Object o{};
      if (!object_at(kLibc, o)) continue;  // it was just being written
      (std::string_view(o.name).find("libc.so") != std::string_view::npos ? right : wrong).fetch_add(1);
    }
  });
  for (int turn = 0; turn < 300; ++turn) {
    Library library;
    refresh_objects();
    REQUIRE(library.handle != nullptr);
    library.close();
  }
  over = true;
  reader.join();
  CHECK(wrong == 0);
  CHECK(right > 0);
}
