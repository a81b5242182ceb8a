// What many files of the agent include, compiled once: half of the time of a small file. Files include what they use
// all the same; CMake puts this in front. Of the C++ library only what needs none of it at run time.
#pragma once

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "agent/core/process.hpp"
