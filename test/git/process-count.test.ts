import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadCatalogueOperation, type OperationId } from "#doors/catalogue.ts";
import { projectStand } from "../gate/project.ts";
import { LOGIN, TINY } from "../gate/tiny.ts";
import { temporaryFolder } from "../kit/folder.ts";
import type { TestHouse } from "../kit/house.ts";
import { featureSpec } from "../kit/specs.ts";
import { build, builderSays, cutsOf, doWork } from "../roadmap/agents.ts";
import { roadmapStand } from "../roadmap/stand.ts";

/** A `git` that writes each command line to a log before it runs the real one. */
function countingGit(folder: string): { readonly environment: Record<string, string | undefined>; take(): string[] } {
  const real = execFileSync("/bin/sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const log = join(folder, "git.log");
  fs.writeFileSync(join(folder, "git"), `#!/bin/sh\nprintf '%s\\n' "$*" >>'${log}'\nexec '${real}' "$@"\n`, {
    mode: 0o755,
  });
  const { PATH, HOME } = process.env;
  return {
    environment: { PATH: `${folder}:${PATH}`, HOME },
    take: () => {
      const lines = fs.existsSync(log) ? fs.readFileSync(log, "utf8").split("\n").slice(0, -1) : [];
      fs.rmSync(log, { force: true });
      return lines;
    },
  };
}

/** Opens the workspace as a door does for each call, and counts the git processes of that call alone. */
async function countGit(
  { house }: TestHouse,
  counter: ReturnType<typeof countingGit>,
  [id, input]: readonly [OperationId, Readonly<Record<string, unknown>>],
): Promise<string[]> {
  const operation = await loadCatalogueOperation(id);
  counter.take();
  await operation.run(await house.open({}), input);
  return counter.take();
}

test("a gate in a running server starts at most 20 git processes, and a document-only stage 4", async () => {
  using folder = temporaryFolder();
  const counter = countingGit(folder.path);
  using it = await projectStand(TINY, { environment: counter.environment });
  await it.trust();
  await it.run("workflow.feature", { description: "Log in with a code", id: "AUTH-001" });
  it.write("sdd/specs/AUTH-001.yaml", featureSpec("AUTH-001"));
  await it.advance("AUTH-001", { stage: "discover" });
  const read = await countGit(it.tenon, counter, [
    "workflow.advance",
    { id: "AUTH-001", stage: "specify", approve: "Ada" },
  ]);
  it.write(
    "tests/login.mjs",
    'import { login } from "../src/login.mjs";\n\n// @spec AUTH-001.AC-1\ntest("lets the right code in", () => same(login("123456"), true));\n',
  );
  it.write("src/login.mjs", LOGIN);
  const gate = await countGit(it.tenon, counter, ["gate.run", { id: "AUTH-001" }]);
  expect({ read: read.length <= 4 ? "few" : read, gate: gate.length <= 20 ? "few" : gate }).toEqual({
    read: "few",
    gate: "few",
  });
});

test("a Builder's report in a running server starts at most 20 git processes", async () => {
  using folder = temporaryFolder();
  const counter = countingGit(folder.path);
  using it = await roadmapStand({}, { environment: counter.environment });
  const cuts = cutsOf({ "user-login": ["A"] });
  await it.roadmap([{ name: "user-login" }]);
  for (let actions = (await it.next()).actions; !actions.some(({ id }) => id.startsWith("user-login/build-"));) {
    for (const action of actions) await it.report(action.id, doWork(it, cuts, action));
    ({ actions } = await it.next());
  }
  const cut = { feature: "user-login", groups: ["A"] };
  build(it, cut, "A");
  const report = { action: "user-login/build-A/1", report: builderSays(cut, "A"), tokens: 1234 };
  const started = await countGit(it.tenon, counter, ["roadmap.report", report]);
  expect(started.length <= 20 ? "few" : started).toBe("few");
});
