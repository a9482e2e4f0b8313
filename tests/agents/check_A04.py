"""A04 doc.rust-kr.org: the fourteen dead anchors in chapters 3 and 4 point to the headings as they are now, nothing else touched.

    check_A04.py TREE UNTOUCHED
"""
import sys, os; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from check_common import *
GUESS = "ch02-00-guessing-game-tutorial.html#"
FIX = {
 "src/ch03-01-variables-and-mutability.md": {188: GUESS + "비밀번호와-추릿값을-비교하기",
   189: "[data-types]: ch03-02-data-types.html#데이터-타입",
   190: "[storing-values-with-variables]: " + GUESS + "변수에-값-저장하기"},
 "src/ch03-02-data-types.md": {376: GUESS + "비밀번호와-추릿값을-비교하기",
   378: "[control-flow]: ch03-05-control-flow.html#제어-흐름문",
   379: "[strings]: ch08-02-strings.html#문자열에-utf-8-텍스트-저장하기",
   380: "[stack-and-heap]: ch04-01-what-is-ownership.html#스택-영역과-힙-영역"},
 "src/ch03-05-control-flow.md": {389: GUESS + "비밀번호와-추릿값을-비교하기", 391: GUESS + "정답을-맞힌-후-종료하기"},
 "src/ch04-01-what-is-ownership.md": {486: "[data-types]: ch03-02-data-types.html#데이터-타입",
   490: "[method-syntax]: ch05-03-method-syntax.html#메서드-문법"},
 "src/ch04-03-slices.md": {320: "[ch6]: ch06-02-match.html#값을-바인딩하는-패턴",
   321: "[strings]: ch08-02-strings.html#문자열에-utf-8-텍스트-저장하기",
   322: "[deref-coercions]: ch15-02-deref.html#함수와-메서드를-이용한-암묵적-역참조-강제-변환"},
}
def plain(line):
    return nfc(urllib.parse.unquote(line))
def main(tree, untouched):
    base, idx = fresh(untouched), index(tree)
    bad = collateral(idx, base, set(FIX))
    for rel, lines in FIX.items():
        got = read(idx, rel)
        if got is None: bad.append(f"file is gone: {rel}"); continue
        want = [plain(lines.get(i, l)) for i, l in enumerate(base["text"][rel].split("\n"), 1)]
        bad += diff(rel, want, [plain(l) for l in got.split("\n")])
    finish(bad)
if __name__ == "__main__": main(*sys.argv[1:3])
