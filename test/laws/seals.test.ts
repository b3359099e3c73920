import fs from "node:fs";
import { expect, test } from "vitest";
import { createTrustedSurface } from "#checking/model/stack/trusted-surface.ts";
import { OPERATION_IDS } from "#doors/catalogue.ts";
import { MCP_TOOLS } from "#doors/mcp/tool-table.ts";
import { COMMAND_CHECKS, type Config, DEFAULT_CONFIG } from "#kernel/model/workspace-config.ts";
import { createSurfaceFiles } from "../../scripts/surface-files.ts";

interface Seal {
  readonly seal: string;
  /** A test that shows it, as its file and a part of its title. */
  readonly shown: readonly [file: string, title: string];
}

const PERSON = "a person types it in a terminal; agents have no tool for it";
const PROOF = "the user approves with proof; an approval that an agent relays is marked, and `ci --strict` fails on it";
const FOUND = "`ci --strict` shows it with its reason";
const COMMANDS = "test/approval/commands.test.ts";
const LIES = "test/lies/found-lies.ts";

/** Inputs of operations that accept, waive, remove or reset what a check would refuse. */
const WEAKENING_INPUTS: Readonly<Record<string, Seal>> = {
  "approval.answer answer": {
    seal: PERSON,
    shown: ["src/checking/operations/approval/answer-question.test.ts", "agent"],
  },
  "knowledge.approve candidate": { seal: PERSON, shown: [COMMANDS, '["knowledge", "approve"'] },
  "review.waive reason": { seal: PERSON, shown: [COMMANDS, '["review", "waive"'] },
  "stack.trust confirm": { seal: PERSON, shown: [COMMANDS, "a shell of an agent cannot confirm trust"] },
  "stack.trust pass": { seal: PERSON, shown: [COMMANDS, "a shell of an agent cannot confirm trust"] },
  "workspace.doctor reseal": { seal: PROOF, shown: [COMMANDS, "marks an edit that an agent accepts for the user"] },
  "workflow.advance approve": { seal: PROOF, shown: ["test/gate/typed-approval.test.ts", "approv"] },
  "project.clarify answers": {
    seal: PROOF,
    shown: ["test/approval/project.test.ts", "relayed answers open the gate, and the document, status and ci"],
  },
  "project.validate override_reason": {
    seal: PROOF,
    shown: ["test/approval/project.test.ts", "a verdict milder than the facts needs the user's approval"],
  },
  "roadmap.report answer": {
    seal: PROOF,
    shown: ["test/approval/roadmap.test.ts", "relays an answer, and status and ci show the mark"],
  },
  "release.create approve": { seal: PROOF, shown: ["test/release/release.test.ts", "approv"] },
  "change.advance tests_removed": { seal: PROOF, shown: [LIES, "A test is removed with an invented reason"] },
  "workflow.advance tests_removed": { seal: PROOF, shown: ["test/gate/kept-tests.test.ts", "tests_removed"] },
  "gate.run tests_removed": {
    seal: "only shows the result; the end of the stage needs the user's approval",
    shown: ["test/gate/kept-tests.test.ts", "tests_removed"],
  },
  "change.advance no_code": { seal: FOUND, shown: [LIES, "A change ends without a file, with an excuse"] },
  "change.abandon reason": { seal: FOUND, shown: [LIES, "The change is abandoned, and its code stays"] },
  "workflow.abandon reason": { seal: FOUND, shown: [LIES, "The change is abandoned, and its code stays"] },
  "workflow.work reason": { seal: FOUND, shown: [LIES, "A wrong file is excluded from the work"] },
  "adr.status status": {
    seal: "the record keeps the reason; an edit by hand is found",
    shown: ["test/lies/record-lies.ts", "An accepted decision is set aside by hand"],
  },
  "change.resize size": {
    seal: "every size ends with the same tests; the record keeps the reason",
    shown: ["test/change/growth.test.ts", "resize"],
  },
  "trace.drift accept": {
    seal: "the committed record names who accepted which code, when and why",
    shown: ["docs/guide/trace.md", "Tenon keeps who accepted which code, when and why"],
  },
  "roadmap.manage confirm": {
    seal: "the user types RESET; code without receipts stays, and `ci` lists it",
    shown: ["docs/guide/roadmap.md", "RESET"],
  },
  "setup.clients remove": {
    seal: "agents have no tool for it, and the next call notices that hooks are gone",
    shown: ["docs/guide/clients.md", "hook"],
  },
};

/** Names of inputs that may weaken a check. Each use is listed above or here. */
const WEAKENING_NAMES =
  /^(?:accept|answers?|approve|candidate|confirm|exclude|force|no_code|override_reason|pass|presumed|reason|reject|remove|replace|reseal|revoke|size|status|take_over|tests_removed|verdict|waive\w*|ignore\w*|skip\w*|allow\w*|trust\w*|reset\w*|disable\w*)$/;

const HARMLESS: Readonly<Record<string, string>> = {
  "adopt.bootstrap exclude": "what drafts are made of",
  "adr.list status": "a filter",
  "adr.record status": "a new decision",
  "adr.status reason": "the reason of a listed input",
  "approval.answer reason": "the reason of a listed input",
  "approval.answer reject": "says no",
  "change.list status": "a filter",
  "change.reopen reason": "opens stages again",
  "change.resize reason": "the reason of a listed input",
  "change.start size": "every size ends with the same tests",
  "feature.design confirm": "designs again",
  "handover.decide reason": "a note",
  "indexing.summarize answers": "texts of the index",
  "knowledge.manage answer": "a note; approval is an operation of its own",
  "project.reopen reason": "opens stages again",
  "project.validate verdict": "a milder one needs override_reason",
  "roadmap.manage reason": "a note",
  "roadmap.report confirm": "the token of a correction that was shown",
  "setup.clients force": "files of clients that the user edited",
  "spec.validate fix": "rewrites older forms",
  "stack.trust revoke": "less is allowed",
  "steering.manage confirm": "guidance for agents; no check reads it",
  "steering.manage reason": "a note",
  "steering.manage replace": "guidance for agents; no check reads it",
  "trace.drift reason": "the reason of a listed input",
  "workflow.advance reason": "more time for research",
  "workflow.lock force": "a lock; the other session is told",
  "workflow.resume take_over": "a session; the other one is told",
  "workflow.rollback confirm": "the token of a plan that was shown",
  "workflow.rollback presumed": "files go back",
  "workflow.switch force": "a lock; the other session is told",
};

/** Settings that change what passes, or why they cannot. */
const SETTINGS: Readonly<Record<string, string>> = {
  "changes.headings": "other words only; `change-artifact.test.ts` refuses fewer",
  "memory.enabled": "no check reads it",
  "memory.project": "no check reads it",
  "gates.waived": "trust",
  "gates.coverage": "trust",
  "gates.retry_all": "trust",
  "gates.mutation_check": "trust",
  "stack.directories": "the profile of a folder is part of the trusted commands",
  "stack.primary": "no check reads it",
  approvals: "every approval without proof is marked, and `ci --strict` fails on it",
  "mcp.toolsets": "no check reads it",
  "sessions.after_compact": "no check reads it",
  "run.agents": "no check reads it",
  "run.commands": "the commands are part of the trusted ones",
  "run.minutes": "no check reads it",
  "run.silence_minutes": "no check reads it",
  "worktree.setup": "the command is part of the trusted ones",
  "roadmap.lost_after_minutes": "offers an action again",
  "roadmap.branch": "names a branch",
  "roadmap.consensus": "at least one inspector for each view, as by default",
  "roadmap.language": "the language of texts",
};

const surfaces = Object.values(await createSurfaceFiles()).flatMap((text) => {
  const { operation, inputSchema } = JSON.parse(text) as {
    operation?: string;
    inputSchema?: { properties?: Record<string, unknown> };
  };
  return operation === undefined ? [] : [{ operation, inputs: Object.keys(inputSchema?.properties ?? {}) }];
});
const inputs = surfaces.flatMap(({ operation, inputs: names }) => names.map((name) => `${operation} ${name}`));

test("every input that may weaken a check is classified once", () => {
  expect(new Set(surfaces.map(({ operation }) => operation))).toEqual(new Set(OPERATION_IDS));
  const doubtful = inputs.filter((each) => WEAKENING_NAMES.test(each.split(" ")[1] ?? ""));
  const known = [...Object.keys(WEAKENING_INPUTS), ...Object.keys(HARMLESS)];
  expect(doubtful.filter((each) => !known.includes(each))).toEqual([]);
  expect(known.filter((each) => !inputs.includes(each))).toEqual([]);
  expect(known.length).toBe(new Set(known).size);
});

test("what only a person may do has no tool", () => {
  const tools = new Set<string>(MCP_TOOLS.map(({ operation }) => operation));
  const own = Object.entries(WEAKENING_INPUTS).flatMap(([name, { seal }]) =>
    seal === PERSON || seal.startsWith("agents have no tool") ? [name.split(" ")[0] ?? ""] : [],
  );
  expect(own.length).toBeGreaterThan(4);
  expect(own.filter((operation) => tools.has(operation))).toEqual([]);
});

test.each(Object.entries(WEAKENING_INPUTS))("a test shows the seal of %s", (_, { shown: [file, title] }) => {
  expect(fs.readFileSync(file, "utf8")).toContain(title);
});

test("every setting is classified, and those that weaken a gate need trust", () => {
  const names = Object.entries(DEFAULT_CONFIG).flatMap(([room, value]) =>
    typeof value === "object" ? Object.keys(value).map((key) => `${room}.${key}`) : [room],
  );
  expect(Object.keys(SETTINGS).toSorted()).toEqual(names.toSorted());
  const hash = (gates: Config["gates"]): string =>
    createTrustedSurface({ stacks: [], gates, control: [] }, (text) => text).hash;
  const { gates } = DEFAULT_CONFIG;
  const weaker: Config["gates"][] = [
    ...COMMAND_CHECKS.map((check) => ({ ...gates, waived: { [check]: "It is slow here" } })),
    { ...gates, coverage: 10 },
    { ...gates, retry_all: true },
    { ...gates, mutation_check: true },
  ];
  expect(weaker.filter((each) => hash(each) === hash(gates))).toEqual([]);
  expect(Object.entries(SETTINGS).flatMap(([name, seal]) => (seal === "trust" ? [name] : []))).toEqual(
    Object.keys(gates).map((key) => `gates.${key}`),
  );
});

const PAGE = "docs/design/lies.md";
const [START, END] = ["<!-- generated from test/laws/seals.test.ts -->\n\n", "\n<!-- end -->"];

test("the page lists the seals; UPDATE=1 writes it", () => {
  const rows = [
    ...Object.entries(WEAKENING_INPUTS).map(([name, { seal }]) => `| \`${name}\` | ${seal} |`),
    ...Object.entries(SETTINGS).map(
      ([name, seal]) => `| setting \`${name}\` | ${seal === "trust" ? "takes effect after `tenon trust`" : seal} |`,
    ),
  ];
  const table = ["| input or setting | seal |", "|---|---|", ...rows, ""].join("\n");
  const page = fs.readFileSync(PAGE, "utf8");
  const [head = "", rest = ""] = page.split(START);
  const [current, tail = ""] = rest.split(END);
  const isUpdate = process.env["UPDATE"] !== undefined;
  if (isUpdate) fs.writeFileSync(PAGE, `${head}${START}${table}${END}${tail}`);
  expect(isUpdate ? table : current).toBe(table);
});
