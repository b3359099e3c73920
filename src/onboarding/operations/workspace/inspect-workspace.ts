import { isChangeId } from "#kernel/model/stages/change-stages.ts";
import type { Config } from "#kernel/model/workspace-config.ts";
import { CHANGES_FOLDER, HISTORY_FOLDER, joinFolderPath, type ChangeShelf } from "#kernel/model/workspace-paths.ts";
import { loadDecisionViews } from "#planning/operations/adr/list-decisions.ts";
import { listWorkspaceDecisions, type DecisionViewData } from "#planning/operations/adr/decision-files.ts";
import { inspectStoredChange, type LocatedProblem } from "#planning/operations/change/change-inspection.ts";
import { inspectLivingSpecs } from "#planning/operations/change/change-deltas.ts";
import { loadChangeRecords } from "#planning/operations/change/change-records.ts";
import {
  inspectFeatureRecords,
  type AcceptedTaskPlan,
  findTaskPlanProblems,
} from "#roadmap/operations/feature/inspect-features.ts";
import { inspectProjectDocuments } from "#planning/operations/project/project-document-files.ts";
import type { OnboardingEngine } from "../engine.ts";
import { createTolerantTree } from "#store/operations/tolerant-tree.ts";
import { loadReceiptChains } from "#checking/operations/gate/receipt-files.ts";
import { listSpecFiles, type SpecListing } from "#planning/operations/spec/list-specs.ts";
import { loadAcceptances } from "#code/operations/trace/acceptance-records.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";

export interface WorkspaceInspection {
  readonly items: number;
  readonly problems: readonly LocatedProblem[];
}

export async function inspectWorkspaceFiles(
  engine: Pick<OnboardingEngine, "store" | "yaml" | "digest" | "checkout">,
  config: Config,
): Promise<WorkspaceInspection> {
  const unreadable: LocatedProblem[] = [];
  const { found, shelf, receipts, trace } = await engine.store.read((tree) => {
    const forgiving = createTolerantTree(tree, (path, problem) => void unreadable.push({ path, problem }));
    return {
      found: inspectWorkspaceTree(forgiving, config),
      shelf: listSpecFiles(forgiving),
      receipts: inspectReceipts(forgiving, engine),
      trace: inspectAcceptances(forgiving),
    };
  });
  // The YAML parser loads only if there are spec documents.
  const hasSpecs = shelf.specs.length + shelf.strays.length > 0;
  const problems = [
    ...(hasSpecs ? await loadSpecInspection(engine, shelf) : []),
    ...(found.plans.length > 0 ? await inspectFeaturePlans(engine, found.plans) : []),
  ];
  return {
    items: found.items + shelf.specs.length + receipts.items + trace.items,
    problems: [...unreadable, ...found.problems, ...problems, ...receipts.problems, ...trace.problems],
  };
}

/** Checks that each chain is intact. `gate.verify` compares the receipts with the files. */
function inspectReceipts(tree: StoreTree, engine: Pick<OnboardingEngine, "digest" | "checkout">): WorkspaceInspection {
  const { chains, strays } = loadReceiptChains(tree, engine);
  const found = chains.flatMap(({ path, chain }) => chain.problems.map((each) => ({ path, ...each })));
  return { items: chains.filter(({ path }) => tree.has(path)).length, problems: [...strays, ...found] };
}

/** Checks the records. The drift check decides if they are still true. */
function inspectAcceptances(tree: StoreTree): WorkspaceInspection {
  const { found, damaged } = loadAcceptances(tree);
  return {
    items: found.size + damaged.length,
    problems: damaged.map(({ path, why }) => ({ path, problem: why })),
  };
}

async function inspectFeaturePlans(
  engine: Pick<OnboardingEngine, "yaml">,
  plans: readonly AcceptedTaskPlan[],
): Promise<LocatedProblem[]> {
  const yaml = await engine.yaml();
  return plans.flatMap((plan) => findTaskPlanProblems(yaml, plan));
}

async function loadSpecInspection(
  engine: Pick<OnboardingEngine, "yaml" | "digest">,
  shelf: SpecListing,
): Promise<LocatedProblem[]> {
  const { inspectSpecFiles } = await import("#planning/operations/spec/spec-files.ts");
  return inspectSpecFiles(engine, shelf);
}

function inspectWorkspaceTree(
  tree: StoreTree,
  config: Config,
): WorkspaceInspection & { readonly plans: readonly AcceptedTaskPlan[] } {
  const { changes, damaged } = loadChangeRecords(tree);
  const { adrs, damaged: damagedAdrs } = loadDecisionViews(tree);
  const project = inspectProjectDocuments(tree);
  const features = inspectFeatureRecords(tree);
  const artifacts = changes.map((change) => inspectStoredChange(tree, change, config));
  return {
    items:
      project.items +
      changes.length +
      damaged.length +
      adrs.length +
      damagedAdrs.length +
      features.items +
      sumItemCounts(artifacts.map((found) => found.items)),
    problems: dropRepeatedProblems([
      ...project.problems,
      ...[...damaged, ...damagedAdrs].map(({ path, why }) => ({ path, problem: why })),
      ...[CHANGES_FOLDER, HISTORY_FOLDER].flatMap((shelf) => findStrayFolders(tree, shelf)),
      ...artifacts.flatMap((found) => found.problems),
      ...features.problems,
      ...inspectLivingSpecs(tree),
      ...findDuplicateAdrs(tree),
      ...findBrokenSupersessions(adrs),
    ]),
    plans: features.plans,
  };
}

const dropRepeatedProblems = (problems: readonly LocatedProblem[]): LocatedProblem[] => [
  ...new Map(problems.map((each) => [`${each.path}:${each.line ?? ""}:${each.problem}`, each])).values(),
];

function findStrayFolders(tree: StoreTree, shelf: ChangeShelf): LocatedProblem[] {
  return tree
    .names(shelf)
    .filter((name) => !name.startsWith("."))
    .filter((name) => !isChangeId(name))
    .map((name) => ({ path: joinFolderPath(shelf, name), problem: "Its name is not a change id." }));
}

/** Two branches can assign the same number. */
function findDuplicateAdrs(tree: StoreTree): LocatedProblem[] {
  const first = new Map<string, string>();
  return listWorkspaceDecisions(tree).flatMap(({ id, path }): LocatedProblem[] => {
    const other = first.get(id);
    first.set(id, other ?? path);
    return other
      ? [{ path, problem: `${id} is also the number of ${other}: give one of them the next free number.` }]
      : [];
  });
}

function findBrokenSupersessions(adrs: readonly DecisionViewData[]): LocatedProblem[] {
  const byRef = new Map(adrs.map((adr) => [adr.ref, adr]));
  return adrs.flatMap(({ ref, path, supersedes, superseded_by }): LocatedProblem[] => [
    ...(supersedes !== undefined && byRef.get(supersedes)?.superseded_by !== ref
      ? [{ path, problem: `It supersedes ${supersedes}, which does not say so.` }]
      : []),
    ...(superseded_by !== undefined && !byRef.has(superseded_by)
      ? [{ path, problem: `It is superseded by ${superseded_by}, which does not exist.` }]
      : []),
  ]);
}

const sumItemCounts = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0);
