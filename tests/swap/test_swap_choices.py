"""A template of Inductor's that is chosen for a product: what follows it is computed in the same kernel."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import bed
import pytest
import torch

from kernelwright.backend.store.choice import TemplateChoice
from kernelwright.backend.store.entry import Entry, Versions
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.swap.choices import choosing_templates
from kernelwright.frontend.swap.graphs import GraphRecorder
from kernelwright.frontend.swap.problem import own_kernel, problem

CHOICE = TemplateChoice("mm", 32, 16, 16, 8, 2, 4)


def chosen_in_a_model() -> Any:
    """Code and records of two layers, without and with a choice for the first of them in the store."""
    import entries
    import torch
    from torch._dynamo.utils import counters
    from torch._inductor.utils import run_and_get_code

    from kernelwright.backend.store.choice import TemplateChoice
    from kernelwright.backend.store.entry import Entry, Versions
    from kernelwright.backend.store.store import Store
    from kernelwright.driver.torch_backend import kernelwright
    from kernelwright.driver.torch_compile import regions
    from kernelwright.frontend.swap.choices import Product, choosing_templates

    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(32, 48), torch.nn.GELU(), torch.nn.Linear(48, 40), torch.nn.SiLU())
    model.append(torch.nn.LayerNorm(40))
    model.requires_grad_(False)
    x = torch.randn(4, 16, 32)
    products: list[Product] = []
    tried: list[TemplateChoice] = []

    def compiled(backend: Any) -> Any:
        torch.compiler.reset()
        counters.clear()
        return run_and_get_code(torch.compile(model, backend=backend), x)

    def first(product: Product) -> TemplateChoice | None:
        products.append(product)
        tried.extend(product.alternatives())
        return TemplateChoice("mm", 32, 16, 16, 8, 2, 4) if len(products) == 1 else None

    plain, without = compiled("inductor")[1], compiled(kernelwright)[1]
    with choosing_templates(first):
        sources = [one.source for one in entries.generated(lambda: compiled("inductor"))]
    entry = Entry(
        products[0].key,
        "interpreter",
        Versions.installed(),
        "choice",
        replacement=TemplateChoice("mm", 32, 16, 16, 8, 2, 4).text,
        source=next(one for one in sources if "triton_heuristics.template" in one),
        certificate={"summary": "a test says so"},
    )
    assert Store.open().put(entry)
    result, code = compiled(kernelwright)
    found = {"plain": plain, "without": without, "products": [one.text for one in products], "code": code}
    found |= {"error": float((result - model(x)).abs().max()), "tried": len(tried)}
    found["swaps"] = [str(one) for region in regions() for one in region.swaps]
    caches = {"inductor": "fxgraph_cache_hit", "aot_autograd": "autograd_cache_hit"}
    found["hits"] = [sum(counters[where][what] for where, what in caches.items())]
    found["again"] = compiled(kernelwright)[1]
    found["hits"].append(sum(counters[where][what] for where, what in caches.items()))
    Store.open().remove(entry)
    found["removed"] = compiled(kernelwright)[1]
    return found


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    answer: dict[str, Any] = bed.run(chosen_in_a_model, tmp_path_factory.mktemp("choices"))
    return answer


def test_a_chosen_template_computes_what_follows(found: dict[str, Any]) -> None:
    (code,) = found["code"]
    assert found["error"] < 1e-5
    assert "triton_tem_fused" in code and code.count("extern_kernels.") == 1, code
    assert "BLOCK_M : tl.constexpr = 32" in code and "libdevice.erf" in code.partition("triton_heuristics.template")[2]
    assert any(line.endswith("kernelwright, a test says so") for line in found["swaps"]), found["swaps"]


def test_nothing_changes_without_a_choice(found: dict[str, Any]) -> None:
    assert found["plain"] == found["without"] == found["removed"]
    assert "triton_tem" not in found["plain"][0] and found["plain"][0].count("extern_kernels.") == 2


def test_caches_tell_code_with_a_choice_from_code_without(found: dict[str, Any]) -> None:
    assert found["hits"][0] == 0 and found["hits"][1] > 0
    assert found["code"] == found["again"]


def test_a_product_says_what_it_is_and_what_follows_it(found: dict[str, Any]) -> None:
    first, second = found["products"]
    assert first.startswith('["aten.addmm.default", [[[48], [1], "float32"], [[64, 32], [32, 1], "float32"]')
    assert "aten.erf.default" in first and "aten.erf" not in second and "aten.exp.default" in second
    assert not any("aten.rsqrt" in text or "aten.sub" in text for text in found["products"])  # a norm comes after it
    assert found["tried"] > 4


def test_a_choice_is_read_as_it_was_written() -> None:
    assert TemplateChoice.parse(CHOICE.text) == CHOICE
    for text, why in ((CHOICE.text.replace("32", "0"), "block_m=0"), (CHOICE.text.replace('"mm"', '"cc"'), "'cc'")):
        with pytest.raises(ValueError, match=why):
            TemplateChoice.parse(text)
    entry = Entry("ab" * 32, "sm_90", Versions.installed(), "choice", replacement=CHOICE.text)
    assert Entry.parse(entry.text) == entry
    with pytest.raises(ValueError, match="neither a module nor a form"):
        Entry("ab" * 32, "sm_90", Versions.installed(), "choice")


@pytest.fixture(scope="module")
def judge() -> Iterator[LocalEvaluator]:
    with LocalEvaluator("interpreter", use_gpu=False) as evaluator:
        yield evaluator


def biased(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.gelu(torch.nn.functional.linear(x, weight, bias))


def batched(x: torch.Tensor, y: torch.Tensor, added: torch.Tensor) -> torch.Tensor:
    return (x @ y).relu() + added


@pytest.mark.parametrize(
    ("function", "shapes", "dtype", "template"),
    [
        (biased, ((3, 7, 24), (20, 24), (20,)), torch.float32, "mm"),
        (biased, ((4, 16, 32), (48, 32), (48,)), torch.bfloat16, "mm"),
        (batched, ((3, 20, 24), (3, 24, 40), (3, 20, 40)), torch.float32, "bmm"),
    ],
)
def test_the_kernel_of_a_template_is_judged_as_others_are(
    judge: LocalEvaluator, function: Any, shapes: Any, dtype: torch.dtype, template: str
) -> None:
    recorder, given = GraphRecorder(), [torch.randn(shape).to(dtype) for shape in shapes]
    torch.compiler.reset()
    with choosing_templates(lambda _product: replace(CHOICE, template=template)):
        torch.compile(function, backend=recorder)(*given)
    (graph,) = recorder.graphs
    (kernel,) = graph.kernels
    assert not kernel.why_not and kernel.grid[0] > 1 and "triton_heuristics.template" in kernel.source
    module = own_kernel(kernel, problem(kernel, graph.spreads), "h100")
    assert judge.evaluate(module).ok, str(judge.evaluate(module))
    head, store, rest = module.kernels[-1].source.rpartition("tl.store(")
    wrong = replace(module.kernels[-1], source=head + store + rest.replace(", mask", " * 1.5, mask"))
    assert judge.evaluate(replace(module, kernels=(*module.kernels[:-1], wrong))).status == "mismatch"
