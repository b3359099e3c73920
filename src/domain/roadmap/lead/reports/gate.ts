import { normalizePathKey } from "../../../feature/file-path.ts";
import type { FeatureRecord, PendingFix } from "../../../feature/record.ts";
import { applyCompletedImplementation } from "../../../feature/versions.ts";
import { sanitizeText } from "../../../quote.ts";
import { extractFilePaths } from "../../location.ts";
import type { GateAction } from "../action.ts";
import { escalateFeature, unblockReadyDependents } from "../changes/blocking.ts";
import { BLOCKED_COUNTER, countFixAttempt, clearLostRuns, countFeatureRun } from "../changes/counters.ts";
import type { LeadDraft } from "../draft.ts";
import type { ReportFacts } from "../event.ts";
import { reopenTaskGroups } from "../changes/mending.ts";
import { EVENT_APPLIED, rejectLeadEvent, type ReportWithFacts, type EventOutcome } from "../taken.ts";

type GateBuildFacts = NonNullable<ReportFacts["build"]>;

export function applyGateReport(
  draft: LeadDraft,
  { feature }: GateAction,
  { facts }: ReportWithFacts<"gate">,
): EventOutcome {
  const record = draft.feature(feature);
  const { build } = facts;
  if (!record) return rejectLeadEvent(`There is no feature ${feature}.`);
  if (!build) return rejectLeadEvent(`Nobody has run the checks of ${feature}. Report the gate again.`);
  const { status, problems } = build.tests;
  // Unknown is not passed, and building again would not help.
  if (status === "unknown" || status === "deferred") {
    return rejectLeadEvent(
      `The tests of ${feature} were not run. Name a test command, or waive it, and run the gate again.`,
      ...problems,
    );
  }
  if (status === "failed" || build.missing.length > 0) return failFeatureGate(draft, record, build);
  return passFeatureGate(draft, record, build, facts.at);
}

function passFeatureGate(draft: LeadDraft, record: FeatureRecord, build: GateBuildFacts, at: string): EventOutcome {
  const next = applyCompletedImplementation(record, { hash: build.hash, files: build.files }, at);
  const isWaveFix = record.fix?.source === "wave" || record.fix?.source === "dead-code";
  const review = record.reviews.implementation;
  // The wave's gate reviews its own fixes again.
  const reviews =
    isWaveFix && review ? { ...next.reviews, implementation: { ...review, of: build.hash } } : next.reviews;
  draft.keep(countFeatureRun(clearLostRuns({ ...next, reviews }, "gate", BLOCKED_COUNTER), "gate"));
  unblockReadyDependents(draft, record.feature_name);
  return EVENT_APPLIED;
}

function failFeatureGate(draft: LeadDraft, record: FeatureRecord, build: GateBuildFacts): EventOutcome {
  const lines = [
    ...build.missing.map((file) => `${file} is not there.`),
    ...build.tests.problems.map(({ problem }) => problem),
  ];
  const detail = sanitizeText(lines.join(" ") || "The tests fail.", 2_000);
  const ended = countFeatureRun(clearLostRuns(record, "gate"), "gate");
  const counted = countFixAttempt(ended, "retry");
  draft.keep(reopenTaskGroups(counted ?? ended, createGateFix(record, detail, findFailingGroups(record, lines))));
  if (!counted) escalateFeature(draft, record.feature_name, `The gate says no: ${detail}`);
  return EVENT_APPLIED;
}

/** A fix that fails the gate keeps its source and batch. */
function createGateFix({ fix }: FeatureRecord, detail: string, groups: readonly string[]): PendingFix {
  if (!fix || fix.groups.length === 0 || fix.source === "gate") return { source: "gate", batch: null, detail, groups };
  return { source: fix.source, batch: fix.batch, detail, groups };
}

function findFailingGroups({ implementation }: FeatureRecord, lines: readonly string[]): string[] {
  const owners = new Map(
    implementation.groups.flatMap(({ id, files }) => files.map((file) => [normalizePathKey(file), id] as const)),
  );
  const named = lines.flatMap((line) =>
    extractFilePaths(line, (path) => (owners.has(normalizePathKey(path)) ? path : undefined)),
  );
  return [...new Set(named.flatMap((file) => owners.get(normalizePathKey(file)) ?? []))];
}
