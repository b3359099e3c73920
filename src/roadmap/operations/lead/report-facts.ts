import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import type { FeatureRecord } from "../../model/feature/feature-record.ts";
import type { CommitAction, SpawnAction, ActionAssignment, Lead, LeadAction } from "../../model/lead/lead-state.ts";
import type { ReportFacts } from "../../model/lead/lead-events.ts";
import type { RoadmapEngine } from "../engine.ts";
import { listCommitPaths } from "./action-view.ts";
import { gatherBuildFacts, gatherGateFacts, type FeatureTestRun } from "./build-facts.ts";
import { hashReviewedContent, listImplementationFiles } from "./review-batches.ts";
import { checkDesign, checkResearchDocument } from "../../model/feature/design-check.ts";
import { checkTaskPlan, serializeTaskPlan } from "../../model/feature/task-plan.ts";
import { Fault } from "#kernel/model/fault.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import {
  getFeatureDesignPath,
  getFeatureResearchPath,
  getFeatureTasksPath,
  type WorkspacePath,
} from "#kernel/model/workspace-paths.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { qualifyCriterionId, listCriterionIds } from "../../model/feature/design-criteria.ts";
import { createTestNameReader } from "#code/model/trace/id-mentions.ts";
import { findCriterionTests, listProvenCriteria, type ParsedFile } from "#checking/operations/gate/criterion-tests.ts";

export interface GatheredFacts {
  readonly facts: ReportFacts;
  readonly tested?: FeatureTestRun;
  readonly criteria?: readonly string[];
}

/** Checks the files behind a report. This can take long, so nothing is locked. */
export async function gatherReportFacts(
  engine: RoadmapEngine,
  lead: Lead,
  out: ActionAssignment,
): Promise<GatheredFacts> {
  const { action } = out;
  const at = engine.clock.now();
  switch (action.kind) {
    case "spawn":
      return { facts: { at, ...(await gatherWorkFacts(engine, lead, out, action)) } };
    case "gate": {
      const record = lead.features.get(action.feature);
      if (!record) return { facts: { at } };
      const { build, tested } = await gatherGateFacts(engine, lead, { record, action: action.id });
      if (!tested) return { facts: { at, build } };
      const criteria = await listCoveredCriteria(engine, record, tested);
      const isAsked = build.tests.status === "passed" && !tested.mayLackCriteria;
      const problems = isAsked ? await listUncoveredCriteria(engine, record, criteria) : [];
      const tests = problems.length > 0 ? ({ status: "failed", problems } as const) : build.tests;
      return { facts: { at, build: { ...build, tests } }, tested, criteria };
    }
    case "ask":
      return { facts: { at } };
    case "commit":
      return { facts: { at, commit: await gatherCommitFacts(engine, lead, action) } };
  }
}

async function gatherWorkFacts(
  engine: RoadmapEngine,
  lead: Lead,
  out: ActionAssignment,
  { work }: SpawnAction,
): Promise<Omit<ReportFacts, "at">> {
  if (work.of === "review") {
    const review = lead.reviews.get(work.review);
    return review ? { frozen: await hashReviewedContent(engine, lead, review) } : {};
  }
  const record = lead.features.get(work.feature);
  if (!record) return {};
  if (work.of === "design") return { design: await gatherDesignFacts(engine, work.feature) };
  if (work.of === "tasks") return { tasks: await gatherTasksFacts(engine, work.feature) };
  const group = record.implementation.groups.find(({ id }) => id === work.group);
  return group ? { build: await gatherBuildFacts(engine, lead, { record, group, out }) } : {};
}

async function gatherCommitFacts(
  engine: RoadmapEngine,
  lead: Lead,
  { features }: CommitAction,
): Promise<NonNullable<ReportFacts["commit"]>> {
  const hash = (await engine.source.head()) ?? "";
  if (hash === "" || !(await engine.snapshots.isPossible())) return { hash, isClean: false };
  const paths = listCommitPaths(lead, features);
  const isOwn = (path: string): boolean =>
    paths.some((own) => (own.endsWith("/") ? path.startsWith(own) : path === own));
  return { hash, isClean: !(await engine.snapshots.uncommitted()).some(isOwn) };
}

async function gatherDesignFacts(
  engine: Pick<RoadmapEngine, "store" | "digest">,
  feature: FeatureName,
): Promise<NonNullable<ReportFacts["design"]>> {
  const [design, research] = [getFeatureDesignPath(feature), getFeatureResearchPath(feature)];
  const { text, notes } = await engine.store.read((tree) => ({ text: tree.text(design), notes: tree.text(research) }));
  const behind =
    notes === undefined
      ? [createMissingProblem(research)]
      : checkResearchDocument(notes).problems.map((each) => prefixProblemFile(research, each));
  if (text === undefined) return { hash: "", files: [], problems: [createMissingProblem(design), ...behind] };
  const { problems, files } = checkDesign(text);
  return { hash: engine.digest(text), files, problems: [...problems, ...behind] };
}

/** Problems without a file name belong to the design. */
const prefixProblemFile = (path: WorkspacePath, { problem, line }: Problem): Problem => ({
  problem: `${path}${line === undefined ? "" : `:${line}`}: ${problem}`,
});

const createMissingProblem = (path: WorkspacePath): Problem => ({ problem: `${path} is not there.` });

/** Checks `tasks.yaml` against its design. The Lead judges claims on files of other features. */
async function gatherTasksFacts(
  engine: Pick<RoadmapEngine, "store" | "digest" | "yaml">,
  feature: FeatureName,
): Promise<NonNullable<ReportFacts["tasks"]>> {
  const yaml = await engine.yaml();
  const path = getFeatureTasksPath(feature);
  const { text, design } = await engine.store.read((tree) => ({
    text: tree.text(path),
    design: tree.text(getFeatureDesignPath(feature)) ?? "",
  }));
  if (text === undefined) return { hash: "", groups: [], problems: [createMissingProblem(path)] };
  const { tree, problems: unread } = yaml.read(text);
  if (!tree || unread.length > 0) {
    const problems = unread.length > 0 ? unread : [{ problem: `${path} says nothing.` }];
    return { hash: "", groups: [], problems };
  }
  const { problems, groups } = checkTaskPlan(tree, checkDesign(design));
  return { hash: engine.digest(serializeTaskPlan(tree)), groups, problems };
}

export function assertDesignUnchanged(
  tree: StoreTree,
  engine: Pick<RoadmapEngine, "digest">,
  action: LeadAction,
  { design }: ReportFacts,
): void {
  if (!design || action.kind !== "spawn" || action.work.of !== "design") return;
  const text = tree.text(getFeatureDesignPath(action.work.feature));
  if (design.hash === (text === undefined ? "" : engine.digest(text))) return;
  throw new Fault("store.conflict", {
    what: `Nothing was reported of ${action.id}.`,
    why: `${getFeatureDesignPath(action.work.feature)} changed while it was being looked at.`,
    fix: { operation: "roadmap.report" },
  });
}

async function listCoveredCriteria(
  engine: RoadmapEngine,
  record: FeatureRecord,
  { tried }: FeatureTestRun,
): Promise<string[]> {
  const known = await engine.requirements.traceable();
  const files: ParsedFile[] = [];
  for (const path of listImplementationFiles([record])) {
    const text = await engine.source.text(path);
    const look = text === undefined ? undefined : await engine.syntax.look(path, text);
    if (look) files.push({ path, look });
  }
  const shown = listProvenCriteria(findCriterionTests(files, createTestNameReader(known.ids.keys())), tried);
  return shown.filter((criterion) => criterion.startsWith(`${record.feature_name}.`));
}

/** A test that was emptied still passes, but covers no criterion. */
async function listUncoveredCriteria(
  engine: Pick<RoadmapEngine, "source">,
  { feature_name }: FeatureRecord,
  shown: readonly string[],
): Promise<Problem[]> {
  const design = (await engine.source.text(getFeatureDesignPath(feature_name))) ?? "";
  const asked = listCriterionIds(checkDesign(design).specs).map((id) => qualifyCriterionId(feature_name, id));
  return asked
    .filter((id) => !shown.includes(id))
    .map((id) => ({ problem: `No test that ran and passed names ${id}: say AC: ${id} in the one that shows it.` }));
}
