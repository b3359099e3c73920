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
  ["a feature that begins", { kind: "feature-added", record }, APPLIED, ["Begun: user-login"]],
  ["what is only wanted", { kind: "wanted", feature: name, goal: "design" }, APPLIED, []],
  ["a run that begins", { kind: "run-begun", isGated: false, cap: null }, APPLIED, []],
  [
    "one that is stopped",
    { kind: "run-stopped", why: "Enough" },
    APPLIED,
    ["The roadmap was stopped with 0 of 1 feature implemented, under way user-login/build-A/1: Enough"],
  ],
  [
    "a feature that goes",
    { kind: "feature-removed", feature: name },
    APPLIED,
    ["Removed from the roadmap: user-login"],
  ],
  ["what is built", reported(builder, { build }), APPLIED, ["user-login: group A built (1.1)"]],
  ["what was imported before", reported(builder, { build }), { kind: "repeated" }, undefined],
  ["what is not believed", reported(builder, { build }), { kind: "refused", problems: [], effects: [] }, undefined],
  ["who is lost", { kind: "lost", action: BUILD.id, why: "Silent" }, APPLIED, undefined],
  [
    "what is handed out",
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
    "a wave that is finished",
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

test("a feature that fails is told, whatever made it fail", () => {
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
