"""dask: task graphs on threads and on processes, arrays and bags."""
import dask
import dask.array as da
import dask.bag as db


def slow(n):
    return sum(i * n % 7 for i in range(20000))


def main():
    tasks = [dask.delayed(slow)(n) for n in range(200)]
    total = dask.delayed(sum)(tasks)
    for scheduler in "threads", "processes", "synchronous":
        print(scheduler, total.compute(scheduler=scheduler, num_workers=3))
    x = da.arange(2_000_000, chunks=50_000) * 7919 % 10007
    grid = x.reshape(2000, 1000).rechunk((250, 250))
    print("array", int(x.sum().compute()), int((grid @ grid.T % 1009).sum().compute()), int(grid.max(axis=0).sum().compute()))
    words = db.from_sequence((f"word{n * 31 % 211}" for n in range(30000)), npartitions=12)
    print("bag", sorted(words.frequencies(split_every=4).compute(scheduler="threads", num_workers=4))[:4])


if __name__ == "__main__":
    main()
