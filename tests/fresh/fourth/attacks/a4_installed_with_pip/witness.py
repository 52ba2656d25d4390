import importlib.util
import shutil
import sys
import tempfile
from pathlib import Path


def show(reference, candidate):
    x = reference.get_inputs()[0]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "site-packages" / "kernels.py"
        place.parent.mkdir()
        shutil.copy(candidate.__file__, place)
        spec = importlib.util.spec_from_file_location("kernels", place)
        installed = importlib.util.module_from_spec(spec)
        sys.modules["kernels"] = installed
        spec.loader.exec_module(installed)
        return reference.Model()(x), installed.ModelNew()(x)
