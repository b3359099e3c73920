import type { FeatureName } from "#domain/feature/name.ts";
import type { FeatureRecord } from "#domain/feature/record.ts";
import type { Commit, Spawn } from "#domain/roadmap/lead/action.ts";
import type { Facts } from "#domain/roadmap/lead/event.ts";
import type { HandedOut, Lead } from "#domain/roadmap/lead/state.ts";
import type { Engine } from "../../engine.ts";
import { committedPaths } from "../view.ts";
import { builtFacts, gateFacts } from "./build.ts";
import { criteriaShown, unshownCriteria } from "./criteria.ts";
import { designFacts, tasksFacts } from "./documents.ts";
import { frozenHash } from "./hashes.ts";
import type { Tested } from "./testing.ts";

export interface Gathered {
  readonly facts: Facts;
  readonly tested?: Tested;
  readonly criteria?: readonly string[];
}

/** Checks the files behind a report. This can take long, so nothing is locked. */
export async function gather(engine: Engine, lead: Lead, out: HandedOut): Promise<Gathered> {
  const { action } = out;
  const at = engine.clock.now();
  switch (action.kind) {
    case "spawn":
      return { facts: { at, ...(await ofWork(engine, lead, out, action)) } };
    case "gate": {
      const record = lead.features.get(action.feature);
      if (!record) return { facts: { at } };
      const { build, tested } = await gateFacts(engine, lead, { record, action: action.id });
      if (!tested) return { facts: { at, build } };
      const criteria = await criteriaShown(engine, record, tested);
      const isAsked = build.tests.status === "passed" && !tested.mayLackCriteria;
      const problems = isAsked ? await unshownCriteria(engine, record, criteria) : [];
      const tests = problems.length > 0 ? ({ status: "failed", problems } as const) : build.tests;
      return { facts: { at, build: { ...build, tests } }, tested, criteria };
    }
    case "ask":
      return { facts: { at } };
    case "commit":
      return { facts: { at, commit: await committed(engine, lead, action) } };
  }
}

async function ofWork(engine: Engine, lead: Lead, out: HandedOut, { work }: Spawn): Promise<Omit<Facts, "at">> {
  if (work.of === "review") {
    const review = lead.reviews.get(work.review);
    return review ? { frozen: await frozenHash(engine, lead, review) } : {};
  }
  const record = recordOf(lead, work.feature);
  if (!record) return {};
  switch (work.of) {
    case "design":
      return { design: await designFacts(engine, work.feature) };
    case "tasks":
      return { tasks: await tasksFacts(engine, work.feature) };
    case "build": {
      const group = record.implementation.groups.find(({ id }) => id === work.group);
      return group ? { build: await builtFacts(engine, lead, { record, group, out }) } : {};
    }
  }
}

const recordOf = ({ features }: Lead, name: FeatureName): FeatureRecord | undefined => features.get(name);

async function committed(engine: Engine, lead: Lead, { features }: Commit): Promise<NonNullable<Facts["commit"]>> {
  const hash = (await engine.source.head()) ?? "";
  if (hash === "" || !(await engine.snapshots.isPossible())) return { hash, isClean: false };
  const paths = committedPaths(lead, features);
  const isOwn = (path: string): boolean =>
    paths.some((own) => (own.endsWith("/") ? path.startsWith(own) : path === own));
  return { hash, isClean: !(await engine.snapshots.uncommitted()).some(isOwn) };
}
