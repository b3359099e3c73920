import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mergeGitFiles } from "#roadmap/adapters/merge-driver.ts";
import { getRecordFormat, openRecord, sealRecord } from "#store/adapters/record-seal.ts";
import { parseFeatureName } from "#kernel/model/ids/feature-name.ts";
import {
  type FeatureRecord,
  createFeatureRecord,
  applyAcceptedDesign,
  type WaveRecord,
} from "#roadmap/model/feature/feature-record.ts";
import { getFeatureRecordPath, getWaveRecordPath } from "#kernel/model/workspace-paths.ts";
import { createFeatureShape, createWaveShape } from "#roadmap/operations/feature/feature-records.ts";
import { temporaryFolder } from "../kit/folder.ts";

const NAME = parseFeatureName("user-login");
const PATH = getFeatureRecordPath(NAME);
const BASE = createFeatureRecord(NAME, "Users log in", "en", "2026-01-31T12:00:00Z");
const LATER = "2026-02-01T12:00:00Z";
const design = (hash: string): FeatureRecord =>
  applyAcceptedDesign(BASE, { hash, files: ["src/a.ts"], basis: {} }, LATER);

/** What the driver makes of three texts: what it leaves in ours, whether nothing is left to decide, and what it says. */
function merged(
  path: string,
  base: string,
  ours: string,
  theirs: string,
): { text: string; isDone: boolean; said: string } {
  using folder = temporaryFolder();
  const places = { base: "base", ours: "ours", theirs: "theirs" } as const;
  const at = (name: string): string => join(folder.path, name);
  for (const [name, text] of Object.entries({ base, ours, theirs })) fs.writeFileSync(at(name), text);
  let said = "";
  const isDone = mergeGitFiles(
    { base: at(places.base), ours: at(places.ours), theirs: at(places.theirs), path },
    { seal: (record, file) => sealRecord(record, getRecordFormat(file)), tell: (text) => void (said += text) },
  );
  return { text: fs.readFileSync(at("ours"), "utf8"), isDone, said };
}

const sealed = (record: FeatureRecord, rev = record.rev + 1): string => sealRecord({ ...record, rev }, "yaml");

test("joins records of a feature with changes in different fields and seals them again", () => {
  const placed = { ...BASE, roadmap: { wave: 2, dependencies: [], skipped: [] } };
  const { text, isDone, said } = merged(PATH, sealed(BASE, 1), sealed(design("d")), sealed(placed, 5));
  expect([isDone, said]).toEqual([true, ""]);
  expect(openRecord(PATH, text, createFeatureShape(NAME))).toMatchObject({
    phase: "design-generated",
    roadmap: { wave: 2 },
    updated_at: LATER,
    rev: 6,
  });
});

test.each<[string, string, string, string]>([
  ["both sides designed it", sealed(BASE, 1), sealed(design("one")), sealed(design("other"))],
  [
    "one side designed and one counted",
    sealed(BASE, 1),
    sealed(design("one")),
    sealed({ ...BASE, orchestration: { ...BASE.orchestration, retry_count: 1 } }),
  ],
  ["both sides added it", "", sealed(BASE, 1), sealed({ ...BASE, description: "Else" }, 1)],
  ["one record is torn", sealed(BASE, 1), sealed(design("one")), sealed(BASE, 2).slice(0, 80)],
  ["one record was edited by hand", sealed(BASE, 1), sealed(design("one")), sealed(BASE, 2).replace("Users", "Nobody")],
])("does not join records of a feature where %s", (_, base, ours, theirs) => {
  const { text, isDone, said } = merged(PATH, base, ours, theirs);
  expect([text, isDone]).toEqual([ours, false]);
  expect(said).toContain(`tenon: ${PATH} could not be merged`);
});

const WAVE: WaveRecord = {
  wave: 1,
  step: "cross-check",
  tries: { cross_check: 0, dead_code: 0 },
  cross_check: null,
  dead_code: null,
  proceeded: [],
  runs: {},
  schema: 1,
  rev: 1,
};

test("takes the step of a wave from the side that changed it, and does not join two different steps", () => {
  const text = (record: Partial<WaveRecord>): string => sealRecord({ ...WAVE, ...record, rev: 2 }, "yaml");
  const base = sealRecord(WAVE, "yaml");
  const one = merged(getWaveRecordPath(1), base, text({}), text({ step: "dead-code" }));
  expect(openRecord(getWaveRecordPath(1), one.text, createWaveShape(1))).toMatchObject({ step: "dead-code", rev: 3 });
  expect(merged(getWaveRecordPath(1), base, text({ step: "commit" }), text({ step: "dead-code" })).isDone).toBe(false);
});

test("writes the roadmap page from the records, so that it never conflicts", () => {
  expect(merged("sdd/roadmap.md", "a\n", "b\n", "c\n")).toEqual({ text: "b\n", isDone: true, said: "" });
});

test("merges tasks and other YAML by lines", () => {
  const { text, isDone } = merged(
    "sdd/features/user-login/tasks.yaml",
    "a: 1\n\nb: 1\n",
    "a: 2\n\nb: 1\n",
    "a: 1\n\nb: 2\n",
  );
  expect([text, isDone]).toEqual(["a: 2\n\nb: 2\n", true]);
});
