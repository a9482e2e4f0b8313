//! Tests of Python imports.

use super::check;

#[test]
fn modules_of_python() {
    check(
        &[
            ("pyproject.toml", "[project]\nname = 'p'\n"),
            (
                "src/p/__init__.py",
                "from . import a\nfrom .sub import thing, deep\nfrom .gone import x\n",
            ),
            (
                "src/p/a.py",
                "import p.sub.deep\nfrom p import a, name\nfrom p.sub import *\nimport os\nimport p.lost\n\
                 from ... import far\nfrom .... import out\nfrom p.space import inner\nfrom p.space import none\n",
            ),
            (
                "src/p/sub/__init__.py",
                "from .. import a\nfrom ..sub import deep\n",
            ),
            ("src/p/sub/deep.py", ""),
            ("src/p/space/inner.py", ""),
            (
                "tests/test_a.py",
                "import helper\nfrom p import a\nimport tests.helper\nimport docs\n",
            ),
            ("tests/helper.py", ""),
            ("docs/conf.txt", ""),
            ("other/setup.cfg", "[options]\npackage_dir =\n    = lib\n"),
            ("other/lib/q/__init__.pyi", ""),
            ("other/use.py", "import q\n"),
            ("use.py", "import q\n"),
        ],
        &[
            "src/p/__init__.py:1 src/p/a.py",
            "src/p/__init__.py:2 src/p/sub/__init__.py src/p/sub/deep.py",
            "src/p/__init__.py:3 missing",
            "src/p/a.py:1 src/p/sub/deep.py",
            "src/p/a.py:2 src/p/__init__.py",
            "src/p/a.py:3 src/p/sub/__init__.py",
            "src/p/a.py:4 external",
            "src/p/a.py:5 missing",
            "src/p/a.py:6 missing",
            "src/p/a.py:7 external",
            "src/p/a.py:8 src/p/space/inner.py",
            "src/p/a.py:9 missing",
            "src/p/sub/__init__.py:1 src/p/a.py",
            "src/p/sub/__init__.py:2 src/p/sub/deep.py",
            "tests/test_a.py:1~ tests/helper.py",
            "tests/test_a.py:2 src/p/a.py",
            "tests/test_a.py:3 tests/helper.py",
            "tests/test_a.py:4 external",
            "other/use.py:1 other/lib/q/__init__.pyi",
            "use.py:1~ other/lib/q/__init__.pyi",
        ],
    );
}

#[test]
fn modules_that_python_brings_along() {
    check(
        &[
            ("types.py", ""),
            ("platform/x.py", ""),
            (
                "main.py",
                "import types\nimport platform\nimport platform.x\nimport queue\n",
            ),
            ("deep/main.py", "import logging\nimport json.tool\n"),
            ("deep/logging.py", ""),
            ("other/pyproject.toml", ""),
            ("other/src/json/__init__.py", ""),
        ],
        &[
            "main.py:1~ types.py",
            "main.py:2 external",
            "main.py:3 external",
            "main.py:4 external",
            "deep/main.py:1 external",
            "deep/main.py:2 external",
        ],
    );
}
