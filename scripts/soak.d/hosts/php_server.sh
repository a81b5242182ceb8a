# PHP: its own web server with several workers, its JIT compiler, garbage and generators.
cat >index.php <<'PHP'
<?php
$n = (int) ltrim($_SERVER['REQUEST_URI'] ?? '/7', '/');
function made($n) { for ($i = 0; $i < $n * 100; $i++) yield hash('crc32b', "$i"); }
$all = [];
foreach (made($n) as $one) $all[$one] = strrev($one);
ksort($all);
echo substr(hash('sha256', json_encode($all)), 0, 16), ' ', count($all), "\n";
PHP
cat >work.php <<'PHP'
<?php
function fib($n) { return $n < 2 ? $n : fib($n - 1) + fib($n - 2); }
echo 'fib ', fib(27), "\n";
$s = 0;
for ($i = 0; $i < 3000000; $i++) $s = ($s * 31 + $i) % 1000003;
echo "loop $s\n";
class Node { public $other; public $load; }
for ($i = 0; $i < 100000; $i++) {
  $a = new Node; $b = new Node; $a->other = $b; $b->other = $a; $a->load = str_repeat('x', $i % 200);
}
echo 'cycles ', gc_collect_cycles() > 0 ? 'collected' : 'none', "\n";
echo 'regexp ', preg_match_all('/(\w+) (\d+)/', str_repeat('word 12 ', 20000)), "\n";
$db = [];
for ($i = 0; $i < 200000; $i++) $db[md5((string) ($i % 3000))] = $i;
echo 'table ', count($db), ' ', array_sum($db), "\n";
for ($i = 0; $i < 4; $i++) echo trim(shell_exec("echo $i")), ' ';
echo "\n";
PHP
php work.php
echo "php ended with $?"
php -d opcache.enable_cli=1 -d opcache.jit=tracing -d opcache.jit_buffer_size=32M work.php
echo "php ended with $?"
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
set -m # a job of its own gets SIGINT, and its workers with it
PHP_CLI_SERVER_WORKERS=3 php -q -S "127.0.0.1:$port" index.php 2>server.log &
server=$!
set +m
ask() { curl -s -m 60 "http://127.0.0.1:$port/$1"; }
for _ in $(seq 200); do ask 1 >/dev/null && break; sleep 0.1; done
for n in $(seq 1 60); do ask "$n" >"answer.$n" & done
mapfile -t asking < <(jobs -p | grep -v "^$server\$")
wait "${asking[@]}"
cat $(seq -f answer.%g 1 60) | sha256sum
kill -INT -- -$server
wait $server
echo "server ended with $?"
