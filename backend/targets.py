"""The machines that modules are fitted to: published figures, and where each was published."""

import json
import os
from dataclasses import asdict, dataclass

from kernelwright.ir.errors import UserError
from kernelwright.ir.plugins import Registry

#: Registers that a thread may take.
MOST_REGISTERS = 255


@dataclass(frozen=True)
class Target:
    """One machine. Rates are peaks as published, dense (without structured sparsity), at boost clocks.

    `capability` is CUDA's compute capability times ten (90 for 9.0), 0 where nothing is compiled. `tf32_tflops` and
    `bf16_tflops` are tensor-core rates with fp32 accumulation.
    """

    name: str
    title: str
    capability: int
    sm_count: int
    memory_gb: float
    bandwidth_gb_s: float
    fp32_tflops: float
    tf32_tflops: float
    bf16_tflops: float
    l2_mb: float
    shared_kb_per_sm: int
    shared_kb_per_block: int
    registers_per_sm: int
    max_threads_per_sm: int
    max_blocks_per_sm: int
    source: str

    @property
    def is_gpu(self) -> bool:
        """Whether kernels can be compiled for it."""
        return self.capability > 0

    @property
    def max_warps_per_sm(self) -> int:
        """Warps of 32 threads resident on one SM at most."""
        return self.max_threads_per_sm // 32

    def peak_tflops(self, operand: str) -> float:
        """The rate of products, by operand type; `f32` without tensor cores, as all that is no product.

        Eight-bit types are twice as fast as sixteen.
        """
        rates = {"f16": self.bf16_tflops, "bf16": self.bf16_tflops, "tf32": self.tf32_tflops}
        rates |= {"f32": self.fp32_tflops, "f64": self.fp32_tflops / 2}
        return rates.get(operand, 2 * self.bf16_tflops)

    @property
    def clock_ghz(self) -> float:
        """The clock behind the published fp32 rate: 128 fused multiply-adds a clock and SM (64 on 8.0)."""
        lanes = 64 if self.capability == 80 else 128
        return self.fp32_tflops * 1e3 / (2 * lanes * self.sm_count)


_HOPPER = "NVIDIA H100 Tensor Core GPU Architecture whitepaper"
_ADA = "NVIDIA Ada GPU Architecture whitepaper; CUDA C++ Programming Guide, compute capability 8.9"

_OURS = (
    Target(
        "a100", "NVIDIA A100 80GB SXM", 80, 108, 80, 2039, 19.5, 156, 312, 40, 164, 163, 65536, 2048, 32,
        "NVIDIA A100 Tensor Core GPU datasheet; NVIDIA A100 Tensor Core GPU Architecture whitepaper",
    ),
    Target(
        "h100", "NVIDIA H100 80GB SXM", 90, 132, 80, 3350, 67, 495, 989, 50, 228, 227, 65536, 2048, 32,
        f"NVIDIA H100 Tensor Core GPU datasheet; {_HOPPER}",
    ),
    Target(
        "h200", "NVIDIA H200 141GB SXM", 90, 132, 141, 4800, 67, 495, 989, 50, 228, 227, 65536, 2048, 32,
        f"NVIDIA H200 Tensor Core GPU datasheet; {_HOPPER}",
    ),
    Target(
        "b200", "NVIDIA B200 180GB SXM", 100, 148, 180, 8000, 75, 1125, 2250, 126, 228, 227, 65536, 2048, 32,
        "NVIDIA HGX B200 datasheet (an eighth of it); CUDA C++ Programming Guide, compute capability 10.0",
    ),
    Target(
        "l40s", "NVIDIA L40S 48GB", 89, 142, 48, 864, 91.6, 183, 362, 96, 100, 99, 65536, 1536, 24,
        f"NVIDIA L40S datasheet; {_ADA}",
    ),
    Target(
        "rtx4090", "NVIDIA GeForce RTX 4090", 89, 128, 24, 1008, 82.6, 82.6, 165.2, 72, 100, 99, 65536, 1536, 24,
        f"GeForce RTX 4090 specifications; {_ADA}",
    ),
    Target(
        "interpreter", "Triton's interpreter on this machine's CPU", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        "nothing is compiled and nothing predicted for it",
    ),
)  # fmt: skip


def _complaint(name: str, found: object) -> str:
    """What is wrong with a target that a package announces."""
    if not isinstance(found, Target):
        return f"it is not a {Target.__module__}.Target"
    return "" if found.name == name else f"it calls itself {found.name!r}"


TARGETS: Registry[Target] = Registry("target", "kernelwright.targets", _complaint)
for _target in _OURS:
    TARGETS.add(_target.name, _target)

#: By this variable processes that this one starts know targets of others: JSON, a list of the fields of each.
_TOLD = "KERNELWRIGHT_TARGETS"


def add_target(target: Target) -> Target:
    """Make a target known in this process and in those that it starts. UserError where another one has its name."""
    TARGETS.add(target.name, target)
    _tell(target)
    return target


def _tell(target: Target) -> None:
    told = json.loads(os.environ.get(_TOLD, "[]"))
    if asdict(target) not in told:
        os.environ[_TOLD] = json.dumps([*(one for one in told if one["name"] != target.name), asdict(target)])


for _fields in json.loads(os.environ.get(_TOLD, "[]")):
    TARGETS.add(_fields["name"], Target(**_fields), settled=True)


#: What torch calls a device -> its target; the first part that occurs in the device's name counts.
_DEVICE_NAMES = {"H200": "h200", "H100": "h100", "A100": "a100", "B200": "b200", "L40S": "l40s", "4090": "rtx4090"}


def get_target(name: str) -> Target:
    """The target of that name; raises UserError naming the known ones."""
    target = TARGETS.find(name)
    if target not in _OURS:
        _tell(target)
    return target


def target_of(device: str) -> Target | None:
    """The target that a device is by the name that torch has for it; None for one that is not listed."""
    return next((TARGETS[name] for part, name in _DEVICE_NAMES.items() if part in device), None)


def detect_target() -> Target:
    """The GPU of this machine, or the interpreter where there is none.

    A device that is not listed is taken for a listed one of its compute capability; raises UserError where there
    is none.
    """
    import torch  # late: names of targets are checked without it

    if not torch.cuda.is_available():
        return TARGETS["interpreter"]
    device = torch.cuda.get_device_name()
    listed = target_of(device)
    if listed is not None:
        return listed
    major, minor = torch.cuda.get_device_capability()
    for target in TARGETS.values():
        if target.capability == 10 * major + minor:
            return target
    raise UserError(
        f"{device} (compute capability {major}.{minor}) matches no known target; name one of "
        f"{', '.join(sorted(TARGETS))}"
    )
