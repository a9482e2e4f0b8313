//! Tests of Go, Java, Kotlin and C imports.

use super::check;

#[test]
fn packages_of_go() {
    check(
        &[
            (
                "go.mod",
                "module example.org/a // b\n\nrequire (\n\texample.org/c v1.0.0\n)\n\
                 replace (\n\texample.org/c v1.0.0 => ./third/c\n)\n",
            ),
            (
                "main.go",
                "package main\nimport (\n\"example.org/a/p\"\n\"example.org/c/q\"\n\"fmt\"\n\
                 \"example.org/a/gone\"\n\"example.org/d\"\n\"v.org/x\"\n\"example.org/e\"\n)\n",
            ),
            ("p/one.go", "package p\nimport \"example.org/a\"\n"),
            ("p/two.go", "package p\n"),
            ("p/one_test.go", "package p\n"),
            ("third/c/go.mod", "module example.org/c\n"),
            ("third/c/q/q.go", "package q\n"),
            ("d/go.mod", "module example.org/d\n"),
            ("d/d.go", "package d\n"),
            ("vendor/v.org/x/x.go", "package x\n"),
            ("testdata/go.mod", "module fmt\n"),
            ("testdata/f.go", "package fmt\n"),
        ],
        &[
            "main.go:3~ p/one.go p/two.go",
            "main.go:4~ third/c/q/q.go",
            "main.go:5~ external",
            "main.go:6~ missing",
            "main.go:7~ d/d.go",
            "main.go:8~ vendor/v.org/x/x.go",
            "main.go:9~ external",
            "p/one.go:2~ main.go",
        ],
    );
}

#[test]
fn packages_of_the_jvm() {
    check(
        &[
            (
                "src/a/b/Main.java",
                "package a.b;\nimport a.c.Thing;\nimport static a.c.Thing.make;\nimport a.c.Thing.Inner;\n\
                 import a.c.*;\nimport java.util.List;\nimport a.c.Gone;\nimport a.c.lib.Other;\n\
                 import a.k.Loose;\nimport a.k.helper;\nimport a.Same;\n",
            ),
            ("src/a/c/Thing.java", "package a.c;\n"),
            ("src/a/c/More.java", "package a.c;\n"),
            ("kt/loose.kt", "package a.k\n\nclass Loose\n"),
            (
                "kt/more.kt",
                "package a.k\n\nimport a.k.own\nimport a.z.alone\nfun helper() {}\n",
            ),
            ("z/z.kt", "package a.z\n\nimport a.z.alone\n"),
            ("x/Same.java", "package a;\n"),
            ("y/Same.java", "package a;\n"),
        ],
        &[
            "src/a/b/Main.java:1~ ",
            "src/a/b/Main.java:2~ src/a/c/Thing.java",
            "src/a/b/Main.java:3~ src/a/c/Thing.java",
            "src/a/b/Main.java:4~ src/a/c/Thing.java",
            "src/a/b/Main.java:5~ src/a/c/More.java src/a/c/Thing.java",
            "src/a/b/Main.java:6~ external",
            "src/a/b/Main.java:7~ missing",
            "src/a/b/Main.java:8~ external",
            "src/a/b/Main.java:9~ one of kt/loose.kt kt/more.kt",
            "src/a/b/Main.java:10~ one of kt/loose.kt kt/more.kt",
            "src/a/b/Main.java:11~ one of x/Same.java y/Same.java",
            "src/a/c/Thing.java:1~ ",
            "src/a/c/More.java:1~ ",
            "kt/loose.kt:1~ ",
            "kt/more.kt:1~ ",
            "kt/more.kt:3~ one of kt/loose.kt kt/more.kt",
            "kt/more.kt:4~ z/z.kt",
            "z/z.kt:1~ ",
            "z/z.kt:3~ ",
            "x/Same.java:1~ ",
            "y/Same.java:1~ ",
        ],
    );
}

#[test]
fn headers() {
    check(
        &[
            (
                "src/a.c",
                "#include \"a.h\"\n#include \"pub.h\"\n#include <pub.h>\n#include <string.h>\n\
                 #include \"deep.h\"\n#include \"two.h\"\n#include <fmt/core.h>\n#include \"gone.h\"\n\
                 #include <sys/types.h>\n#include \"lib/one.h\"\n",
            ),
            ("src/a.h", ""),
            ("include/pub.h", ""),
            ("x/compat/string.h", ""),
            ("x/compat/sys/types.h", ""),
            ("x/y/deep.h", ""),
            ("x/two.h", ""),
            ("y/two.h", ""),
            ("third/fmt/core.h", ""),
            ("z/lib/one.h", ""),
            ("z/notlib/one.h", ""),
        ],
        &[
            "src/a.c:1~ src/a.h",
            "src/a.c:2~ include/pub.h",
            "src/a.c:3~ include/pub.h",
            "src/a.c:4~ external",
            "src/a.c:5~ x/y/deep.h",
            "src/a.c:6~ one of x/two.h y/two.h",
            "src/a.c:7~ third/fmt/core.h",
            "src/a.c:8~ missing",
            "src/a.c:9~ external",
            "src/a.c:10~ z/lib/one.h",
        ],
    );
}
