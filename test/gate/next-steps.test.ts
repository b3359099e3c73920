import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadCatalogueOperation, type OperationId } from "#doors/catalogue.ts";
import { Fault, type OperationCall, type SuggestedFix } from "#kernel/model/fault.ts";
import { git } from "../kit/folder.ts";
import { LOGIN, tinyStand, type TinyStand } from "./tiny.ts";

interface Refusal {
  readonly isRefused: boolean;
  readonly code?: string;
  readonly next: readonly SuggestedFix[];
}

async function callOperation(it: TinyStand, operation: OperationId, input: object): Promise<Refusal> {
  const found = await loadCatalogueOperation(operation);
  try {
    const output = await found.run(it.engine, input);
    return { isRefused: found.isRefusal?.(output) ?? false, next: found.page(output).next ?? [] };
  } catch (error) {
    if (error instanceof Fault) return { isRefused: true, code: error.code, next: error.fixes };
    throw error;
  }
}

/** A call that leaves out nothing of the refused one and adds nothing to it. */
const isSameCall = (call: OperationCall, operation: string, input: object): boolean =>
  call.operation === operation &&
  Object.entries(call.input ?? {}).every(([field, value]) => {
    const given = (input as Record<string, unknown>)[field] ?? (field === "id" ? "AUTH-001" : undefined);
    return JSON.stringify(given) === JSON.stringify(value);
  });

const CHECKING_CALLS = new Set<string>([
  "gate.run",
  "gate.evidence",
  "gate.mutation-check",
  "workflow.advance",
  "spec.validate",
]);

const ADD_TEST = 'import { add } from "../src/add.mjs";\n\ntest("adds", () => same(add(1, 2), 3));\n';
const ID = { id: "AUTH-001" };

type Row = readonly [refusal: string, operation: OperationId, input: object, prepare: (it: TinyStand) => unknown];

const build = (it: TinyStand): void => it.write("src/login.mjs", LOGIN);
const editConfig = (it: TinyStand): void => it.write("tools/lint.mjs", "process.exit(0);\n");
const startOther = (it: TinyStand) => it.run("workflow.feature", { description: "Something else", id: "PEEK-001" });

const ROWS: readonly Row[] = [
  ["the code has a shortcut", "gate.run", ID, (it) => it.write("src/login.mjs", `${LOGIN}// TODO: more\n`)],
  ["a test is missing", "gate.run", ID, (it) => [build(it), it.write("tests/add.mjs", "\n")]],
  [
    "a new test passes without the work",
    "gate.run",
    ID,
    (it) => [build(it), it.write("tests/add.mjs", `${ADD_TEST}test("adds one", () => same(add(1, 1), 2));\n`)],
  ],
  ["a test fails", "gate.run", ID, (it) => it.write("src/login.mjs", LOGIN.replace("===", "!=="))],
  ["no code is tagged", "gate.run", ID, (it) => it.write("src/login.mjs", LOGIN.replace("@spec", "spec"))],
  ["there is no work", "gate.run", ID, (it) => fs.rmSync(join(it.root, "tests/login.mjs"))],
  [
    "the linter reports a finding",
    "gate.run",
    ID,
    (it) => it.write("src/login.mjs", `${LOGIN}export const x = eval("1");\n`),
  ],
  ["the commands are not trusted", "gate.run", ID, editConfig],
  ["the gate does not pass", "workflow.advance", ID, (it) => it.write("src/login.mjs", `${LOGIN}// TODO: more\n`)],
  [
    "a test is missing at the end of the stage",
    "workflow.advance",
    ID,
    (it) => [build(it), it.write("tests/add.mjs", "\n")],
  ],
  ["the commands are not trusted at the end", "workflow.advance", ID, editConfig],
  ["the stage has ended", "workflow.advance", { ...ID, stage: "discover" }, build],
  ["the spec is missing", "workflow.advance", ID, (it) => fs.rmSync(join(it.root, "sdd/specs/AUTH-001.yaml"))],
  ["the spec is only a form", "workflow.advance", { id: "PEEK-001", approve: "Ann" }, startOther],
  ["no person approved", "workflow.advance", { id: "PEEK-001" }, startOther],
  ["more time without a reason", "workflow.advance", { ...ID, extend: "30m" }, build],
  ["more time for a feature", "workflow.advance", { ...ID, extend: "30m", reason: "Why not" }, build],
  ["there is no such workflow", "workflow.advance", { id: "NONE-001" }, build],
  ["no new test", "gate.evidence", ID, (it) => fs.rmSync(join(it.root, "tests/login.mjs"))],
  [
    "a test that passes already",
    "gate.evidence",
    ID,
    (it) =>
      it.write("tests/login.mjs", ADD_TEST.replace('"adds"', '"adds too"').replace("add(1, 2), 3", "add(1, 1), 2")),
  ],
  ["untrusted evidence", "gate.evidence", ID, editConfig],
  [
    "a mutation that nothing notices",
    "gate.mutation-check",
    ID,
    (it) => [
      build(it),
      it.write(
        "tests/login.mjs",
        it.read("tests/login.mjs").replace('login("123456"), true', 'typeof login, "function"'),
      ),
    ],
  ],
  ["a rollback to nowhere", "workflow.rollback", ID, build],
  ["a rollback to an unknown stage", "workflow.rollback", { ...ID, stage: "verify" }, build],
  ["a rollback by an old plan", "workflow.rollback", { ...ID, stage: "discover", confirm: "0123456789abcdef" }, build],
  [
    "a rollback in a merge",
    "workflow.rollback",
    { ...ID, stage: "discover" },
    (it) => it.write(".git/MERGE_HEAD", git(it.root, "rev-parse", "HEAD")),
  ],
  ["a path outside", "workflow.lock", { ...ID, action: "claim", paths: ["../out.ts"] }, build],
  ["no paths", "workflow.lock", { ...ID, action: "claim" }, build],
  [
    "a file that another workflow holds",
    "workflow.lock",
    { ...ID, action: "claim", paths: ["src/peek.mjs"] },
    async (it) => {
      await startOther(it);
      await it.run("workflow.lock", { id: "PEEK-001", action: "claim", paths: ["src/peek.mjs"] });
    },
  ],
  [
    "a start on files that are held",
    "workflow.feature",
    { description: "More", id: "MORE-001", files: ["tests/login.mjs"] },
    (it) => it.run("workflow.lock", { ...ID, action: "claim", paths: ["tests/login.mjs"] }),
  ],
  ["a start under a used id", "workflow.feature", { description: "More", id: "AUTH-001" }, build],
  ["a switch to nothing", "workflow.switch", { id: "NONE-001" }, build],
  ["a switch to ended work", "workflow.switch", ID, (it) => it.run("workflow.abandon", { ...ID, reason: "Done" })],
  ["no workflow at all", "gate.evidence", {}, (it) => it.run("workflow.abandon", { ...ID, reason: "Done" })],
  ["a time limit in different words", "workflow.research", { description: "Which one", timebox: "soon" }, build],
  ["an id in a different form", "workflow.feature", { description: "More", id: "login 2" }, build],
  ["an exclusion without a reason", "workflow.work", { ...ID, action: "exclude", paths: ["src/login.mjs"] }, build],
  [
    "an exclusion of other files",
    "workflow.work",
    { ...ID, action: "exclude", paths: ["src/add.mjs"], reason: "Not mine" },
    build,
  ],
];

const metCodes = new Set<string>();

test.each(ROWS)("the next step after %s is a different call", async (_, operation, input, prepare) => {
  using it = await tinyStand();
  await prepare(it);
  const { isRefused, code, next } = await callOperation(it, operation, input);
  if (code !== undefined) metCodes.add(code);
  expect(isRefused).toBe(true);
  const [first] = next;
  expect(first).toBeDefined();
  // Another run of the same checks gives the same answer, so something to do comes first.
  const repeats = CHECKING_CALLS.has(operation) ? [...CHECKING_CALLS] : [operation];
  const isLoop = typeof first === "object" && repeats.some((each) => isSameCall(first, each, input));
  expect(isLoop ? next : []).toEqual([]);
});

/** Tests that raise a fault which takes a second process, another folder or a damaged file. */
const MET_ELSEWHERE: Readonly<Record<string, string>> = {
  "flow.not-active": "test/workflow/flows.test.ts",
  "gate.no-base": "test/gate/run-mutation-check.test.ts",
  "lease.lost": "test/workflow/sessions.test.ts",
  "receipt.broken": "test/gate/receipts.test.ts",
  "receipt.none": "test/gate/verify.test.ts",
  "rollback.overlap": "test/workflow/rollback.test.ts",
  "rollback.unfinished": "test/workflow/failed-rollback.test.ts",
  "store.claimed": "test/concurrency/workflows.test.ts",
  "store.conflict": "test/door/obstacles.test.ts",
  "store.pending": "test/door/obstacles.test.ts",
  "timebox.over": "test/workflow/timebox.test.ts",
  "work.edited": "test/workflow/attribution.test.ts",
  "work.no-baseline": "test/workflow/attribution.test.ts",
  "workflow.elsewhere": "test/workflow/flows.test.ts",
  "workflow.not-a-workflow": "test/workflow/flows.test.ts",
  "workflow.too-many": "test/workflow/flows.test.ts",
  "workspace.no-git": "test/workflow/flows.test.ts",
};

/** Faults that workflows, gates and rollbacks can raise, as their source shows. */
const RAISED = new Map(
  [
    "src/planning/model/workflow",
    "src/planning/operations/workflow",
    "src/checking/operations/gate",
    "src/checking/operations/workflow-gate",
  ]
    .flatMap((folder) => fs.readdirSync(folder, { encoding: "utf8" }).map((name) => join(folder, name)))
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .flatMap((path) =>
      [...fs.readFileSync(path, "utf8").matchAll(/new Fault\(\s*"([a-z.-]+)"/g)].map(
        ([, code = ""]) => [code, path] as const,
      ),
    ),
);

// The rows have run before this test.
test("a row or a named test covers every fault of workflows and gates", () => {
  const open = [...RAISED.keys()].filter((code) => !metCodes.has(code) && MET_ELSEWHERE[code] === undefined);
  expect(open).toEqual([]);
  expect(Object.keys(MET_ELSEWHERE).filter((code) => !RAISED.has(code))).toEqual([]);
  for (const path of Object.values(MET_ELSEWHERE)) expect(fs.existsSync(path)).toBe(true);
});
