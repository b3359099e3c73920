import type { ReviewDue } from "../decide.ts";
import type { FeatureRecord, GroupRecord } from "../../../feature/record.ts";
import { formatCount } from "../../../count.ts";
import { rollCall } from "../../../review/rollcall.ts";
import type { Role } from "../../../agent/role.ts";
import { sanitizeText } from "../../../quote.ts";
import type { Action, ActionId, Commit, Spawn } from "../action.ts";
import { ask } from "./question.ts";
import { proposalsOf } from "./done.ts";
import { AUDITOR, reviewerId, reviewKey, runId, waveCommitId } from "../ids.ts";
import type { Lead, OpenReview } from "../state.ts";
import { type Step, stepOf, wavePassedQuestion } from "./step.ts";
import { aimOf, type View } from "../view.ts";
import { newWave, waitingIn, waveStepOf } from "./wave.ts";

export interface Due {
  readonly actions: readonly Action[];
  readonly reviews: readonly ReviewDue[];
}

const NOTHING: Due = { actions: [], reviews: [] };

export function dueOf(view: View, record: FeatureRecord): Due {
  const { run, out } = view.lead;
  // After a stop, a feature without a goal raises no questions.
  if (run.stopped !== null && aimOf(view.lead, record) === null) return NOTHING;
  const asked = record.phase === "blocked" ? [] : proposalsOf(record).map((line) => ask.proposal(record, line));
  const due = dueAt(view, record, stepOf(view, record));
  if (asked.length === 0 && !view.outOf.has(record.feature_name)) return due;
  return { actions: [...asked, ...due.actions].filter(({ id }) => !out.has(id)), reviews: due.reviews };
}

function dueAt(view: View, record: FeatureRecord, step: Step): Due {
  const { feature_name: feature } = record;
  switch (step.kind) {
    case "escalated":
      return only(ask.escalation(view, record));
    case "structure":
      return only(ask.structure(record));
    case "follow-up":
      return isAtOtherWork(view, record) ? NOTHING : only(ask.followUp(record, step.on));
    case "agreement":
      return only(ask.reviewPassed(record, step.of));
    case "design":
      return alone(view, record, {
        ...spawn(runId(record, "architect"), "architect"),
        work: { of: "design", feature, mode: step.mode, isFix: step.isFix },
      });
    case "tasks":
      return alone(view, record, {
        ...spawn(runId(record, "tasks"), "task-generator"),
        work: { of: "tasks", feature, excluded: step.excluded, blocker: step.blocker },
      });
    case "build":
      if (isAtOtherWork(view, record, "build")) return NOTHING;
      return { actions: step.groups.map((group) => buildOf(record, group)), reviews: [] };
    case "gate":
      return alone(view, record, { id: runId(record, "gate"), kind: "gate", feature });
    case "design-review":
    case "impl-review": {
      if (isAtOtherWork(view, record)) return NOTHING;
      const review = step.kind === "design-review" ? "design" : "impl";
      return { actions: [], reviews: [{ kind: "review-due", review, scope: { of: "feature", feature } }] };
    }
    case "commit":
      return only(featureCommit(record));
    case "blocked":
    case "resting":
    case "reached":
    case "waiting":
      return NOTHING;
  }
}

const only = (action: Action): Due => ({ actions: [action], reviews: [] });

const alone = (view: View, record: FeatureRecord, action: Action): Due =>
  isAtOtherWork(view, record) ? NOTHING : only(action);

function isAtOtherWork({ outOf }: View, { feature_name: name }: FeatureRecord, but?: "build"): boolean {
  const out = outOf.get(name);
  if (!out) return false;
  return out.some(({ action }) => {
    if (action.kind === "spawn") return action.work.of !== but;
    return action.kind === "gate";
  });
}

const spawn = <R extends Role>(id: ActionId, role: R) => ({ id, kind: "spawn", role }) as const;

function buildOf(record: FeatureRecord, group: GroupRecord): Spawn {
  const { feature_name: feature, fix } = record;
  const isFix = fix?.groups.includes(group.id) ?? false;
  const chosen = isFix && fix?.tasks ? group.tasks.filter((task) => fix.tasks?.includes(task)) : group.tasks;
  return {
    ...spawn(runId(record, `build-${group.id}`), "builder"),
    work: { of: "build", feature, group: group.id, tasks: chosen, isFix },
  };
}

function featureCommit(record: FeatureRecord): Commit {
  const { feature_name: feature } = record;
  return {
    id: runId(record, "commit"),
    kind: "commit",
    message: `${feature}: ${summaryOf(record)}`,
    wave: record.roadmap?.wave ?? null,
    features: [feature],
  };
}

const summaryOf = ({ description, version }: FeatureRecord): string =>
  sanitizeText(description.split("\n", 1)[0]?.trim() || `version ${version}`, 100);

/** Pending work of an open review: all inspectors in parallel, then the auditor. */
export function dueOfReview({ out }: Lead, key: string, review: OpenReview): readonly Spawn[] {
  const { awaited, isOver } = rollCall(review);
  const work = { of: "review", review: key, scope: review.scope } as const;
  const due: Spawn[] = isOver
    ? [{ ...spawn(reviewerId(key, review, AUDITOR), `auditor-${review.kind}`), work }]
    : awaited.map((name) => ({ ...spawn(reviewerId(key, review, name), `inspector-${name}` as Role), work }));
  return due.filter(({ id }) => !out.has(id));
}

export function dueOfWaves(view: View): Due {
  const { lead, openWave, byWave } = view;
  if (lead.run.stopped !== null) return NOTHING;
  const actions: Action[] = [];
  for (const record of lead.waves.values()) {
    for (const line of waitingIn(record)) actions.push(ask.waveProposal(record.wave, line));
  }
  const question = wavePassedQuestion(view);
  if (question !== undefined) actions.push(ask.wavePassed(question, openWave));
  const reviews: ReviewDue[] = [];
  const record = lead.waves.get(openWave) ?? newWave(openWave);
  const step = waveStepOf(view);
  if (step?.kind === "failed") actions.push(ask.waveFailed(record, step.review));
  if (step?.kind === "commit") actions.push(waveCommit(view, byWave.get(openWave) ?? []));
  if (step?.kind === "review") {
    const review = step.review === "cross-check" ? "impl" : "dead-code";
    const scope = { of: "wave", wave: openWave } as const;
    if (!lead.reviews.has(reviewKey(review, scope))) reviews.push({ kind: "review-due", review, scope });
  }
  return { actions: actions.filter(({ id }) => !lead.out.has(id)), reviews };
}

function waveCommit(view: View, records: readonly FeatureRecord[]): Commit {
  const { lead, openWave: wave, placed } = view;
  const done = records.filter(({ phase }) => phase !== "blocked");
  const [first] = done;
  const names = done.map(({ feature_name: name }) => name);
  const message =
    placed === 1 && first ? `${first.feature_name}: ${summaryOf(first)}` : `Wave ${wave}: ${listed(names)}`;
  return { id: waveCommitId(wave, lead.waves.get(wave)), kind: "commit", message, wave, features: names };
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(", ");
  return names.length > 5 ? `${shown} and ${formatCount(names.length - 5, "more feature")}` : shown;
}

/** Proposals from reviews of scope `all`, which no record holds. */
export function dueOfAll({ run, out }: Lead): readonly Action[] {
  if (run.stopped !== null || !run.proposals) return [];
  return run.proposals.map((line) => ask.generalProposal(line)).filter(({ id }) => !out.has(id));
}
