import { expect, test } from "vitest";
import { parseFeatureName } from "#kernel/model/ids/feature-name.ts";
import {
  type FeatureRecord,
  type ReviewReference,
  createFeatureRecord,
  applyAcceptedDesign,
  type WaveRecord,
  findFeatureRecordProblem,
  findWaveRecordProblem,
} from "./feature-record.ts";

const at = "2026-01-31T12:00:00Z";
const login = parseFeatureName("user-login");
const accounts = parseFeatureName("accounts");
const begun = createFeatureRecord(login, "Users log in", "en", at);
const review: ReviewReference = {
  batch: "B3",
  verdict: "GO",
  disposition: "GO-ACCEPTED",
  of: "d1",
  proposals: 2,
  waiting: [{ batch: "B2", line: 1, file: "tech.md", text: "Use one clock" }],
};
const group = {
  id: "A",
  wave: 1,
  tasks: ["1.1"],
  files: ["src/login.ts"],
  depends: [],
  optional: ["1.1"],
  status: "done",
} as const;
/** It has every field that a record can have. */
const FULL: FeatureRecord = {
  ...applyAcceptedDesign(begun, { hash: "d1", files: ["src/login.ts"], basis: { accounts: "d0" } }, at),
  phase: "blocked",
  implementation: {
    files_created: ["src/a.ts"],
    tasks_hash: "t1",
    groups: [group],
    hash: "i1",
    excluded: ["src/b.ts"],
  },
  orchestration: {
    retry_count: 3,
    spec_update_count: 2,
    total_count: 6,
    last_phase_action: "tasks-generated",
    runs: { architect: 2, "build-A": 1 },
    lost: { gate: 1 },
  },
  blocked_info: {
    blocked_by: [accounts, login],
    reason: "upstream_failure",
    blocked_at_phase: "design-generated",
    detail: "It failed",
    is_skipped: false,
  },
  roadmap: { wave: 2, dependencies: [accounts], skipped: [accounts], foundation: true },
  reviews: { design: review, implementation: { ...review, verdict: "NO-GO", disposition: "ESCALATED" } },
  fix: {
    source: "impl",
    batch: "sdd/features/user-login/reviews/B3.yaml",
    detail: "",
    groups: ["A"],
    tasks: ["1.1"],
    isStructural: true,
  },
};
const WAVE: WaveRecord = {
  wave: 2,
  step: "dead-code",
  tries: { cross_check: 1, dead_code: 0 },
  cross_check: review,
  dead_code: null,
  proceeded: ["cross-check"],
  runs: { commit: 1 },
  schema: 1,
  rev: 1,
};
const wrong = (field: string): string => `its field "${field}" is missing or wrong`;

test.each([
  ["begun", begun],
  ["full", FULL],
  ["extended with an unknown field", { ...FULL, colour: "red" }],
])("accepts a feature record that is %s", (_, record) => {
  expect(findFeatureRecordProblem(record, "user-login")).toBe(undefined);
});

test("accepts a wave record", () => {
  expect(findWaveRecordProblem(WAVE, 2)).toBe(undefined);
});

test.each([[null], [undefined], ["text"], [1], [[]]])("rejects %j as a record", (value) => {
  expect(findFeatureRecordProblem(value, "user-login")).toBe("it is not an object");
  expect(findWaveRecordProblem(value, 1)).toBe("it is not an object");
});

test("rejects a record in a folder of a different name", () => {
  expect(findFeatureRecordProblem(begun, "accounts")).toBe(wrong("feature_name"));
  expect(findWaveRecordProblem(WAVE, 1)).toBe(wrong("wave"));
});

test("requires every field", () => {
  const found = (record: object, judge: (value: unknown) => string | undefined): (string | undefined)[] =>
    Object.keys(record)
      .filter((name) => name !== "schema" && name !== "rev")
      .map((name) => judge(Object.fromEntries(Object.entries(record).filter(([other]) => other !== name))));
  const fields = Object.keys(FULL).filter((name) => name !== "schema" && name !== "rev");
  expect(found(FULL, (value) => findFeatureRecordProblem(value, "user-login"))).toEqual(fields.map(wrong));
  const ofWave = Object.keys(WAVE).filter((name) => name !== "schema" && name !== "rev");
  expect(found(WAVE, (value) => findWaveRecordProblem(value, 2))).toEqual(ofWave.map(wrong));
});

/** The value with what stands at the path set. */
function set(value: unknown, [step, ...rest]: readonly (string | number)[], to: unknown): unknown {
  if (step === undefined) return to;
  const copy = structuredClone(value) as Record<string | number, unknown>;
  copy[step] = set(copy[step], rest, to);
  return copy;
}

test.each<[string, unknown, string]>([
  ["description", "x".repeat(4_001), "description"],
  ["created_at", "yesterday", "created_at"],
  ["updated_at", null, "updated_at"],
  ["language", "", "language"],
  ["version", "1.0", "version"],
  ["changelog.0.version", 1, "changelog"],
  ["changelog.0.action", "", "changelog"],
  ["changelog.0.at", "", "changelog"],
  ["version_refs.design", "1", "version_refs"],
  ["version_refs.implementation", undefined, "version_refs"],
  ["phase", "done", "phase"],
  ["design.hash", "", "design"],
  ["design.files.0", "../a", "design"],
  ["design.basis.Accounts", "d0", "design"],
  ["implementation.files_created.0", "/etc/passwd", "implementation"],
  ["implementation.tasks_hash", 1, "implementation"],
  ["implementation.groups.0.id", "", "implementation"],
  ["implementation.groups.0.wave", 0, "implementation"],
  ["implementation.groups.0.tasks.0", 1.1, "implementation"],
  ["implementation.groups.0.files.0", "src/*.ts", "implementation"],
  ["implementation.groups.0.depends", null, "implementation"],
  ["implementation.groups.0.status", "doing", "implementation"],
  ["implementation.hash", "", "implementation"],
  ["implementation.excluded", ["sdd/config.yaml"], "implementation"],
  ["implementation.groups.0.optional", [1], "implementation"],
  ["orchestration.retry_count", -1, "orchestration"],
  ["orchestration.spec_update_count", 0.5, "orchestration"],
  ["orchestration.total_count", "1", "orchestration"],
  ["orchestration.last_phase_action", "designed", "orchestration"],
  ["orchestration.runs.architect", -1, "orchestration"],
  ["orchestration.lost", [], "orchestration"],
  ["blocked_info.blocked_by.0", "A", "blocked_info"],
  ["blocked_info.reason", "mood", "blocked_info"],
  ["blocked_info.blocked_at_phase", "blocked", "blocked_info"],
  ["blocked_info.detail", 1, "blocked_info"],
  ["blocked_info.is_skipped", "no", "blocked_info"],
  ["blocked_info", null, "blocked_info"],
  ["phase", "initialized", "blocked_info"],
  ["roadmap.wave", 0, "roadmap"],
  ["roadmap.dependencies.0", "", "roadmap"],
  ["roadmap.skipped", null, "roadmap"],
  ["roadmap.foundation", "yes", "roadmap"],
  ["reviews.design.batch", "3", "reviews"],
  ["reviews.design.batch", "../B3", "reviews"],
  ["reviews.design.verdict", "MAYBE", "reviews"],
  ["reviews.design.disposition", "", "reviews"],
  ["reviews.design.of", 1, "reviews"],
  ["reviews.implementation.proposals", -1, "reviews"],
  ["reviews.design.waiting", {}, "reviews"],
  ["reviews.design.waiting.0.batch", "", "reviews"],
  ["reviews.design.waiting.0.line", 0, "reviews"],
  ["reviews.design.waiting.0.file", 1, "reviews"],
  ["reviews.design.waiting.0.text", null, "reviews"],
  ["fix.source", "mood", "fix"],
  ["fix.batch", 1, "fix"],
  ["fix.detail", null, "fix"],
  ["fix.groups", [1], "fix"],
  ["fix.tasks", "1.1", "fix"],
  ["fix.isStructural", "yes", "fix"],
])("rejects a feature whose %s is %j", (path, to, field) => {
  expect(findFeatureRecordProblem(set(FULL, path.split("."), to), "user-login")).toBe(wrong(field));
});

test("requires a design of an implemented feature", () => {
  const lost = { ...FULL, phase: "implementation-complete", blocked_info: null, design: null };
  expect(findFeatureRecordProblem(lost, "user-login")).toBe(wrong("design"));
});

test.each<[string, unknown, string]>([
  ["step", "begun", "step"],
  ["tries.cross_check", -1, "tries"],
  ["cross_check.of", 1, "cross_check"],
  ["dead_code", {}, "dead_code"],
  ["proceeded.0", "commit", "proceeded"],
  ["runs.commit", "1", "runs"],
])("rejects a wave whose %s is %j", (path, to, field) => {
  expect(findWaveRecordProblem(set(WAVE, path.split("."), to), 2)).toBe(wrong(field));
});
