# The Debian packages that the project needs, named here and nowhere else. Sourced, not run.
#
# The names are those of Debian 12; Debian 13 and Ubuntu 22.04 and newer use the same ones.

# To compile libprof.so and prof.
packages_build=(
  cmake ninja-build g++ pkg-config
  libcli11-dev libfmt-dev libspdlog-dev nlohmann-json3-dev
  libdw-dev libelf-dev liblzma-dev zlib1g-dev libsqlite3-dev
)

# What Fedora calls them; RHEL and its kin too, with EPEL and CRB. What is not named here has the same name.
declare -A packages_fedora=(
  [g++]="gcc-c++ libstdc++-static" [pkg-config]=pkgconf-pkg-config
  [libcli11-dev]=cli11-devel [libfmt-dev]=fmt-devel [libspdlog-dev]=spdlog-devel [nlohmann-json3-dev]=json-devel
  [libdw-dev]=elfutils-devel [libelf-dev]=elfutils-libelf-devel [liblzma-dev]=xz-devel [zlib1g-dev]=zlib-devel
  [libsqlite3-dev]=sqlite-devel
  [catch2]=catch-devel [xz-utils]=xz [libdebuginfod1]=elfutils-debuginfod-client
  [libunwind-dev]=libunwind-devel [libjemalloc-dev]=jemalloc-devel [libgoogle-perftools-dev]=gperftools-devel
  [libunwind8]=libunwind [clang-tidy]=clang-tools-extra [clang-format]=clang-tools-extra
)

# To build and run the tests. libunwind-dev: our stacks are held against its stacks; heaptrack, and valgrind for its
# ms_print and its callgrind_annotate, and sqlite3: our exports are read by them. dwz, xz-utils, libdebuginfod1: debug
# files as distributions make them. patch: mended programs of the benchmark of answers are made by it.
packages_test=(
  catch2 python3 python3-numpy python3-greenlet binutils libunwind-dev sqlite3
  libjemalloc-dev libgoogle-perftools-dev heaptrack valgrind dwz xz-utils libdebuginfod1 luajit patch
)

# For scripts/demo.
packages_demo=(python3 python3-torch python3-torchvision)

# For scripts/bundle: patchelf gives the bundled libraries their own search path.
packages_bundle=(patchelf binutils libunwind8)

# For scripts/lint.
packages_lint=(clang-format clang-tidy)

# For scripts/soak, by item.
packages_soak_stress=(stress-ng)
packages_soak_redis=(redis-server redis-tools)
packages_soak_node=(nodejs)
packages_soak_sqlite=(sqlite3)
packages_soak_git=(git)
packages_soak_cpython=(python3 "libpython$(/usr/bin/python3 -c "import sys; print(\"%d.%d\" % sys.version_info[:2])" 2>/dev/null || echo 3)-testsuite")
packages_soak_hosts=(python3-venv procps)
packages_soak_libraries=(python3-venv)

# What the stacks of scripts/soak hosts take from Debian, by the first word of their names (scripts/soak.d/hosts/table).
declare -A packages_host=(
  [celery]=redis-server
  [erlang]=erlang-base
  [go]="golang-go gcc libc6-dev"
  [java]=default-jdk-headless
  [mono]="mono-runtime mono-mcs"
  [nginx]="nginx-light curl"
  [node]=nodejs
  [php]=php-cli
  [postgresql]=postgresql
  [pyspark]=default-jre-headless
  [redis]="redis-server redis-tools"
  [ruby]=ruby
)
