import { expect, test } from "vitest";
import { LOGIN, tinyStand, type TinyStand } from "./tiny.ts";

const TESTS = `import { login } from "../src/login.mjs";

// @spec AUTH-001.AC-1
test("lets the right code in", () => same(login("123456"), true));
// @spec AUTH-001.AC-2
test("keeps a wrong code out", () => same(login("000000"), false));
`;
const FILLED = "trace:\n  code:\n    - src/login.mjs\n  tests:\n    - tests/login.mjs\n";
const SPEC = "sdd/specs/AUTH-001.yaml";

/** The trace of a spec is not part of what the user approves, so it may change at any time. */
async function buildLogin(trace: string): Promise<TinyStand> {
  const it = await tinyStand();
  it.write("tests/login.mjs", TESTS);
  it.write("src/login.mjs", LOGIN);
  it.write(SPEC, it.read(SPEC).replace(/^trace:\n(?: .*\n)*/m, trace));
  return it;
}

const readTrace = (it: TinyStand): string => /^trace:\n(?: .*\n)*/m.exec(it.read(SPEC))?.[0] ?? "";

const UNDOCUMENTED =
  "documentation: No document of the work tells users about AUTH-001. Update one, such as README.md, or name one in trace.docs of the spec.";

const listOpen = ({ open }: { readonly open: readonly string[] }): string[] =>
  open.filter((line) => !line.startsWith("approval: "));

test("fills in the trace of a spec", async () => {
  using it = await buildLogin("");
  expect((await it.advance("AUTH-001", { stage: "implement" })).passed).toBe(true);
  expect(readTrace(it)).toBe(FILLED);
  it.write("docs/login.md", "# Log in\n\nType the code from your phone.\n");
  const moved = await it.advance("AUTH-001", { stage: "verify" });
  expect([moved.passed, moved.workflow?.status]).toEqual([true, "completed"]);
  expect(readTrace(it)).toBe(`${FILLED}  docs:
    - docs/login.md
`);
});

test("fills in the trace after a pass that an advance reuses", async () => {
  using it = await buildLogin("trace:\n  code: []\n  tests: []\n  docs: []\n  decisions: []\n");
  expect((await it.gate()).open).toEqual([]);
  expect((await it.advance("AUTH-001", { stage: "implement" })).passed).toBe(true);
  expect(readTrace(it)).toBe(
    `${FILLED}  docs: []
  decisions: []
`,
  );
});

test("keeps written entries of existing files and removes those of missing files", async () => {
  using it = await buildLogin("trace:\n  code: [src/add.mjs:1, src/gone.mjs]\n  tests: [tests/login.mjs:3]\n");
  expect((await it.advance("AUTH-001", { stage: "implement" })).passed).toBe(true);
  expect(readTrace(it)).toBe(
    "trace:\n  code:\n    - src/add.mjs:1\n    - src/login.mjs\n  tests: [tests/login.mjs:3]\n",
  );
});

test.each([
  ["nothing", {}, [UNDOCUMENTED]],
  [
    "a generated page with nothing else",
    {
      "docs/60-features/AUTH-001.md":
        "<!-- AUTO:BEGIN:feature:AUTH-001 -->\n# Log in\n<!-- AUTO:END:feature:AUTH-001 -->\n\n<!-- AUTH-001: add below -->\n",
    },
    [UNDOCUMENTED],
  ],
  [
    "a generated page with handwritten text",
    {
      "docs/60-features/AUTH-001.md":
        "<!-- AUTO:BEGIN:feature:AUTH-001 -->\n<!-- AUTO:END:feature:AUTH-001 -->\n\nType the code from your phone.\n",
    },
    [],
  ],
  ["the README", { "README.md": "# Small\n\nLog in with a code.\n" }, []],
])("judges documentation that is %s", async (_, files, open) => {
  using it = await buildLogin("");
  expect((await it.advance("AUTH-001", { stage: "implement" })).passed).toBe(true);
  for (const [path, text] of Object.entries(files)) it.write(path, text);
  expect(listOpen(await it.gate())).toEqual(open);
});

test("does not count a named document that is only generated", async () => {
  using it = await buildLogin("trace:\n  docs: [docs/60-features/AUTH-001.md]\n");
  expect((await it.advance("AUTH-001", { stage: "implement" })).passed).toBe(true);
  it.write("docs/60-features/AUTH-001.md", "<!-- AUTO:specs -->\nAUTH-001\n<!-- /AUTO -->\n");
  expect(listOpen(await it.gate())).toEqual([
    "documentation: docs/60-features/AUTH-001.md has only generated text. Write below it how to use AUTH-001.",
  ]);
});
