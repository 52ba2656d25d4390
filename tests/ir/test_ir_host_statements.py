"""Host code as values: what its statements make, call, mention and delete, and how it prints."""

import pytest

from kernelwright.ir.host.statements import Expression, calls_in, names_in, renamed, straight_code

SOURCE = """def forward(x: "f32[4, 8]", w: "f32[8]"):
    y = torch.empty_strided((4, 8), (8, 1), device=x.device, dtype=torch.float32)
    add[triton.cdiv(32, add_meta['XBLOCK']),](x,
        w, y, **add_meta)
    z = y.view(32)
    torch.ops.aten.mm.out(x, z, out=y)
    del x, z
    return y
    del w"""


def test_statements_up_to_the_return():
    code = straight_code(SOURCE)
    assert code.parameters == ("x", "w")
    assert [one.kind for one in code.statements] == ["assign", "call", "assign", "call", "del", "return"]
    made, launch, view, product, deleted, _ = code.statements
    assert (made.made, made.names, made.devices) == ("y", {"x", "y"}, {"x"})
    assert (view.made, view.assigned, view.call.function) == ("", ("z",), "y.view")
    assert (product.call.operation, dict(product.call.keywords)) == ("aten.mm.out", {"out": Expression("y")})
    assert deleted.deletes and deleted.targets == ("x", "z") and not deleted.assigned
    assert launch.lines == (3, 4) and launch.call.function == "add" and launch.call.operation == ""
    assert launch.call.grid.strings == {"XBLOCK"} and launch.call.grid.text == "triton.cdiv(32, add_meta['XBLOCK']),"
    assert str(launch.call) == "add[triton.cdiv(32, add_meta['XBLOCK']),](x, w, y, **add_meta)"


def test_other_lines_in_the_place_of_statements():
    code = straight_code(SOURCE)
    text = code.having({1: ["del w", "one()"], 4: []})
    assert text.split("\n")[2:5] == ["    del w", "    one()", "    z = y.view(32)"]
    assert "del x" not in text and straight_code(text).statements[1].deletes


@pytest.mark.parametrize(
    "body", ["if x:\n        y = x\n    return y", "for i in range(3):\n        f(i)", "x += 1", "y: int = 2"]
)
def test_what_does_not_run_from_top_to_bottom_is_no_straight_code(body):
    assert straight_code(f"def forward(x):\n    {body}") is None
    assert straight_code("def one():\n    return 1\n\n\ndef forward(x):\n    return one()") is None


@pytest.mark.parametrize(
    ("grid", "elements", "number"),
    [("4,", ["4"], None), ("n, 2", ["n", "2"], None), ("grid", None, None), ("12", None, 12)],
)
def test_the_elements_of_a_grid(grid, elements, number):
    found = Expression(grid)
    assert found.number == number
    assert (None if found.elements is None else [one.text for one in found.elements]) == elements
    assert elements is None or Expression.of(found.elements) == found


def test_calls_and_names_anywhere():
    source = "class ModelNew:\n    def forward(self, x):\n        return k[lambda m: (1,)](x, -1, **k_meta)"
    assert [call.function for call in calls_in(source)] == ["k"]
    assert names_in(source) >= {"self", "x", "k", "m", "k_meta"} and "ModelNew" not in names_in(source)
    assert renamed("k_meta[k_metal]", "k_meta", "q") == "q[k_metal]"
    assert Expression("x + x.view(torch.int32)").mentions.count("x") == 2
    assert Expression("torch.tensor(x)").names == {"x"}
