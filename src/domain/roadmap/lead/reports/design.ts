import type { FeatureRecord } from "../../../feature/record.ts";
import { designed } from "../../../feature/versions.ts";
import type { Work } from "../action.ts";
import { BLOCKED, withoutLost, withPartitionOpen, withRun } from "../changes/counters.ts";
import type { Draft } from "../draft.ts";
import { endGoal } from "../changes/goal.ts";
import { voidDependents } from "../changes/mending.ts";
import { APPLIED, refuse, type Reported, type Taken } from "../taken.ts";
import { neededBy } from "../view.ts";

/** Accepts a design without problems. A fix must change the design. */
export function takeDesign(
  draft: Draft,
  { feature, isFix }: Extract<Work, { of: "design" }>,
  { report, facts }: Reported<"architect">,
): Taken {
  const record = draft.feature(feature);
  const { design } = facts;
  if (!record) return refuse(`There is no feature ${feature}.`);
  if (!design) return refuse(`Nobody looked at the design of ${feature}. Write design.md and report again.`);
  if (design.problems.length > 0) return refuse(...design.problems);
  if (isFix && design.hash === record.design?.hash) {
    return refuse(`design.md of ${feature} is unchanged. Mend what the review found, then report again.`);
  }
  const accepted = { hash: design.hash, files: design.files, basis: basisOf(draft, record) };
  const next = designed(record, accepted, facts.at);
  const implementation = { ...next.implementation, tasks_hash: null, groups: [], hash: null, excluded: [] };
  const accepting = withPartitionOpen(withoutLost({ ...next, implementation }, "architect", BLOCKED));
  draft.keep(withRun(accepting, "architect"));
  if (design.hash !== record.design?.hash) voidDependents(draft, feature, design.hash);
  if (report.tags.length > 0) draft.effect({ kind: "tags", feature, role: "architect", tags: report.tags });
  endGoal(draft, feature);
  return APPLIED;
}

function basisOf(draft: Draft, record: FeatureRecord): Record<string, string> {
  return Object.fromEntries(
    neededBy(record).flatMap((name) => {
      const hash = draft.feature(name)?.design?.hash;
      return hash === undefined ? [] : [[name, hash]];
    }),
  );
}
