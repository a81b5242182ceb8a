# Go: goroutines by the ten thousand, its signals of preemption, garbage, files, a server, and calls through cgo.
export GOCACHE=$PWD/cache GOFLAGS=-mod=mod GOPATH=$PWD/path
cat >main.go <<'GO'
package main

/*
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
extern int goCallback(int);
static void *run(void *n) { return (void *)(long)goCallback((int)(long)n); }
static int on_thread(int n) {
  pthread_t t; void *got;
  pthread_create(&t, 0, run, (void *)(long)n); pthread_join(t, &got);
  return (int)(long)got;
}
static int churn(int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) { char *p = malloc(100 + i % 500); memset(p, i, 100); sum += p[i % 100]; free(p); }
  return sum;
}
*/
import "C"

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"runtime"
	"sync"
)

//export goCallback
func goCallback(n C.int) C.int { return n * 2 }

func main() {
	var group sync.WaitGroup
	channel := make(chan int, 100)
	for g := 0; g < 20000; g++ {
		group.Add(1)
		go func(g int) { defer group.Done(); channel <- g % 7 }(g)
	}
	go func() { group.Wait(); close(channel) }()
	sum := 0
	for n := range channel {
		sum += n
	}
	fmt.Println("goroutines", sum)
	results := make([]int, 16)
	for g := range results {
		group.Add(1)
		go func(g int) {
			defer group.Done()
			kept := map[int][]byte{}
			for i := 0; i < 100000; i++ {
				kept[i%500] = make([]byte, 64+i%1000)
			}
			for _, one := range kept {
				results[g] += len(one)
			}
		}(g)
	}
	for i := 0; i < 10; i++ {
		runtime.GC()
	}
	group.Wait()
	fmt.Println("garbage", results)
	calls := make([]int, 32)
	for g := range calls {
		group.Add(1)
		go func(g int) {
			defer group.Done()
			for i := 0; i < 50; i++ {
				calls[g] += int(C.on_thread(C.int(i))) + int(C.churn(300))
			}
		}(g)
	}
	group.Wait()
	fmt.Println("cgo", calls[0], calls[31])
	listener, _ := net.Listen("tcp", "127.0.0.1:0")
	go http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%x", sha256.Sum256([]byte(r.URL.Path)))
	}))
	total := make([]int, 300)
	for g := range total {
		group.Add(1)
		go func(g int) {
			defer group.Done()
			answer, err := http.Get(fmt.Sprintf("http://%s/%d", listener.Addr(), g))
			if err == nil {
				body, _ := io.ReadAll(answer.Body)
				total[g] = len(body)
				answer.Body.Close()
			}
		}(g)
	}
	group.Wait()
	fmt.Println("http", total[0], total[299])
	out, err := exec.Command("echo", "from a child").Output()
	fmt.Println(string(out), err)
	func() {
		defer func() { fmt.Println("recovered", recover()) }()
		var hole *int
		*hole = 1
	}()
}
GO
go build -o work main.go && for n in 1 4; do GOMAXPROCS=$n ./work; echo "go ended with $?"; done
