"""The adapter by which Inductor is given one configuration of a template for a product, in a library call's place.

Inductor computes what follows such a product in the same kernel, where it can, as it does after it has tuned; here
nothing is tuned. `versions.TRIED` has the releases that it was tried with.
"""

import copy
import hashlib
import json
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch

from kernelwright.backend.store.choice import TemplateChoice
from kernelwright.backend.versions import adapting, parameters

with adapting("choosing templates for products", "torch"):
    import torch._inductor.kernel.bmm
    import torch._inductor.kernel.mm
    from torch._inductor import config
    from torch._inductor.choices import InductorChoices
    from torch._inductor.ir import ExpandView
    from torch._inductor.kernel_inputs import MMKernelInputs
    from torch._inductor.kernel_template_choice import make_ktc_generator
    from torch._inductor.runtime.triton_compat import Config
    from torch._inductor.select_algorithm import TritonTemplate
    from torch._inductor.template_heuristics.gemm import GemmMaxAutotuneTemplateConfigHeuristics
    from torch._inductor.template_heuristics.registry import get_template_heuristic
    from torch._inductor.template_heuristics.triton import MMTemplateConfigMixin
    from torch._inductor.utils import can_use_tma
    from torch._inductor.virtualized import V
    from torch.utils._triton import has_triton_tma_device

    parameters(InductorChoices.get_template_configs, "kernel_inputs", "templates", "op_name", "kwarg_overrides")
    parameters(make_ktc_generator, "template", "cs", "extra_kwargs", "overrides", "layout", "inputs")
    parameters(get_template_heuristic, "template_name", "device_type", "op_name")
    parameters(MMKernelInputs, "input_nodes", "scalars", "out_dtype")
    parameters(GemmMaxAutotuneTemplateConfigHeuristics.should_run, "inputs")
    parameters(can_use_tma, "matrices", "output_layout")
    MMTemplateConfigMixin._get_config_generator, TritonTemplate.all_templates, V.set_choices_handler  # noqa: B018
    ExpandView.create, config.max_autotune, config.max_autotune_gemm  # noqa: B018

log = logging.getLogger("kernelwright.swap")
#: Operations whose products may be a template's, by what Inductor calls them, and the templates that compute them.
_PRODUCTS = {
    "mm": (torch.ops.aten.mm.default, ("mm", "mm_persistent_tma")),
    "addmm": (torch.ops.aten.addmm.default, ("mm", "mm_persistent_tma")),
    "bmm": (torch.ops.aten.bmm.default, ("bmm",)),
    "baddbmm": (torch.ops.aten.baddbmm.default, ("bmm",)),
}
#: What belongs to a product's epilogue beside pointwise operations, and how many operations are looked at.
_VIEWS = ("view", "reshape", "_unsafe_view", "permute", "transpose", "unsqueeze", "squeeze", "expand", "clone")
_MOST = 64


@dataclass(frozen=True)
class Product:
    """A product that Inductor is about to lower: `key` is the same for products of the same operation, with tensors of
    the same sizes, strides and types, that the same operations follow. `text` says all of that."""

    key: str
    text: str
    #: Its node in the graph that is lowered, and the operations that may be computed in the same kernel, without views.
    node: str
    epilogue: tuple[str, ...]
    #: Inductor's own configurations of the templates that compute it, in its order; to be asked for in the callback.
    alternatives: Callable[[], tuple[TemplateChoice, ...]]


#: Which template computes a product; None for what Inductor would take.
Chosen = Callable[[Product], TemplateChoice | None]


@contextmanager
def choosing_templates(callback: Chosen) -> Iterator[None]:
    """Within it, in this thread, the callback is asked about each product of fixed sizes that Inductor lowers.

    Inductor's own way is taken with a choice that does not fit, which costs a warning, and where options have Inductor
    tune products itself. Whoever uses Inductor's caches must see to it that their keys tell what is chosen.
    """
    handler: Any = copy.copy(V.choices)
    handler.get_template_configs = partial(_configs, V.choices.get_template_configs, callback)
    with V.set_choices_handler(handler):
        yield


def _configs(
    plain: Callable[..., list[Any]],
    callback: Chosen,
    kernel_inputs: Any,
    templates: Sequence[Any],
    op_name: str,
    kwarg_overrides: Any = None,
) -> list[Any]:
    """What Inductor chooses from for one product."""
    found = None
    if op_name in _PRODUCTS and not (config.max_autotune or config.max_autotune_gemm):
        try:
            if (product := _product(kernel_inputs, op_name)) and (chosen := callback(product)):
                found = _caller(kernel_inputs, op_name, chosen)
                if found is None:
                    log.warning("%s is not for %s, which is left to Inductor", chosen, product.text)
        except Exception as error:  # noqa: BLE001 - a choice must never break a compile
            told = str(error).strip().splitlines()
            log.warning("no template is chosen: %s", ": ".join([type(error).__name__, *told[:1]]))
    return plain(kernel_inputs, templates, op_name, kwarg_overrides) if found is None else [found]


def _product(kernel_inputs: Any, op_name: str) -> Product | None:
    """The product that Inductor lowers now; None where its sizes may change, or where the graph has another."""
    node = V.graph.current_node
    operation, names = _PRODUCTS[op_name]
    if node.target is not operation or "out_dtype" in node.kwargs:
        return None
    tensors = []
    for one in kernel_inputs.nodes():
        numbers = [*one.get_size(), *one.get_stride()]
        if not all(getattr(number, "is_Integer", type(number) is int) for number in numbers):
            return None
        sizes, strides = list(map(int, one.get_size())), list(map(int, one.get_stride()))
        tensors.append([sizes, strides, _typed(one.get_dtype())])
    scalars = {name: repr(value) for name, value in node.kwargs.items()}
    epilogue = _epilogue(node)
    text = json.dumps([str(operation), tensors, scalars, epilogue], sort_keys=True)

    def alternatives() -> tuple[TemplateChoice, ...]:
        return tuple(one for name in names for one in _alternatives(kernel_inputs, op_name, name))

    computing = tuple(one for one in epilogue if one.split(".")[1] not in _VIEWS)
    return Product(hashlib.sha256(text.encode()).hexdigest(), text, node.name, computing, alternatives)


def _typed(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _epilogue(product: torch.fx.Node) -> list[str]:
    """The operations of as many elements that may be computed where a product is stored, in the graph's order, with
    what else they take: none that waits for a reduction or another product of what was stored."""
    count, places, late = product.meta["val"].numel(), {product: 0}, set[torch.fx.Node]()
    told = list[str]()

    def named(one: torch.fx.Node) -> str:
        value = one.meta.get("val")
        if one in places:
            return f"%{places[one]}"
        return f"{list(value.shape)} {_typed(value.dtype)}" if isinstance(value, torch.Tensor) else repr(value)

    for node in product.graph.nodes:
        given = set(node.all_input_nodes)
        if given & late or (given & places.keys() and (len(told) == _MOST or not _follows(node, count))):
            late.add(node)
        elif given & places.keys():
            told.append(f"{node.target} {torch.fx.map_arg((node.args, dict(node.kwargs)), named)}")
            places[node] = len(places)
    return told


def _follows(node: torch.fx.Node, count: int) -> bool:
    """Whether an operation may stand in a product's epilogue."""
    value, operation = node.meta.get("val"), node.target
    if not isinstance(operation, torch._ops.OpOverload) or not isinstance(value, torch.Tensor):
        return False
    name = operation.overloadpacket.__name__
    pointwise = torch.Tag.pointwise in operation.tags or name == "convert_element_type" or name in _VIEWS
    return pointwise and value.numel() == count


def _prepared(kernel_inputs: Any, op_name: str) -> Any:
    """Tensors as templates take them: what is added has the product's size."""
    if op_name not in ("addmm", "baddbmm"):
        return kernel_inputs
    added, first, second = kernel_inputs.nodes()
    scalars = {name: kernel_inputs.get_scalar(name) for name in ("alpha", "beta")}
    size = kernel_inputs.output_layout().size
    return MMKernelInputs([ExpandView.create(added, size), first, second], scalars=scalars)


def _heuristic(kernel_inputs: Any, op_name: str, name: str) -> Any:
    """A copy of what makes configurations of a template; None where it has none for these tensors."""
    if name == "mm_persistent_tma":
        layout = kernel_inputs.output_layout(flexible=False)
        if not has_triton_tma_device() or not can_use_tma(*kernel_inputs.nodes()[-2:], output_layout=layout):
            return None
    template = TritonTemplate.all_templates[name]
    known = get_template_heuristic(template.uid, kernel_inputs.device_type, op_name)
    if not isinstance(known, MMTemplateConfigMixin):
        return None
    found: Any = copy.copy(known)
    found.should_run = lambda _inputs: True  # also where Inductor does not tune
    return found


def _alternatives(kernel_inputs: Any, op_name: str, name: str) -> Iterator[TemplateChoice]:
    given = _prepared(kernel_inputs, op_name)
    heuristic = _heuristic(given, op_name, name)
    for one in heuristic.get_template_configs(given, op_name) if heuristic else ():
        told = one.to_kwargs()
        blocks = (told[f"BLOCK_{axis}"] for axis in "MNK")
        numbers = (*blocks, told.get("GROUP_M", 8), told["num_stages"], told["num_warps"])
        yield TemplateChoice(name, *map(int, numbers))


def _caller(kernel_inputs: Any, op_name: str, chosen: TemplateChoice) -> Any:
    """Inductor's object for a template with a configuration; None where the template does not fit the product."""
    if chosen.template not in _PRODUCTS[op_name][1]:
        return None
    given = _prepared(kernel_inputs, op_name)
    heuristic = _heuristic(given, op_name, chosen.template)
    if heuristic is None:
        return None
    blocks = {"BLOCK_M": chosen.block_m, "BLOCK_N": chosen.block_n, "BLOCK_K": chosen.block_k}
    made = Config({**blocks, "GROUP_M": chosen.group_m}, num_stages=chosen.num_stages, num_warps=chosen.num_warps)
    heuristic._get_config_generator = lambda: lambda *_sizes, **_options: iter([made])
    wanted = make_ktc_generator(
        template=TritonTemplate.all_templates[chosen.template],
        cs=heuristic.get_template_configs(given, op_name),
        extra_kwargs=heuristic.get_extra_kwargs(given, op_name),
        overrides={},
        layout=given.output_layout(flexible=False),
        inputs=heuristic.adjust_kernel_inputs(given, op_name),
    )
    return next((one.choice for one in wanted), None)
