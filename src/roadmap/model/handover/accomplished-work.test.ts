import { expect, test } from "vitest";
import { parseFeatureName } from "#kernel/model/ids/feature-name.ts";
import { createEmptyLead } from "../../../../test/kit/features.ts";
import { createFeatureRecord } from "../feature/feature-record.ts";
import type { Lead, LeadAction, LeadEvent, LeadEventResult } from "../lead/lead-state.ts";
import { describeAccomplishedWork } from "./accomplished-work.ts";

const at = "2026-01-31T12:00:00Z";
const name = parseFeatureName("user-login");
const record = createFeatureRecord(name, "Log in", "en", at);
const APPLIED: LeadEventResult = { kind: "applied", effects: [] };
const BUILD: LeadAction = {
  id: "user-login/build-A/1",
  kind: "spawn",
  role: "builder",
  work: { of: "build", feature: name, group: "A", tasks: ["1.1"], isFix: false },
};
const withOut = (action: LeadAction): Lead => ({
  ...createEmptyLead(),
  features: new Map([[name, record]]),
  out: new Map([[action.id, { action, session: "one", at, base: null, estimate: 0, refusals: 0 }]]),
});
const BEFORE = withOut(BUILD);
const reported = (report: Extract<LeadEvent, { kind: "reported" }>["report"], more = {}): LeadEvent => ({
  kind: "reported",
  action: BUILD.id,
  report,
  facts: { at, ...more },
});
const builder = { kind: "builder", tasks: ["1.1"], files: [], tests: null, tags: [] } as const;
const build = { hash: "", missing: [], outside: [], files: ["src/a.ts"], tests: { status: "deferred", problems: [] } };

const EVENTS: readonly (readonly [
  string,
  LeadEvent,
  LeadEventResult,
  readonly string[] | undefined,
  (readonly string[])?,
])[] = [
  ["a new feature", { kind: "feature-added", record }, APPLIED, ["Begun: user-login"]],
  ["a request for a feature", { kind: "wanted", feature: name, goal: "design" }, APPLIED, []],
  ["the start of a run", { kind: "run-begun", isGated: false, cap: null }, APPLIED, []],
  [
    "the stop of a run",
    { kind: "run-stopped", why: "Enough" },
    APPLIED,
    ["The roadmap was stopped with 0 of 1 feature implemented, under way user-login/build-A/1: Enough"],
  ],
  [
    "the removal of a feature",
    { kind: "feature-removed", feature: name },
    APPLIED,
    ["Removed from the roadmap: user-login"],
  ],
  ["a completed build", reported(builder, { build }), APPLIED, ["user-login: group A built (1.1)"]],
  ["an imported feature", reported(builder, { build }), { kind: "repeated" }, undefined],
  ["an unconfirmed report", reported(builder, { build }), { kind: "refused", problems: [], effects: [] }, undefined],
  ["a lost agent", { kind: "lost", action: BUILD.id, why: "Silent" }, APPLIED, undefined],
  [
    "an assignment",
    { kind: "handed-out", action: BUILD.id, session: "one", at, base: null, estimate: 0 },
    APPLIED,
    undefined,
  ],
  [
    "an inspection",
    reported({ kind: "inspection", inspection: { scope: "", findings: [], notes: [] } }),
    APPLIED,
    undefined,
  ],
  [
    "a finished wave",
    reported({ kind: "commit", declined: false }),
    { kind: "applied", effects: [{ kind: "wave-finished", wave: 1 }] },
    ["Committed: user-login/build-A/1", "Wave 1 is finished"],
  ],
];

const ROWS = EVENTS.map(([what, event, outcome, lines]) => ({ what, event, outcome, lines }));

test.each(ROWS)("$what", ({ event, outcome, lines }) => {
  const told = describeAccomplishedWork({ before: BEFORE, after: BEFORE, events: [event], applied: [outcome] });
  const files = lines?.some((line) => line.includes("built")) ? ["src/a.ts"] : [];
  expect(told).toEqual(lines && { lines, files });
});

test("reports a failed feature with its reason", () => {
  const info = {
    blocked_by: [name],
    reason: "retries_exhausted",
    blocked_at_phase: "initialized",
    detail: "Thrice no",
    is_skipped: false,
  } as const;
  const after: Lead = { ...BEFORE, features: new Map([[name, { ...record, phase: "blocked", blocked_info: info }]]) };
  const outcome: LeadEventResult = { kind: "refused", problems: [], effects: [] };
  expect(
    describeAccomplishedWork({ before: BEFORE, after, events: [reported(builder)], applied: [outcome] })?.lines,
  ).toEqual(["user-login: blocked (Thrice no)"]);
});
