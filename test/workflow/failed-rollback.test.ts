import { createHash } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Fault } from "#kernel/model/fault.ts";
import { refusal } from "../kit/fault.ts";
import { overridePort } from "../kit/override-port.ts";
import { filesIn, type Stand, stand } from "./stand.ts";

const FILES = { "src/a.ts": "export const a = 2;\n", "src/login.ts": "export const login = 2;\n" };

/** A feature with two edited files, and a plan that takes both back. */
async function edited(): Promise<{ it: Stand; token: string }> {
  const it = await stand();
  it.write("src/a.ts", "export const a = 1;\n");
  it.commit("Add a");
  await it.run("workflow.feature", { description: "Second factor", id: "AUTH-001", files: Object.keys(FILES) });
  for (const [path, text] of Object.entries(FILES)) it.write(path, text);
  const { token } = await it.run("workflow.rollback", ROLLBACK);
  return { it, token: String(token) };
}

const ROLLBACK = { id: "AUTH-001", snapshot: 1, presumed: true };

/** A folder where the temporary file of a path belongs: the path cannot be written until it is gone. */
function obstruct(it: Stand, path: string): () => void {
  const name = `.tenon-${createHash("sha256").update(path).digest("hex").slice(0, 24)}`;
  const place = join(it.root, path, "..", name);
  fs.mkdirSync(place);
  return () => fs.rmSync(place, { recursive: true });
}

test("undoes a failed rollback, and no later command repeats it", async () => {
  const { it, token } = await edited();
  using _ = it;
  const clear = obstruct(it, "src/login.ts");
  const { code, message } = await refusal(it.run("workflow.rollback", { ...ROLLBACK, confirm: token }));
  expect([code, message]).toEqual([
    "files.unwritable",
    expect.stringMatching(/not rolled back\. src\/login\.ts .*All files are as before\.$/),
  ]);
  clear();
  expect(await it.run("workspace.status")).not.toHaveProperty("rollbacks");
  await it.run("workflow.prioritize", { id: "AUTH-001", priority: 2 });
  expect(filesIn(it.root)).toMatchObject(FILES);
});

/** Restores one file and then no more, not even backwards. */
function halfRestoring({ engine }: Stand) {
  const { snapshots } = engine;
  let isFirst = true;
  const restore: typeof snapshots.restore = async (request) => {
    if (isFirst) await snapshots.restore({ ...request, paths: request.paths.slice(0, 1) });
    isFirst = false;
    throw new Fault("disk.full", { what: "Nothing fits.", why: "The disk is full.", fix: "Free some space." });
  };
  return { ...engine, snapshots: overridePort(snapshots, { restore }) };
}

test.each([
  ["finished", 1, "export const login = 1;\n"],
  ["undone", 2, FILES["src/login.ts"]],
])("shows a half-finished rollback, blocks its workflow, and is %s on request", async (_, snapshot, login) => {
  const { it, token } = await edited();
  using __ = it;
  const { rollbackWorkflowOperation: rollback } = await import("#planning/operations/workflow/roll-back-workflow.ts");
  const failed = await refusal(rollback.run(halfRestoring(it), { ...ROLLBACK, confirm: token }));
  expect(failed.code).toBe("rollback.unfinished");
  expect(await it.run("workspace.status")).toMatchObject({ rollbacks: [{ id: "AUTH-001", snapshot: 1 }] });
  const { checks } = (await it.run("workspace.doctor")) as unknown as { checks: { check: string; ok: boolean }[] };
  expect(checks.filter(({ check }) => check === "rollback")).toMatchObject([{ ok: false }]);
  const before = filesIn(it.root);
  expect((await refusal(it.run("workflow.snapshot", { id: "AUTH-001" }))).code).toBe("rollback.unfinished");
  expect(filesIn(it.root)).toEqual(before);
  const { token: again } = await it.run("workflow.rollback", { ...ROLLBACK, snapshot });
  await it.run("workflow.rollback", { ...ROLLBACK, snapshot, confirm: again });
  expect(it.read("src/login.ts")).toBe(login);
  expect(await it.run("workspace.status")).not.toHaveProperty("rollbacks");
});
