import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type FeatureName, parseFeatureName } from "#kernel/model/ids/feature-name.ts";
import {
  type FeatureRecord,
  createFeatureRecord,
  applyAcceptedDesign,
  applyAcceptedTasks,
  type WaveRecord,
} from "#roadmap/model/feature/feature-record.ts";
import { getFeatureRecordPath, getWaveRecordPath } from "#kernel/model/workspace-paths.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import { createFeatureShape, createWaveShape } from "#roadmap/operations/feature/feature-records.ts";
import { refusal } from "../kit/fault.ts";
import { DESIGN, RESEARCH, TASKS } from "../kit/feature.ts";
import { temporaryRepository } from "../kit/folder.ts";
import { stand, standOnDisk, type Stand } from "../project/stand.ts";

const AT = "2026-01-31T12:00:00Z";
const LOGIN = parseFeatureName("user-login");
const SPEC = "sdd/features/user-login/spec.yaml";
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

/** As the engine writes records. */
async function keep(it: Stand, record: FeatureRecord, wave?: WaveRecord): Promise<void> {
  const name: FeatureName = record.feature_name;
  await commitStoreWrite(it.engine, () => ({
    steps: [
      { kind: "record", path: getFeatureRecordPath(name), record, shape: createFeatureShape(name) },
      ...(wave
        ? [
            {
              kind: "record",
              path: getWaveRecordPath(wave.wave),
              record: wave,
              shape: createWaveShape(wave.wave),
            } as const,
          ]
        : []),
    ],
    occurrences: [{ kind: "test", subject: name }],
    result: undefined,
  }));
}

const begun = createFeatureRecord(LOGIN, "Users log in", "en", AT);
const found = async (it: Stand): Promise<unknown> => {
  const { checks } = (await it.run("workspace.doctor")) as unknown as { checks: { check: string; found: string }[] };
  return checks.filter(({ check }) => check === "records").map((check) => check.found);
};

test("writes records of features and waves as YAML with counted revisions", async () => {
  using it = await stand();
  await keep(it, begun, WAVE);
  expect(it.read(SPEC).split("\n").slice(0, 3)).toEqual([
    'feature_name: "user-login"',
    'description: "Users log in"',
    'created_at: "2026-01-31T12:00:00Z"',
  ]);
  await keep(it, { ...begun, description: "Users log in and out", rev: 2 });
  await expect(keep(it, { ...begun, rev: 4 })).rejects.toThrow("is at revision 2; revision 4 cannot follow it");
  const record = await it.engine.store.read((tree) =>
    tree.record(getFeatureRecordPath(LOGIN), createFeatureShape(LOGIN)),
  );
  expect(record).toMatchObject({ description: "Users log in and out", rev: 2 });
  expect(await found(it)).toEqual(["2 sound"]);
  expect(await it.run("workspace.validate")).toEqual({ passed: true, items: 2, problems: [] });
});

const TORN = "is not YAML as Tenon writes it: the file is cut off or has merge marks.";
const BROKEN = "Its checksum does not match: it was edited by hand, or a merge joined two versions.";

test.each<[string, (text: string) => string, string, string]>([
  ["edited by hand", (text) => text.replace("Users log in", "By hand"), BROKEN, "accepted"],
  ["with an unquoted text", (text) => text.replace('"Users log in"', "By hand # me"), BROKEN, "accepted"],
  ["torn", (text) => text.slice(0, 40), `Its line 2 ${TORN}`, "record.corrupt"],
  ["merged by lines", (text) => `<<<<<<< ours\n${text}`, `Its line 1 ${TORN}`, "record.corrupt"],
  ["empty", () => "", BROKEN, "record.corrupt"],
  ["of a newer Tenon", (text) => text.replace("schema: 1", "schema: 2"), BROKEN, "record.newer"],
  ["with another phase", (text) => text.replace('"initialized"', '"blocked"'), BROKEN, "record.corrupt"],
])("reports a feature's record that was %s, and accepts it only where it is valid", async (_, edit, why, outcome) => {
  using it = await stand();
  await keep(it, begun);
  it.write(SPEC, edit(it.read(SPEC)));
  expect(await found(it)).toEqual([`${SPEC}: ${why}`]);
  expect(await it.run("workspace.validate")).toMatchObject({ passed: false, problems: [{ path: SPEC, problem: why }] });
  const resealing = it.run("workspace.doctor", { reseal: SPEC });
  const code = outcome === "accepted" ? await resealing.then(() => "accepted") : (await refusal(resealing)).code;
  expect(code).toBe(outcome);
  expect(await it.run("workspace.validate")).toMatchObject({ passed: outcome === "accepted" });
});

test("accepts an edited wave record with the right shape", async () => {
  using it = await stand();
  await keep(it, begun, WAVE);
  it.write("sdd/waves/1.yaml", it.read("sdd/waves/1.yaml").replace("cross_check: 0", "cross_check: 1"));
  expect(await found(it)).toEqual([`sdd/waves/1.yaml: ${BROKEN}`]);
  expect(await it.run("workspace.doctor", { reseal: "./sdd/waves/1.yaml" })).toMatchObject({ healthy: true });
  expect(it.read("sdd/waves/1.yaml")).toContain("rev: 2\n");
});

test("reports missing files that a record names", async () => {
  using it = await stand();
  const [one, other] = ["design.md", "research.md"].map((name) => `sdd/features/user-login/${name}`);
  const accounts = parseFeatureName("accounts");
  const placed = { wave: 2, dependencies: [accounts], skipped: [] };
  await keep(it, { ...applyAcceptedDesign(begun, { hash: "d", files: [], basis: {} }, AT), roadmap: placed });
  const missing = "The record of its feature lists it, but it is missing.";
  expect(await it.run("workspace.validate")).toEqual({
    passed: false,
    items: 3,
    problems: [
      { path: one, problem: missing },
      { path: other, problem: missing },
      { path: SPEC, problem: "It depends on accounts, which does not exist." },
    ],
  });
  it.write(SPEC, it.read(SPEC).replace("Users log in", "By hand"));
  expect(await refusal(it.run("workspace.doctor", { reseal: SPEC }))).toMatchObject({ code: "record.unsound" });
});

test("checks accepted documents again and reports problems with their lines", async () => {
  using it = await stand();
  const folder = "sdd/features/user-login";
  const accepted = applyAcceptedDesign(begun, { hash: "d", files: [], basis: {} }, AT);
  await keep(it, applyAcceptedTasks(accepted, { hash: "t", groups: [], excluded: ["src/router.ts"] }, AT));
  it.write(`${folder}/design.md`, DESIGN.replace("### Non-Goals", "### Goals"));
  it.write(`${folder}/research.md`, RESEARCH.replace("New Feature", "Some"));
  it.write(`${folder}/tasks.yaml`, TASKS);
  expect(await it.run("workspace.validate")).toMatchObject({
    items: 4,
    problems: [
      { path: `${folder}/design.md`, line: 22, problem: expect.stringContaining('"### Non-Goals" is missing') },
      { path: `${folder}/design.md`, line: 22, problem: expect.stringContaining('"### Goals" is not a spec') },
      { path: `${folder}/research.md`, line: 5 },
      { path: `${folder}/tasks.yaml`, line: 47, problem: expect.stringContaining("belongs to another feature") },
    ],
  });
  it.write(`${folder}/tasks.yaml`, "tasks: [");
  expect(await it.run("workspace.validate")).toMatchObject({
    problems: expect.arrayContaining([expect.objectContaining({ path: `${folder}/tasks.yaml`, line: 1 })]),
  });
});

test("reports foreign entries among features and waves", async () => {
  using repository = temporaryRepository();
  using it = await standOnDisk(repository);
  await keep(it, begun, WAVE);
  for (const folder of ["Bad Name", "bare", "empty"]) fs.mkdirSync(join(repository.path, "sdd/features", folder));
  it.write("sdd/features/bare/design.md", "# Design\n");
  it.write("sdd/waves/one.yaml", "");
  expect(await it.run("workspace.validate")).toMatchObject({
    problems: [
      { path: "sdd/features/Bad Name", problem: "Its name is not that of a feature." },
      { path: "sdd/features/bare/spec.yaml", problem: "It is missing." },
      { path: "sdd/waves/one.yaml", problem: "Its name is not that of a wave: 2.yaml." },
    ],
  });
});
