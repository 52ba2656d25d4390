"""What faster kernels could bring to a model at most, by its profile."""

from dataclasses import dataclass

from kernelwright.driver.profile.rows import Kind, Profile, Row


@dataclass(frozen=True)
class Ceilings:
    """Speedups of the device time of a call, each an upper bound.

    `generated`: every generated kernel takes its floor. `products`: besides, elementwise kernels that read the product
    of matrices are part of the product and take no time. `convolutions`: those that read a convolution, too. `all`:
    besides, every operation of a library takes its floor.
    """

    generated: float
    products: float
    convolutions: float
    all: float

    @classmethod
    def of(cls, profile: Profile) -> "Ceilings | None":
        """None where no floor is known, as without a GPU."""
        if not any(row.floor_us for row in profile.rows):
            return None
        whole = sum(row.times.us for row in profile.rows)
        generated = sum(row.gain_us for row in profile.rows if row.kind is Kind.GENERATED)
        # What a kernel takes at its floor goes away, too, where the kernel becomes part of a product.
        fused = [row for row in profile.rows if is_epilogue(row)]
        convolved = sum(row.times.us - row.gain_us for row in fused if "convolution" in row.after)
        multiplied = sum(row.times.us - row.gain_us for row in fused) - convolved
        library = sum(row.gain_us for row in profile.rows if row.kind is Kind.LIBRARY)
        saved = generated, generated + multiplied, generated + multiplied + convolved
        return cls(*(whole / max(whole - one, 1e-9) for one in (*saved, saved[-1] + library)))


def is_epilogue(row: Row) -> bool:
    """Whether a kernel could be part of the product whose result it reads: it works elementwise."""
    return row.kind is Kind.GENERATED and row.form == "pointwise" and bool(row.after)
