import { samePath } from "../../../feature/file-path.ts";
import type { FeatureRecord, Fix } from "../../../feature/record.ts";
import { implemented } from "../../../feature/versions.ts";
import { sanitizeText } from "../../../quote.ts";
import { pathsIn } from "../../location.ts";
import type { RunGate } from "../action.ts";
import { escalate, releaseIfSound } from "../changes/blocking.ts";
import { BLOCKED, withFixCounted, withoutLost, withRun } from "../changes/counters.ts";
import type { Draft } from "../draft.ts";
import type { Facts } from "../event.ts";
import { withGroupsWoken } from "../changes/mending.ts";
import { APPLIED, refuse, type Reported, type Taken } from "../taken.ts";

type Build = NonNullable<Facts["build"]>;

export function takeGate(draft: Draft, { feature }: RunGate, { facts }: Reported<"gate">): Taken {
  const record = draft.feature(feature);
  const { build } = facts;
  if (!record) return refuse(`There is no feature ${feature}.`);
  if (!build) return refuse(`Nobody has run the checks of ${feature}. Report the gate again.`);
  const { status, problems } = build.tests;
  // Unknown is not passed, and building again would not help.
  if (status === "unknown" || status === "deferred") {
    return refuse(
      `The tests of ${feature} were not run. Name a test command, or waive it, and run the gate again.`,
      ...problems,
    );
  }
  if (status === "failed" || build.missing.length > 0) return fail(draft, record, build);
  return pass(draft, record, build, facts.at);
}

function pass(draft: Draft, record: FeatureRecord, build: Build, at: string): Taken {
  const next = implemented(record, { hash: build.hash, files: build.files }, at);
  const isWaveFix = record.fix?.source === "wave" || record.fix?.source === "dead-code";
  const review = record.reviews.implementation;
  // The wave's gate reviews its own fixes again.
  const reviews =
    isWaveFix && review ? { ...next.reviews, implementation: { ...review, of: build.hash } } : next.reviews;
  draft.keep(withRun(withoutLost({ ...next, reviews }, "gate", BLOCKED), "gate"));
  releaseIfSound(draft, record.feature_name);
  return APPLIED;
}

function fail(draft: Draft, record: FeatureRecord, build: Build): Taken {
  const lines = [
    ...build.missing.map((file) => `${file} is not there.`),
    ...build.tests.problems.map(({ problem }) => problem),
  ];
  const detail = sanitizeText(lines.join(" ") || "The tests fail.", 2_000);
  const ended = withRun(withoutLost(record, "gate"), "gate");
  const counted = withFixCounted(ended, "retry");
  draft.keep(withGroupsWoken(counted ?? ended, fixFor(record, detail, ownersOf(record, lines))));
  if (!counted) escalate(draft, record.feature_name, `The gate says no: ${detail}`);
  return APPLIED;
}

/** A fix that fails the gate keeps its source and batch. */
function fixFor({ fix }: FeatureRecord, detail: string, groups: readonly string[]): Fix {
  if (!fix || fix.groups.length === 0 || fix.source === "gate") return { source: "gate", batch: null, detail, groups };
  return { source: fix.source, batch: fix.batch, detail, groups };
}

function ownersOf({ implementation }: FeatureRecord, lines: readonly string[]): string[] {
  const owners = new Map(
    implementation.groups.flatMap(({ id, files }) => files.map((file) => [samePath(file), id] as const)),
  );
  const named = lines.flatMap((line) => pathsIn(line, (path) => (owners.has(samePath(path)) ? path : undefined)));
  return [...new Set(named.flatMap((file) => owners.get(samePath(file)) ?? []))];
}
