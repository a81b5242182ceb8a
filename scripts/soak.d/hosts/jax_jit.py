"""jax on the processor: compiled functions, gradients, a loop of training, callbacks to Python."""
import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def step(weights, x, y):
    loss = lambda w: jnp.mean((jnp.tanh(x @ w["a"]) @ w["b"] - y) ** 2)
    return jax.tree.map(lambda w, g: w - 0.05 * g, weights, jax.grad(loss)(weights)), loss(weights)


x = jnp.array(np.random.default_rng(1).normal(size=(2000, 20)), jnp.float32)
y = jnp.sin(x[:, :1])
weights = {"a": jnp.full((20, 64), 0.01) + jnp.arange(64) / 1000, "b": jnp.full((64, 1), 0.02)}
losses = []
for _ in range(200):
    weights, loss = step(weights, x, y)
    losses.append(float(loss))
print("falls", losses[-1] < losses[0], round(losses[0], 2))
print("mapped", int(jax.vmap(lambda n: jax.lax.fori_loop(0, 50, lambda i, s: (s * 31 + i) % 10007, n))(jnp.arange(5000)).sum()))
called = jax.jit(lambda n: jax.pure_callback(lambda v: np.asarray(v) * 3, jax.ShapeDtypeStruct((4,), jnp.int32), n))
print("callback", called(jnp.arange(4, dtype=jnp.int32)))
for size in range(5, 25):
    # Each shape is compiled anew.
    print(size, int(jax.jit(lambda v: jnp.cumsum(v)[::2].sum())(jnp.arange(size))))
