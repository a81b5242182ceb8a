# nginx: a master with workers and threads, reloads while files are fetched, a proxy to itself, compression.
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
mkdir -p root logs temp
for n in $(seq 40); do seq 1 $((n * 300)) >"root/$n.txt"; done
cat >nginx.conf <<END
daemon off; worker_processes 3; pid $PWD/pid; error_log $PWD/logs/error.log; user root;
thread_pool files threads=4;
events { worker_connections 200; }
http {
  access_log off; gzip on; gzip_types text/plain; gzip_comp_level 6; aio threads=files;
  client_body_temp_path temp; proxy_temp_path temp; fastcgi_temp_path temp; uwsgi_temp_path temp; scgi_temp_path temp;
  server { listen 127.0.0.1:$port; root $PWD/root; types { text/plain txt; }
    location /proxy/ { proxy_pass http://127.0.0.1:$port/; }
    location /moved { return 301 /1.txt; } } }
END
/usr/sbin/nginx -p "$PWD/" -c "$PWD/nginx.conf" 2>nginx.err &
server=$!
for _ in $(seq 200); do curl -s -o /dev/null "http://127.0.0.1:$port/1.txt" && break; sleep 0.1; done
fetch() {
  for n in $(seq 40); do
    curl -s -m 60 "http://127.0.0.1:$port/$n.txt"
    curl -s -m 60 --compressed "http://127.0.0.1:$port/proxy/$n.txt"
  done | sha256sum
}
for client in 1 2 3 4; do fetch >"client.$client" & clients+=($!); done
for _ in 1 2 3; do sleep 0.3; kill -HUP $server; done
wait "${clients[@]}"
cat client.*
curl -s -o /dev/null -w '%{http_code}\n' "http://127.0.0.1:$port/moved"
curl -s -o /dev/null -w '%{http_code}\n' "http://127.0.0.1:$port/nothing"
kill -QUIT $server
wait $server
echo "nginx ended with $?"
