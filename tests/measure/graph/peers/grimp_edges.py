"""Prints the edges that grimp finds in packages, and their files: `from` TAB `to`.

Arguments: the repository, then for each package its path in it, such as `src/flask`.
"""

import os
import sys

import grimp

root, *packages = sys.argv[1:]
root = os.path.abspath(root)
for package in packages:
    above, name = os.path.split(package)
    sys.path.insert(0, os.path.join(root, above))
    graph = grimp.build_graph(name, cache_dir=None)

    def file(module):
        path = os.path.join(above, *module.split("."))
        for candidate in (f"{path}/__init__.py", f"{path}.py"):
            if os.path.isfile(os.path.join(root, candidate)):
                return candidate
        return None

    for module in sorted(graph.modules):
        source = file(module)
        if source is None:
            continue
        print(source)
        for imported in sorted(graph.find_modules_directly_imported_by(module)):
            if target := file(imported):
                print(f"{source}\t{target}")
