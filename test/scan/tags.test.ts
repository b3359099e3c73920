import { expect, test } from "vitest";
import { findSpecTags } from "#code/model/scan/spec-tags.ts";
import { lookAt, syntax } from "./code-scans.ts";

/** Each tag as `line:AUTH-001.AC-1`. */
async function tags(path: string, text: string): Promise<string[]> {
  return findSpecTags(await lookAt(path, text)).map(
    ({ spec, criterion, line }) => `${line}:${spec}${criterion === undefined ? "" : `.${criterion}`}`,
  );
}

test.each([
  ["// @spec AUTH-001", ["AUTH-001"]],
  ["// @spec: AUTH-001", ["AUTH-001"]],
  ["// @spec AUTH-0010", ["AUTH-0010"]],
  ["// @spec AUTH-001.", ["AUTH-001"]],
  ["// @spec AUTH-001 and so on", ["AUTH-001"]],
  ["// @spec AUTH-001 @spec AUTH-002", ["AUTH-001", "AUTH-002"]],
  ["// @spec AUTH-001, BUG-002 and API2-003", ["AUTH-001", "BUG-002", "API2-003"]],
  ["// @spec AUTH-001.AC-1", ["AUTH-001.AC-1"]],
  ["// @spec AUTH-001 AC-1", ["AUTH-001.AC-1"]],
  ["// @spec AUTH-001:AC-1, AC-2", ["AUTH-001.AC-1", "AUTH-001.AC-2"]],
  ["// @spec AUTH-001, AUTH-002.AC-12", ["AUTH-001", "AUTH-002.AC-12"]],
  ["// AC: AUTH-001.AC-1", ["AUTH-001.AC-1"]],
  ["// AC: AUTH-001.AC-1, AUTH-001.AC-2", ["AUTH-001.AC-1", "AUTH-001.AC-2"]],
  ["// @spec FR-001, NFR-002 and BR-003", ["FR-001", "NFR-002", "BR-003"]],
  ["// AC: user-login.S1.AC2", ["user-login.S1.AC2"]],
  ["// AC: login.S1.AC1, S1.AC2 and 2fa.S10.AC3", ["login.S1.AC1", "login.S1.AC2", "2fa.S10.AC3"]],
  ["// AC: login.S1.AC2.", ["login.S1.AC2"]],
  ["// AC: login.S1.AC1, AUTH-001.AC-2", ["login.S1.AC1", "AUTH-001.AC-2"]],
  ["// {@spec AUTH-001} (AC: login.S1.AC1)", ["AUTH-001", "login.S1.AC1"]],
  ["// AC: login.S1.AC2x", []],
  ["// AC: login.S1", []],
  ["// AC: Login.S1.AC1", []],
  ["// @spec login.S1.AC1", []],
  ["// login.S1.AC1", []],
  ["// @spec AUTH-001-x", []],
  ["// @spec AUTH-001_2", []],
  ["// @spec auth-001", []],
  ["// @spec AUTH-01", []],
  ["// @specs AUTH-001", []],
  ["// mail@spec AUTH-001", []],
  ["// AUTH-001", []],
  ["// AC: AC-1", []],
  ["// @spec AUTH-001.AC-1x", ["AUTH-001"]],
])("%s names %j", async (comment, expected) => {
  expect(await tags("a.ts", `\n${comment}\n`)).toEqual(expected.map((tag) => `2:${tag}`));
});

test.each([
  [
    "a.ts",
    'const a = "@spec A-001"; // @spec B-001\nconst b = `\n// @spec C-001`;\n/**\n * @spec D-001\n */\n',
    ["1:B-001", "5:D-001"],
  ],
  ["a.tsx", 'const a = <p title="@spec A-001">// @spec B-001{/* @spec C-001 */}</p>;\n', ["1:C-001"]],
  ["a.js", "const r = /\\/\\/ @spec A-001/; // @spec B-001\n", ["1:B-001"]],
  [
    "a.py",
    '"""Module. @spec A-001"""\n# @spec B-001\nx = """@spec C-001"""\ndef f():\n    """\n    @spec D-001\n    """\n    "@spec E-001"\n',
    ["1:A-001", "2:B-001", "6:D-001"],
  ],
  ["b.py", 'class A:\n    # why\n    """@spec A-001"""\n    f"""@spec B-001"""\n', ["3:A-001"]],
  ["c.py", 'def f():\n    f"""@spec B-001"""\n    print("# @spec C-001")\n', []],
  [
    "a.go",
    'package a\n// @spec A-001\nvar x = `// @spec B-001`\nvar y = "/* @spec C-001 */" /* @spec D-001 */\n',
    ["2:A-001", "4:D-001"],
  ],
  ["a.rs", '/// @spec A-001\nfn f() { let x = r#"// @spec B-001"#; } //! @spec C-001\n', ["1:A-001", "2:C-001"]],
  ["A.java", '/** @spec A-001 */ class A { String s = "// @spec B-001"; }\n', ["1:A-001"]],
  ["a.php", '<?php\n# @spec A-001\n$x = "// @spec B-001"; // @spec C-001\n', ["2:A-001", "3:C-001"]],
  ["a.rb", "# @spec A-001\nx = '# @spec B-001'\n", ["1:A-001"]],
  ["a.sh", 'echo "# @spec A-001" # @spec B-001\n', ["1:B-001"]],
  ["a.css", '/* @spec A-001 */ a::before { content: "/* @spec B-001 */"; }\n', ["1:A-001"]],
  ["a.kt", 'val a = "// @spec A-001" // @spec B-001\nval b = """\n// @spec C-001\n"""\n', ["1:B-001"]],
  ["a.cs", 'var a = "// @spec A-001"; /* x\n @spec B-001 */\n', ["2:B-001"]],
  ["a.sql", "select '-- @spec A-001'; -- @spec B-001\n", ["1:B-001"]],
  ["a.lua", 'x = "-- @spec A-001" -- @spec B-001\n', ["1:B-001"]],
  ["a.clj", '(def x "; @spec A-001") ; @spec B-001\n', ["1:B-001"]],
  ["a.vue", "<!-- @spec A-001 -->\n<p>don't</p>\n<script>\n// @spec B-001\n</script>\n", ["1:A-001", "4:B-001"]],
  ["a.ex", 'x = "# @spec A-001" # @spec B-001\n', ["1:B-001"]],
  ["broken.ts", "function f( {{{ \n// @spec A-001\n const = ;;; )\n", ["2:A-001"]],
  ["emoji.ts", 'const a = "😀😀"; /* 😀\n*/ // @spec A-001\n', ["2:A-001"]],
  ["A.cs", 'class A { /// <spec> @spec A-001 </spec>\n string s = @"// @spec B-001"; }\n', ["1:A-001"]],
  ["a.c", '/* @spec A-001 */ char *s = "// @spec B-001"; // @spec C-001\n', ["1:A-001", "1:C-001"]],
  ["a.cpp", 'auto s = "/* @spec A-001 */"; /// @spec B-001\n', ["1:B-001"]],
  ["B.java", 'class B { String s = """\n  // @spec A-001\n  """; // @spec B-001\n}\n', ["3:B-001"]],
  ["b.rb", "x = <<~TEXT\n  # @spec A-001\nTEXT\n=begin\n@spec B-001\n=end\n", ["5:B-001"]],
  ["b.php", "<?php\n/**\n * @spec A-001\n */\n$x = <<<T\n// @spec B-001\nT;\n", ["3:A-001"]],
  [
    "list.ts",
    "/**\n * @spec A-001.AC-1,\n *   AC-2, B-001 and\n * AC: x\n */\n",
    ["2:A-001.AC-1", "3:A-001.AC-2", "3:B-001"],
  ],
  ["list.py", 'def f():\n    """AC: login.S1.AC1,\n    S1.AC2\n    """\n', ["2:login.S1.AC1", "3:login.S1.AC2"]],
  ["crlf.ts", "// @spec A-001\r\n// @spec B-001\r\n", ["1:A-001", "2:B-001"]],
])("reads tags in %s only from comments: %j", async (path, text, expected) => {
  expect(await tags(path, text)).toEqual(expected);
});

test.each(["a.yaml", "a.yml", "a.json", "README.md", "a.txt", "a.toml", "LICENSE"])(
  "does not read %s as code",
  async (path) => {
    expect(await syntax.look(path, "# @spec A-001\n")).toBeUndefined();
  },
);
