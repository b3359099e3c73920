import type { FeatureName } from "#domain/feature/name.ts";
import type { FeatureRecord } from "#domain/feature/record.ts";
import type { CommitAction, SpawnAction } from "#domain/roadmap/lead/action.ts";
import type { ReportFacts } from "#domain/roadmap/lead/event.ts";
import type { ActionAssignment, Lead } from "#domain/roadmap/lead/state.ts";
import type { Engine } from "../../engine.ts";
import { listCommitPaths } from "../view.ts";
import { gatherBuildFacts, gatherGateFacts } from "./build.ts";
import { listCoveredCriteria, listUncoveredCriteria } from "./criteria.ts";
import { gatherDesignFacts, gatherTasksFacts } from "./documents.ts";
import { hashReviewedContent } from "./hashes.ts";
import type { FeatureTestRun } from "./testing.ts";

export interface GatheredFacts {
  readonly facts: ReportFacts;
  readonly tested?: FeatureTestRun;
  readonly criteria?: readonly string[];
}

/** Checks the files behind a report. This can take long, so nothing is locked. */
export async function gatherReportFacts(engine: Engine, lead: Lead, out: ActionAssignment): Promise<GatheredFacts> {
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
  engine: Engine,
  lead: Lead,
  out: ActionAssignment,
  { work }: SpawnAction,
): Promise<Omit<ReportFacts, "at">> {
  if (work.of === "review") {
    const review = lead.reviews.get(work.review);
    return review ? { frozen: await hashReviewedContent(engine, lead, review) } : {};
  }
  const record = findFeatureRecord(lead, work.feature);
  if (!record) return {};
  switch (work.of) {
    case "design":
      return { design: await gatherDesignFacts(engine, work.feature) };
    case "tasks":
      return { tasks: await gatherTasksFacts(engine, work.feature) };
    case "build": {
      const group = record.implementation.groups.find(({ id }) => id === work.group);
      return group ? { build: await gatherBuildFacts(engine, lead, { record, group, out }) } : {};
    }
  }
}

const findFeatureRecord = ({ features }: Lead, name: FeatureName): FeatureRecord | undefined => features.get(name);

async function gatherCommitFacts(
  engine: Engine,
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
