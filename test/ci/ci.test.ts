import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CI_CHECKS } from "#checking/model/ci/ci-findings.ts";
import { runCiOperation } from "#onboarding/operations/ci/run-ci.ts";
import { git, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { joinReceipts, createTestReceipt } from "../kit/receipts.ts";
import { commitAll, takeLikeness, put } from "../kit/repository.ts";

const SPEC = `spec_id: AUTH-001
title: Log in
status: implemented
summary: Members log in with a passkey.
acceptance_criteria:
  - id: AC-1
    given: A member
    when: They show their passkey
    then: They are in
`;
const CODE = "/** @spec AUTH-001 */\nexport const login = (code) => code === 1;\n";
const TEST = '// @spec AUTH-001.AC-1\ntest("lets them in", () => undefined);\n';
const DOC = "# Log in\n\nAUTH-001 lets members in.\n";
const WHOLE = {
  ".gitignore": ".sdd/\n",
  "sdd/specs/AUTH-001.yaml": SPEC,
  "src/login.js": CODE,
  "test/login.test.js": TEST,
  "docs/login.md": DOC,
};

interface Report {
  readonly passed: boolean;
  readonly checks: readonly { readonly check: string; readonly passed: boolean }[];
  readonly findings: readonly { readonly check: string; readonly kind: string; readonly path?: string }[];
}

/** A repository in which all is well, but for what is said. */
function stand(files: Readonly<Record<string, string | undefined>> = {}, environment: Record<string, string> = {}) {
  const repository = temporaryRepository();
  const root = repository.path;
  for (const [path, text] of Object.entries({ ...WHOLE, ...files })) if (text !== undefined) put(root, path, text);
  commitAll(root);
  const house = testHouse(root, { environment });
  return {
    root,
    run: (...words: string[]) => house.run(...words),
    report: async (...words: string[]): Promise<Report> =>
      JSON.parse((await house.run("ci", "--json", ...words)).out) as Report,
    [Symbol.dispose]: () => {
      house[Symbol.dispose]();
      repository[Symbol.dispose]();
    },
  };
}

const listKinds = ({ findings }: Report): string[] => findings.map(({ check, kind }) => `${check} ${kind}`);

test("passes a sound workspace and writes nothing but the index", async () => {
  using it = stand();
  const before = takeLikeness(it.root);
  const { code, out } = await it.run("ci");
  expect([code, out.split("\n", 1)]).toEqual([0, ["All 4 checks pass."]]);
  const changed = Object.keys(takeLikeness(it.root)).filter((name) => !(name in before));
  expect(changed.filter((name) => !name.startsWith("file .sdd/"))).toEqual([]);
  expect(git(it.root, "status", "--porcelain")).toBe("");
});

test.each<[string, Record<string, string | undefined>, string[], number]>([
  ["an invalid record", { "sdd/changes/fix/change.json": "{}" }, ["validate problem"], 1],
  ["invalid settings", { "sdd/config.yaml": "gates: 7\n" }, ["validate problem"], 1],
  [
    "an edited receipt",
    { "sdd/receipts/AUTH-001.jsonl": joinReceipts(createTestReceipt(1)).replace("1200", "12") },
    ["verify broken"],
    1,
  ],
  [
    "a receipt of an earlier tree",
    { "sdd/receipts/AUTH-001.jsonl": joinReceipts(createTestReceipt(1)) },
    ["verify finding"],
    0,
  ],
  ["a criterion without a test", { "test/login.test.js": TEST.replace(".AC-1", "") }, ["trace untested"], 1],
  ["a tag without a target", { "src/other.js": CODE.replace("AUTH-001", "AUTH-007") }, ["trace orphan"], 1],
  ["a feature without a document", { "docs/login.md": "# Log in\n" }, ["trace no-docs"], 0],
  [
    "an unimplemented spec",
    { "sdd/specs/AUTH-001.yaml": SPEC.replace("implemented", "specified"), "test/login.test.js": undefined },
    [],
    0,
  ],
])("%s", async (_, files, expected, code) => {
  using it = stand(files);
  const report = await it.report();
  expect(listKinds(report)).toEqual(expected);
  expect((await it.run("ci")).code).toBe(code);
  expect((await it.run("ci", "--strict")).code).toBe(expected.length === 0 ? 0 : 1);
});

test("reports several failed checks at once, each with its findings", async () => {
  using it = stand({ "test/login.test.js": undefined });
  await it.run("drift", "--accept", "AUTH-001", "--reason", "Read");
  put(it.root, "src/login.js", CODE.replace("1;", "2;"));
  const report = await it.report();
  expect(listKinds(report)).toEqual(["drift high", "trace no-tests", "trace untested", "verify uncovered"]);
  expect(report.checks.map(({ check, passed }) => [check, passed])).toEqual([
    ["validate", true],
    ["verify", true],
    ["drift", false],
    ["trace", false],
  ]);
});

test("counts a check that cannot run as failed, and runs the others", async () => {
  using folder = temporaryFolder();
  using house = testHouse(folder.path);
  // Nothing can be read of a workspace that is not there.
  const { findings, passed } = await runCiOperation.run(await house.house.open({ mayLack: true }), { run: true });
  expect([passed, findings.map(({ check, kind, level }) => [check, kind, level])]).toEqual([
    false,
    CI_CHECKS.map((check) => [check, "unreadable", "error"]),
  ]);
});

test("writes annotations on GitHub without a flag, and never into the JSON", async () => {
  using it = stand({ "src/o:t,h.js": CODE.replace("AUTH-001", "AUTH-007") }, { GITHUB_ACTIONS: "true" });
  const lines = (text: string): string[] => text.split("\n").filter((line) => line.startsWith("::"));
  const expected = [expect.stringMatching(/^::error file=src\/o%3At%2Ch\.js,line=1,title=tenon trace::/)];
  expect(lines((await it.run("ci")).out)).toEqual(expected);
  expect(lines((await it.run("ci", "--annotations", "none")).out)).toEqual([]);
  const { out, err } = await it.run("ci", "--json");
  expect([JSON.parse(out), lines(err)]).toEqual([expect.objectContaining({ passed: false }), expected]);
});

test("escapes GitHub commands in file names on the page too", async () => {
  using it = stand({ "src/##[stop-commands]x.js": CODE.replace("AUTH-001", "AUTH-007") });
  const { out } = await it.run("ci");
  expect([out.includes("stop-commands"), out.includes("##[")]).toEqual([true, false]);
});

test("outside a workspace ci reports that it could not run", async () => {
  using it = stand();
  fs.rmSync(join(it.root, ".git"), { recursive: true });
  fs.rmSync(join(it.root, "sdd"), { recursive: true });
  const { code, err } = await it.run("ci");
  expect([code, err]).toEqual([2, expect.stringContaining("workspace.not-found")]);
});
