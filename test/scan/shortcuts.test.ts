import { expect, test } from "vitest";
import { findCodeShortcuts, type ShortcutRules } from "#code/model/scan/code-shortcuts.ts";
import { lookAt } from "./code-scans.ts";

const RULES: ShortcutRules = { isTest: false, forbidsAny: true };

/** Each as `line:kind:text`. */
async function shortcuts(path: string, text: string, rules: Partial<ShortcutRules> = {}): Promise<string[]> {
  const found = findCodeShortcuts(await lookAt(path, text), { ...RULES, ...rules });
  return found.filter((each) => each.allowed === undefined).map((each) => `${each.line}:${each.kind}:${each.text}`);
}

test.each([
  ["a.ts", "// TODO tell apart\n/* x\n * FIXME: y */\n", ["1:marker:TODO", "3:marker:FIXME"]],
  [
    "a.ts",
    "// todo: later\n// a todo list\n// TODO_LIST and TODO-LIST\n// Hack(me): x\n",
    ["1:marker:todo", "4:marker:Hack"],
  ],
  ["a.ts", "// Adds a TODO item to the list, or the TODO that is new.\n", []],
  ["a.ts", "// Later TODO: split\n", ["1:marker:TODO"]],
  ["a.ts", "// @todo write this\n// TBD\n// WIP: half of it\n", ["1:marker:@todo", "2:marker:TBD", "3:marker:WIP"]],
  ["a.ts", "/* node:coverage disable */\n", ["1:silenced:node:coverage disable"]],
  ["a.ts", 'const TODO = "TODO"; log("FIXME"); // fine\n', []],
  [
    "a.ts",
    "console.log(1); console . debug(2); console.error(3); logger.log(4);\n",
    ["1:debugging:console.log", "1:debugging:console.debug"],
  ],
  ["a.ts", '// console.log(1)\nconst a = "console.log(1)"; const f = console.log;\n', []],
  ["a.js", "window.console?.log(1);\ndebugger;\n", ["1:debugging:window.console.log", "2:debugging:debugger"]],
  [
    "a.ts",
    'throw new Error("Not implemented yet");\nthrow new Error("not found");\n',
    ['1:placeholder:throw new Error("Not implemented yet");'],
  ],
  [
    "a.ts",
    "let a: any; let b = c as any; let d: Array<any>; const any = 1; use(any);\n",
    ["1:any:any", "1:any:any", "1:any:any"],
  ],
  ["a.tsx", "const a = <b c={d as any} />; // any\n", ["1:any:any"]],
  [
    "a.py",
    "print(1)\nlogger.print(2)\nbreakpoint()\npdb.set_trace()\n",
    ["1:debugging:print", "3:debugging:breakpoint", "4:debugging:pdb.set_trace"],
  ],
  [
    "a.py",
    'raise NotImplementedError\nraise NotImplementedError("x")\nraise ValueError("x")\n',
    ["1:placeholder:raise NotImplementedError", '2:placeholder:raise NotImplementedError("x")'],
  ],
  [
    "a.ts",
    "// @ts-nocheck\n/* eslint-disable */\n/* oxlint-disable -- all of it */\n/* v8 ignore start */\n/* istanbul ignore file */\n",
    [
      "1:silenced:@ts-nocheck",
      "2:silenced:eslint-disable",
      "3:silenced:oxlint-disable",
      "4:silenced:v8 ignore",
      "5:silenced:istanbul ignore",
    ],
  ],
  [
    "a.ts",
    "// eslint-disable-next-line no-var -- why\n/* eslint-disable no-var */\n// @ts-expect-error why\nconst a = '@ts-nocheck';\n",
    [],
  ],
  ["a.ts", "// tenon-allow: only Windows gets here\n/* v8 ignore next */\n", []],
  [
    "a.py",
    "# mypy: ignore-errors\n# ruff: noqa\n# ruff: noqa: E501\nx = 1  # noqa\n# pylint: skip-file\ndef f():  # pragma: no cover\n    pass\n",
    [
      "1:silenced:mypy: ignore-errors",
      "2:silenced:ruff: noqa",
      "5:silenced:pylint: skip-file",
      "6:silenced:pragma: no cover",
    ],
  ],
  ["a.go", "package a\n\n//nolint\nvar b = 1 //nolint:gochecknoglobals // why\n", ["3:silenced:nolint"]],
  ["a.py", "class A(ABC):\n    @abstractmethod\n    def f(self):\n        raise NotImplementedError\n", []],
  ["a.go", 'package a\nfunc f() { fmt.Println(1); panic("not implemented"); panic("no") }\n', ["2:placeholder:panic"]],
  [
    "a.rs",
    'fn f() { dbg!(1); println!(); todo!(); unimplemented!("x"); }\n',
    ["1:placeholder:todo!", "1:placeholder:unimplemented!", "1:debugging:dbg!"],
  ],
  [
    "A.java",
    'class A { void f() { throw new UnsupportedOperationException("Not implemented"); } }\n',
    ['1:placeholder:throw new UnsupportedOperationException("Not implemented");'],
  ],
  ["a.rb", "def f\n  raise NotImplementedError\nend\n", ["2:placeholder:raise"]],
  ["a.kt", "// TODO x\nTODO()\n", ["1:marker:TODO"]],
])("%s: %j", async (path, text, expected) => {
  expect(await shortcuts(path, text)).toEqual(expected);
});

test("allows a test to print and to skip types, but not to stop or to remain unwritten", async () => {
  expect(await shortcuts("a.test.ts", "console.log(a as any); debugger; // TODO x\n", { isTest: true })).toEqual([
    "1:marker:TODO",
    "1:debugging:debugger",
  ]);
  expect(await shortcuts("test_a.py", "print(1)\nbreakpoint()\n", { isTest: true })).toEqual([
    "2:debugging:breakpoint",
  ]);
});

test("recognizes Rust's test modules anywhere", async () => {
  const text =
    "fn f() { dbg!(1); }\n#[cfg(test)]\nmod tests {\n  fn g() { dbg!(2); }\n}\n#[test]\nfn h() { dbg!(3); }\n";
  expect(await shortcuts("src/a.rs", text)).toEqual(["1:debugging:dbg!"]);
});

test("reports only changed lines", async () => {
  const text = "// TODO one\n// TODO two\n/*\n TODO four */\n";
  expect(await shortcuts("a.ts", text, { changed: new Set([2, 3]) })).toEqual(["2:marker:TODO"]);
  expect(await shortcuts("a.ts", text, { changed: new Set() })).toEqual([]);
});

test("reports `any` only where the profile forbids it", async () => {
  expect(await shortcuts("a.ts", "let a: any;\n", { forbidsAny: false })).toEqual([]);
});

test.each([
  ["console.log(1); // tenon-allow: the answer is printed\n", []],
  ["// tenon-allow: the answer is printed\nconsole.log(1);\n", []],
  ["// tenon-allow: the answer is printed\n\nconsole.log(1);\n", ["3:debugging:console.log"]],
  ["console.log(1); // tenon-allow:\n", ["1:debugging:console.log"]],
  ["console.log(1); /* tenon-allow: */\n", ["1:debugging:console.log"]],
  ["console.log(1); // tenon-allow\n", ["1:debugging:console.log"]],
  ["console.log(1); // tenon-allow: ok\n", ["1:debugging:console.log"]],
  ["console.log(1); /* tenon-allow: fine */\n", ["1:debugging:console.log"]],
  ['console.log("tenon-allow: me");\n', ["1:debugging:console.log"]],
])("requires a reason in the comment of an allowance: %j", async (text, expected) => {
  expect(await shortcuts("a.ts", text)).toEqual(expected);
});
