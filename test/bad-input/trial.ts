import fs from "node:fs";
import { join } from "node:path";
import { MCP_TOOLS } from "#doors/mcp/tool-table.ts";
import { OPERATION_IDS, type OperationId, type ToolJsonSchema } from "#doors/catalogue.ts";
import { testHouse } from "../kit/house.ts";
import { TIDES } from "../kit/project.ts";
import { type Name, NAMES } from "./corpus.ts";
import { canary, type Doors, fingerprint, type Input, openDoors, type Outcome, shareWorkspace } from "./doors.ts";

/** A file that memory can be imported from. */
const EXPORT = "export.jsonl";

/** A spec in an older form, which could be rewritten. */
const SPEC = "spec_id: AUTH-001\ntitle: Log in\nsummary: Members log in with a passkey.\n";

/** A call of each operation that would be carried out, were it not for the one argument that is put in its place. */
export const GOOD: Readonly<Record<OperationId, Input>> = {
  "workspace.init": {},
  "workspace.status": {},
  "workspace.doctor": {},
  "workspace.documents": {},
  "workspace.validate": {},
  "ci.run": {},
  "ci.example": { for: "github" },
  "release.notes": {},
  "release.create": {},
  "adopt.scan": {},
  "setup.clients": { clients: ["agents"], dry_run: true },
  "adopt.bootstrap": {},
  "adopt.accept": { all: true },
  "adopt.undo": {},
  "change.start": { type: "fix", size: "small", description: "Another", concurrent: true },
  "change.quick": { description: "Yet another", concurrent: true },
  "change.advance": { content: "It fails." },
  "change.status": {},
  "change.list": {},
  "change.reopen": { stage: "describe", reason: "Misread" },
  "change.abandon": { reason: "Solved upstream" },
  "change.resize": { size: "medium", reason: "It grew" },
  "change.review": {},
  "change.archive": {},
  "workflow.stats": {},
  "stack.trust": {},
  "run.start": { plan: true },
  "worker.start": {},
  "run.show": {},
  "run.stop": { action: "work/fix-login" },
  "run.resume": { action: "work/fix-login" },
  "run.check": { agent: "nobody" },
  "project.init": { name: "Tides", description: "Tables" },
  "project.propose": TIDES.propose,
  "project.specify": TIDES.specify,
  "project.business-rules": TIDES["business-rules"],
  "project.clarify": { answers: TIDES.clarify.answers },
  "project.design": TIDES.design,
  "project.tasks": TIDES.tasks,
  "project.validate": TIDES.validate,
  "project.context": {},
  "project.confirm": {},
  "project.reopen": { stage: "propose", reason: "Misread" },
  "workflow.feature": { description: "Log in with a passkey" },
  "workflow.bugfix": { description: "Login fails" },
  "workflow.research": { description: "Which provider", timebox: "1h" },
  "workflow.advance": { id: "AUTH-001", approve: "Ann" },
  "workflow.status": {},
  "workflow.switch": { id: "AUTH-001" },
  "workflow.prioritize": { id: "AUTH-001", priority: 2 },
  "workflow.abandon": { id: "AUTH-001", reason: "Solved upstream" },
  "workflow.rollback": { id: "AUTH-001", snapshot: 1 },
  "workflow.resume": { id: "AUTH-001" },
  "workflow.snapshot": { id: "AUTH-001" },
  "workflow.work": { action: "show", id: "AUTH-001" },
  "workflow.lock": { action: "claim", paths: ["src/login.ts"], id: "AUTH-001" },
  "workflow.conflicts": { a: "AUTH-001", b: "fix-login" },
  "feature.design": { feature: "Members see the tides of a port" },
  "feature.impl": { feature: "tide-table" },
  "review.begin": { kind: "dead-code" },
  "review.waive": { scope: "tide-table", batch: "B1", finding: "F1", reason: "So agreed" },
  "roadmap.manage": {},
  "roadmap.graph": {},
  "roadmap.next": { peek: true },
  "handover.write": { accomplished: "Passkeys work", next: "Review them" },
  "handover.decide": { summary: "Keep state in SQLite", reason: "Two stores drift" },
  "roadmap.brief": { action: "user-login/architect/1" },
  "roadmap.report": { action: "tide-table/architect/1", lost: true },
  "approval.answer": { id: "AUTH-001" },
  "gate.run": { id: "AUTH-001" },
  "gate.evidence": { id: "AUTH-001" },
  "gate.mutation-check": { id: "AUTH-001" },
  "gate.verify": { id: "AUTH-001" },
  "trace.show": { id: "FR-001" },
  "context.check": { change_description: "Log in with a passkey" },
  "context.suggest": { task_description: "Log in with a passkey" },
  "context.audit": {},
  "spec.validate": { id: "AUTH-001" },
  "indexing.feed": {},
  "indexing.query": { question: "how does login work" },
  "stack.detect": {},
  "knowledge.manage": { action: "add", type: "pattern", text: "Retries are safe" },
  "knowledge.approve": { candidate: "retries" },
  "steering.manage": { action: "show" },
  "indexing.update": {},
  "adr.record": { title: "One", context: "Two", decision: "Three", rationale: "Four" },
  "adr.status": { adr: "ADR-0001", status: "deprecated" },
  "adr.list": {},
  "explore.record": { title: "Log in", goals: "Passkeys" },
  "importing.take": {},
  "export.openspec": {},
  "indexing.summarize": { dry_run: true },
  "trace.drift": { id: "AUTH-001" },
  "trace.impact": { of: "src/login.ts" },
  "memory.save": { title: "Log in", content: "The cache host is slow" },
  "memory.search": { query: "login" },
  "memory.context": {},
  "memory.get": { id: 1 },
  "memory.session": { action: "start", id: "tuesday" },
  "memory.timeline": { observation_id: 1 },
  "memory.update": { id: 1, content: "Another text" },
  "memory.delete": { id: 1 },
  "memory.relate": { from_id: 1, to_id: 2, relation_type: "depends_on" },
  "memory.history": { id: 1 },
  "memory.progress": { content: '{"done":[]}' },
  "memory.compact": { older_than_days: 30 },
  "memory.suggest-topic-key": { title: "Log in" },
  "memory.stats": {},
  "memory.export": { file: "another.jsonl" },
  "memory.import": { file: EXPORT },
  "memory.backup": { file: "copy.db" },
  "team.init": {},
  "team.status": {},
  "team.doctor": {},
  "team.export": { file: "ledger-copy.db" },
};

/** Arguments that belong to a call of their own. */
const COMPANIONS: Readonly<Record<string, Input>> = {
  "adr.status superseded_by": { ...GOOD["adr.status"], status: "superseded" },
  "change.quick change_id": { done: true },
  "memory.relate id": { action: "remove" },
  "memory.delete source": {},
  "memory.history topic_key": {},
};

const LISTED = await (async () => {
  using house = testHouse("/nowhere");
  const schemas = OPERATION_IDS.map(async (id) => [id, (await house.house.surface.of(id)).inputSchema] as const);
  return Promise.all(schemas);
})();

export const argumentsWhere = (
  holds: (field: ToolJsonSchema, name: string, operation: OperationId) => boolean,
): [OperationId, string][] =>
  LISTED.flatMap(([id, { properties = {} }]) =>
    Object.entries(properties)
      .filter(([name, field]) => holds(field, name, id))
      .map(([name]): [OperationId, string] => [id, name]),
  );

export const chirps = canary();

/** A workspace in which every operation has something to work on. */
export async function prepare(root: string): Promise<void> {
  fs.mkdirSync(join(root, "sdd", "specs"), { recursive: true });
  fs.writeFileSync(join(root, "sdd", "specs", "AUTH-001.yaml"), SPEC);
  using doors = openDoors(root);
  const calls: readonly (readonly [OperationId, Input])[] = [
    ["memory.save", { title: "One", content: "The cache host is slow", topic_key: "bug/cache" }],
    ["memory.save", { title: "Two", content: "Passkeys work offline" }],
    ["memory.relate", { from_id: 1, to_id: 2, relation_type: "part_of" }],
    ["memory.session", { action: "start", id: "monday" }],
    ["memory.export", GOOD["memory.import"]],
    ["adr.record", GOOD["adr.record"]],
    ["change.start", { type: "fix", size: "small", description: "Fix login" }],
    ["change.advance", { content: "Login fails." }],
  ];
  for (const [operation, input] of calls) {
    const outcome = await doors.mcp(operation, input);
    if (outcome !== "ok") throw new Error(`${operation} is ${outcome}.`);
  }
}

/** Their files are there as soon as somebody means to use them; from then on they change only with what is in them. */
export async function openDatabases(doors: Doors): Promise<void> {
  await doors.mcp("workspace.doctor", { repair: true });
  await doors.mcp("memory.stats", {});
}

export interface Trial {
  /** Values that were not answered as expected, with the door and what it said. */
  readonly strange: readonly unknown[];
  /** Whether a byte of the workspace is another one. */
  readonly isTouched: boolean;
}

export const SOUND: Trial = { strange: [], isTouched: false };

/** Where trials take place. A trial that changes nothing leaves it to the next. */
const ground = shareWorkspace(async (root, doors) => {
  await prepare(root);
  await openDatabases(doors);
  return takeFingerprint(root);
});

export async function trialGround(): Promise<Doors & { isTouched(): boolean }> {
  const { root, doors, prepared } = await ground.enter();
  return {
    ...doors,
    isTouched() {
      const isSame = takeFingerprint(root) === prepared;
      if (!isSame) ground.leave();
      return !isSame;
    },
  };
}

const takeFingerprint = (root: string): string => JSON.stringify(fingerprint(root));

/** Puts each bad value in the place of an argument, through both doors where a command line can say it. */
export async function tryAll(
  [operation, field]: readonly [OperationId, string],
  values: readonly unknown[],
  isExpected: (outcome: Outcome, value: unknown) => boolean,
  through: readonly ("mcp" | "cli")[] = ["mcp", "cli"],
): Promise<Trial> {
  const doors = await trialGround();
  const strange: unknown[] = [];
  const good = COMPANIONS[`${operation} ${field}`] ?? GOOD[operation];
  const doorsThere = through.filter((door) => door === "cli" || hasTool(operation));
  for (const value of values) {
    for (const door of doorsThere) {
      const outcome = await doors[door](operation, { ...good, [field]: chirps.in(value) });
      if (outcome !== undefined && !isExpected(outcome, value)) strange.push([door, value, outcome]);
    }
  }
  return { strange, isTouched: doors.isTouched() };
}

/** What is the user's alone has a command and no tool. */
export const hasTool = (operation: OperationId): boolean => MCP_TOOLS.some((tool) => tool.operation === operation);

export const isInvalid = (outcome: Outcome): boolean => outcome === "input.invalid";
export const isOneOf =
  (...codes: readonly string[]) =>
  (outcome: Outcome): boolean =>
    codes.includes(outcome);

export const TEXTS = NAMES.map(({ text }) => text);
export const nameOf = (text: unknown): Name | undefined => NAMES.find((name) => name.text === text);
