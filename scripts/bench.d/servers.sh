# Throughput of real servers, the server under libprof and the load generator not. Sourced by scripts/bench.
#
# Defines: servers_prepare (once: which programs there are, their data), servers_once VARIANT (prints one line per server
# and kind of load with thousands of requests a second, and one with the server's CPU time of each in microseconds, which
# a machine that is busy otherwise disturbs less).

servers_here=$work/servers
# PostgreSQL refuses to run as root; then all of them run as somebody else.
servers_user=()
[ "$(id -u)" -ne 0 ] || servers_user=(setpriv --reuid=nobody --regid=nogroup --clear-groups)
servers_found=()

servers_prepare() {
  local folder
  # Of $work nothing but this folder is the servers' own, the library included: it may lie where nobody can read it.
  chmod 711 "$work"
  mkdir -m 1777 "$servers_here"
  install -m 755 "$agent" "$servers_here/libprof.so"
  PATH=$PATH:/usr/sbin
  for folder in /usr/lib/postgresql/*/bin; do PATH=$PATH:$folder; done
  if servers_needing redis redis-server redis-cli redis-benchmark; then servers_found+=(redis); fi
  if servers_needing nginx nginx; then
    if command -v wrk >/dev/null || servers_needing nginx ab; then
      nginx_prepare
      servers_found+=(nginx)
    fi
  fi
  if servers_needing postgres postgres initdb pgbench; then
    postgres_prepare
    servers_found+=(postgres)
  fi
}

# servers_needing NAME PROGRAM...: whether all of these programs are there; says which one is not.
servers_needing() {
  local name=$1 program
  shift
  for program in "$@"; do
    command -v "$program" >/dev/null && continue
    say "$name is left out: $program is not installed"
    return 1
  done
}

nginx_prepare() {
  local port
  port=$(python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])')
  nginx_url=http://127.0.0.1:$port/page.html
  mkdir -m 1777 "$servers_here/nginx" "$servers_here/nginx/pages"
  head -c 1024 /dev/zero | tr '\0' x >"$servers_here/nginx/pages/page.html"
  cat >"$servers_here/nginx/conf" <<END
daemon off;
worker_processes 1;
error_log $servers_here/nginx/error.log;
pid $servers_here/nginx/pid;
events { worker_connections 512; }
http {
  access_log $servers_here/nginx/access.log;
  client_body_temp_path $servers_here/nginx/body;
  proxy_temp_path $servers_here/nginx/proxy;
  fastcgi_temp_path $servers_here/nginx/fastcgi;
  uwsgi_temp_path $servers_here/nginx/uwsgi;
  scgi_temp_path $servers_here/nginx/scgi;
  keepalive_requests 100000000;
  server { listen 127.0.0.1:$port; root $servers_here/nginx/pages; }
}
END
}

postgres_prepare() {
  "${servers_user[@]}" initdb -D "$servers_here/data" -U bench -A trust --no-sync >"$servers_here/initdb.log" 2>&1 ||
    die "initdb failed: $(tail -n 1 "$servers_here/initdb.log")"
  server_start bare postgres
  pgbench -h "$servers_here" -U bench -i -q -s 5 postgres >"$servers_here/pgbench.log" 2>&1 ||
    die "pgbench could not make its tables: $(tail -n 1 "$servers_here/pgbench.log")"
  server_stop
}

server_command=()
redis_command() {
  server_command=(redis-server --port 0 --unixsocket "$servers_here/redis" --unixsocketperm 777 --save "" --daemonize no)
}
nginx_command() {
  server_command=(nginx -p "$servers_here/nginx" -c "$servers_here/nginx/conf" -e "$servers_here/nginx/error.log")
}
# Without fsync: what a disk does would hide everything else.
postgres_command() {
  server_command=(postgres -D "$servers_here/data" -k "$servers_here" -h "" -c fsync=off -c max_connections=20)
}

redis_answers() { redis-cli -s "$servers_here/redis" ping; }
nginx_answers() { python3 -c 'import sys, urllib.request; urllib.request.urlopen(sys.argv[1]).read()' "$nginx_url"; }
postgres_answers() { pg_isready -h "$servers_here"; }

# server_start VARIANT NAME: starts it as that variant, and waits until it answers.
server_start() {
  local surroundings=(env) attempt
  [ "$1" = bare ] || surroundings+=(LD_PRELOAD="$servers_here/libprof.so" PROF_OUT="$servers_here/run" PROF_QUIET=on)
  "${servers_user[@]}" rm -rf "$servers_here/run"
  "$2_command"
  (cd "$servers_here" && exec "${servers_user[@]}" "${surroundings[@]}" "${server_command[@]}") >"$servers_here/$2.log" 2>&1 &
  server=$!
  for attempt in $(seq 100); do
    if "$2_answers" >/dev/null 2>&1; then return 0; fi
    sleep 0.1
  done
  kill -KILL "$server" || true
  die "$2 does not answer: $(tail -n 1 "$servers_here/$2.log")"
}
# All of them end at once and in order by this signal.
server_stop() {
  kill -INT "$server"
  wait "$server" || true
}

# CPU time of the server and its children so far, in clock ticks.
server_ticks() {
  local pid ticks=0 stat
  for pid in "$server" $(pgrep -P "$server"); do
    stat=$(cat "/proc/$pid/stat" 2>/dev/null) || continue
    # shellcheck disable=SC2086
    set -- ${stat##*) }
    ticks=$((ticks + ${12} + ${13} + ${14} + ${15}))
  done
  echo "$ticks"
}

# loaded VARIANT ITEM COMMAND...: runs a load that prints "REQUESTS PER_SECOND", and prints both figures of it.
loaded() {
  local variant=$1 item=$2 before figures
  shift 2
  before=$(server_ticks)
  figures=$("$@") || die "no answer from the load of $item"
  awk -v v="$variant" -v i="$item" -v t=$(($(server_ticks) - before)) -v hz="$(getconf CLK_TCK)" '
    NF != 2 || $1 <= 0 { exit 1 }
    { print i, v, $2 / 1000; print i ",CPU-us", v, t / hz * 1e6 / $1 }' <<<"$figures" || die "no figures of $item: $figures"
}

redis_requests() { # COMMAND PIPELINE REQUESTS
  redis-benchmark -s "$servers_here/redis" -t "$1" -c 30 -n "$3" -P "$2" --csv 2>/dev/null |
    awk -F'"' -v n="$3" 'NR == 2 { print n, $4 }'
}
redis_load() {
  local command
  for command in set get; do
    loaded "$1" redis,$command redis_requests $command 1 150000
    loaded "$1" redis,$command,-P16 redis_requests $command 16 1500000
  done
}

# By a connection that stays open, or by one for each request.
nginx_requests() { # KEEP
  if command -v wrk >/dev/null; then
    wrk -t 1 -c 20 -d 3s $([ "$1" = keep ] || echo -H Connection:close) "$nginx_url"
  else
    ab -q -c 20 -n 60000 $([ "$1" = keep ] && echo -k) "$nginx_url"
  fi 2>&1 | awk '/ requests in / || /^Complete requests:/ { n = $1 + 0 ? $1 : $3 } /^Requests\/sec:/ { r = $2 } /^Requests per second:/ { r = $4 }
    END { print n, r }'
}
nginx_load() {
  loaded "$1" nginx,keep-alive nginx_requests keep
  loaded "$1" nginx,close nginx_requests close
}

postgres_requests() { # KIND
  pgbench -h "$servers_here" -U bench -n -c 4 -T 4 -b "$1" postgres 2>/dev/null |
    awk '/^number of transactions actually/ { n = $6 } /^tps = / { r = $3 } END { print n, r }'
  # Its processes end just after, and their CPU time is with their parent from then on.
  while pgrep -P "$server" -f ': bench ' >/dev/null; do sleep 0.05; done
}
postgres_load() {
  loaded "$1" pgbench,select-only postgres_requests select-only
  loaded "$1" pgbench,tpcb-like postgres_requests tpcb-like
}

servers_once() {
  local name
  for name in "${servers_found[@]}"; do
    server_start "$1" "$name"
    "${name}_load" "$1"
    server_stop
  done
}
