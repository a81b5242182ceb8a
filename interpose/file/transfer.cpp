// From one descriptor to another, inside of the kernel. What was moved was read from one and written to the other, in
// the same time.
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/uio.h>

#include "interpose/file/record.hpp"
#include "interpose/hook/hook.hpp"
#include "interpose/wait/resume.hpp"

PROF_REAL_LATE(sendfile);
PROF_REAL_LATE(sendfile64);
PROF_REAL_LATE(copy_file_range);
PROF_REAL_LATE(splice);
PROF_REAL_LATE(tee);
PROF_REAL_LATE(vmsplice);

PROF_WAIT_FUNCTION(sendfile);
PROF_WAIT_FUNCTION(copy_file_range);
PROF_WAIT_FUNCTION(splice);
PROF_WAIT_FUNCTION(tee);
PROF_WAIT_FUNCTION(vmsplice);

using prof::files::class_of;
using prof::files::Use;
using prof::wait::Call;
using prof::wait::WaitClass;

namespace {

// What it waits for: a file is always ready, and the storage below it faster than whoever is at the other end.
WaitClass class_of_two(int from, int to) {
  const WaitClass target = class_of(to);
  return target != WaitClass::File && target != WaitClass::Other ? target : class_of(from);
}

long offset_at(const off64_t* offset) { return offset != nullptr ? *offset : -1; }

// `move()` as `function`; in the exported function's own frame. Offsets that the caller keeps are moved on by what was
// moved.
template <class Move>
[[gnu::always_inline]] inline ssize_t transferring(const prof::wait::Function& function, int from,
                                                   const off64_t* from_offset, int to, const off64_t* to_offset,
                                                   Move move) {
  Call call(function, class_of_two(from, to));
  const ssize_t r = prof::resumed(move);
  if (!call) return r;
  const bool failed = r < 0;
  const ssize_t n = failed ? 0 : r;
  call.done(failed ? errno : 0, static_cast<std::uint64_t>(n));
  const auto used = [&](int fd, const off64_t* offset, Use::What what) {
    const long at = failed || offset == nullptr ? -1 : offset_at(offset) - n;
    prof::files::used(fd, call, {.what = what, .failed = failed, .bytes = n, .offset = at});
  };
  used(from, from_offset, Use::What::Read);
  used(to, to_offset, Use::What::Write);
  return r;
}

}  // namespace

PROF_EXPORT ssize_t sendfile(int to, int from, off_t* offset, size_t n) noexcept {
  return transferring(function_sendfile, from, offset, to, nullptr, [=] { return real_sendfile(to, from, offset, n); });
}
PROF_EXPORT ssize_t sendfile64(int to, int from, off64_t* offset, size_t n) noexcept {
  return transferring(function_sendfile, from, offset, to, nullptr,
                      [=] { return real_sendfile64(to, from, offset, n); });
}
PROF_EXPORT ssize_t copy_file_range(int from, off64_t* from_offset, int to, off64_t* to_offset, size_t n,
                                    unsigned flags) {
  return transferring(function_copy_file_range, from, from_offset, to, to_offset,
                      [=] { return real_copy_file_range(from, from_offset, to, to_offset, n, flags); });
}
PROF_EXPORT ssize_t splice(int from, off64_t* from_offset, int to, off64_t* to_offset, size_t n, unsigned flags) {
  return transferring(function_splice, from, from_offset, to, to_offset,
                      [=] { return real_splice(from, from_offset, to, to_offset, n, flags); });
}
PROF_EXPORT ssize_t tee(int from, int to, size_t n, unsigned flags) {
  return transferring(function_tee, from, nullptr, to, nullptr, [=] { return real_tee(from, to, n, flags); });
}
PROF_EXPORT ssize_t vmsplice(int fd, const iovec* parts, size_t n, unsigned flags) {
  Call call(function_vmsplice, class_of(fd));
  const ssize_t r = prof::resumed([=] { return real_vmsplice(fd, parts, n, flags); });
  prof::moved(call, fd, Use::What::Write, r);
  return r;
}
