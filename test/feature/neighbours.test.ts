import { expect, test } from "vitest";
import { sealRecord } from "#store/adapters/record-seal.ts";
import { parseFeatureName } from "#kernel/model/ids/feature-name.ts";
import { createFeatureRecord, applyAcceptedDesign, applyAcceptedTasks } from "#roadmap/model/feature/feature-record.ts";
import { DESIGN, RESEARCH, TASKS } from "../kit/feature.ts";
import { traceStand } from "../trace/stand.ts";

const AT = "2026-01-31T12:00:00Z";
const RECORD = applyAcceptedTasks(
  applyAcceptedDesign(
    createFeatureRecord(parseFeatureName("user-login"), "Users log in", "en", AT),
    { hash: "d", files: [], basis: {} },
    AT,
  ),
  { hash: "t", groups: [] },
  AT,
);
/** All that a roadmap keeps in `sdd`, beside some code. */
const ROADMAP = {
  "sdd/features/user-login/spec.yaml": sealRecord(RECORD, "yaml"),
  "sdd/features/user-login/design.md": DESIGN,
  "sdd/features/user-login/research.md": RESEARCH,
  "sdd/features/user-login/tasks.yaml": TASKS,
  "sdd/features/user-login/reviews/B1.yaml": 'batch: "B1"\n',
  "sdd/reviews/B1.yaml": 'batch: "B1"\n',
  "sdd/roadmap.md": "# Roadmap\n",
  "sdd/steering/product.md": "# Product\n",
  "sdd/handover/decisions.md": "# Decisions\n",
  "src/login.ts": "/** AC: user-login.S1.AC1 */\nexport const login = (): boolean => true;\n",
};

test("validate reads a workspace with a roadmap", async () => {
  using it = await traceStand(ROADMAP);
  expect(await it.run("workspace.validate")).toEqual({ passed: true, items: 4, problems: [] });
  expect(await it.run("workspace.doctor")).toMatchObject({ healthy: true });
  expect(await it.run("indexing.update")).toMatchObject({ files: 1 });
  const asked = await it.run("indexing.query", { question: "Where is login?" });
  expect(JSON.stringify(asked)).toContain("src/login.ts");
  expect(await it.run("indexing.query", { question: "Which specs are untested?" })).toBeDefined();
  await it.run("change.start", { type: "fix", size: "small", description: "Let users log in" });
  expect(await it.run("context.check", { change_description: "Let users log in" })).toMatchObject({ facts: [] });
  expect(await it.run("context.audit")).toBeDefined();
  expect(await it.run("workspace.status")).toBeDefined();
});

test("validate continues past a damaged roadmap", async () => {
  using it = await traceStand({
    ...ROADMAP,
    "sdd/features/user-login/spec.yaml": "\0",
    "sdd/features/user-login/design.md": "<<<<<<< ours\n",
    "sdd/waves/1.yaml": "torn: ",
    "sdd/features/no-folder": "A file.\n",
  });
  const { problems } = (await it.run("workspace.validate")) as { problems?: readonly { path?: string }[] };
  expect(problems?.map(({ path }) => path)).toEqual([
    "sdd/features/no-folder",
    "sdd/features/user-login/spec.yaml",
    "sdd/waves/1.yaml",
  ]);
  expect(await it.run("workspace.doctor")).toMatchObject({ healthy: false });
  expect(await it.run("indexing.update")).toMatchObject({ files: 1 });
  expect(await it.run("trace.show")).toMatchObject({ specs: [{ id: "no-folder" }, { id: "user-login" }] });
});
