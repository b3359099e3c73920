import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import { getFeatureDesignPath, getFeatureTasksPath } from "#kernel/model/workspace-paths.ts";
import type { Lead, LeadEffect, LeadEvent, LeadEventResult } from "../lead/lead-state.ts";
import { formatScopeHead, getReviewBatchPath } from "../lead/lead-view.ts";

interface AccomplishedWork {
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

/** One line per finished step; undefined where no event ends a command or finishes anything. */
export function describeAccomplishedWork(change: AppliedLeadChange): AccomplishedWork | undefined {
  const { events, applied } = change;
  const taken = events.flatMap((event, i) => {
    const outcome = applied[i];
    return outcome && outcome.kind !== "repeated" ? [{ event, outcome }] : [];
  });
  const effects = taken.flatMap(({ outcome }) => outcome.effects);
  const told = taken.map(({ event, outcome }) =>
    outcome.kind === "applied" ? describeAcceptedReport(change, event) : NO_ACCOMPLISHED_WORK,
  );
  const lines = [
    ...formatPlanLines(taken.map(({ event }) => event)),
    ...taken.flatMap(({ event }) => formatUserCommandLine(change, event)),
    ...told.flatMap((each) => each.lines),
    ...effects.flatMap(formatEffectLine),
    ...formatPhaseChanges(change),
  ];
  const batches = effects.flatMap((effect) => (effect.kind === "batch" ? [effect.batch] : []));
  const files = [
    ...told.flatMap((each) => each.files),
    ...batches.map(({ scope, batch }) => getReviewBatchPath(scope, batch)),
  ];
  const isCommand = taken.some(({ event }) => COMMAND_EVENTS.has(event.kind));
  return isCommand || lines.length > 0 ? { lines: [...new Set(lines)], files: [...new Set(files)] } : undefined;
}

const NO_ACCOMPLISHED_WORK: AccomplishedWork = { lines: [], files: [] };

function formatPlanLines(events: readonly LeadEvent[]): string[] {
  const added = events.flatMap((event) => (event.kind === "feature-added" ? [event.record] : []));
  const waves = new Set(added.flatMap(({ roadmap }) => roadmap?.wave ?? []));
  const plan = `Planned ${formatCount(added.length, "feature")} in ${formatCount(waves.size, "wave")}`;
  const moved = events.flatMap((event) => (event.kind === "placed" ? [`${event.feature} (wave ${event.wave})`] : []));
  const gone = events.flatMap((event) => (event.kind === "feature-removed" ? [event.feature] : []));
  return [
    [waves.size === 0 ? "Begun" : plan, added.map(({ feature_name }) => feature_name)] as const,
    ["Placed", moved] as const,
    ["Removed from the roadmap", gone] as const,
  ].flatMap(([said, names]) => (names.length === 0 ? [] : [`${said}: ${sanitizeText(names.join(", "), 150)}`]));
}

function formatUserCommandLine({ before, after }: AppliedLeadChange, event: LeadEvent): string[] {
  if (event.kind === "run-stopped") {
    const ids = [...before.out.keys()];
    const shown = `, under way ${sanitizeText(ids.slice(0, 3).join(", "), 120)}${ids.length > 3 ? ", …" : ""}`;
    const progress = `${formatFeatureProgress(after)}${ids.length === 0 ? "" : shown}`;
    return [`The roadmap was stopped with ${progress}: ${sanitizeText(event.why, 100)}`];
  }
  if (event.kind === "unblocked") return [`${event.feature}: unblocked (${event.how})`];
  if (event.kind === "revised") return [`${event.feature}: revision begun (${sanitizeText(event.intent, 120)})`];
  if (event.kind !== "waived") return [];
  return [`${formatScopeHead(event.review.scope)}: the user waived ${event.finding} of ${event.review.batch}`];
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
  const tell = (line: string, files: readonly string[] = []): AccomplishedWork => ({ lines: [line], files });
  if (report.kind === "architect" && work?.of === "design") {
    const version = after.features.get(work.feature)?.version ?? "";
    return tell(`${work.feature}: design ${version} accepted`, [getFeatureDesignPath(work.feature)]);
  }
  if (report.kind === "tasks" && work?.of === "tasks") {
    const groups = after.features.get(work.feature)?.implementation.groups ?? [];
    const tasks = groups.reduce((sum, group) => sum + group.tasks.length, 0);
    const line = `${work.feature}: ${formatCount(tasks, "task")} planned in ${formatCount(groups.length, "group")}`;
    return tell(line, [getFeatureTasksPath(work.feature)]);
  }
  if (report.kind === "builder" && work?.of === "build") {
    const line = `${work.feature}: group ${work.group} ${work.isFix ? "fixed" : "built"} (${work.tasks.join(", ")})`;
    return tell(line, facts.build?.files);
  }
  if (report.kind === "builder-blocked" && work?.of === "build")
    return tell(`${work.feature}: group ${work.group} is blocked: ${sanitizeText(report.blocker, 150)}`);
  const status = report.kind === "gate" ? facts.build?.tests.status : undefined;
  const feature = event.action.split("/")[0] ?? "";
  if (status === "passed") return tell(`${feature}: its tests pass`);
  if (status === "failed") return tell(`${feature}: its tests fail and must be fixed`);
  if (report.kind === "answer") return tell(`${event.action}: the user answered ${sanitizeText(report.choice, 40)}`);
  if (report.kind === "commit" && !report.declined)
    return tell(`Committed: ${event.action.replace(/\/commit.*$/, "")}`);
  return NO_ACCOMPLISHED_WORK;
}

function formatEffectLine(effect: LeadEffect): string[] {
  if (effect.kind === "wave-finished") return [`Wave ${effect.wave} is finished`];
  if (effect.kind !== "batch") return [];
  const { scope, kind, batch, verdict, disposition } = effect.batch;
  return [`${formatScopeHead(scope)}: the ${kind} review ${batch} says ${verdict} (${disposition})`];
}

function formatPhaseChanges({ before, after }: AppliedLeadChange): string[] {
  return [...after.features].flatMap(([name, { phase, blocked_info: info }]) => {
    const was = before.features.get(name)?.phase;
    if (was === undefined || was === phase) return [];
    if (phase === "blocked") return [`${name}: blocked (${sanitizeText(info?.detail ?? info?.reason ?? "", 150)})`];
    return phase === "implementation-complete" ? [`${name}: implemented`] : [];
  });
}
