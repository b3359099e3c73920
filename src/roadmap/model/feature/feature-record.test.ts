import { expect, test } from "vitest";
import { parseFeatureName } from "#kernel/model/ids/feature-name.ts";
import {
  type AcceptedDesign,
  type FeatureRecord,
  type PendingFix,
  type TaskGroupRecord,
  createFeatureRecord,
  applyAcceptedDesign,
  applyCompletedImplementation,
  applyAcceptedTasks,
  findFeatureRecordProblem,
} from "./feature-record.ts";

const name = parseFeatureName("user-login");
const [first, later] = ["2026-01-31T12:00:00Z", "2026-02-01T12:00:00Z"];
const begun = createFeatureRecord(name, " Users log in. ", "en", first);
const design: AcceptedDesign = { hash: "d1", files: ["src/login.ts"], basis: { accounts: "d0" } };
const group: TaskGroupRecord = {
  id: "A",
  wave: 1,
  tasks: ["1.1"],
  files: ["src/login.ts"],
  depends: [],
  status: "pending",
};
const withDesign = applyAcceptedDesign(begun, design, later);
const withTasks = applyAcceptedTasks(withDesign, { hash: "t1", groups: [group] }, later);
const done = applyCompletedImplementation(withTasks, { hash: "i1", files: ["src/login.ts"] }, later);
const fix = (source: PendingFix["source"]): PendingFix => ({ source, batch: null, detail: "", groups: [] });

test("starts a feature with its name and description alone", () => {
  expect(begun).toEqual({
    feature_name: "user-login",
    description: "Users log in.",
    created_at: first,
    updated_at: first,
    language: "en",
    version: "1.0.0",
    changelog: [],
    version_refs: { design: null, implementation: null },
    phase: "initialized",
    design: null,
    implementation: { files_created: [], tasks_hash: null, groups: [], hash: null, excluded: [] },
    orchestration: {
      retry_count: 0,
      spec_update_count: 0,
      total_count: 0,
      last_phase_action: null,
      runs: {},
      lost: {},
    },
    blocked_info: null,
    roadmap: null,
    reviews: { design: null, implementation: null },
    fix: null,
    schema: 1,
    rev: 1,
  });
});

test("changes only its own fields at each step", () => {
  const changelog = [
    { version: "1.0.0", action: "design", at: later },
    { version: "1.0.0", action: "tasks", at: later },
    { version: "1.0.0", action: "implementation", at: later },
  ];
  const afterDesign: FeatureRecord = {
    ...begun,
    updated_at: later,
    changelog: changelog.slice(0, 1),
    version_refs: { design: "1.0.0", implementation: null },
    phase: "design-generated",
    design,
  };
  const afterTasks: FeatureRecord = {
    ...afterDesign,
    changelog: changelog.slice(0, 2),
    implementation: { ...begun.implementation, tasks_hash: "t1", groups: [group] },
    orchestration: { ...begun.orchestration, last_phase_action: "tasks-generated" },
  };
  expect(withDesign).toEqual(afterDesign);
  expect(withTasks).toEqual(afterTasks);
  expect(done).toEqual({
    ...afterTasks,
    changelog,
    version_refs: { design: "1.0.0", implementation: "1.0.0" },
    phase: "implementation-complete",
    implementation: { ...afterTasks.implementation, files_created: ["src/login.ts"], hash: "i1" },
    orchestration: { ...begun.orchestration, last_phase_action: "impl-complete" },
  });
  expect([begun, withDesign, withTasks, done].map((record) => findFeatureRecordProblem(record, name))).toEqual(
    Array(4).fill(undefined),
  );
});

test.each<[string, FeatureRecord, string, string]>([
  ["for the first time", begun, "1.0.0", "design"],
  ["anew", withDesign, "1.1.0", "redesign"],
  ["again after it was built", done, "1.1.0", "redesign"],
  ["again after a review", { ...withDesign, fix: fix("design") }, "1.1.0", "redesign"],
  ["again because the spec was wrong", { ...done, fix: fix("spec-update") }, "1.1.0", "spec-update"],
  ["again at the user's request", { ...done, fix: fix("revise") }, "1.1.0", "revise"],
  ["once more", { ...withDesign, version: "2.9.3" }, "2.10.0", "redesign"],
  ["again after a dependency was redesigned", { ...withDesign, version_refs: begun.version_refs }, "1.0.0", "design"],
])("accepts a design %s", (_, record, version, action) => {
  const next = applyAcceptedDesign(record, design, later);
  expect(next).toMatchObject({ version, version_refs: { ...record.version_refs, design: version }, fix: null });
  expect(next.changelog).toEqual([...record.changelog, { version, action, at: later }]);
  expect(next.orchestration.last_phase_action).toBe(null);
});

test("keeps the files that tasks exclude until new tasks say otherwise", () => {
  const excluding = applyAcceptedTasks(withDesign, { hash: "t1", groups: [group], excluded: ["src/app.ts"] }, later);
  expect(excluding.implementation.excluded).toEqual(["src/app.ts"]);
  expect(applyAcceptedTasks(excluding, { hash: "t2", groups: [group] }, later).implementation.excluded).toEqual([
    "src/app.ts",
  ]);
});

test("keeps the files of an earlier round as the feature's own", () => {
  const again = applyCompletedImplementation(done, { hash: "i2", files: ["src/a.ts", "src/login.ts"] }, later);
  expect(again.implementation).toMatchObject({ hash: "i2", files_created: ["src/a.ts", "src/login.ts"] });
});
