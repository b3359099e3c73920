# Tenon runs this in a temporary checkout, before any code of the project. An editable install leads to the working
# files: this leads imports back to the checkout, and lists modules that still come from the working files.
import atexit
import importlib.machinery
import importlib.util
import os
import sys

WORKING = os.path.realpath(os.environ["TENON_WORKING_FILES"])
CHECKOUT = os.path.realpath(os.environ["TENON_CHECKOUT"])
FOLDER = os.path.realpath(os.environ["TENON_FOLDER"])
IMPORTS = os.environ["TENON_IMPORTS"]
INSTALLED = {".venv", "venv", "env", ".tox", ".nox", "site-packages", "dist-packages", "node_modules"}


def note(line):
    with open(IMPORTS, "a", encoding="utf-8") as file:
        file.write(line + "\n")


def working_path(path):
    """The path below the working files; None for others and for installed packages."""
    if not isinstance(path, str):
        return None
    real = os.path.realpath(path)
    if real != WORKING and not real.startswith(WORKING + os.sep):
        return None
    below = os.path.relpath(real, WORKING)
    return None if INSTALLED.intersection(below.split(os.sep)) else below


def in_checkout(path):
    below = working_path(path)
    return path if below is None else os.path.normpath(os.path.join(CHECKOUT, below))


class CheckoutFinder:
    """Asks the other finders, and maps what they find in the working files to the checkout."""

    busy = set()

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name in cls.busy:
            return None
        cls.busy.add(name)
        try:
            found = (finder.find_spec(name, path, target) for finder in list(sys.meta_path) if finder is not cls and hasattr(finder, "find_spec"))
            spec = next((each for each in found if each is not None), None)
        finally:
            cls.busy.discard(name)
        return find_compiled(name, path) if spec is None else cls.map_spec(name, spec)

    @staticmethod
    def map_spec(name, spec):
        places = spec.submodule_search_locations
        mapped = None if places is None else [in_checkout(place) for place in places]
        if working_path(spec.origin) is None:
            if mapped is not None and mapped != list(places):
                spec.submodule_search_locations = [place for place in mapped if os.path.isdir(place)]
            return spec
        origin = in_checkout(spec.origin)
        if os.path.isfile(origin):
            return importlib.util.spec_from_file_location(name, origin, submodule_search_locations=mapped)
        if spec.origin.endswith(".py"):
            raise ModuleNotFoundError("No module named '%s'" % name, name=name)
        return spec


def find_compiled(name, path):
    """A module that was compiled beside the working files. The checkout has none, and the list shows that it was used."""
    loaders = (
        (importlib.machinery.ExtensionFileLoader, importlib.machinery.EXTENSION_SUFFIXES),
        (importlib.machinery.SourcelessFileLoader, importlib.machinery.BYTECODE_SUFFIXES),
    )
    for place in path or sys.path:
        real = os.path.realpath(place)
        if real == CHECKOUT or real.startswith(CHECKOUT + os.sep):
            beside = os.path.join(WORKING, os.path.relpath(real, CHECKOUT))
            spec = importlib.machinery.FileFinder(beside, *loaders).find_spec(name)
            if spec is not None and spec.loader is not None:
                return spec
    return None


def list_roots():
    """Folders of the checkout whose packages come before installed ones."""
    for folder in (os.path.join(FOLDER, "src"), os.path.join(FOLDER, "lib"), FOLDER):
        try:
            entries = sorted(os.listdir(folder))
        except OSError:
            continue
        if any(os.path.isfile(os.path.join(folder, entry, "__init__.py")) for entry in entries):
            yield folder


def report_imports():
    for name, module in list(sys.modules.items()):
        below = working_path(getattr(module, "__file__", None))
        if below is not None:
            note("working " + below)


def run_shadowed():
    """Another sitecustomize of the environment still counts."""
    own = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or os.curdir) != own]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


note("started")
atexit.register(report_imports)
run_shadowed()
sys.path[:] = list(dict.fromkeys([*list_roots(), *(in_checkout(path) for path in sys.path)]))
sys.meta_path.insert(0, CheckoutFinder)
