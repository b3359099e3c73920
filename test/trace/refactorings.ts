/** What is done to the files. */
export interface Files {
  read(path: string): string;
  write(path: string, text: string): void;
  remove(path: string): void;
}

export type Row = readonly [what: string, act: (files: Files) => void];
export type SpeakingRow = readonly [...Row, said: readonly string[]];

const LOGIN = "src/login.ts";
const TESTS = "tests/login.test.ts";
const PYTHON = "shipping/dispatch.py";
const GO = "meter/meter.go";
const RUST = "tide/src/lib.rs";
const SPEC = "sdd/specs/AUTH-001.yaml";

/** It must be there, or the row tries nothing. */
export function edit(files: Files, path: string, was: string, is: string): void {
  const text = files.read(path);
  if (!text.includes(was)) throw new Error(`${path} has no ${was}`);
  files.write(
    path,
    text.replace(was, () => is),
  );
}

function move(files: Files, from: string, to: string): void {
  files.write(to, files.read(from));
  files.remove(from);
}

/** A part of a file, from where it begins to where the next begins. */
const part = (text: string, from: string, to?: string): string =>
  text.slice(text.indexOf(from), to === undefined ? undefined : text.indexOf(to, text.indexOf(from) + 1));

/** Nobody wants to hear of these. */
export const SILENT: readonly Row[] = [
  [
    "lines are broken otherwise",
    (files) =>
      edit(
        files,
        LOGIN,
        "if (code.length !== limit || tries < 1) return false;",
        "if (\n    code.length !== limit ||\n    tries < 1\n  )\n    return false;",
      ),
  ],
  [
    "comments come and go",
    (files) => edit(files, LOGIN, "  return code !==", "  // The code of a toy.\n  return /* not */ code !=="),
  ],
  [
    "the doc comment says more",
    (files) => edit(files, LOGIN, "/** @spec AUTH-001 */", "/**\n * Lets somebody in.\n *\n * @spec AUTH-001\n */"),
  ],
  [
    "other quotes, semicolons and brackets",
    (files) => edit(files, LOGIN, 'return code !== "000 000";', "return (code !== '000 000')"),
  ],
  ["all lines end otherwise", (files) => files.write(LOGIN, files.read(LOGIN).replaceAll("\n", "\r\n"))],
  ["a file is moved", (files) => move(files, LOGIN, "src/auth/door.ts")],
  [
    "a symbol goes to another file",
    (files) => {
      const moved = part(files.read(LOGIN), "/** Opens", "export class");
      edit(files, LOGIN, moved, "");
      files.write("src/open.ts", `import { login } from "./login.ts";\n\n${moved}`);
    },
  ],
  [
    "symbols change places",
    (files) => {
      const text = files.read(LOGIN);
      const first = part(text, "/** @spec AUTH-001 */", "/** Opens");
      files.write(LOGIN, `${text.replace(first, "")}\n${first}`);
    },
  ],
  ["code without a tag changes beside it", (files) => edit(files, LOGIN, "return 1;", "return 2;")],
  [
    "another method of the class changes",
    (files) => edit(files, LOGIN, "close(): void {\n    this.#ends = 0;", "close(): void {\n    this.#ends = -1;"),
  ],
  [
    "what is imported is renamed in its file alone",
    (files) =>
      edit(
        files,
        LOGIN,
        'import { limit } from "./limit.ts";',
        'import { other } from "./other.ts";\nimport { limit } from "./limits/limit.ts";',
      ),
  ],
  [
    "a helper that the file does not give away changes",
    (files) => edit(files, "src/shop.ts", "return 2;", "return 3;"),
  ],
  [
    "a test is laid out otherwise",
    (files) =>
      edit(
        files,
        TESTS,
        '  expect(login("123456")).toBe(true);',
        "  // It is right.\n  expect(\n    login('123456'),\n  ).toBe(true)",
      ),
  ],
  ["a test goes to another file", (files) => move(files, TESTS, "tests/auth/door.test.ts")],
  [
    "Python is laid out otherwise",
    (files) =>
      edit(
        files,
        PYTHON,
        'if order["age"] >= limit:',
        "if (\n            order['age']\n            >= limit\n        ):",
      ),
  ],
  [
    "a docstring and comments of Python change",
    (files) =>
      edit(
        files,
        PYTHON,
        '"""Sends what is late first."""',
        '"""Sends the late ones.\n\n    And no others.\n    """\n    # One by one.',
      ),
  ],
  ["a module of Python is moved", (files) => move(files, PYTHON, "shop/shipping/sending.py")],
  ["Go is laid out otherwise", (files) => edit(files, GO, "\tsum := 0\n", "\n\n\tsum   :=   0 // nothing yet\n\n")],
  [
    "a method of Go goes to another file",
    (files) => {
      const moved = part(files.read(GO), "// @spec METER-001.AC-1");
      edit(files, GO, moved, "");
      files.write("meter/gauge.go", `package meter\n\n${moved}`);
    },
  ],
  [
    "Rust is laid out otherwise",
    (files) =>
      edit(files, RUST, "pub fn level(hour: u32, base: i64)", "pub fn level(\n    hour: u32,\n    base: i64,\n)"),
  ],
  [
    "comments of a test of Rust change",
    (files) => edit(files, RUST, "assert_eq!(chart", "// The highest of all.\n        assert_eq!(chart"),
  ],
  [
    "a file without a grammar is laid out otherwise",
    (files) =>
      edit(
        files,
        "db/001.sql",
        "(id INTEGER PRIMARY KEY, paid INTEGER NOT NULL)",
        "(\n  id INTEGER PRIMARY KEY, -- a number\n  paid INTEGER NOT NULL\n)",
      ),
  ],
  [
    "a spec says how far it is, and has comments",
    (files) => edit(files, SPEC, "status: done", "status: implemented # nearly\npriority: high"),
  ],
  [
    "a requirement is written in one line",
    (files) => edit(files, "sdd/requirements.md", "within\n  a day", "within a day"),
  ],
];

/** Everybody wants to hear of these. */
export const SPEAKING: readonly SpeakingRow[] = [
  [
    "a literal is another",
    (files) => edit(files, LOGIN, '"000 000"', '"111 111"'),
    ["high changed AUTH-001 src/login.ts#login"],
  ],
  [
    "a blank in a text is gone",
    (files) => edit(files, LOGIN, '"000 000"', '"000000"'),
    ["high changed AUTH-001 src/login.ts#login"],
  ],
  [
    "a comparison is another",
    (files) => edit(files, LOGIN, "tries < 1", "tries <= 1"),
    ["high changed AUTH-001 src/login.ts#login"],
  ],
  [
    "a condition is gone",
    (files) => edit(files, LOGIN, " || tries < 1", ""),
    ["high changed AUTH-001 src/login.ts#login"],
  ],
  [
    "a default is another",
    (files) => edit(files, LOGIN, "tries = 3", "tries = 30"),
    ["high changed AUTH-001 src/login.ts#login"],
  ],
  [
    "a method does something else",
    (files) => edit(files, LOGIN, "now + 1000", "now + 10"),
    ["high changed AUTH-001.AC-2 src/login.ts#Session.refresh"],
  ],
  [
    "it is moved and changed",
    (files) => {
      edit(files, LOGIN, "now + 1000", "now + 10");
      move(files, LOGIN, "src/auth/door.ts");
    },
    ["high changed AUTH-001.AC-2 src/auth/door.ts#Session.refresh was src/login.ts#Session.refresh"],
  ],
  [
    "it is gone",
    (files) => edit(files, LOGIN, part(files.read(LOGIN), "/** Opens", "export class"), ""),
    ["high removed AUTH-001.AC-1 src/login.ts#open"],
  ],
  [
    "its tag is gone",
    (files) => edit(files, LOGIN, "/** @spec AUTH-001 */\n", ""),
    ["high removed AUTH-001 src/login.ts#login"],
  ],
  [
    "something else has its tag now",
    (files) => edit(files, LOGIN, "export function unrelated", "// @spec AUTH-001\nexport function unrelated"),
    ["low added AUTH-001 src/login.ts#unrelated"],
  ],
  [
    "it has another name",
    (files) => edit(files, LOGIN, "export const open =", "export const unlock ="),
    ["low renamed AUTH-001.AC-1 src/login.ts#unlock was src/login.ts#open"],
  ],
  [
    "it has another name, and so it is called by that",
    (files) => files.write(LOGIN, files.read(LOGIN).replaceAll(/\blogin\b/g, "signIn")),
    ["low renamed AUTH-001 src/login.ts#signIn was src/login.ts#login", "low renamed AUTH-001.AC-1 src/login.ts#open"],
  ],
  [
    "the only test of a criterion is another",
    (files) => edit(files, TESTS, "toBe(true)", "toBe(false)"),
    ["high changed AUTH-001.AC-1 tests/login.test.ts#lets the right code in"],
  ],
  [
    "one of two tests is gone",
    (files) => edit(files, TESTS, part(files.read(TESTS), '// @spec AUTH-001.AC-2\ntest("lasts longer again"'), ""),
    ["medium removed AUTH-001.AC-2 tests/login.test.ts#lasts longer again"],
  ],
  [
    "a test expects less",
    (files) => edit(files, TESTS, "toBe(1002)", "toBeTruthy()"),
    ["medium changed AUTH-001.AC-2 tests/login.test.ts#lasts longer again"],
  ],
  [
    "something that a file gives away changes",
    (files) => edit(files, "src/shop.ts", "step = 5", "step = 50"),
    ["high changed FR-002 src/shop.ts#step"],
  ],
  [
    "a criterion asks for something else",
    (files) => edit(files, SPEC, "the session begins", "the session begins at once"),
    ["medium spec-changed AUTH-001.AC-1"],
  ],
  [
    "a requirement asks for something else",
    (files) => edit(files, "sdd/requirements.md", "a day", "an hour"),
    ["medium spec-changed FR-001"],
  ],
  [
    "a statement of Python leaves its condition",
    (files) => edit(files, PYTHON, '            order["sent"] = True', '        order["sent"] = True'),
    ["high changed FR-001 shipping/dispatch.py#dispatch"],
  ],
  [
    "a method of a class of Python changes",
    (files) => edit(files, PYTHON, "per_kilo=2", "per_kilo=3"),
    ["medium changed SHIP-001 shipping/dispatch.py#Parcel"],
  ],
  [
    "a test of Python asks for less",
    (files) => edit(files, "shipping/test_dispatch.py", " == [1]", ""),
    ["high changed SHIP-001.AC-1 shipping/test_dispatch.py#test_sends_late_orders"],
  ],
  [
    "a comparison of Go is another",
    (files) => edit(files, GO, "sum > most", "sum >= most"),
    ["medium changed METER-001 meter/meter.go#Limit"],
  ],
  [
    "a method of Go is changed",
    (files) => edit(files, GO, "g.level += by", "g.level -= by"),
    ["medium changed METER-001.AC-1 meter/meter.go#Gauge.Raise"],
  ],
  [
    "an error of Rust becomes a value",
    (files) => edit(files, RUST, 'return Err("no such hour".to_string());', "return Ok(0);"),
    ["medium changed TIDE-001 tide/src/lib.rs#level"],
  ],
  [
    "a test of Rust expects something else",
    (files) => edit(files, RUST, "Some(3)", "Some(2)"),
    ["high changed TIDE-001.AC-1 tide/src/lib.rs#tests.finds_the_highest"],
  ],
  [
    "a file without a grammar changes",
    (files) => edit(files, "db/001.sql", "paid INTEGER NOT NULL", "paid TEXT"),
    ["medium changed DB-001 db/001.sql"],
  ],
];
