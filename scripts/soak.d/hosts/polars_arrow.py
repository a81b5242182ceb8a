"""polars and pyarrow: their own pools of threads, Parquet and compute kernels, Python functions called from them."""
import hashlib

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


n = 400000
frame = pl.DataFrame({"a": range(n)}).with_columns(
    key=pl.col("a") * 7919 % 1009, text=pl.format("row {}", pl.col("a") % 777), value=pl.col("a") * 31 % 10007
)
for turn in range(6):
    grouped = frame.lazy().group_by("key").agg(pl.col("value").sum(), pl.col("text").n_unique()).sort("key").collect()
    print("groups", digest(grouped.write_csv()))
    joined = frame.lazy().join(grouped.lazy(), on="key").filter(pl.col("value") % 3 == turn % 3)
    print("joined", joined.select(pl.col("value_right").sum()).collect().item())
    print("windows", frame.select(pl.col("value").rolling_sum(50).over(pl.col("key") % 10).sum()).item())
    print("python", frame.head(20000)["value"].map_elements(lambda v: v * 2 + 1, return_dtype=pl.Int64).sum())
    print("strings", frame["text"].str.to_uppercase().str.len_bytes().sum(), frame["text"].sort(descending=True)[0])
    frame.write_parquet(f"part{turn}.parquet", compression="zstd", row_group_size=50000)
print("scan", pl.scan_parquet("part*.parquet").filter(pl.col("key") < 100).select(pl.col("value").sum()).collect().item())

table = pq.read_table("part0.parquet", use_threads=True)
for _ in range(4):
    print("arrow", table.group_by("key").aggregate([("value", "sum"), ("a", "max")]).sort_by("key").column(0)[-1])
    print("joined", table.join(table.slice(0, 5000).select(["a", "value"]), "a", right_suffix="_r").num_rows)
    print("sorted", pc.take(table["value"], pc.sort_indices(table, [("text", "descending"), ("a", "ascending")]))[:5])
    pq.write_table(table, "again.parquet", compression="snappy")
    print("dataset", ds.dataset("again.parquet").to_table(filter=ds.field("value") > 5000, columns=["a"]).num_rows)
with pa.ipc.new_file("file.arrow", table.schema) as sink:
    sink.write_table(table, 30000)
with pa.memory_map("file.arrow") as source:
    print("mapped", pa.ipc.open_file(source).read_all().equals(table))
