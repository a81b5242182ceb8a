"""TensorFlow on the processor: graphs, Keras, a pipeline of data with Python functions in it."""
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(1)
data = tf.data.Dataset.range(4000).shuffle(4000, seed=1).map(
    lambda n: tf.numpy_function(lambda v: np.int64(v * 7919 % 101), [n], tf.int64), num_parallel_calls=4
)
print("data", int(data.reduce(np.int64(0), lambda a, b: a + b)))


@tf.function
def loop(n):
    total = tf.constant(0)
    for i in tf.range(n):
        total = (total * 31 + i) % 10007
    return total


print("graph", int(loop(20000)))
x = np.random.default_rng(1).normal(size=(3000, 12)).astype("float32")
y = (x[:, 0] * x[:, 1] > 0).astype("float32")
model = tf.keras.Sequential([tf.keras.layers.Dense(48, "relu"), tf.keras.layers.Dense(1, "sigmoid")])
model.compile("adam", "binary_crossentropy")
history = model.fit(x, y, epochs=6, batch_size=50, verbose=0).history["loss"]
print("fit", history[-1] < history[0], model.predict(x, verbose=0).shape)
