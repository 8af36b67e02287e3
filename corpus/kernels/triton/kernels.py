"""Triton kernels for triton_ptx.py: each with the types of its arguments and the values of its constants."""

import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(out + at, tl.load(x + at, mask=mask) + tl.load(y + at, mask=mask, other=0.0), mask=mask)


@triton.jit
def softmax(out, x, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    values = tl.load(x + row * stride + columns, mask=columns < n, other=-float("inf"))
    values = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * stride + columns, values / tl.sum(values, axis=0), mask=columns < n)


@triton.jit
def matmul(a, b, c, M, N, K, ACC: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=ACC)
    left, right = a + rows[:, None] * K + k[None, :], b + k[:, None] * N + columns[None, :]
    for _ in range(0, K, BK):
        total = tl.dot(tl.load(left), tl.load(right), total)
        left += BK
        right += BK * N
    tl.store(c + rows[:, None] * N + columns[None, :], total.to(c.dtype.element_ty))


@triton.jit
def histogram(x, counts, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + at, mask=at < n, other=0)
    tl.atomic_add(counts + values % 64, 1, mask=at < n, sem="relaxed", scope="gpu")
    tl.atomic_max(counts + 64 + values % 8, values, mask=at < n)
    tl.store(counts + 128, tl.atomic_cas(counts + 129, 3, 4))


@triton.jit
def scan(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    values = tl.load(x + at)
    tl.store(out + at, tl.cumsum(values, axis=0) + tl.sort(values) + tl.flip(values) + tl.cumprod(values, axis=0))


@triton.jit
def functions(x, y, out, i, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    a, b, n = tl.load(x + at), tl.load(y + at), tl.load(i + at)
    a = tl.sin(a) + tl.cos(b) * tl.exp2(a) - tl.log(b) + tl.sqrt(tl.abs(a)) + tl.rsqrt(b) + tl.fma(a, b, a) + tl.erf(a)
    a += tl.where(n > 3, tl.floor(b), tl.ceil(a)) + tl.maximum(a, b) + tl.clamp(a, -1.0, 1.0) + tl.sigmoid(b)
    n = (n ^ (n << 3)) // 7 + n % 5 + tl.umulhi(n, n) + tl.cdiv(n, 3)
    random = tl.rand(42, at)
    tl.store(out + at, a + n.to(tl.float32) + random + tl.div_rn(a, b))
    tl.store(x + at, a.to(tl.float16).to(tl.float32) + b.to(tl.bfloat16).to(tl.float32), eviction_policy="evict_first")
    tl.store(y + at, a, cache_modifier=".cg")


@triton.jit
def narrow(x, out, w, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    v = tl.load(x + at)
    tl.store(out + at, v.to(tl.float8e5).to(tl.float16) + tl.load(w + at).to(tl.float16))
    tl.debug_barrier()
    tl.device_assert(v < 100, "too large")
    tl.device_print("value", v)


@triton.jit
def tma(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    left = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    right = tl.make_tensor_descriptor(b, [N, K], [K, 1], [BN, BK])
    result = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    row, column = tl.program_id(0) * BM, tl.program_id(1) * BN
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        total = tl.dot(left.load([row, k]), right.load([column, k]).T, total)
    result.store([row, column], total.to(tl.float16))


F, H, B, I, E = "*fp32", "*fp16", "*bf16", "*i32", "*fp8e5"
SIZES = {"BM": 64, "BN": 64, "BK": 32}
TILE = {"ACC": tl.float32, **SIZES}
KERNELS = [  # name, function, types, constants
    ("add", add, [F, F, F, "i32"], {"BLOCK": 1024}),
    ("add_half", add, [H, H, H, "i64"], {"BLOCK": 512}),
    ("softmax", softmax, [F, F, "i32", "i32"], {"BLOCK": 1024}),
    ("matmul_half", matmul, [H, H, H, "i32", "i32", "i32"], TILE),
    ("matmul_bfloat", matmul, [B, B, F, "i32", "i32", "i32"], TILE),
    ("matmul_tf32", matmul, [F, F, F, "i32", "i32", "i32"], {"ACC": tl.float32, "BM": 32, "BN": 32, "BK": 32}),
    ("matmul_int8", matmul, ["*i8", "*i8", "*i32", "i32", "i32", "i32"], {"ACC": tl.int32, **SIZES}),
    ("histogram", histogram, [I, I, "i32"], {"BLOCK": 256}),
    ("scan", scan, [I, I], {"BLOCK": 256}),
    ("functions", functions, [F, F, F, I], {"BLOCK": 256}),
    ("narrow", narrow, [H, H, E], {"BLOCK": 256}),
    ("tma", tma, [H, H, H, "i32", "i32", "i32"], {"BM": 128, "BN": 64, "BK": 64}),
]
