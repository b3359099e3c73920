import type { CheckReceipt, Receipt } from "../../model/gate/receipt-chain.ts";
import {
  listClaimedChecks,
  type CheckRerun,
  compareCheckReruns,
  digestTestExceptions,
  findNewestReceipt,
  findRerunnableReceipt,
  formatCommandKey,
  formatVerificationSummary,
  getExceptionsQuestion,
  listTestExceptions,
  type VerifiedChain,
  verifyReceiptChain,
} from "../../model/gate/receipt-verification.ts";
import { Fault } from "#kernel/model/fault.ts";
import { isFeatureName } from "#kernel/model/ids/feature-name.ts";
import { parseWorkflowId } from "#kernel/model/workflow-id.ts";
import { isChangeId } from "#kernel/model/stages/change-stages.ts";
import { getChangeRecordPath, getFeatureRecordPath, RECEIPT_FOLDER } from "#kernel/model/workspace-paths.ts";
import { throwIfCancelled } from "#kernel/operations/call-progress.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { listCommandGates, type WorkflowKind } from "#planning/model/workflow/workflow-record.ts";
import { formatUnprovedAnswer } from "#planning/model/approval/approval-log.ts";
import { loadApprovalLogs, loadUnprovedAnswers } from "#planning/operations/approval/approval-log-files.ts";
import { CHANGE_FOLDERS, loadChangeRecords } from "#planning/operations/change/change-records.ts";
import { listSpecFiles } from "#planning/operations/spec/list-specs.ts";
import { WORKFLOW_SPACE } from "#planning/operations/workflow/ledger-spaces.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { createTolerantTree } from "#store/operations/tolerant-tree.ts";
import type { CheckingEngine } from "../engine.ts";
import { loadCheckRuling } from "./load-trusted-checks.ts";
import {
  CHANGE_GATE,
  FEATURE_GATE,
  getReceiptFile,
  type LoadedReceiptChain,
  loadReceiptChains,
  type ReceiptChainId,
  type StrayReceiptFile,
} from "./receipt-files.ts";
import { runExclusively, formatCheckCommand, readSourceTree } from "./run-check.ts";
import { runCheckOnWork } from "./run-on-work.ts";

type ReceiptRerunner = (engine: CheckingEngine, receipt: Receipt) => Promise<readonly CheckRerun[]>;

/** Runs today's trusted commands: a receipt proves past runs and must not choose what to execute. */
const rerunReceiptChecks: ReceiptRerunner = async (engine, receipt) => {
  const { rules, refused = "" } = await loadCheckRuling(engine, receipt.base);
  const rerunCheck = async ({ check: name, directory, argv = [] }: CheckReceipt): Promise<CheckRerun> => {
    const fail = (problem: string): CheckRerun => ({ check: name, passed: false, problem });
    if (!rules) return fail(refused);
    const stack = rules.definitions.stacks.find((each) => each.directory === directory);
    const check = stack?.checks.find((each) => JSON.stringify(formatCheckCommand(each.run)) === JSON.stringify(argv));
    if (!stack || !check) return fail(`No check runs ${argv.join(" ")} any more.`);
    const { outcome } = await runCheckOnWork(engine, { name, stack, check }, rules);
    throwIfCancelled(engine.progress);
    const [problem = outcome.reason] = outcome.problems.map((one) => one.problem);
    return outcome.status === "passed" ? { check: name, passed: true } : fail(problem ?? "It failed.");
  };
  return runExclusively(engine, async () => {
    const results: CheckRerun[] = [];
    for (const each of listClaimedChecks(receipt)) results.push(await rerunCheck(each));
    return results;
  });
};

export const createVerifyOperation = (rerun: ReceiptRerunner) =>
  defineOperation({
    id: "gate.verify",
    effect: "change",
    isLong: true,
    input: async () => (await import("./schema.ts")).VerifyReceiptsInput,
    output: async () => (await import("./schema.ts")).VerifyReceiptsOutput,
    async run(engine: CheckingEngine, { id, run = false, strict = false }) {
      const { wanted, ...records } = await engine.store.read((tree) => {
        const named = id === undefined ? undefined : parseChainId(tree, id);
        return { wanted: named, ...loadVerificationRecords(tree, engine, named) };
      });
      const finished = await findRequiredGates(engine, records);
      const chains = selectChains(records, finished, wanted);
      const tree = await readSourceTree(engine);
      // Outside git no history explains a missing receipt.
      const isGit = await engine.snapshots.isPossible();
      const hasLost = chains.some(({ lost }) => lost > 0);
      const open = new Set(isGit && chains.some(needsHistory) ? await engine.snapshots.uncommitted() : []);
      const committed = await loadCommittedReceipts(engine, chains, open);
      const ran = run ? await rerunChains(engine, rerun, chains) : new Map<string, VerifiedChain["reruns"]>();
      const workflows = chains.map((each) => {
        const isCommitted = !hasLost || (isGit && !open.has(each.path));
        const foreign = countForeignReceipts(each, committed);
        const verified = verifyReceiptChain({ ...each, isCommitted, owed: finished.get(each.id), foreign }, tree);
        return { ...verified, reruns: ran.get(each.id) ?? [] };
      });
      const strays = wanted === undefined ? records.strays : [];
      const newest = findNewestReceipt(workflows);
      const findings = describeNewestReceipt(newest, tree);
      const isBroken = workflows.some(isChainBroken);
      const hasFindings = findings.length > 0 || workflows.some((each) => each.findings.length > 0);
      return {
        passed: !isBroken && strays.length === 0 && !(strict && (hasFindings || !newest?.matches)),
        strict,
        summary: formatVerificationSummary(workflows, tree !== undefined),
        tree,
        workflows,
        findings,
        strays: [...strays],
        unproved: wanted === undefined ? records.unproved : [],
      };
    },
    page({ summary, workflows, findings, strays, unproved: answers }) {
      const broken = workflows.find(({ problems }) => problems.length > 0);
      return {
        title: summary,
        table: {
          columns: ["workflow", "receipts", "match", "newest"],
          rows: workflows.map(({ id, receipts, matching, newest }) => [
            id,
            String(receipts),
            String(matching),
            newest ? `${newest.gate}, ${newest.at}${newest.matches ? "" : ", for an older version"}` : "-",
          ]),
        },
        points: [
          ...strays.map(({ path, problem }) => `${path}: ${problem}`),
          ...workflows.flatMap(({ id, path, problems, findings: own, unproved, reruns }) => [
            ...problems.map(({ problem, line }) => `${path}${line ? `:${line}` : ""}: ${problem}`),
            ...own.map((finding) => `${id}: ${finding}`),
            ...unproved.map(({ problem }) => `${id}: ${problem}`),
            ...reruns
              .filter(({ passed }) => !passed)
              .map(({ receipt, check, problem = "It fails now." }) => `${receipt}: ${check}: ${problem}`),
          ]),
          ...findings,
          ...answers.map(({ problem }) => problem),
        ],
        next: [
          ...(broken ? [`See who changed it: git log -p -- ${broken.path}`] : []),
          ...[...new Set([...workflows.filter(({ unproved }) => unproved.length > 0), ...answers].map(({ id }) => id))]
            .slice(0, 3)
            .map((id) => ({ operation: "approval.answer", input: { id } })),
        ],
      };
    },
    isRefusal: (output) => !output.passed,
  });

export const verifyReceipts = createVerifyOperation(rerunReceiptChecks);

/** A feature is meant before a change of the same name. */
function parseChainId(tree: StoreTree, id: string): ReceiptChainId {
  const isChange = isChangeId(id) && CHANGE_FOLDERS.some((shelf) => tree.has(getChangeRecordPath(shelf, id)));
  if (isChange && !(isFeatureName(id) && tree.has(getFeatureRecordPath(id)))) return `change:${id}`;
  return isFeatureName(id) ? id : parseWorkflowId(id);
}

/** Only changes ask about exceptions for tests. */
function addAnswers(tree: StoreTree, { digest }: CheckingEngine, known: LoadedReceiptChain) {
  const [, change] = /^change:(.*)$/.exec(known.id) ?? [];
  const newest = known.chain.receipts.findLast(({ receipt }) => receipt.passed)?.receipt;
  const allowed = newest ? listTestExceptions(newest.checks) : [];
  if (change === undefined || allowed.length === 0) return known;
  const [asked, text] = [getExceptionsQuestion(change), digestTestExceptions(digest, allowed)];
  const answers = loadApprovalLogs(tree).found.flatMap((log) => log.answers);
  const isSaid = answers.some((each) => each.id === asked && each.text === text && each.choice === "approve");
  return { ...known, isUnanswered: !isSaid };
}

const describeNewestReceipt = (newest: VerifiedChain["newest"], tree: string | undefined): string[] =>
  newest && !newest.matches && tree !== undefined
    ? [`The newest receipt, ${newest.id}, is for an older version of the files.`]
    : [];

const isChainBroken = ({ problems, reruns }: VerifiedChain): boolean =>
  problems.length > 0 || reruns.some(({ passed }) => !passed);

const needsHistory = ({ lost, unwritten = [] }: LoadedReceiptChain): boolean => lost + unwritten.length > 0;

const countForeignReceipts = (
  { path, unwritten = [] }: LoadedReceiptChain,
  committed: ReadonlyMap<string, string>,
): number => unwritten.filter((hash) => committed.get(path)?.includes(hash) === false).length;

/** Receipts come with commits of other machines. One that is not committed must have been written here. */
async function loadCommittedReceipts(
  { source }: CheckingEngine,
  chains: readonly LoadedReceiptChain[],
  open: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  const paths: readonly string[] = chains.flatMap(({ path, unwritten = [] }) =>
    unwritten.length > 0 && open.has(path) ? [path] : [],
  );
  // An archived change was committed elsewhere.
  const getOpenPath = (path: string): string => path.replace(/^sdd\/history\//, "sdd/changes/");
  const head = paths.length === 0 ? undefined : await source.head();
  const view = head === undefined ? undefined : await source.at(head);
  const files = await view?.read([...new Set([...paths, ...paths.map(getOpenPath)])]);
  const readText = (path: string): string => {
    const file = files?.get(path);
    return file?.kind === "text" ? file.text : "";
  };
  return new Map(paths.map((path) => [path, `${readText(path)}${readText(getOpenPath(path))}`]));
}

type VerificationRecords = ReturnType<typeof loadVerificationRecords>;

/** Unreadable files are listed as strays. If the requested file is unreadable, the fault is thrown. */
function loadVerificationRecords(tree: StoreTree, engine: CheckingEngine, wanted: ReceiptChainId | undefined) {
  const unreadable: StrayReceiptFile[] = [];
  const forgiving = createTolerantTree(tree, (path, problem, fault) => {
    if (wanted !== undefined && [RECEIPT_FOLDER, getReceiptFile(tree, wanted)].includes(path)) throw fault;
    if (path.startsWith(RECEIPT_FOLDER) || path.endsWith(".jsonl")) unreadable.push({ path, problem });
  });
  const { chains, strays } = loadReceiptChains(forgiving, engine);
  const isUnreadable = new Set(unreadable.map(({ path }) => path));
  const records = [...tree.kept(WORKFLOW_SPACE).values()].filter(({ status }) => status === "completed");
  const changes = loadChangeRecords(forgiving).changes.map(({ record }) => record);
  return {
    /** Where the receipts of each piece of work are, or would be. */
    locate: (id: ReceiptChainId) => getReceiptFile(tree, id),
    changes: changes.filter(
      ({ needs_receipt, status, abandoned }) => needs_receipt && !abandoned && status !== "active",
    ),
    chains: chains.filter(({ path }) => !isUnreadable.has(path)).map((each) => addAnswers(forgiving, engine, each)),
    strays: [...strays, ...unreadable],
    specs: listSpecFiles(forgiving).specs,
    completed: new Map(records.map(({ id, kind }) => [id, kind])),
    unproved: loadUnprovedAnswers(forgiving).map((each) => ({
      id: each.id,
      path: each.path,
      problem: formatUnprovedAnswer(each),
    })),
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
  { specs, completed, changes }: VerificationRecords,
): Promise<RequiredGates> {
  const { parseListedSpec } = await import("#planning/operations/spec/spec-files.ts");
  const gates = new Map<ReceiptChainId, readonly string[]>();
  for (const spec of specs) {
    const { id, kind, document } = await parseListedSpec(engine, spec);
    const known = WORKFLOW_KIND_BY_SPEC[kind];
    if (document?.spec.status === "done" && known) gates.set(id, listCommandGates(known));
  }
  for (const [id, kind] of completed) gates.set(id, listCommandGates(kind));
  for (const { id } of changes) gates.set(`change:${id}`, [CHANGE_GATE]);
  for (const name of await engine.requirements.implementedFeatures()) gates.set(name, [FEATURE_GATE]);
  return gates;
}

/** Existing chains, plus empty ones for finished work without receipts. A requested id only needs a spec. */
function selectChains(
  { chains, specs, locate }: VerificationRecords,
  finished: RequiredGates,
  wanted: ReceiptChainId | undefined,
): LoadedReceiptChain[] {
  const owing = [...finished].filter(([, gates]) => gates.length > 0).map(([id]) => id);
  const without = (ids: readonly ReceiptChainId[]): LoadedReceiptChain[] =>
    [...new Set(ids)]
      .filter((id) => !chains.some((each) => each.id === id))
      .map((id) => ({ id, path: locate(id), chain: { receipts: [], problems: [] }, lost: 0 }));
  const all = [...chains, ...without(owing)].toSorted((one, other) => (one.id < other.id ? -1 : 1));
  if (wanted === undefined) return all;
  const named = [...all, ...without(specs.map(({ id }) => id))].find(({ id }) => id === wanted);
  if (named) return [named];
  throw new Fault("receipt.none", {
    what: `${wanted} has nothing to verify.`,
    why: isFeatureName(wanted)
      ? `${locate(wanted)} does not exist.`
      : `Neither ${locate(wanted)} nor sdd/specs/${wanted}.yaml exists.`,
    fix: { operation: "gate.verify" },
  });
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
