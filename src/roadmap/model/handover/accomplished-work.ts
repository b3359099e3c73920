import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import type { LeadEventResult, LeadEffect, LeadEvent } from "../lead/lead-events.ts";
import { getReviewBatchPath, formatScopeHead } from "../lead/action-ids.ts";
import type { Lead } from "../lead/lead-state.ts";
import { getFeatureDesignPath, getFeatureTasksPath } from "#kernel/model/workspace-paths.ts";

export interface AccomplishedWork {
  readonly lines: readonly string[];
  readonly files: readonly string[];
}

interface AppliedLeadChange {
  readonly before: Lead;
  readonly after: Lead;
  readonly events: readonly LeadEvent[];
  readonly applied: readonly LeadEventResult[];
}

/** Events that end a command of the user. The session is drafted after each, even without a new line. */
const COMMAND_EVENTS: ReadonlySet<LeadEvent["kind"]> = new Set([
  "feature-added",
  "feature-removed",
  "wanted",
  "run-begun",
  "run-stopped",
  "unblocked",
  "placed",
  "revised",
  "waived",
]);

/**
 * One line per finished step; undefined where no event ends a command or finishes anything. Assigned, inspected and
 * lost work finishes nothing.
 */
export function describeAccomplishedWork(change: AppliedLeadChange): AccomplishedWork | undefined {
  const { events, applied } = change;
  const taken = events.flatMap((event, i) => {
    const outcome = applied[i];
    return outcome && outcome.kind !== "repeated" ? [{ event, outcome }] : [];
  });
  const told = taken.map(({ event, outcome }) =>
    outcome.kind === "applied" ? describeAcceptedReport(change, event) : NO_ACCOMPLISHED_WORK,
  );
  const lines = [
    ...formatPlanLines(taken.map(({ event }) => event)),
    ...taken.flatMap(({ event }) => formatUserCommandLine(change, event)),
    ...told.flatMap((each) => each.lines),
    ...taken.flatMap(({ outcome }) => outcome.effects.flatMap(formatEffectLine)),
    ...formatPhaseChanges(change),
  ];
  const files = [
    ...told.flatMap((each) => each.files),
    ...taken.flatMap(({ outcome }) => outcome.effects.flatMap(listEffectFiles)),
  ];
  const isCommand = taken.some(({ event }) => COMMAND_EVENTS.has(event.kind));
  return isCommand || lines.length > 0 ? { lines: [...new Set(lines)], files: [...new Set(files)] } : undefined;
}

const NO_ACCOMPLISHED_WORK: AccomplishedWork = { lines: [], files: [] };

function formatPlanLines(events: readonly LeadEvent[]): string[] {
  const added = events.flatMap((event) => (event.kind === "feature-added" ? [event.record] : []));
  const waves = new Set(added.flatMap(({ roadmap }) => roadmap?.wave ?? []));
  const size =
    waves.size === 0
      ? "Begun"
      : `Planned ${formatCount(added.length, "feature")} in ${formatCount(waves.size, "wave")}`;
  const moved = events.flatMap((event) => (event.kind === "placed" ? [`${event.feature} (wave ${event.wave})`] : []));
  const gone = events.flatMap((event) => (event.kind === "feature-removed" ? [event.feature] : []));
  return [
    [size, added.map(({ feature_name }) => feature_name)] as const,
    ["Placed", moved] as const,
    ["Taken out of the roadmap", gone] as const,
  ].flatMap(([said, names]) => (names.length === 0 ? [] : [`${said}: ${sanitizeText(names.join(", "), 150)}`]));
}

function formatUserCommandLine({ before, after }: AppliedLeadChange, event: LeadEvent): string[] {
  switch (event.kind) {
    case "run-stopped":
      return [
        `The roadmap was stopped with ${formatFeatureProgress(after)}${formatRunningActions(before)}: ${sanitizeText(event.why, 100)}`,
      ];
    case "unblocked":
      return [`${event.feature}: unblocked (${event.how})`];
    case "revised":
      return [`${event.feature}: revision begun (${sanitizeText(event.intent, 120)})`];
    case "waived":
      return [`${formatScopeHead(event.review.scope)}: the user waived ${event.finding} of ${event.review.batch}`];
    case "feature-added":
    case "feature-removed":
    case "placed":
    case "wanted":
    case "run-begun":
    case "review-begun":
    case "handed-out":
    case "reported":
    case "lost":
      return [];
  }
}

function formatRunningActions({ out }: Lead): string {
  const ids = [...out.keys()];
  return ids.length === 0
    ? ""
    : `, under way ${sanitizeText(ids.slice(0, 3).join(", "), 120)}${ids.length > 3 ? ", …" : ""}`;
}

export function formatFeatureProgress({ features }: Pick<Lead, "features">): string {
  const all = [...features.values()];
  const done = all.filter(({ phase }) => phase === "implementation-complete").length;
  return `${done} of ${formatCount(all.length, "feature")} implemented`;
}

function describeAcceptedReport({ before, after }: AppliedLeadChange, event: LeadEvent): AccomplishedWork {
  if (event.kind !== "reported") return NO_ACCOMPLISHED_WORK;
  const { report, facts } = event;
  const action = before.out.get(event.action)?.action;
  const work = action?.kind === "spawn" ? action.work : undefined;
  switch (report.kind) {
    case "architect": {
      if (work?.of !== "design") return NO_ACCOMPLISHED_WORK;
      const { feature } = work;
      const version = after.features.get(feature)?.version ?? "";
      return { lines: [`${feature}: design ${version} accepted`], files: [getFeatureDesignPath(feature)] };
    }
    case "tasks": {
      if (work?.of !== "tasks") return NO_ACCOMPLISHED_WORK;
      const groups = after.features.get(work.feature)?.implementation.groups ?? [];
      const tasks = groups.reduce((sum, group) => sum + group.tasks.length, 0);
      const line = `${work.feature}: ${formatCount(tasks, "task")} planned in ${formatCount(groups.length, "group")}`;
      return { lines: [line], files: [getFeatureTasksPath(work.feature)] };
    }
    case "builder":
      if (work?.of !== "build") return NO_ACCOMPLISHED_WORK;
      return {
        lines: [`${work.feature}: group ${work.group} ${work.isFix ? "mended" : "built"} (${work.tasks.join(", ")})`],
        files: facts.build?.files ?? [],
      };
    case "builder-blocked":
      if (work?.of !== "build") return NO_ACCOMPLISHED_WORK;
      return {
        lines: [`${work.feature}: group ${work.group} is held up: ${sanitizeText(report.blocker, 150)}`],
        files: [],
      };
    case "gate":
      return { lines: formatGateLine(event.action, facts.build?.tests.status), files: [] };
    case "answer":
      return { lines: [`${event.action}: the user answered ${sanitizeText(report.choice, 40)}`], files: [] };
    case "commit":
      return { lines: report.declined ? [] : [`Committed: ${event.action.replace(/\/commit.*$/, "")}`], files: [] };
    case "inspection":
    case "audit":
      return NO_ACCOMPLISHED_WORK;
  }
}

function formatGateLine(action: string, status: string | undefined): string[] {
  const feature = action.split("/")[0] ?? "";
  if (status === "passed") return [`${feature}: its tests pass`];
  return status === "failed" ? [`${feature}: its tests fail, and are to be mended`] : [];
}

function formatEffectLine(effect: LeadEffect): string[] {
  if (effect.kind === "wave-finished") return [`Wave ${effect.wave} is finished`];
  if (effect.kind !== "batch") return [];
  const { scope, kind, batch, verdict, disposition } = effect.batch;
  return [`${formatScopeHead(scope)}: the ${kind} review ${batch} says ${verdict} (${disposition})`];
}

const listEffectFiles = (effect: LeadEffect): string[] =>
  effect.kind === "batch" ? [getReviewBatchPath(effect.batch.scope, effect.batch.batch)] : [];

function formatPhaseChanges({ before, after }: AppliedLeadChange): string[] {
  return [...after.features].flatMap(([name, { phase, blocked_info: info }]) => {
    const was = before.features.get(name)?.phase;
    if (was === undefined || was === phase) return [];
    if (phase === "blocked") return [`${name}: blocked (${sanitizeText(info?.detail ?? info?.reason ?? "", 150)})`];
    return phase === "implementation-complete" ? [`${name}: implemented`] : [];
  });
}
