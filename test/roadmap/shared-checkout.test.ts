import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TINY } from "../gate/tiny.ts";
import { connect, type Connection } from "../kit/client.ts";
import { git, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { tenon } from "../kit/process.ts";
import { put } from "../kit/repository.ts";
import { auditorSays, cutsOf, doWork, type Given, type Said } from "./agents.ts";

const SHOP = [
  { name: "money-core", dependencies: [] },
  { name: "cart-total", dependencies: ["money-core"] },
  { name: "price-format", dependencies: ["money-core"] },
  { name: "checkout", dependencies: ["cart-total", "price-format"] },
].map((feature) => ({ ...feature, description: `What ${feature.name} is for` }));
const CUTS = cutsOf(Object.fromEntries(SHOP.map(({ name }) => [name, ["A"]])));
const PROPOSAL = "Everything is logged";

interface Answer {
  readonly actions?: readonly Given[];
  readonly outcome?: string;
  readonly idle?: string;
  readonly notes?: readonly string[];
}

async function call(client: Connection, tool: string, input: Said): Promise<Answer> {
  const result = await client.call(tool, input);
  if (result.isError) throw new Error(`${tool} ${JSON.stringify(input)}: ${JSON.stringify(result.content)}`);
  return result.structuredContent as Answer;
}

/** Exit code of the tests in a fresh clone, and whether it has the records. */
function testClone(root: string): string {
  using folder = temporaryFolder();
  const cwd = join(folder.path, "clone");
  execFileSync("git", ["clone", "--quiet", root, cwd]);
  const isComplete = fs.existsSync(join(cwd, "sdd/roadmap.md")) && fs.existsSync(join(cwd, "sdd/waves/1.yaml"));
  try {
    execFileSync("node", ["tools/test.mjs", join(folder.path, "report.json")], { cwd, stdio: "ignore" });
    return isComplete ? "passes" : "lacks records";
  } catch {
    return "fails";
  }
}

test(
  "two clients build four features in a dirty tree, beside a user who edits and says no",
  { timeout: 580_000 },
  async () => {
    using folder = temporaryRepository();
    using home = temporaryFolder();
    const root = folder.path;
    const env = { TENON_HOME: home.path, TENON_MEMORY: "off" };
    for (const [path, text] of Object.entries(TINY)) put(root, path, text);
    put(root, ".gitignore", ".sdd/\n");
    put(root, "sdd/steering/tech.md", "# Technology\n\n- Node 24.\n");
    put(root, "README.md", "# Shop\n");
    git(root, "add", "-A");
    git(root, "commit", "-qm", "Begin");
    const cli = (...words: string[]) => JSON.parse(tenon([...words, "--json"], { cwd: root, env }).out) as object;
    cli("trust", "--confirm", (cli("trust") as { hash: string }).hash);
    // The user's own unfinished work.
    put(root, "notes.txt", "mine\n");
    put(root, "src/add.mjs", `${TINY["src/add.mjs"]}// mine\n`);

    const settings = { cwd: root, env, words: ["--toolsets", "roadmap"] };
    await using one = await connect("2026-07-28", settings);
    await using two = await connect("2026-07-28", settings);
    await call(one, "sdd_roadmap", { action: "create", features: SHOP });
    await call(one, "sdd_roadmap", { action: "run" });

    const given: string[] = [];
    const refused: string[] = [];
    const clones: string[] = [];
    const notes: string[] = [];
    const ground = {
      write: (path: string, text: string) => put(root, path, text),
      commit: () => undefined,
    };
    const work = (action: Given): Said => {
      if (action.kind === "commit") {
        for (const path of action.paths ?? []) git(root, "add", "-A", "--", path);
        git(root, "commit", "-qm", action.message ?? "");
        return {};
      }
      if (action.id.startsWith("money-core/steering/")) return { answer: "no, we never log that" };
      if (action.id === "money-core/design/B1/auditor")
        return { report: auditorSays("GO", action, [], `STEERING:\nPROPOSE|tech.md|${PROPOSAL}`) };
      const said = doWork(ground, CUTS, action);
      // The user edits beside the Builder, and changes a reviewed design.
      if (action.id === "cart-total/build-A/1") put(root, "README.md", "# Shop\n\nMy words.\n");
      if (action.id === "price-format/tasks/1") {
        const design = join(root, "sdd/features/price-format/design.md");
        const text = fs.readFileSync(design, "utf8");
        fs.writeFileSync(design, text.replace("answers with its own name", "answers with a name of its own choice"));
      }
      return said;
    };
    let idle = "";
    for (let round = 0, silent = 0; silent < 2; round++) {
      const client = round % 2 === 0 ? one : two;
      const next = await call(client, "sdd_next", { limit: 3 });
      const { actions = [] } = next;
      notes.push(...(next.notes ?? []));
      silent = actions.length === 0 ? silent + 1 : 0;
      idle = next.idle ?? idle;
      given.push(...actions.map(({ id }) => `${id} ${client === one ? "one" : "two"}`));
      for (const action of actions) {
        const taken = await call(client, "sdd_report", { action: action.id, ...work(action) });
        if (taken.outcome !== "applied") refused.push(`${action.id} ${taken.outcome}`);
        notes.push(...(taken.notes ?? []));
        if (action.kind === "commit") clones.push(testClone(root));
      }
      if (round > 200) throw new Error(`There is no end: ${given.slice(-10).join(", ")}`);
    }

    expect(idle).toBe("Everything is done: 4 features are done.");
    expect(clones).toEqual(["passes", "passes", "passes"]);
    // The plan that was made on the old design is void; its agent is not blamed.
    expect(refused).toEqual(["price-format/tasks/1 refused"]);
    expect(given.some((id) => id.startsWith("price-format/design/B2/"))).toBe(true);
    // A review names the clients that sent its reports.
    const review = fs.readFileSync(join(root, "sdd/features/money-core/reviews/B1.yaml"), "utf8");
    expect(new Set(review.match(/session: "mcp-\w+"/g)).size).toBe(2);
    expect(review).not.toMatch(/one_reporter|session: "default"/);
    // No action went to both clients.
    const holders = Map.groupBy(given, (line) => line.replace(/ \w+$/, ""));
    expect([...holders.values()].filter((lines) => new Set(lines).size > 1)).toEqual([]);
    expect(new Set(given.map((id) => id.replace(/^.* /, "")))).toEqual(new Set(["one", "two"]));
    // The user's files are theirs: kept, named, and in no commit.
    expect(git(root, "status", "--porcelain").trimEnd().split("\n")).toEqual([
      " M README.md",
      " M src/add.mjs",
      "?? notes.txt",
    ]);
    expect(fs.readFileSync(join(root, "README.md"), "utf8")).toContain("My words.");
    expect(notes.join("\n")).toContain("README.md");
    const decisions = fs.readFileSync(join(root, "sdd/handover/decisions.md"), "utf8");
    expect(decisions).toContain(`Rejected for tech.md: ${PROPOSAL}`);
    expect(fs.readFileSync(join(root, "sdd/steering/tech.md"), "utf8")).not.toContain(PROPOSAL);
  },
);

test("actions of a client whose process is gone are offered again in the next call", { timeout: 240_000 }, async () => {
  using folder = temporaryRepository();
  using home = temporaryFolder();
  for (const [path, text] of Object.entries(TINY)) put(folder.path, path, text);
  const env = { TENON_HOME: home.path, TENON_MEMORY: "off" };
  const settings = { cwd: folder.path, env, words: ["--toolsets", "roadmap"] };
  await using two = await connect("2026-07-28", settings);
  const one = await connect("2026-07-28", settings);
  await call(one, "sdd_roadmap", { action: "create", features: SHOP });
  await call(one, "sdd_roadmap", { action: "run" });
  const listIds = async (client: Connection) => {
    const { actions = [] } = await call(client, "sdd_next", {});
    return actions.map(({ id }) => id);
  };
  expect(await listIds(one)).toEqual(["money-core/architect/1"]);
  expect(await listIds(two)).toEqual([]);
  await one[Symbol.asyncDispose]();
  await one.closed;
  expect(await listIds(two)).toEqual(["money-core/architect/2"]);
});
