import type * as z from "zod";
import { Fault } from "#domain/fault.ts";
import { type FeatureName, isFeatureName } from "#domain/feature/name.ts";
import type { Receipt } from "#domain/gate/receipt.ts";
import {
  commandsOf,
  compareRuns,
  newestOf,
  newestToRun,
  type Rerun,
  verificationLine,
  type Verified,
  verifyReceipts,
} from "#domain/gate/verification.ts";
import type { Page } from "#domain/page.ts";
import { listCommandGates, type WorkflowKind } from "#domain/workflow/flows.ts";
import { parseWorkflowId, type WorkflowId } from "#domain/workflow/id.ts";
import { RECEIPT_FOLDER } from "#domain/workspace/path.ts";
import type { Engine } from "../engine.ts";
import { loadFeatureRecords } from "../feature/census.ts";
import { createTolerantTree } from "../forgiving-tree.ts";
import { type Operation, defineOperation } from "../operation.ts";
import { listSpecFiles, type ListedSpec } from "../spec/shelf.ts";
import type { StoreTree } from "../ports/store.ts";
import { WORKFLOW_SPACE } from "../workflow/spaces.ts";
import { chainFile, type ChainId, everyChain, FEATURE_GATE, type ShelvedChain } from "./receipts.ts";
import { type RerunReceipt, rerunReceipt } from "./rerun.ts";
import type { Verification, Verify } from "./schema.ts";

type Input = z.infer<typeof Verify>;
type Output = z.infer<typeof Verification>;
type View = Output["workflows"][number];

export const verifyWith = (rerun: RerunReceipt): Operation<Input, Output> =>
  defineOperation<Input, Output>({
    id: "gate.verify",
    effect: "change",
    isLong: true,
    input: async () => (await import("./schema.ts")).Verify,
    output: async () => (await import("./schema.ts")).Verification,
    async run(engine, { id, run = false, strict = false }) {
      const wanted = id === undefined ? undefined : isFeatureName(id) ? id : parseWorkflowId(id);
      const shelf = await engine.store.read((tree) => look(tree, engine, wanted));
      const finished = await finishedIn(engine, shelf);
      const chains = chosen(shelf, finished, wanted);
      const tree = (await engine.snapshots.isPossible()) ? await engine.snapshots.sourceTree() : undefined;
      const open = chains.some(({ lost }) => lost > 0) ? await uncommitted(engine) : () => false;
      const found = chains.map(({ id: workflow, path, chain, lost }) => {
        const owed = finished.get(workflow);
        return verifyReceipts(
          { id: workflow, path, chain, lost, isCommitted: !open(path), ...(owed ? { owed } : {}) },
          tree,
        );
      });
      const ran = run ? await rerunAll(engine, rerun, chains) : new Map<string, Verified["reruns"]>();
      const workflows = found.map((each) => ({ ...each, reruns: ran.get(each.id) ?? [] }));
      return conclude(workflows, wanted === undefined ? shelf.strays : [], tree, strict);
    },
    page,
    isRefusal: (output) => !output.passed,
  });

export const verify = verifyWith(rerunReceipt);

interface Shelf {
  readonly chains: readonly ShelvedChain[];
  readonly strays: readonly { readonly path: string; readonly problem: string }[];
  readonly specs: readonly ListedSpec[];
  readonly completed: ReadonlyMap<WorkflowId, WorkflowKind>;
  readonly implemented: readonly FeatureName[];
}

/** Unreadable files are listed as strays. If the requested file is unreadable, the fault is thrown. */
function look(tree: StoreTree, engine: Engine, wanted: ChainId | undefined): Shelf {
  const unreadable: { path: string; problem: string }[] = [];
  const forgiving = createTolerantTree(tree, (path, problem, fault) => {
    if (wanted !== undefined && [RECEIPT_FOLDER, chainFile(wanted)].includes(path)) throw fault;
    if (path.startsWith(RECEIPT_FOLDER) || path.endsWith(".jsonl")) unreadable.push({ path, problem });
  });
  const { chains, strays } = everyChain(forgiving, engine);
  const isUnreadable = new Set(unreadable.map(({ path }) => path));
  const records = [...tree.kept(WORKFLOW_SPACE).values()].filter(({ status }) => status === "completed");
  return {
    chains: chains.filter(({ path }) => !isUnreadable.has(path)),
    strays: [...strays, ...unreadable],
    specs: listSpecFiles(forgiving).specs,
    completed: new Map(records.map(({ id, kind }) => [id, kind])),
    implemented: [...loadFeatureRecords(forgiving).found.values()]
      .filter(({ phase }) => phase === "implementation-complete")
      .map(({ feature_name }) => feature_name),
  };
}

const KINDS: Readonly<Record<string, WorkflowKind>> = { feature: "feature", bug: "bugfix", research: "research" };

type Finished = ReadonlyMap<ChainId, readonly string[]>;

/** A clone has no ledger of earlier work, so a spec with the status `done` counts as finished too. */
async function finishedIn(engine: Engine, { specs, completed, implemented }: Shelf): Promise<Finished> {
  const kinds = new Map([...(await doneBySpec(engine, specs)), ...completed]);
  const workflows = [...kinds].map(([id, kind]): [ChainId, readonly string[]] => [id, listCommandGates(kind)]);
  return new Map([...workflows, ...implemented.map((name): [ChainId, readonly string[]] => [name, [FEATURE_GATE]])]);
}

async function doneBySpec(engine: Engine, specs: Shelf["specs"]): Promise<[WorkflowId, WorkflowKind][]> {
  if (specs.length === 0) return [];
  const { parseListedSpec: readShelvedSpec } = await import("../spec/read.ts");
  const readings = await Promise.all(specs.map((spec) => readShelvedSpec(engine, spec)));
  return readings.flatMap(({ id, kind, document }): [WorkflowId, WorkflowKind][] => {
    const known = KINDS[kind];
    return document?.spec.status === "done" && known ? [[id, known]] : [];
  });
}

/** Existing chains, plus empty ones for finished work without receipts. A requested id only needs a spec. */
function chosen({ chains, specs }: Shelf, finished: Finished, wanted: ChainId | undefined): ShelvedChain[] {
  const bare = (id: ChainId): ShelvedChain => ({
    id,
    path: chainFile(id),
    chain: { receipts: [], problems: [] },
    lost: 0,
  });
  const owing = [...finished].filter(([, gates]) => gates.length > 0).map(([id]) => id);
  const without = (ids: readonly ChainId[]): ShelvedChain[] =>
    [...new Set(ids)].filter((id) => !chains.some((each) => each.id === id)).map(bare);
  const all = [...chains, ...without(owing)].toSorted((one, other) => (one.id < other.id ? -1 : 1));
  if (wanted === undefined) return all;
  const named = [...all, ...without(specs.map(({ id }) => id))].filter(({ id }) => id === wanted).slice(0, 1);
  if (named.length > 0) return named;
  throw new Fault("receipt.none", {
    what: `There is nothing to verify of ${wanted}.`,
    why: isFeatureName(wanted)
      ? `${chainFile(wanted)} is not there.`
      : `Neither ${chainFile(wanted)} nor sdd/specs/${wanted}.yaml is there.`,
    fix: { operation: "gate.verify" },
  });
}

/** Outside git no history explains a missing receipt. */
async function uncommitted({ snapshots }: Engine): Promise<(path: string) => boolean> {
  if (!(await snapshots.isPossible())) return () => true;
  const paths = new Set(await snapshots.uncommitted());
  return (path) => paths.has(path);
}

/** Runs each set of commands once, even if several workflows share it. */
async function rerunAll(
  engine: Engine,
  rerun: RerunReceipt,
  chains: readonly ShelvedChain[],
): Promise<Map<string, Verified["reruns"]>> {
  const known = new Map<string, readonly Rerun[]>();
  const found = new Map<string, Verified["reruns"]>();
  for (const { id, chain } of chains) {
    const receipt: Receipt | undefined = newestToRun(chain);
    if (!receipt) continue;
    const commands = commandsOf(receipt);
    const results = known.get(commands) ?? (await rerun(engine, receipt));
    known.set(commands, results);
    found.set(
      id,
      compareRuns(receipt, results).map((each) => ({ receipt: receipt.id, ...each })),
    );
  }
  return found;
}

function conclude(
  workflows: readonly Verified[],
  strays: Shelf["strays"],
  tree: string | undefined,
  isStrict: boolean,
): Output {
  const newest = newestOf(workflows);
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
    summary: verificationLine(workflows, tree !== undefined),
    ...(tree === undefined ? {} : { tree }),
    workflows: workflows.map((each) => ({
      ...each,
      problems: [...each.problems],
      findings: [...each.findings],
      reruns: [...each.reruns],
    })),
    findings,
    strays: [...strays],
  };
}

function page({ summary, workflows, findings, strays }: Output): Page {
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
    points: [...strays.map(({ path, problem }) => `${path}: ${problem}`), ...workflows.flatMap(points), ...findings],
    next: broken ? [`See who changed it: git log -p -- ${broken.path}`] : [],
  };
}

const points = ({ id, path, problems, findings, reruns }: View): string[] => [
  ...problems.map(({ problem, line }) => `${path}${line ? `:${line}` : ""}: ${problem}`),
  ...findings.map((finding) => `${id}: ${finding}`),
  ...reruns
    .filter(({ passed }) => !passed)
    .map(({ receipt, check, problem = "It fails now." }) => `${receipt}: ${check}: ${problem}`),
];
