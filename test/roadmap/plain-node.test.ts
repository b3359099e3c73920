import { expect, test } from "vitest";
import { gatherReportFacts } from "#roadmap/operations/lead/report-facts.ts";
import { designed, group, createTestLead } from "../kit/features.ts";
import { projectStand } from "../gate/project.ts";
import { designOf } from "./feature-documents.ts";

const CUT = { feature: "tide-model", groups: ["A"] };
const FILES = ["src/tides.mjs", "test/tides.test.mjs"];

const testFile = (expected: number): string => `import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { answer } from "../src/tides.mjs";

describe("tides", () => {
  test("AC: tide-model.S1.AC1 tides are told", () => assert.equal(answer(), ${expected}));
});
`;

test("builds in a plain Node project with node --test without a custom profile", async () => {
  using stand = await projectStand({
    "package.json": JSON.stringify({ type: "module", scripts: { test: "node --test" } }),
    "src/tides.mjs": "export const answer = () => 1;\n",
    "test/tides.test.mjs": testFile(1),
    "sdd/features/tide-model/design.md": designOf(CUT),
  });
  await stand.trust();
  const record = designed("tide-model", FILES, { implementation: { groups: [group("A", FILES)] } });
  const action = { id: "tide-model/gate/1", kind: "gate", feature: record.feature_name } as const;
  const out = { action, session: "one", at: stand.engine.clock.now(), base: null, estimate: 0, refusals: 0 };
  const gate = () => gatherReportFacts(stand.engine, createTestLead([record]), out);
  const passed = await gate();
  expect([passed.facts.build?.tests, passed.criteria]).toEqual([
    { status: "passed", problems: [] },
    ["tide-model.S1.AC1"],
  ]);
  stand.write("test/tides.test.mjs", testFile(2));
  const { facts } = await gate();
  expect([facts.build?.tests.status, facts.build?.tests.problems[0]?.problem]).toEqual([
    "failed",
    expect.stringMatching(/^test\/tides\.test\.mjs: tides > AC: tide-model\.S1\.AC1 tides are told: .*1 !== 2/),
  ]);
});
