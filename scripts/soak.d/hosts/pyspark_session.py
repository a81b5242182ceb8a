"""PySpark: a local session in a JVM, its aggregations, and Python functions run by worker processes."""
import os
import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as f
from pyspark.sql.types import LongType

os.environ["PYSPARK_PYTHON"] = sys.executable
os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
spark = (
    SparkSession.builder.master("local[3]").config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "6")
).getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
frame = spark.range(300000).withColumn("key", f.col("id") * 7919 % 101)
print("groups", frame.groupBy("key").agg(f.sum("id")).orderBy("key").head(3))
print("joined", frame.join(frame.limit(1000).withColumnRenamed("id", "other"), "key").count() > 0)
twice = f.udf(lambda n: n * 2 + 1, LongType())
print("udf", frame.select(f.sum(twice("id"))).head()[0])
print("rdd", spark.sparkContext.parallelize(range(20000), 6).map(lambda n: n * n % 17).reduce(lambda a, b: a + b))
try:
    spark.range(10).select(f.udf(lambda n: 1 // 0, LongType())("id")).collect()
except Exception as error:
    print("wrong", "ZeroDivisionError" in str(error))
frame.write.parquet("out")
print("parquet", spark.read.parquet("out").where("key < 10").count())
spark.stop()
