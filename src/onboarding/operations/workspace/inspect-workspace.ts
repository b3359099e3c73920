import { catchFault } from "#kernel/model/fault.ts";
import { findConflictMarkers, parseProseLines } from "#kernel/model/document/markdown-document.ts";
import { isChangeId } from "#kernel/model/stages/change-stages.ts";
import type { Config } from "#kernel/model/workspace-config.ts";
import { findSecretFormats } from "#kernel/model/secret-detection.ts";
import * as paths from "#kernel/model/workspace-paths.ts";
import type { DecisionViewData } from "#planning/operations/adr/decision-files.ts";
import { listWorkspaceDecisions, loadDecisionViews } from "#planning/operations/adr/decision-files.ts";
import { inspectStoredChange, type LocatedProblem } from "#planning/operations/change/change-inspection.ts";
import { inspectLivingSpecs } from "#planning/operations/change/change-deltas.ts";
import { loadChangeRecords, type StoredChange } from "#planning/operations/change/change-records.ts";
import { parseDecisionLog } from "#roadmap/model/handover/decision-log.ts";
import type { AcceptedTaskPlan } from "#roadmap/operations/feature/inspect-features.ts";
import { inspectProjectDocuments } from "#planning/operations/project/project-document-files.ts";
import type { OnboardingEngine } from "../engine.ts";
import { createTolerantTree } from "#store/operations/tolerant-tree.ts";
import { loadApprovalLogs } from "#planning/operations/approval/approval-log-files.ts";
import { loadReceiptChains } from "#checking/operations/gate/receipt-files.ts";
import { listSpecFiles } from "#planning/operations/spec/list-specs.ts";
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
  // Code for features loads only if there are any.
  const hasFeatures = await engine.store.read((tree) =>
    catchFault(
      () => tree.has(paths.FEATURE_FOLDER) || tree.has(paths.WAVES_FOLDER),
      () => true,
    ),
  );
  const features = hasFeatures ? await import("#roadmap/operations/feature/inspect-features.ts") : undefined;
  const unreadable: LocatedProblem[] = [];
  const { found, shelf, receipts, trace, approvals } = await engine.store.read((tree) => {
    const forgiving = createTolerantTree(tree, (path, problem) => void unreadable.push({ path, problem }));
    return {
      found: inspectWorkspaceTree(forgiving, config, features?.inspectFeatureRecords(forgiving, engine.digest)),
      shelf: listSpecFiles(forgiving),
      receipts: inspectReceipts(forgiving, engine),
      // The drift check decides if the acceptances are still true.
      trace: loadAcceptances(forgiving),
      approvals: loadApprovalLogs(forgiving),
    };
  });
  const problems = [...unreadable, ...found.problems];
  // The YAML parser loads only if there are documents for it.
  if (shelf.specs.length + shelf.strays.length > 0) {
    const { inspectSpecFiles } = await import("#planning/operations/spec/spec-files.ts");
    problems.push(...(await inspectSpecFiles(engine, shelf)));
  }
  if (features && found.plans.length > 0) {
    const yaml = await engine.yaml();
    problems.push(...found.plans.flatMap((plan) => features.findTaskPlanProblems(yaml, plan)));
  }
  const damaged = [...trace.damaged, ...approvals.damaged];
  return {
    items:
      found.items + shelf.specs.length + receipts.items + trace.found.size + approvals.found.length + damaged.length,
    problems: [...problems, ...receipts.problems, ...damaged.map(({ path, why }) => ({ path, problem: why }))],
  };
}

/** Checks that each chain is intact. `gate.verify` compares the receipts with the files. */
function inspectReceipts(tree: StoreTree, engine: Pick<OnboardingEngine, "digest" | "checkout">): WorkspaceInspection {
  const { chains, strays } = loadReceiptChains(tree, engine);
  const found = chains.flatMap(({ path, chain }) => chain.problems.map((each) => ({ path, ...each })));
  return { items: chains.filter(({ path }) => tree.has(path)).length, problems: [...strays, ...found] };
}

const NO_FEATURES = { items: 0, problems: [], plans: [] };

function inspectWorkspaceTree(
  tree: StoreTree,
  config: Config,
  features: WorkspaceInspection & { readonly plans: readonly AcceptedTaskPlan[] } = NO_FEATURES,
): WorkspaceInspection & { readonly plans: readonly AcceptedTaskPlan[] } {
  const { changes, damaged } = loadChangeRecords(tree);
  const { adrs, damaged: damagedAdrs } = loadDecisionViews(tree);
  const project = inspectProjectDocuments(tree);
  const artifacts = changes.map((change) => inspectStoredChange(tree, change, config));
  return {
    items: [project, features, ...artifacts].reduce(
      (total, { items }) => total + items,
      changes.length + damaged.length + adrs.length + damagedAdrs.length,
    ),
    problems: dropRepeatedProblems([
      ...project.problems,
      ...[...damaged, ...damagedAdrs].map(({ path, why }) => ({ path, problem: why })),
      ...[paths.CHANGES_FOLDER, paths.HISTORY_FOLDER].flatMap((shelf) => findStrayFolders(tree, shelf)),
      ...artifacts.flatMap((found) => found.problems),
      ...features.problems,
      ...inspectLivingSpecs(tree),
      ...findDuplicateAdrs(tree),
      ...inspectPlainTexts(tree, adrs, changes),
      ...findDuplicateLogEntries(tree),
      ...findBrokenSupersessions(adrs),
    ]),
    plans: features.plans,
  };
}

const dropRepeatedProblems = (problems: readonly LocatedProblem[]): LocatedProblem[] => [
  ...new Map(problems.map((each) => [`${each.path}:${each.line ?? ""}:${each.problem}`, each])).values(),
];

const findStrayFolders = (tree: StoreTree, shelf: paths.ChangeShelf): LocatedProblem[] =>
  tree
    .names(shelf)
    .filter((name) => !name.startsWith("."))
    .filter((name) => !isChangeId(name))
    .map((name) => ({ path: paths.joinFolderPath(shelf, name), problem: "Its name is not a change id." }));

/** Two branches can assign the same number. */
function findDuplicateAdrs(tree: StoreTree): LocatedProblem[] {
  const first = new Map<string, string>();
  return listWorkspaceDecisions(tree).flatMap(({ id, path }): LocatedProblem[] => {
    const other = first.get(id);
    first.set(id, other ?? path);
    return other
      ? [{ path, problem: `${id} has the same number as ${other}: give one of them the next free number.` }]
      : [];
  });
}

const MERGED_FOLDERS = [
  paths.HANDOVER_FOLDER,
  paths.HANDOVER_HISTORY_FOLDER,
  paths.KNOWLEDGE_FOLDER,
  paths.STEERING_FOLDER,
];

/** Documents without a seal: git's conflict marks and secrets show only in their text. */
function inspectPlainTexts(
  tree: StoreTree,
  adrs: readonly DecisionViewData[],
  changes: readonly StoredChange[],
): LocatedProblem[] {
  const plain = MERGED_FOLDERS.flatMap((folder) =>
    tree.names(folder).map((name) => paths.joinFolderPath(folder, name)),
  );
  const documents = [
    ...plain.filter((path) => path.endsWith(".md")),
    ...adrs.map(({ path }) => path as paths.WorkspacePath),
  ];
  const merged = documents.flatMap((path) =>
    findConflictMarkers(parseProseLines(tree.text(path) ?? "")).map((problem) => ({ path, ...problem })),
  );
  const artifacts = changes.flatMap(({ shelf, record }) => {
    const folder = paths.getChangeFolder(shelf, record.id);
    return tree.names(folder).flatMap((name) => (name.endsWith(".md") ? [paths.joinFolderPath(folder, name)] : []));
  });
  return [
    ...merged,
    ...[...documents, ...artifacts].flatMap((path) => findWrittenSecrets(path, tree.text(path) ?? "")),
  ];
}

const findWrittenSecrets = (path: paths.WorkspacePath, text: string): LocatedProblem[] =>
  findSecretFormats(text).map(({ kind, from }) => ({
    path,
    line: text.slice(0, from).split("\n").length,
    problem: `It holds a secret (${kind}). Replace it with a reference, and revoke it if it was committed.`,
  }));

/** Two clones can record decisions at the same time. */
function findDuplicateLogEntries(tree: StoreTree): LocatedProblem[] {
  const entries = Map.groupBy(parseDecisionLog(tree.text(paths.DECISIONS_PATH) ?? ""), ({ number }) => number);
  return [...entries].flatMap(([number, { length }]) =>
    length === 1
      ? []
      : [
          {
            path: paths.DECISIONS_PATH,
            problem: `D${number} exists ${length} times: give the later ones the next free numbers.`,
          },
        ],
  );
}

function findBrokenSupersessions(adrs: readonly DecisionViewData[]): LocatedProblem[] {
  const byRef = new Map(adrs.map((adr) => [adr.ref, adr]));
  return adrs.flatMap(({ ref, path, supersedes, superseded_by }): LocatedProblem[] => [
    ...(supersedes !== undefined && byRef.get(supersedes)?.superseded_by !== ref
      ? [{ path, problem: `It supersedes ${supersedes}, which does not name it in return.` }]
      : []),
    ...(superseded_by !== undefined && !byRef.has(superseded_by)
      ? [{ path, problem: `It is superseded by ${superseded_by}, which does not exist.` }]
      : []),
  ]);
}
