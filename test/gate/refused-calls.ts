import fs from "node:fs";
import { join } from "node:path";
import type { OperationId } from "#doors/catalogue.ts";
import type { OperationCall } from "#kernel/model/fault.ts";
import { git } from "../kit/folder.ts";
import { LOGIN, type TinyStand } from "./tiny.ts";

const ADD_TEST = 'import { add } from "../src/add.mjs";\n\ntest("adds", () => same(add(1, 2), 3));\n';
export const ID = { id: "AUTH-001" };

/** What a preparation adds to the refused call. */
export type Prepared = Partial<Pick<TinyStand, "engine"> & Pick<OperationCall, "input">>;
type Prepare = (it: TinyStand, later: DisposableStack) => unknown;
export type RefusedCall = readonly [
  refusal: string,
  operation: OperationId,
  input: OperationCall["input"] & object,
  prepare: Prepare,
];

export const build = (it: TinyStand): void => it.write("src/login.mjs", LOGIN);
const editConfig = (it: TinyStand): void => it.write("tools/lint.mjs", "process.exit(0);\n");
export const startOther = (it: TinyStand) =>
  it.run("workflow.feature", { description: "Something else", id: "PEEK-001" });

/** Calls of an agent that follows no guide, with what makes Tenon refuse them. */
export const REFUSED_CALLS: readonly RefusedCall[] = [
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
