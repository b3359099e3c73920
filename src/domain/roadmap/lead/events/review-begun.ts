import { INSPECTORS } from "../../../agent/role.ts";
import type { FeatureRecord } from "../../../feature/record.ts";
import { batchNumber } from "../../../review/batch-number.ts";
import { quote } from "../../../quote.ts";
import { dismissCommit } from "../changes/dismissal.ts";
import { orchestrated } from "../changes/counters.ts";
import type { Draft } from "../draft.ts";
import { lastBegun, reviewKey } from "../ids.ts";
import { phaseGate } from "../phase-gate.ts";
import { takeBack } from "../reports/inspection.ts";
import { APPLIED, type EventOf, REPEATED, refuse, refuseAndKeep, type Taken } from "../taken.ts";
import { aimOf } from "../view.ts";

export function takeReviewBegun(draft: Draft, event: EventOf<"review-begun">): Taken {
  const { review: kind, scope, batch, of, tracked, mended } = event;
  const key = reviewKey(kind, scope);
  const open = draft.review(key);
  if (open?.batch === batch && open.of === of) return REPEATED;
  if (open) return refuse(`Review ${open.batch} of ${key} is under way. Report it, or wait for it.`);
  const number = batchNumber(batch);
  if (number === undefined) return refuse(`${quote(batch, 20)} is no batch. Batches are B1, B2 and so on.`);
  const last = lastBegun(draft.base, scope);
  if (number <= last) return refuse(`${batch} is taken. The next batch of ${key} is B${last + 1}.`);
  const inspectors = inspectorsOf(event);
  if (inspectors.length === 0) return refuse(`Nobody would look. Inspectors are ${INSPECTORS[kind].join(", ")}.`);
  const problem = problemIn(draft, event);
  if (problem !== undefined) return refuse(problem);
  const record = scope.of === "feature" ? draft.feature(scope.feature) : undefined;
  if (record && isChanged(draft, record, event)) {
    takeBack(draft, { kind, scope });
    const again = kind === "design" ? "an Architect takes the change in" : "the gate looks at it again";
    return refuseAndKeep(`What ${key} is about was changed since it was accepted: first ${again}.`);
  }
  if (record) {
    dismissCommit(draft, record.feature_name);
    const { runs } = record.orchestration;
    draft.keep(orchestrated(record, { runs: { ...runs, batch: number } }));
  } else {
    draft.changeRun({ batches: number });
  }
  draft.keepReview(key, {
    kind,
    scope,
    batch,
    of,
    inspectors,
    inspections: {},
    missing: [],
    lost: {},
    tracked,
    mended,
  });
  return APPLIED;
}

const inspectorsOf = ({ review: kind, inspectors }: EventOf<"review-begun">): readonly string[] =>
  INSPECTORS[kind].filter((name) => inspectors === undefined || inspectors.includes(name));

function problemIn(draft: Draft, { review: kind, scope }: EventOf<"review-begun">): string | undefined {
  if (scope.of === "all") return draft.base.features.size === 0 ? "No specs found. Create specs first." : undefined;
  if (scope.of === "wave") {
    const isThere = draft.features().some(({ roadmap }) => roadmap?.wave === scope.wave);
    return isThere ? undefined : `Wave ${scope.wave} has no features.`;
  }
  const { feature: name } = scope;
  const record = draft.feature(name);
  if (!record) return `Spec '${name}' not found. Run \`sdd_design "description"\` first.`;
  if (kind === "dead-code") return "Dead code is looked for in a wave or in everything, not in one feature.";
  const gate = phaseGate(record, kind === "design" ? "review-design" : "review-impl");
  if (gate.kind === "closed") return gate.problem;
  if (kind === "impl" && record.implementation.hash === null) {
    return `${name} is being built: its review follows its gate.`;
  }
  const isAtWork = draft
    .allOut()
    .some(({ action }) => action.id.startsWith(`${name}/`) && (action.kind === "spawn" || action.kind === "gate"));
  if (isAtWork) return `Somebody is at work on ${name}. Its review follows when that is reported.`;
  return draft.reviewKeys().some((key) => key.startsWith(`${name}/`))
    ? `Another review of ${name} is under way.`
    : undefined;
}

function isChanged(draft: Draft, record: FeatureRecord, { review, of }: EventOf<"review-begun">): boolean {
  if (aimOf(draft.base, record) !== "done") return false;
  return of !== (review === "design" ? record.design?.hash : record.implementation.hash);
}
