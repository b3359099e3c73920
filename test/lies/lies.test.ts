import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import * as change from "../change/stand.ts";
import { git } from "../kit/folder.ts";
import { openMemoryWorkspace } from "../kit/memory-engine.ts";
import { stand as openProject } from "../project/stand.ts";
import * as changeLies from "./change-lies.ts";
import * as documentLies from "./document-lies.ts";
import { FIRST_FILES, readRefusal } from "./first-files.ts";
import * as foundLies from "./found-lies.ts";
import { GIT_LIES } from "./git-lies.ts";
import { HONEST_ENDS } from "./honest-ends.ts";
import type { Lie } from "./lie-table.ts";
import { SILENCED_TESTS } from "./silenced-tests.ts";
import * as deceptions from "./test-deceptions.ts";

const lies = { ...changeLies, ...documentLies, ...foundLies, ...deceptions };

const openSmall = async (description?: string): Promise<change.ChangeStand> => {
  const at = change.openChangeStand(FIRST_FILES);
  await at.trust();
  git(at.root, "checkout", "-qb", "fix");
  await at.begin("fix", "small", ["The sum is wrong.\n", change.CONTEXT, change.TASKS], description);
  return at;
};

test("the suite has at least a hundred different lies", () => {
  const all = [
    lies.SMALL_LIES,
    lies.TEST_DECEPTIONS,
    SILENCED_TESTS,
    GIT_LIES,
    lies.REQUIREMENT_LIES,
    lies.ARTIFACT_LIES,
    lies.PROJECT_LIES,
    lies.FOUND_LIES,
  ].flat();
  expect(new Set(all.map(({ lie }) => lie)).size).toBe(all.length);
  expect(all.length).toBeGreaterThanOrEqual(100);
});

describe.each<[string, readonly Lie<change.ChangeStand>[], () => Promise<change.ChangeStand>]>([
  ["at the end of a small fix", [...lies.SMALL_LIES, ...lies.TEST_DECEPTIONS, ...SILENCED_TESTS], () => openSmall()],
  [
    "at the end of a change that adds a requirement",
    lies.REQUIREMENT_LIES,
    async () => {
      const at = change.openChangeStand(FIRST_FILES);
      await at.trust();
      const spec = change.createSpec("### ADDED\n\n- FR-002: The sum shall double.");
      const tasks = "- [ ] TASK-001: Double (FR-002)\n";
      await at.begin("enhancement", "medium", [change.PROPOSAL, change.CONTEXT, spec, tasks]);
      return at;
    },
  ],
])("%s", (_, all, open) => {
  let at: change.ChangeStand;
  beforeAll(async () => {
    at = await open();
    at.commit("Begin the change");
  }, 120_000);
  afterEach(() => lies.restoreFiles(at));
  afterAll(() => at[Symbol.dispose]());

  test.each(all)("rejects: $lie", async ({ tell, message }) => {
    expect(await readRefusal(tell(at))).toContain(message);
    lies.restoreFiles(at);
    expect(await at.ask("change", "status")).toMatchObject({ change: { status: "active", current_stage: "verify" } });
  });
});

test.each(lies.ARTIFACT_LIES)("rejects in an artifact: $lie", async ({ tell, message }) => {
  const at = openMemoryWorkspace({ files: { "sdd/requirements.md": change.REQUIREMENTS } });
  await at.run("change.start", { type: "fix", size: "small", description: "Add right" });
  expect(await readRefusal(tell(at))).toContain(message);
});

test.each(lies.PROJECT_LIES)("rejects in a project: $lie", async ({ tell, message }) => {
  using at = await openProject();
  expect(await readRefusal(tell(at))).toContain(message);
});

test.each(lies.FOUND_LIES)(
  "detects with ci --strict: $lie",
  async ({ tell, message }) => {
    using at = await openSmall();
    await tell(at);
    at.commit("Done");
    const { code, findings } = await at.ci();
    expect(code).toBe(1);
    expect(findings).toContain(message);
  },
  120_000,
);

test.each(HONEST_ENDS)(
  "$honest: passes, and ci --strict finds nothing",
  async ({ write, description }) => {
    using at = await openSmall(description);
    write(at);
    await at.must("change", "advance", "--content", change.EVIDENCE);
    at.commit("Done");
    const { findings } = await at.ci();
    expect(findings).toBe("");
  },
  120_000,
);
