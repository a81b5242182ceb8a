"""Fit a neural surrogate of coupled oscillators, with learning-rate decay per round."""
import os
import time

import jax
import jax.numpy as jnp

SMALL = os.environ.get("SMALL") == "1"
BATCH, WIDTH, INNER, ROUNDS = (32, 32, 3, 3) if SMALL else (8192, 2048, 150, 12)
MAX_SECONDS = 45


def init(key):
    sizes = [64, WIDTH, WIDTH, WIDTH, WIDTH, 64]
    params = []
    for a, b in zip(sizes[:-1], sizes[1:]):
        key, sub = jax.random.split(key)
        params.append((jax.random.normal(sub, (a, b)) / a ** 0.5, jnp.zeros(b)))
    return params


def net(params, x):
    h = x.astype(jnp.bfloat16)
    for w, b in params[:-1]:
        h = jax.nn.gelu(h @ w.astype(jnp.bfloat16) + b.astype(jnp.bfloat16))
    w, b = params[-1]
    return (h @ w.astype(jnp.bfloat16)).astype(jnp.float32) + b


def true_flow(x):
    q, p = jnp.split(x, 2, axis=-1)
    force = -jnp.sin(q) + 0.1 * (jnp.roll(q, 1, -1) - q)
    return jnp.concatenate([p, force], axis=-1)


def loss_fn(params, x):
    return jnp.mean((net(params, x) - true_flow(x)) ** 2)


def run_round(params, key, lr):
    def body(carry, _):
        params, key = carry
        key, sub = jax.random.split(key)
        x = jax.random.normal(sub, (BATCH, 64))
        loss, grads = jax.value_and_grad(loss_fn)(params, x)
        params = jax.tree_util.tree_map(lambda p, g: p - lr * g, params, grads)
        return (params, key), loss

    (params, key), losses = jax.lax.scan(body, (params, key), None, length=INNER)
    return params, key, losses[-1]


def main():
    key = jax.random.PRNGKey(0)
    params = init(key)
    lr = 0.02
    begin, done = time.time(), 0
    for _ in range(ROUNDS):
        step = jax.jit(lambda p, k: run_round(p, k, lr))  # FAULT jit-compiling
        params, key, loss = step(params, key)  # FAULT jit-compiling
        lr *= 0.9
        done += 1
        loss.block_until_ready()
        if time.time() - begin > MAX_SECONDS:
            break
    print(f"rounds {done} loss {float(loss):.2f}")


if __name__ == "__main__":
    main()
