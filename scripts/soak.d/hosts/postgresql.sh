# PostgreSQL: a cluster of its own, parallel plans, its benchmark with transactions, a dump and a stop. Never as root.
bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
if [ "$(id -u)" = 0 ]; then
  # Its own user must get at its cluster, and where it is profiled write its logs.
  mkdir data && chown postgres data && chmod a+x . ..
  [ -z "${PROF_OUT:-}" ] || chmod 1777 "$PROF_OUT"
  as=(setpriv --reuid postgres --regid postgres --clear-groups env HOME="$PWD/data")
else
  mkdir data && as=(env)
fi
export PGHOST=$PWD/data PGUSER=someone PGDATABASE=postgres
"${as[@]}" "$bin/initdb" -D data/cluster -U someone -A trust -N --locale=C -E UTF8 >initdb.log || exit 1
cat >>data/cluster/postgresql.conf <<END
listen_addresses = ''
unix_socket_directories = '$PWD/data'
min_parallel_table_scan_size = 0
parallel_setup_cost = 0
parallel_tuple_cost = 0
max_parallel_workers_per_gather = 2
jit_above_cost = 0
fsync = off
END
"${as[@]}" "$bin/postgres" -D data/cluster 2>data/server.log &
server=$!
sql() { "${as[@]}" "$bin/psql" -qAtX -v ON_ERROR_STOP=1 "$@"; }
for _ in $(seq 300); do sql -c 'select 1' >/dev/null 2>&1 && break; sleep 0.1; done
sql <<'END'
create table t(a int primary key, b text, c int);
insert into t select i, md5(i::text), i % 997 from generate_series(1, 100000) i;
create index on t(c);
analyze;
select count(*), sum(a), min(b), max(b) from t;
select c, count(*), sum(length(b)) from t group by c order by c limit 3;
select count(*) from t x join t y on x.c = y.a where x.b like 'a%';
create function f(n int) returns int language plpgsql as
  $$ begin if n < 2 then return n; end if; return f(n - 1) + f(n - 2); end $$;
select f(15);
do $$ begin perform 1 / 0; exception when division_by_zero then raise notice 'caught'; end $$;
vacuum full t;
END
"${as[@]}" "$bin/pgbench" -i -q -s 1 2>data/bench.log
"${as[@]}" "$bin/pgbench" -c 6 -j 3 -t 100 -n >>data/bench.log 2>&1 || echo "pgbench $?"
grep -o 'number of transactions actually processed: .*' data/bench.log
sql -c 'select sum(abalance) = (select sum(delta) from pgbench_history), count(*) from pgbench_accounts'
"${as[@]}" "$bin/pg_dump" -t t | grep -vE '^(--|\\(un)?restrict)' | sha256sum
kill -INT $server
wait $server
echo "server ended with $?"
