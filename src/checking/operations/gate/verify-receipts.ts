import type { CheckReceipt, Receipt } from "../../model/gate/receipt-chain.ts";
import {
  listClaimedChecks,
  type CheckRerun,
  formatCommandKey,
  compareCheckReruns,
  findNewestReceipt,
  findRerunnableReceipt,
  formatVerificationSummary,
  type VerifiedChain,
  verifyReceiptChain,
} from "../../model/gate/receipt-verification.ts";
import type { CheckingEngine } from "../engine.ts";
import { throwIfCancelled } from "#kernel/operations/call-progress.ts";
import { type TrustedChecks, loadCheckRuling } from "./load-trusted-checks.ts";
import { runExclusively, formatCheckCommand, type PlannedCheck, readSourceTree, runCheck } from "./run-check.ts";
import type * as z from "zod";
import { Fault } from "#kernel/model/fault.ts";
import { type FeatureName, isFeatureName } from "#kernel/model/ids/feature-name.ts";
import type { Page } from "#kernel/model/page.ts";
import { listCommandGates, type WorkflowKind } from "#planning/model/workflow/workflow-record.ts";
import { parseWorkflowId, type WorkflowId } from "#kernel/model/workflow-id.ts";
import { FEATURE_FOLDER, getFeatureRecordPath, RECEIPT_FOLDER } from "#kernel/model/workspace-paths.ts";
import { createTolerantTree } from "#store/operations/tolerant-tree.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { listSpecFiles, type ListedSpec } from "#planning/operations/spec/list-specs.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { WORKFLOW_SPACE } from "#planning/operations/workflow/ledger-spaces.ts";
import {
  getReceiptFile,
  type ReceiptChainId,
  loadReceiptChains,
  FEATURE_GATE,
  type LoadedReceiptChain,
} from "./receipt-files.ts";
import type { VerifyReceiptsOutput } from "./schema.ts";

export type ReceiptRerunner = (engine: CheckingEngine, receipt: Receipt) => Promise<readonly CheckRerun[]>;

/** Runs today's trusted commands: a receipt proves past runs and must not choose what to execute. */
export const rerunReceiptChecks: ReceiptRerunner = async (engine, receipt) => {
  const claimed = listClaimedChecks(receipt);
  const { rules, refused = "" } = await loadCheckRuling(engine, receipt.base);
  const told = (check: string, problem: string): CheckRerun => ({ check, passed: false, problem });
  if (!rules) return claimed.map(({ check }) => told(check, refused));
  return runExclusively(engine, async () => {
    const results: CheckRerun[] = [];
    for (const each of claimed) {
      const planned = findPlannedCheck(each, rules);
      if (!planned) {
        results.push(told(each.check, `Nothing here runs ${(each.argv ?? []).join(" ")} any more.`));
        continue;
      }
      const { outcome } = await runCheck(engine, engine.root, planned, rules.passes);
      throwIfCancelled(engine.progress);
      const [problem = outcome.reason] = outcome.problems.map((one) => one.problem);
      results.push(
        outcome.status === "passed" ? { check: each.check, passed: true } : told(each.check, problem ?? "It failed."),
      );
    }
    return results;
  });
};

function findPlannedCheck(
  { check: name, directory, argv }: CheckReceipt,
  { definitions }: TrustedChecks,
): PlannedCheck | undefined {
  const words = JSON.stringify(argv);
  for (const stack of definitions.stacks) {
    const check = stack.checks.find((each) => JSON.stringify(formatCheckCommand(each)) === words);
    if (check && stack.directory === directory) return { name, stack, check };
  }
  return undefined;
}

type VerifyReceiptsResult = z.infer<typeof VerifyReceiptsOutput>;

export const createVerifyOperation = (rerun: ReceiptRerunner) =>
  defineOperation({
    id: "gate.verify",
    effect: "change",
    isLong: true,
    input: async () => (await import("./schema.ts")).VerifyReceiptsInput,
    output: async () => (await import("./schema.ts")).VerifyReceiptsOutput,
    async run(engine: CheckingEngine, { id, run = false, strict = false }) {
      const wanted = id === undefined ? undefined : isFeatureName(id) ? id : parseWorkflowId(id);
      const shelf = await engine.store.read((tree) => loadVerificationRecords(tree, engine, wanted));
      const finished = await findRequiredGates(engine, shelf);
      const chains = selectChains(shelf, finished, wanted);
      const tree = await readSourceTree(engine);
      const isOpen = chains.some(({ lost }) => lost > 0) ? await createUncommittedPredicate(engine) : () => false;
      const ran = run ? await rerunChains(engine, rerun, chains) : new Map<string, VerifiedChain["reruns"]>();
      const workflows = chains.map((each) => ({
        ...verifyReceiptChain({ ...each, isCommitted: !isOpen(each.path), owed: finished.get(each.id) }, tree),
        reruns: ran.get(each.id) ?? [],
      }));
      return createVerifyResult(workflows, wanted === undefined ? shelf.strays : [], tree, strict);
    },
    page: formatVerifyPage,
    isRefusal: (output) => !output.passed,
  });

export const verifyReceipts = createVerifyOperation(rerunReceiptChecks);

interface VerificationRecords {
  readonly chains: readonly LoadedReceiptChain[];
  readonly strays: readonly { readonly path: string; readonly problem: string }[];
  readonly specs: readonly ListedSpec[];
  readonly completed: ReadonlyMap<WorkflowId, WorkflowKind>;
  readonly implemented: readonly FeatureName[];
}

/** The line of a feature's record. Checking needs nothing else of it. */
const IMPLEMENTED_PHASE = /^phase: ["']?implementation-complete["']?$/m;

/** Unreadable files are listed as strays. If the requested file is unreadable, the fault is thrown. */
function loadVerificationRecords(
  tree: StoreTree,
  engine: CheckingEngine,
  wanted: ReceiptChainId | undefined,
): VerificationRecords {
  const unreadable: { path: string; problem: string }[] = [];
  const forgiving = createTolerantTree(tree, (path, problem, fault) => {
    if (wanted !== undefined && [RECEIPT_FOLDER, getReceiptFile(wanted)].includes(path)) throw fault;
    if (path.startsWith(RECEIPT_FOLDER) || path.endsWith(".jsonl")) unreadable.push({ path, problem });
  });
  const { chains, strays } = loadReceiptChains(forgiving, engine);
  const isUnreadable = new Set(unreadable.map(({ path }) => path));
  const records = [...tree.kept(WORKFLOW_SPACE).values()].filter(({ status }) => status === "completed");
  return {
    chains: chains.filter(({ path }) => !isUnreadable.has(path)),
    strays: [...strays, ...unreadable],
    specs: listSpecFiles(forgiving).specs,
    completed: new Map(records.map(({ id, kind }) => [id, kind])),
    implemented: forgiving
      .names(FEATURE_FOLDER)
      .filter(isFeatureName)
      .filter((name) => IMPLEMENTED_PHASE.test(forgiving.text(getFeatureRecordPath(name)) ?? "")),
  };
}

const WORKFLOW_KIND_BY_SPEC: Readonly<Record<string, WorkflowKind>> = {
  feature: "feature",
  bug: "bugfix",
  research: "research",
};

type RequiredGates = ReadonlyMap<ReceiptChainId, readonly string[]>;

/** A clone has no ledger of earlier work, so a spec with the status `done` counts as finished too. */
async function findRequiredGates(
  engine: CheckingEngine,
  { specs, completed, implemented }: VerificationRecords,
): Promise<RequiredGates> {
  const { parseListedSpec } = await import("#planning/operations/spec/spec-files.ts");
  const done = new Map<WorkflowId, WorkflowKind>();
  for (const spec of specs) {
    const { id, kind, document } = await parseListedSpec(engine, spec);
    const known = WORKFLOW_KIND_BY_SPEC[kind];
    if (document?.spec.status === "done" && known) done.set(id, known);
  }
  const workflows = [...done, ...completed].map(([id, kind]) => [id, listCommandGates(kind)] as const);
  return new Map<ReceiptChainId, readonly string[]>([
    ...workflows,
    ...implemented.map((name) => [name, [FEATURE_GATE]] as const),
  ]);
}

/** Existing chains, plus empty ones for finished work without receipts. A requested id only needs a spec. */
function selectChains(
  { chains, specs }: VerificationRecords,
  finished: RequiredGates,
  wanted: ReceiptChainId | undefined,
): LoadedReceiptChain[] {
  const owing = [...finished].filter(([, gates]) => gates.length > 0).map(([id]) => id);
  const without = (ids: readonly ReceiptChainId[]): LoadedReceiptChain[] =>
    [...new Set(ids)]
      .filter((id) => !chains.some((each) => each.id === id))
      .map((id) => ({ id, path: getReceiptFile(id), chain: { receipts: [], problems: [] }, lost: 0 }));
  const all = [...chains, ...without(owing)].toSorted((one, other) => (one.id < other.id ? -1 : 1));
  if (wanted === undefined) return all;
  const named = [...all, ...without(specs.map(({ id }) => id))].filter(({ id }) => id === wanted).slice(0, 1);
  if (named.length > 0) return named;
  throw new Fault("receipt.none", {
    what: `There is nothing to verify of ${wanted}.`,
    why: isFeatureName(wanted)
      ? `${getReceiptFile(wanted)} is not there.`
      : `Neither ${getReceiptFile(wanted)} nor sdd/specs/${wanted}.yaml is there.`,
    fix: { operation: "gate.verify" },
  });
}

/** Outside git no history explains a missing receipt. */
async function createUncommittedPredicate({ snapshots }: CheckingEngine): Promise<(path: string) => boolean> {
  if (!(await snapshots.isPossible())) return () => true;
  const paths = new Set(await snapshots.uncommitted());
  return (path) => paths.has(path);
}

/** Runs each set of commands once, even if several workflows share it. */
async function rerunChains(
  engine: CheckingEngine,
  rerun: ReceiptRerunner,
  chains: readonly LoadedReceiptChain[],
): Promise<Map<string, VerifiedChain["reruns"]>> {
  const known = new Map<string, readonly CheckRerun[]>();
  const found = new Map<string, VerifiedChain["reruns"]>();
  for (const { id, chain } of chains) {
    const receipt = findRerunnableReceipt(chain);
    if (!receipt) continue;
    const commands = formatCommandKey(receipt);
    const results = known.get(commands) ?? (await rerun(engine, receipt));
    known.set(commands, results);
    const compared = compareCheckReruns(receipt, results).map((each) => ({ receipt: receipt.id, ...each }));
    found.set(id, compared);
  }
  return found;
}

function createVerifyResult(
  workflows: readonly VerifiedChain[],
  strays: VerificationRecords["strays"],
  tree: string | undefined,
  isStrict: boolean,
): VerifyReceiptsResult {
  const newest = findNewestReceipt(workflows);
  const findings =
    newest && !newest.matches && tree !== undefined
      ? [`No receipt is newer than ${newest.id}, which is of an earlier tree.`]
      : [];
  const isBroken = workflows.some(
    ({ problems, reruns }) => problems.length > 0 || reruns.some(({ passed }) => !passed),
  );
  const hasFindings = findings.length > 0 || workflows.some((each) => each.findings.length > 0);
  return {
    passed: !isBroken && strays.length === 0 && !(isStrict && (hasFindings || !newest?.matches)),
    strict: isStrict,
    summary: formatVerificationSummary(workflows, tree !== undefined),
    tree,
    workflows: [...workflows],
    findings,
    strays: [...strays],
  };
}

function formatVerifyPage({ summary, workflows, findings, strays }: VerifyReceiptsResult): Page {
  const broken = workflows.find(({ problems }) => problems.length > 0);
  return {
    title: summary,
    table: {
      columns: ["workflow", "receipts", "match", "newest"],
      rows: workflows.map(({ id, receipts, matching, newest }) => [
        id,
        String(receipts),
        String(matching),
        newest ? `${newest.gate}, ${newest.at}${newest.matches ? "" : ", of an earlier tree"}` : "-",
      ]),
    },
    points: [
      ...strays.map(({ path, problem }) => `${path}: ${problem}`),
      ...workflows.flatMap(formatVerifiedWorkflow),
      ...findings,
    ],
    next: broken ? [`See who changed it: git log -p -- ${broken.path}`] : [],
  };
}

const formatVerifiedWorkflow = ({
  id,
  path,
  problems,
  findings,
  reruns,
}: VerifyReceiptsResult["workflows"][number]): string[] => [
  ...problems.map(({ problem, line }) => `${path}${line ? `:${line}` : ""}: ${problem}`),
  ...findings.map((finding) => `${id}: ${finding}`),
  ...reruns
    .filter(({ passed }) => !passed)
    .map(({ receipt, check, problem = "It fails now." }) => `${receipt}: ${check}: ${problem}`),
];
