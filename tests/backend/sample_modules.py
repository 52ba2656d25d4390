"""Modules that several backend tests compile, estimate, tune and emit."""

from kernelwright.ir.values import Kernel, KernelModule, Launcher, Reference, StateSpec, TensorSpec

tensor = TensorSpec.contiguous


def reference(body, inputs, output, state=(), init="pass", init_inputs="[]", returns="tensor", prelude=""):
    """A reference in KernelBench's format whose inputs are normal random tensors."""
    names = ", ".join(spec.name for spec in inputs)
    made = ", ".join(f"torch.randn{spec.shape}" + (".half()" if spec.dtype == "f16" else "") for spec in inputs)
    source = f"""import torch
import torch.nn as nn
{prelude}

class Model(nn.Module):
    def __init__(self{", width" if init_inputs != "[]" else ""}):
        super().__init__()
        {init}

    def forward(self, {names}):
        return {body}

def get_inputs():
    return [{made}]

def get_init_inputs():
    return {init_inputs}
"""
    return Reference(source, "Model", tuple(inputs), tuple(state), (output,), returns)


def add_relu(rows=64, columns=1000, block=1024, warps=4):
    """Pointwise: relu(x + bias), a helper function and a parameter."""
    n = rows * columns
    shape = (rows, columns)
    spec, bias = tensor("x", "f32", shape), StateSpec(tensor("bias", "f32", (columns,)), "bias")
    helper = Kernel("rectify", "@triton.jit\ndef rectify(x):\n    return tl.maximum(x, 0.0)")
    kernel = Kernel(
        "add_relu",
        """@triton.jit
def add_relu(x_ptr, bias_ptr, out_ptr, n, width, XBLOCK: tl.constexpr):
    i = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    bias = tl.load(bias_ptr + i % width, mask=i < n)
    tl.store(out_ptr + i, rectify(x + bias), mask=i < n)""",
        (("XBLOCK", block), ("num_warps", warps)),
        ("aten.add", "aten.relu"),
    )
    launcher = Launcher(f'''def forward(x: "{spec.annotation}", bias: "{bias.tensor.annotation}"):
    out = torch.empty_strided({shape}, ({columns}, 1), device=x.device, dtype=torch.float32)
    add_relu[(triton.cdiv({n}, add_relu_meta["XBLOCK"]),)](x, bias, out, {n}, {columns}, **add_relu_meta)
    return out''')
    init = "self.bias = nn.Parameter(torch.randn(width))"
    what = reference("torch.relu(x + self.bias)", [spec], tensor("out", "f32", shape), (bias,), init, f"[{columns}]")
    return KernelModule("add_relu", what, (helper, kernel), launcher)


def column_sum(rows=512, columns=4096, x_block=1, r_block=512, warps=4):
    """An outer reduction: sum over rows, where neighbouring addresses lie along x."""
    spec = tensor("x", "f32", (rows, columns))
    kernel = Kernel(
        "column_sum",
        """@triton.jit
def column_sum(x_ptr, out_ptr, columns, rows, XBLOCK: tl.constexpr, R0_BLOCK: tl.constexpr):
    x = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:, None]
    total = tl.full([XBLOCK, R0_BLOCK], 0.0, tl.float32)
    for offset in tl.range(0, rows, R0_BLOCK):
        r = offset + tl.arange(0, R0_BLOCK)[None, :]
        total += tl.load(x_ptr + x + columns * r, mask=(x < columns) & (r < rows), other=0.0)
    tl.store(out_ptr + x, tl.sum(total, 1)[:, None], mask=x < columns)""",
        (("XBLOCK", x_block), ("R0_BLOCK", r_block), ("num_warps", warps)),
        ("aten.sum",),
    )
    launcher = Launcher(f'''def forward(x: "{spec.annotation}"):
    out = torch.empty_strided(({columns},), (1,), device=x.device, dtype=torch.float32)
    column_sum[(triton.cdiv({columns}, column_sum_meta["XBLOCK"]),)](x, out, {columns}, {rows}, **column_sum_meta)
    return out''')
    what = reference("x.sum(0)", [spec], tensor("out", "f32", (columns,)))
    return KernelModule("column_sum", what, (kernel,), launcher)


def row_softmax(rows=64, columns=128, x_block=1, warps=4):
    """A persistent reduction: a row fits one block, whose size must not shrink."""
    spec = tensor("x", "f32", (rows, columns))
    kernel = Kernel(
        "row_softmax",
        """@triton.jit
def row_softmax(x_ptr, out_ptr, rows, columns, XBLOCK: tl.constexpr, R0_BLOCK: tl.constexpr):
    x = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:, None]
    r = tl.arange(0, R0_BLOCK)[None, :]
    mask = (x < rows) & (r < columns)
    value = tl.load(x_ptr + x * columns + r, mask=mask, other=float("-inf"))
    power = tl.exp(value - tl.max(value, 1)[:, None])
    tl.store(out_ptr + x * columns + r, power / tl.sum(power, 1)[:, None], mask=mask)""",
        (("XBLOCK", x_block), ("R0_BLOCK", columns), ("num_warps", warps)),
        ("aten._softmax",),
    )
    launcher = Launcher(f'''def forward(x: "{spec.annotation}"):
    out = torch.empty_strided(({rows}, {columns}), ({columns}, 1), device=x.device, dtype=torch.float32)
    row_softmax[(triton.cdiv({rows}, row_softmax_meta["XBLOCK"]),)](x, out, {rows}, {columns}, **row_softmax_meta)
    return out''')
    what = reference("torch.softmax(x, 1)", [spec], tensor("out", "f32", (rows, columns)))
    return KernelModule("row_softmax", what, (kernel,), launcher)


def row_norm(rows=64, columns=8192, r_block=1024, warps=4):
    """A looped reduction and a second loop over the same row."""
    spec = tensor("x", "f32", (rows, columns))
    kernel = Kernel(
        "row_norm",
        """@triton.jit
def row_norm(x_ptr, out_ptr, columns, R0_BLOCK: tl.constexpr):
    row = tl.program_id(0) * columns
    total = tl.full([R0_BLOCK], 0.0, tl.float32)
    for offset in tl.range(0, columns, R0_BLOCK):
        value = tl.load(x_ptr + row + offset + tl.arange(0, R0_BLOCK))
        total += value * value
    scale = tl.sqrt(tl.sum(total, 0))
    for offset in tl.range(0, columns, R0_BLOCK):
        r = row + offset + tl.arange(0, R0_BLOCK)
        tl.store(out_ptr + r, tl.load(x_ptr + r) / scale)""",
        (("R0_BLOCK", r_block), ("num_warps", warps)),
        ("aten.linalg_vector_norm", "aten.div"),
    )
    launcher = Launcher(f'''def forward(x: "{spec.annotation}"):
    out = torch.empty_strided(({rows}, {columns}), ({columns}, 1), device=x.device, dtype=torch.float32)
    row_norm[({rows},)](x, out, {columns}, **row_norm_meta)
    return out''')
    what = reference("x / x.norm(dim=1, keepdim=True)", [spec], tensor("out", "f32", (rows, columns)))
    return KernelModule("row_norm", what, (kernel,), launcher)


def max_pool(rows=64, columns=128, block=1024, warps=4):
    """The largest of each 2x2 square: loads with a stride of two."""
    spec, half = tensor("x", "f32", (rows, columns)), (rows // 2, columns // 2)
    kernel = Kernel(
        "max_pool",
        """@triton.jit
def max_pool(x_ptr, out_ptr, columns, XBLOCK: tl.constexpr):
    i = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)
    at = x_ptr + i // (columns // 2) * 2 * columns + i % (columns // 2) * 2
    top = tl.maximum(tl.load(at), tl.load(at + 1))
    tl.store(out_ptr + i, tl.maximum(top, tl.maximum(tl.load(at + columns), tl.load(at + columns + 1))))""",
        (("XBLOCK", block), ("num_warps", warps)),
        ("aten.max_pool2d",),
    )
    launcher = Launcher(f'''def forward(x: "{spec.annotation}"):
    out = torch.empty_strided({half}, ({half[1]}, 1), device=x.device, dtype=torch.float32)
    max_pool[({half[0] * half[1]} // max_pool_meta["XBLOCK"],)](x, out, {columns}, **max_pool_meta)
    return out''')
    what = reference("torch.nn.functional.max_pool2d(x[None], 2)[0]", [spec], tensor("out", "f32", half))
    return KernelModule("max_pool", what, (kernel,), launcher)


def matmul(m=512, n=512, k=256, block=64, warps=4):
    """A product of two fp16 matrices by tiles."""
    a, b = tensor("a", "f16", (m, k)), tensor("b", "f16", (k, n))
    kernel = Kernel(
        "product",
        """@triton.jit
def product(a_ptr, b_ptr, out_ptr, n, k, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    row = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    column = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    inner = tl.arange(0, BLOCK_K)
    total = tl.zeros([BLOCK_M, BLOCK_N], tl.float32)
    for start in range(0, k, BLOCK_K):
        a = tl.load(a_ptr + row * k + (start + inner)[None, :])
        b = tl.load(b_ptr + (start + inner)[:, None] * n + column)
        total = tl.dot(a, b, total)
    tl.store(out_ptr + row * n + column, total.to(tl.float16))""",
        (("BLOCK_M", block), ("BLOCK_N", block), ("BLOCK_K", 32), ("num_warps", warps), ("num_stages", 3)),
        ("aten.mm",),
    )
    launcher = Launcher(f'''def forward(a: "{a.annotation}", b: "{b.annotation}"):
    out = torch.empty_strided(({m}, {n}), ({n}, 1), device=a.device, dtype=torch.float16)
    grid = (triton.cdiv({m}, product_meta["BLOCK_M"]), triton.cdiv({n}, product_meta["BLOCK_N"]))
    product[grid](a, b, out, {n}, {k}, **product_meta)
    return out''')
    what = reference("a @ b", [a, b], tensor("out", "f16", (m, n)))
    return KernelModule("product", what, (kernel,), launcher)
