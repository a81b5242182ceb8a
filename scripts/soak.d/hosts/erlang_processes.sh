# Erlang: processes by the ten thousand on several schedulers, messages, garbage, ports and distribution's start-up.
cat >work.erl <<'ERL'
-module(work).
-export([main/0]).

ring(0, First) -> First;
ring(N, Next) -> ring(N - 1, spawn(fun() -> pass(Next) end)).

pass(Next) -> receive stop -> Next ! stop; M -> Next ! M, pass(Next) end.

fib(N) when N < 2 -> N;
fib(N) -> fib(N - 1) + fib(N - 2).

collect(0, Sum) -> Sum;
collect(N, Sum) -> receive {sum, S} -> collect(N - 1, Sum + S) end.

main() ->
    Me = self(),
    Head = ring(20000, Me),
    [Head ! M || M <- lists:seq(1, 20)],
    io:format("ring ~p~n", [lists:sum([receive M when is_integer(M) -> M end || _ <- lists:seq(1, 20)])]),
    [spawn(fun() -> Me ! {sum, fib(20) + length([X || X <- lists:seq(1, 20000), X rem N == 0])} end) || N <- lists:seq(1, 200)],
    io:format("sums ~p~n", [collect(200, 0)]),
    Table = ets:new(t, [public, {write_concurrency, true}]),
    [spawn(fun() -> [ets:insert(Table, {K * 8 + N, binary:copy(<<"x">>, K rem 500)}) || K <- lists:seq(1, 5000)], Me ! {sum, 1} end)
     || N <- lists:seq(0, 7)],
    io:format("table ~p ~p~n", [collect(8, 0), ets:info(Table, size)]),
    {ok, Listen} = gen_tcp:listen(0, [binary, {packet, 4}, {active, false}, {ip, {127, 0, 0, 1}}, {backlog, 128}]),
    {ok, Port} = inet:port(Listen),
    spawn(fun() -> accept(Listen) end),
    [spawn(fun() ->
         {ok, S} = gen_tcp:connect({127, 0, 0, 1}, Port, [binary, {packet, 4}, {active, false}]),
         ok = gen_tcp:send(S, term_to_binary(lists:seq(1, N))),
         {ok, B} = gen_tcp:recv(S, 0), Me ! {sum, binary_to_term(B)} end) || N <- lists:seq(1, 100)],
    io:format("sockets ~p~n", [collect(100, 0)]),
    io:format("port ~s", [os:cmd("echo from a child")]),
    io:format("caught ~p~n", [catch error(on_purpose) =:= ok]),
    erlang:halt(3).

accept(Listen) ->
    {ok, S} = gen_tcp:accept(Listen),
    Owner = spawn(fun() -> receive go -> ok end, {ok, B} = gen_tcp:recv(S, 0),
                          gen_tcp:send(S, term_to_binary(lists:sum(binary_to_term(B)))), gen_tcp:close(S) end),
    gen_tcp:controlling_process(S, Owner), Owner ! go, accept(Listen).
ERL
sed -i 's/io:format("caught.*/io:format("caught ~p~n", [try error(on_purpose) catch error:E -> E end]),/' work.erl
erlc work.erl && for schedulers in 1 4; do
  HOME=$PWD erl -noshell +S "$schedulers" +A 8 -s work main
  echo "erl ended with $?"
done
