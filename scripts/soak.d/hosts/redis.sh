# redis-server with threads for input and output, its own benchmark, scripts, a background save and a rewrite.
redis-server --port 0 --enable-debug-command yes --unixsocket "$PWD/socket" --save "" --appendonly yes --io-threads 3 >server.log &
server=$!
cli() { redis-cli -s "$PWD/socket" "$@"; }
for _ in $(seq 200); do cli ping 2>/dev/null | grep -q PONG && break; sleep 0.1; done
redis-benchmark -s "$PWD/socket" -q -n 30000 -r 5000 -P 4 -t set,get,lpush,sadd,zadd,mset >bench.log || echo "benchmark $?"
cli flushall
for key in $(seq 1 3000); do echo "zadd z $((key * 7919 % 3001)) value:$key"; done | cli >/dev/null
cli eval 'local s = 0 for i = 1, 300000 do s = (s * 31 + i) % 1000003 end return s' 0
cli eval 'for i = 1, 2000 do redis.call("set", "k" .. i, string.rep("x", i)) end return redis.call("dbsize")' 0
cli bgrewriteaof >/dev/null
idle() { ! cli info persistence | grep -qE '(bgsave|rewrite)_(in_progress|scheduled):1'; }
until idle; do sleep 0.1; done
cli bgsave >/dev/null
until idle; do sleep 0.1; done
cli info persistence | tr -d '\r' | grep -E 'last_bgsave_status|last_bgrewrite_status'
cli zrange z 0 3
cli debug digest 2>&1 | head -1
cli shutdown nosave
wait $server
echo "server ended with $?"
