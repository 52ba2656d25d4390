"""Broken kernels and what must become of each: the status, and for bad accesses kernel, line, tensor and side."""

from dataclasses import dataclass

from triton_has import available

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.ir.values import Kernel, KernelModule, Launcher, Reference, TensorSpec

MARK = "# bad"


def spec(name: str, annotation: str) -> TensorSpec:
    """A tensor by its annotation."""
    return TensorSpec.parse(name, annotation)


def program(body: str, given: str, wanted: str, maker: str = "torch.rand") -> Reference:
    """A reference that takes x and gives one tensor."""
    source = f"""import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return {body}


def get_inputs():
    return [{maker}({", ".join(map(str, spec("x", given).shape))})]


def get_init_inputs():
    return []
"""
    return Reference(source, "Model", (spec("x", given),), (), (spec("out", wanted),))


DOUBLE = program("x * 2.0", "f32[1000]", "f32[1000]")
ROWS = program("x * 2.0", "f32[24, 40]", "f32[24, 40]")
TOTAL = program("x.sum().reshape(1)", "f32[1000]", "f32[1]")


@dataclass(frozen=True)
class Broken:
    """One broken module. `tensor` and `side` are set for bad accesses, whose line carries `MARK`."""

    name: str
    reference: Reference
    kernel: str
    host: str
    status: Status
    detail: str = ""
    tensor: str = ""
    side: str = ""
    rungs: tuple[Rung, ...] = (Rung.PARSE, Rung.INTERPRET)

    @property
    def module(self) -> KernelModule:
        """The module; `bad` is the kernel that is launched."""
        sources = ["@triton.jit\n" + part.strip() for part in self.kernel.split("@triton.jit\n") if part.strip()]
        kernels = tuple(Kernel(source.split("def ")[1].split("(")[0], source) for source in sources)
        return KernelModule(self.name, self.reference, kernels, Launcher(self.host.strip()))

    @property
    def line(self) -> int:
        """The line that carries the mark, 1-based in its own function's source."""
        for kernel in self.module.kernels:
            for number, text in enumerate(kernel.source.splitlines(), 1):
                if MARK in text:
                    return number
        raise AssertionError(f"{self.name} has no mark")


def vector_host(blocks: int = 4, out: str = "1000", x: str = "f32[1000]") -> str:
    """Host code over a vector, 256 elements a program."""
    return f'''
def forward(x: "{x}"):
    out = torch.empty(({out},), device=x.device, dtype=torch.float32)
    bad[({blocks},)](x, out, 1000, 256)
    return out
'''


ROWS_HOST = """
def forward(x: "f32[24, 40]"):
    out = torch.empty((24, 40), device=x.device, dtype=torch.float32)
    bad[(24,)](x, out, 40, 1, 64)
    return out
"""
TOTAL_HOST = """
def forward(x: "f32[1000]"):
    out = torch.zeros((1,), device=x.device, dtype=torch.float32)
    bad[(4,)](x, out, 1000, 256)
    return out
"""


def vector(body: str) -> str:
    """A kernel over a vector from its lines, which see `i` (offsets) and `mask`."""
    lines = "\n".join(f"    {line}" for line in body.strip().splitlines())
    return f"""@triton.jit
def bad(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
{lines}
"""


def rows(body: str) -> str:
    """A kernel over a matrix, one program a row, from its lines, which see `row`, `j` and `mask`."""
    lines = "\n".join(f"    {line}" for line in body.strip().splitlines())
    return f"""@triton.jit
def bad(x_ptr, out_ptr, stride_row, stride_col, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    j = tl.arange(0, BLOCK)
    mask = j < 40
{lines}
"""


def access(name: str, kernel: str, tensor: str, side: str, host: str = "", reference: Reference = DOUBLE) -> Broken:
    """A kernel whose marked line goes out of `tensor`."""
    return Broken(name, reference, kernel, host or vector_host(), Status.RUNTIME_ERROR, side, tensor, side)


def answer(name: str, kernel: str, detail: str, host: str = "", reference: Reference = DOUBLE) -> Broken:
    """A kernel that gives something wrong."""
    return Broken(name, reference, kernel, host or vector_host(), Status.MISMATCH, detail)


def hostile(name: str, host: str, detail: str, status: Status = Status.RUNTIME_ERROR) -> Broken:
    """Host code that the dialect would refuse, run all the same."""
    return Broken(name, DOUBLE, GOOD, host, status, detail, rungs=(Rung.INTERPRET,))


END, START = "past the end", "before the start"
GOOD = vector("tl.store(out_ptr + i, tl.load(x_ptr + i, mask=mask) * 2, mask=mask)")

ACCESSES = (
    access(
        "unmasked_tail_of_a_load",
        vector("x = tl.load(x_ptr + i)  # bad\ntl.store(out_ptr + i, x * 2, mask=mask)"),
        "x_ptr",
        END,
    ),
    access(
        "unmasked_tail_of_a_store",
        vector("x = tl.load(x_ptr + i, mask=mask, other=0.0)\ntl.store(out_ptr + i, x * 2)  # bad"),
        "out_ptr",
        END,
    ),
    access(
        "mask_off_by_one",
        vector("x = tl.load(x_ptr + i, mask=i <= n)  # bad\ntl.store(out_ptr + i, x * 2, mask=mask)"),
        "x_ptr",
        END,
    ),
    access(
        "mask_off_by_one_in_the_store",
        vector("x = tl.load(x_ptr + i, mask=mask)\ntl.store(out_ptr + i, x * 2, mask=i < n + 1)  # bad"),
        "out_ptr",
        END,
    ),
    access(
        "negative_offset_of_a_load",
        vector("x = tl.load(x_ptr + i - 1, mask=mask)  # bad\ntl.store(out_ptr + i, x * 2, mask=mask)"),
        "x_ptr",
        START,
    ),
    access(
        "negative_offset_of_a_store",
        vector("x = tl.load(x_ptr + i, mask=mask)\ntl.store(out_ptr + i - 8, x * 2, mask=mask)  # bad"),
        "out_ptr",
        START,
    ),
    access(
        "reversed_past_the_start",
        vector("x = tl.load(x_ptr + (n - 2 - i), mask=mask)  # bad\ntl.store(out_ptr + i, x * 2, mask=mask)"),
        "x_ptr",
        START,
    ),
    access(
        "far_pointer",
        vector("x = tl.load(x_ptr + i * 1000000, mask=mask)  # bad\ntl.store(out_ptr + i, x, mask=mask)"),
        "x_ptr",
        END,
    ),
    access(
        "far_negative_pointer",
        vector(
            "far = i.to(tl.int64) * -100000000\n"
            "x = tl.load(x_ptr + far - 1, mask=mask)  # bad\n"
            "tl.store(out_ptr + i, x, mask=mask)"
        ),
        "x_ptr",
        START,
    ),
    access(
        "one_program_too_many",
        vector("x = tl.load(x_ptr + i % n)\ntl.store(out_ptr + i, x * 2)  # bad"),
        "out_ptr",
        END,
        host=vector_host(blocks=5),
    ),
    access(
        "output_allocated_too_small",
        vector("x = tl.load(x_ptr + i, mask=mask)\ntl.store(out_ptr + i, x * 2, mask=mask)  # bad"),
        "out_ptr",
        END,
        host=vector_host(out="999"),
    ),
    access(
        "block_pointer_without_boundary_check",
        vector(
            "p = tl.make_block_ptr(x_ptr, (n,), (1,), (tl.program_id(0) * BLOCK,), (BLOCK,), (0,))\n"
            "x = tl.load(p)  # bad\n"
            "tl.store(out_ptr + i, x * 2, mask=mask)"
        ),
        "x_ptr",
        END,
    ),
    access(
        "block_pointer_store_without_boundary_check",
        vector(
            "x = tl.load(x_ptr + i, mask=mask)\n"
            "p = tl.make_block_ptr(out_ptr, (n,), (1,), (tl.program_id(0) * BLOCK,), (BLOCK,), (0,))\n"
            "tl.store(p, x * 2)  # bad"
        ),
        "out_ptr",
        END,
    ),
    access(
        "block_pointer_with_a_wrong_shape",
        vector(
            "p = tl.make_block_ptr(x_ptr, (n + 8,), (1,), (tl.program_id(0) * BLOCK,), (BLOCK,), (0,))\n"
            "x = tl.load(p, boundary_check=(0,))  # bad\n"
            "tl.store(out_ptr + i, x * 2, mask=mask)"
        ),
        "x_ptr",
        END,
    ),
    access(
        "atomic_past_the_end",
        vector("x = tl.load(x_ptr + i, mask=mask, other=0.0)\ntl.atomic_add(out_ptr + 1, tl.sum(x, 0))  # bad"),
        "out_ptr",
        END,
        host=TOTAL_HOST,
        reference=TOTAL,
    ),
    access(
        "atomic_before_the_start",
        vector("x = tl.load(x_ptr + i, mask=mask, other=0.0)\ntl.atomic_max(out_ptr - 1, tl.sum(x, 0))  # bad"),
        "out_ptr",
        START,
        host=TOTAL_HOST,
        reference=TOTAL,
    ),
    access(
        "atomics_of_a_block",
        vector("x = tl.load(x_ptr + i, mask=mask, other=0.0)\ntl.atomic_add(out_ptr + i, x, mask=mask)  # bad"),
        "out_ptr",
        END,
        host=TOTAL_HOST,
        reference=TOTAL,
    ),
    access(
        "loop_one_step_too_far",
        vector(
            "for start in range(0, n + 1, 40):\n"
            "    k = start + tl.arange(0, 8)\n"
            "    x = tl.load(x_ptr + k)  # bad\n"
            "    tl.store(out_ptr + k, x, mask=k < n)"
        ),
        "x_ptr",
        END,
    ),
    access(
        "wrong_row_stride",
        rows("x = tl.load(x_ptr + row * BLOCK + j, mask=mask)  # bad\ntl.store(out_ptr + row * 40 + j, x, mask=mask)"),
        "x_ptr",
        END,
        host=ROWS_HOST,
        reference=ROWS,
    ),
    access(
        "wrong_row_index",
        rows(
            "x = tl.load(x_ptr + (row + 1) * 40 + j, mask=mask)  # bad\ntl.store(out_ptr + row * 40 + j, x, mask=mask)"
        ),
        "x_ptr",
        END,
        host=ROWS_HOST,
        reference=ROWS,
    ),
    access(
        "previous_row",
        rows(
            "x = tl.load(x_ptr + row * 40 + j, mask=mask)\ntl.store(out_ptr + (row - 1) * 40 + j, x, mask=mask)  # bad"
        ),
        "out_ptr",
        START,
        host=ROWS_HOST,
        reference=ROWS,
    ),
    access(
        "transposed_strides",
        rows(
            "x = tl.load(x_ptr + row * stride_col + j * stride_row, mask=mask)  # bad\n"
            "tl.store(out_ptr + row * 40 + j, x, mask=mask)"
        ),
        "x_ptr",
        END,
        host=ROWS_HOST,
        reference=ROWS,
    ),
    access(
        "padded_rows_in_the_store",
        rows(
            "x = tl.load(x_ptr + row * 40 + j, mask=mask)\ntl.store(out_ptr + row * BLOCK + j, x * 2, mask=mask)  # bad"
        ),
        "out_ptr",
        END,
        host=ROWS_HOST,
        reference=ROWS,
    ),
    access(
        "unmasked_row",
        rows("x = tl.load(x_ptr + row * 40 + j)  # bad\ntl.store(out_ptr + row * 40 + j, x * 2, mask=mask)"),
        "x_ptr",
        END,
        host=ROWS_HOST,
        reference=ROWS,
    ),
    access(
        "bad_access_in_a_function_called",
        """@triton.jit
def fetch(p, i):
    return tl.load(p + i)  # bad


"""
        + vector("tl.store(out_ptr + i, fetch(x_ptr, i) * 2, mask=mask)"),
        "x_ptr",
        END,
    ),
)

ANSWERS = (
    answer("wrong_factor", GOOD.replace("* 2", "* 2.001"), "expected"),
    answer("one_element_wrong", GOOD.replace("* 2,", "* 2 + (i == 77) * 0.01,"), "out[77]"),
    answer("nan", GOOD.replace("* 2,", "* 2 + tl.sqrt(-1.0 - i),"), "NaN"),
    answer("infinity", GOOD.replace("* 2,", "/ (i - i),"), "NaN or infinity"),
    answer("unwritten_tail", GOOD.replace("* 2, mask=mask", "* 2, mask=i < n - 1"), "out[999]"),
    answer("nothing_launched", GOOD, "NaN", host=vector_host(blocks=0).replace("bad[(0,)](x, out, 1000, 256)", "pass")),
    answer(
        "wrong_dtype",
        GOOD,
        "output out is f16 where the reference gives f32",
        host=vector_host().replace("float32", "float16"),
    ),
    answer(
        "wrong_shape",
        GOOD,
        "output out has shape [10, 100] where the reference gives [1000]",
        host=vector_host().replace("return out", "return out.view(10, 100)"),
    ),
    answer(
        "one_output_too_many",
        GOOD,
        "2 outputs where the reference gives 1",
        host=vector_host().replace("return out", "return out, x"),
    ),
    answer(
        "input_modified",
        GOOD.rstrip() + "\n    tl.store(x_ptr + i, 0.0, mask=mask)\n",
        "input x was modified",
    ),
    answer(
        "rows_swapped",
        rows("x = tl.load(x_ptr + (23 - row) * 40 + j, mask=mask)\ntl.store(out_ptr + row * 40 + j, x * 2, mask=mask)"),
        "expected",
        host=ROWS_HOST,
        reference=ROWS,
    ),
)

CRASHES = (
    Broken(
        "endless_loop",
        DOUBLE,
        vector("k = tl.program_id(0)\nwhile k >= 0:\n    k += 1\ntl.store(out_ptr + i, 0.0, mask=mask)"),
        vector_host(),
        Status.TIMEOUT,
        "no answer within",
    ),
    Broken(
        "missing_argument",
        DOUBLE,
        GOOD,
        vector_host().replace("(x, out, 1000, 256)", "(x, out)"),
        Status.UNPARSED,
        "lacks `n`",
    ),
    Broken(
        "missing_argument_behind_options",
        DOUBLE,
        GOOD,
        vector_host().replace("(x, out, 1000, 256)", "(x, out, **dict(BLOCK=256))"),
        Status.RUNTIME_ERROR,
        "n",
    ),
    Broken(
        "too_much_memory",
        DOUBLE,
        GOOD,
        vector_host().replace("(1000,)", "(1 << 36,)"),
        Status.RUNTIME_ERROR,
        "memory",
    ),
    Broken(
        "shapes_that_do_not_go_together",
        DOUBLE,
        vector("x = tl.load(x_ptr + i, mask=mask)\ntl.store(out_ptr + i, x + tl.arange(0, 32), mask=mask)"),
        vector_host(),
        Status.RUNTIME_ERROR,
        "kernel @bad",
    ),
    Broken(
        "imports_in_host_code",
        DOUBLE,
        GOOD,
        'def forward(x: "f32[1000]"):\n    import os\n    os._exit(0)',
        Status.UNPARSED,
        "import",
    ),
    hostile("exits_quietly", 'def forward(x: "f32[1000]"):\n    import os\n    os._exit(0)', "exit status 0"),
    hostile("exits_with_a_status", 'def forward(x: "f32[1000]"):\n    import os\n    os._exit(7)', "exit status 7"),
    hostile("leaves_by_exception", 'def forward(x: "f32[1000]"):\n    raise SystemExit(0)', "SystemExit"),
    hostile("interrupts", 'def forward(x: "f32[1000]"):\n    raise KeyboardInterrupt', "KeyboardInterrupt"),
    hostile("aborts", 'def forward(x: "f32[1000]"):\n    import os\n    os.abort()', "was ended by SIG"),
    hostile("wild_pointer", 'def forward(x: "f32[1000]"):\n    import ctypes\n    ctypes.string_at(1)', "SIGSEGV"),
    hostile(
        "sleeps", 'def forward(x: "f32[1000]"):\n    import time\n    time.sleep(1000)', "no answer", Status.TIMEOUT
    ),
    hostile(
        "ignores_signals",
        'def forward(x: "f32[1000]"):\n    import signal\n    for n in range(1, 30):\n'
        "        n in (9, 19) or signal.signal(n, signal.SIG_IGN)\n    while True:\n        pass",
        "no answer",
        Status.TIMEOUT,
    ),
    hostile(
        "eats_memory", 'def forward(x: "f32[1000]"):\n    return [bytearray(1 << 20) for _ in range(1 << 20)]', "memory"
    ),
    hostile("recurses", 'def forward(x: "f32[1000]"):\n    return forward(x)', "RecursionError"),
    hostile(
        "kills_the_worker",
        'def forward(x: "f32[1000]"):\n    import os\n    os.kill(os.getppid(), 9)',
        "PermissionError",
    ),
    hostile("returns_no_tensor", 'def forward(x: "f32[1000]"):\n    return "all right"', "str, not a tensor"),
    hostile(
        "fills_the_disk",
        'def forward(x: "f32[1000]"):\n    with open("big", "wb") as f:\n        f.truncate(1 << 40)\n    return x',
        "File too large",
    ),
)

TABLE = tuple(broken for broken in ACCESSES + ANSWERS + CRASHES if available(broken.kernel))
