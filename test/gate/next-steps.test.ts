import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadCatalogueOperation, type OperationId } from "#doors/catalogue.ts";
import { renderTerminalFix } from "#doors/cli/terminal-render.ts";
import { renderMcpFix } from "#doors/mcp/mcp-render.ts";
import { MCP_TOOLS } from "#doors/mcp/tool-table.ts";
import { Fault, type OperationCall, type SuggestedFix } from "#kernel/model/fault.ts";
import { rollbackWorkflowOperation } from "#planning/operations/workflow/roll-back-workflow.ts";
import { lock, stage } from "../kit/at-work.ts";
import { git, temporaryFolder } from "../kit/folder.ts";
import { overridePort } from "../kit/override-port.ts";
import { findCommandProblem, readInputSchema } from "../kit/suggested-command.ts";
import { stand } from "../workflow/stand.ts";
import { build, ID, type Prepared, REFUSED_CALLS, type RefusedCall, startOther } from "./refused-calls.ts";
import { LOGIN, tinyStand, type TinyStand } from "./tiny.ts";

interface Refusal {
  readonly isRefused: boolean;
  readonly code?: string;
  readonly next: readonly SuggestedFix[];
}

async function callOperation({ engine }: Pick<TinyStand, "engine">, { operation, input }: OperationCall) {
  const found = await loadCatalogueOperation(operation as OperationId);
  try {
    const output = await found.run(engine, input ?? {});
    return { isRefused: found.isRefusal?.(output) ?? false, next: found.page(output).next ?? [] };
  } catch (error) {
    if (error instanceof Fault) return { isRefused: true, code: error.code, next: error.fixes };
    throw error;
  }
}

/** A call that leaves out nothing of the refused one and adds nothing to it. */
const isSameCall = (call: OperationCall, refused: OperationCall): boolean =>
  call.operation === refused.operation &&
  // Without an id, a call is about the current workflow.
  (call.input?.["id"] ?? "AUTH-001") === (refused.input?.["id"] ?? "AUTH-001") &&
  Object.entries(call.input ?? {}).every(([field, value]) => {
    const given = refused.input?.[field] ?? (field === "id" ? "AUTH-001" : undefined);
    return JSON.stringify(given) === JSON.stringify(value);
  });

const CHECKING_CALLS = new Set<string>([
  "gate.run",
  "gate.evidence",
  "gate.mutation-check",
  "workflow.advance",
  "spec.validate",
]);

/** Two files that a rollback takes back, and the plan for it. */
async function planRollback(it: TinyStand) {
  build(it);
  it.write("src/more.mjs", "export const more = 1;\n");
  const input = { ...ID, stage: "specify", presumed: true };
  const { token } = await it.run("workflow.rollback", input);
  return { ...input, confirm: String(token) };
}

/** A rollback in which git fails, half of it done. */
async function stopRollback(it: TinyStand, error: Error): Promise<void> {
  const { snapshots } = it.engine;
  const restore = async () => Promise.reject(error);
  const engine = { ...it.engine, snapshots: overridePort(snapshots, { restore }) };
  const call = rollbackWorkflowOperation.run(engine, await planRollback(it));
  await expect(call).rejects.toThrow(/full|killed|back only in part/);
}

const DISK_FULL = new Fault("disk.full", { what: "Nothing fits.", why: "The disk is full.", fix: "Free some space." });

/** Faults that take a second session, another folder or a damaged file. */
const FAULT_ROWS: readonly RefusedCall[] = [
  ["work on an abandoned workflow", "gate.run", ID, (it) => it.run("workflow.abandon", { ...ID, reason: "Done" })],
  [
    "git has lost the files from before the work",
    "gate.evidence",
    ID,
    (it) => {
      for (const ref of git(it.root, "for-each-ref", "--format=%(refname)", "refs/tenon").trim().split("\n"))
        git(it.root, "update-ref", "-d", ref);
      git(it.root, "prune", "--expire=now");
    },
  ],
  ["the work of a workflow that has no baseline", "workflow.work", { ...ID, action: "show" }, leaveGit],
  ["a snapshot outside git", "workflow.snapshot", ID, leaveGit],
  ["a rollback outside git", "workflow.rollback", { ...ID, stage: "discover" }, leaveGit],
  [
    "another session is at work",
    "workflow.advance",
    { ...ID, session: "two" },
    (it) => it.run("workflow.resume", { ...ID, session: "one", take_over: true }),
  ],
  [
    "a resume while another session is at work",
    "workflow.resume",
    { ...ID, session: "two" },
    (it) => it.run("workflow.resume", { ...ID, session: "one", take_over: true }),
  ],
  [
    "an altered receipt",
    "gate.run",
    ID,
    async (it) => {
      build(it);
      await it.gate();
      const path = "sdd/receipts/AUTH-001.jsonl";
      it.write(path, it.read(path).replace('"passed":true', '"passed":false'));
      it.write("src/login.mjs", `${LOGIN}\n`);
    },
  ],
  ["receipts of nothing", "gate.verify", { id: "NONE-001" }, build],
  [
    "a rollback over a file of other work",
    "workflow.rollback",
    {},
    async (it) => {
      const planned = await planRollback(it);
      await it.run("workflow.snapshot", ID);
      await startOther(it);
      const claim = { id: "PEEK-001", action: "claim", paths: ["src/more.mjs"], force: true };
      await it.run("workflow.lock", claim);
      it.write("src/more.mjs", "export const more = 2;\n");
      const { confirm: _, ...input } = planned;
      const { token } = await it.run("workflow.rollback", input);
      return { input: { ...input, confirm: token } };
    },
  ],
  ["a rollback that stopped half-way", "workflow.snapshot", ID, (it) => stopRollback(it, DISK_FULL)],
  [
    "a rollback that failed on a full disk, which has no room for a note of it either",
    "workflow.rollback",
    {},
    async (it) => {
      const input = await planRollback(it);
      const { snapshots, store } = it.engine;
      let failures = 0;
      const failIf = async (isFull: boolean): Promise<void> => {
        if (isFull) {
          failures++;
          throw DISK_FULL;
        }
      };
      const restore: typeof snapshots.restore = async (request) => {
        // Forwards and back. The note comes third.
        await failIf(failures < 2);
        return snapshots.restore(request);
      };
      const write: typeof store.write = async (decide) => {
        await failIf(failures === 2);
        return store.write(decide);
      };
      const ports = { snapshots: overridePort(snapshots, { restore }), store: overridePort(store, { write }) };
      return { engine: { ...it.engine, ...ports }, input };
    },
  ],
  [
    "a rollback that was killed, and a merge in its way",
    "workflow.snapshot",
    ID,
    async (it) => {
      await stopRollback(it, new Error("killed"));
      it.write(".git/MERGE_HEAD", git(it.root, "rev-parse", "HEAD"));
    },
  ],
  [
    "the spec changes while its gate runs",
    "workflow.advance",
    { id: "PEEK-001", approve: "Ann" },
    async (it) => {
      await startOther(it);
      it.fill("PEEK-001");
      const path = "sdd/specs/PEEK-001.yaml";
      const sourceTree = async () => {
        it.write(path, `${it.read(path)}# mine\n`);
        return it.engine.snapshots.sourceTree();
      };
      return { engine: { ...it.engine, snapshots: overridePort(it.engine.snapshots, { sourceTree }) } };
    },
  ],
  [
    "the time of a research is up",
    "workflow.snapshot",
    { id: "RES-001" },
    async (it) => {
      await it.run("workflow.research", { description: "Which one", id: "RES-001", timebox: "10m" });
      for (let i = 0; i < 2; i++) {
        it.pass(6);
        await it.run("workflow.advance", { id: "RES-001", check: true });
      }
    },
  ],
  [
    "an exclusion of an edit that a client reported",
    "workflow.work",
    { ...ID, action: "exclude", paths: ["src/login.mjs"], reason: "Not mine" },
    async (it) => {
      build(it);
      await stage(it.engine, { locks: [lock("AUTH-001", "src/login.mjs")] });
    },
  ],
  [
    "work in a worktree, called from the main folder",
    "workflow.advance",
    { id: "PEEK-001" },
    (it) => it.run("workflow.feature", { description: "Something else", id: "PEEK-001", worktree: true }),
  ],
  [
    "a change in the place of a workflow",
    "workflow.advance",
    { id: "fix-it" },
    (it) => it.run("change.start", { type: "fix", size: "small", description: "Fix it", concurrent: true }),
  ],
  [
    "an eleventh workflow",
    "workflow.feature",
    { description: "One too many" },
    async (it) => {
      for (let i = 2; i <= 10; i++) await it.run("workflow.feature", { description: `Part ${i}` });
    },
  ],
];

/** The same workflow in a folder without git. */
async function leaveGit(_: TinyStand, later: DisposableStack): Promise<Prepared> {
  const outside = later.use(await stand(later.use(temporaryFolder()), false));
  await outside.run("workflow.feature", { description: "Log in", id: "AUTH-001" });
  return { engine: outside.engine };
}

const hasBlank = ({ input = {} }: OperationCall): boolean => JSON.stringify(input).includes("…");
const SHELL_COMMAND = /(?:^|: )(?:git|cd|rm|tenon) /;

/** Why a call cannot be typed at one of the doors as it is printed. */
function findCallProblem(call: OperationCall): string | undefined {
  const problem = findCommandProblem(renderTerminalFix(call));
  if (problem !== undefined) return `${renderTerminalFix(call)}: ${problem}`;
  const [name = "", ...rest] = renderMcpFix(call, MCP_TOOLS).split(" ");
  if (name === "ask") return undefined;
  const given = Object.keys(JSON.parse(rest.join(" ")) as object);
  const { required = [] } = readInputSchema(call.operation);
  const isOffered = MCP_TOOLS.some((tool) => tool.name === name);
  return isOffered && required.every((field) => given.includes(field)) ? undefined : renderMcpFix(call, MCP_TOOLS);
}

/** Follows the first call of each answer until one succeeds or something else is to be done first. Returns a loop. */
async function findLoop(
  at: Pick<TinyStand, "engine">,
  refused: OperationCall,
  answer: Refusal,
): Promise<readonly OperationCall[]> {
  const met = [refused];
  for (let { isRefused, next } = answer; isRefused;) {
    const [first] = next;
    expect(first).toBeDefined();
    expect(next.flatMap((fix) => (typeof fix === "string" ? [] : (findCallProblem(fix) ?? [])))).toEqual([]);
    expect(next.some((fix) => typeof fix === "object" || SHELL_COMMAND.test(fix)) ? [] : next).toEqual([]);
    if (typeof first !== "object" || hasBlank(first)) return [];
    // Another run of the same checks gives the same answer, so something to do comes first.
    const repeats = CHECKING_CALLS.has(first.operation) ? [...CHECKING_CALLS] : [first.operation];
    const isMet = met.some(
      ({ operation, input = {} }) =>
        repeats.includes(operation) && isSameCall({ ...first, operation }, { operation, input }),
    );
    met.push(first);
    if (isMet) return met;
    const told = await callOperation(at, first);
    expect(told.code ?? "").not.toMatch(/^(?:input|usage)\./);
    ({ isRefused, next } = told);
  }
  return [];
}

const metCodes = new Set<string>();

test.each([...REFUSED_CALLS, ...FAULT_ROWS])(
  "after %s, the next steps can be typed and lead on",
  async (_, operation, given, prepare) => {
    using it = await tinyStand();
    using later = new DisposableStack();
    const { engine = it.engine, input = given } = ((await prepare(it, later)) ?? {}) as Prepared;
    const refused = { operation, input };
    const answer = await callOperation({ engine }, refused);
    if (answer.code !== undefined) metCodes.add(answer.code);
    expect(answer.isRefused).toBe(true);
    expect(await findLoop({ engine }, refused, answer)).toEqual([]);
  },
);

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
test("a row covers every fault of workflows and gates", () => {
  expect([...RAISED.keys()].filter((code) => !metCodes.has(code))).toEqual([]);
});
