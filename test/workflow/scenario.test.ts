import { execFile } from "node:child_process";
import fs from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { load } from "js-yaml";
import { expect, test } from "vitest";
import { git, temporaryRepository } from "../kit/folder.ts";
import { tenonAsync } from "../kit/process.ts";
import { bugSpec, featureSpec, researchSpec } from "../kit/specs.ts";
import { WAIVED } from "./stand.ts";

interface State {
  readonly workflows: Readonly<
    Record<string, { readonly stage: string; readonly status: string; readonly priority: number }>
  >;
  readonly history: readonly { readonly spec_id: string; readonly status: string }[];
}

/** Somebody who works in the repository by the command line, under a name of its own. */
function agent(root: string, session: string) {
  const start = (words: readonly string[]) =>
    tenonAsync([...words, "--json"], { cwd: root, env: { TENON_SESSION: session } });
  const hook = async (event: string, payload: object): Promise<string> => {
    const input = JSON.stringify({ session_id: session, cwd: root, ...payload });
    return (await tenonAsync(["hook", event], { cwd: root, input })).out;
  };
  const run = async (...words: string[]): Promise<Record<string, unknown>> => {
    const { code, out, err } = await start(words);
    if (code !== 0) throw new Error(`tenon ${words.join(" ")}: ${code}\n${out}${err}`);
    return JSON.parse(out) as Record<string, unknown>;
  };
  return {
    run,
    write(path: string, text: string): void {
      fs.mkdirSync(dirname(join(root, path)), { recursive: true });
      fs.writeFileSync(join(root, path), text);
    },
    /** Only its own files: the other's stay as they are. */
    async commit(message: string, ...paths: string[]): Promise<void> {
      await promisify(execFile)("git", ["commit", "-qm", message, "--", ...paths], { cwd: root });
    },
    /** What its client is told when it is about to edit a file: why not, or nothing. */
    edits: (path: string) => hook("pre-tool-use", { tool_name: "Edit", tool_input: { file_path: join(root, path) } }),
    /** A client with hooks asks the user, whose message counts. */
    async ends(id: string): Promise<void> {
      const words = ["workflow", "advance", id];
      const { code } = await start([...words, "--approve", "Ann"]);
      if (code === 0) return;
      await hook("user-prompt-submit", { prompt: "Yes, go on." });
      await run(...words);
    },
  };
}

/** Until git lets go of its index: the two commit in one repository. */
async function patiently(commit: () => Promise<void>): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      return await commit();
    } catch (error) {
      if (tries === 50 || !String(error).includes("index.lock")) throw error;
    }
  }
}

test("completes three workflows of two concurrent sessions without losing work (TS-001)", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  const [one, two] = [agent(root, "one"), agent(root, "two")];
  one.write("README.md", "A shop\n");
  one.write("src/auth/login.ts", "export const login = 1;\n");
  one.write("src/auth/token.ts", "export const token = 1;\n");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "Begin");
  await one.run("init");
  one.write(
    "sdd/config.yaml",
    `gates:\n  waived:\n${WAIVED.map((check) => `    ${check}: Nothing runs yet\n`).join("")}`,
  );
  // The user has looked, and lets it be.
  const { hash } = await one.run("trust");
  await one.run("trust", "--confirm", String(hash));

  await one.run("feature", "MFA login for every account", "--id", "AUTH-001", "--files", "src/auth/login.ts");
  await one.ends("AUTH-001");
  one.write("sdd/specs/AUTH-001.yaml", featureSpec("AUTH-001"));
  await one.ends("AUTH-001");
  expect((await one.run("workflow", "status", "AUTH-001"))["workflow"]).toMatchObject({
    stage: "implement",
    status: "active",
  });

  const feature = async (): Promise<void> => {
    one.write("src/auth/login.ts", "export const login = 2; // @spec AUTH-001\n");
    one.write("src/auth/mfa.ts", "export const mfa = 1; // @spec AUTH-001\n");
    one.write("tests/mfa.test.ts", 'test("asks", () => undefined); // @spec AUTH-001.AC-1, AC-2\n');
    await one.run("lock", "claim", "src/auth/mfa.ts");
    await one.run("workflow", "snapshot");
    await one.ends("AUTH-001");
    await one.run("workflow", "status");
  };
  const others = async (): Promise<void> => {
    await two.run("bugfix", "Login fails with special characters", "--id", "BUG-042");
    expect(await two.edits("src/auth/login.ts")).toContain("AUTH-001");
    expect(await two.edits("src/auth/token.ts")).toBe("");
    expect(await two.run("conflicts", "AUTH-001", "BUG-042")).toMatchObject({ conflict: false, conflicting_files: [] });
    two.write("sdd/specs/BUG-042.yaml", bugSpec("BUG-042"));
    await two.ends("BUG-042");
    await two.ends("BUG-042");
    await two.run("lock", "claim", "src/auth/token.ts", "tests/token.test.ts");
    two.write("src/auth/token.ts", "export const token = 42; // @spec BUG-042\n");
    two.write("tests/token.test.ts", 'test("keeps it", () => undefined); // @spec BUG-042\n');
    await two.ends("BUG-042");
    await two.ends("BUG-042");
    git(root, "add", "src/auth/token.ts", "tests/token.test.ts", "sdd/specs/BUG-042.yaml");
    await patiently(() =>
      two.commit("fix(BUG-042): Encode it", "src/auth/token.ts", "tests/token.test.ts", "sdd/specs/BUG-042.yaml"),
    );
    await two.run("research", "Which auth provider", "--timebox", "1h");
    two.write("sdd/specs/RES-001.yaml", researchSpec("RES-001"));
    await two.run("workflow", "advance", "RES-001");
    await two.run("workflow", "advance", "RES-001");
    await two.ends("RES-001");
  };
  await Promise.all([feature(), others()]);

  const state = load(fs.readFileSync(join(root, ".sdd/state.yaml"), "utf8")) as State;
  expect(state.history.map(({ spec_id, status }) => [spec_id, status])).toEqual([
    ["BUG-042", "completed"],
    ["RES-001", "completed"],
  ]);
  expect(state.workflows["AUTH-001"]).toMatchObject({ stage: "verify", status: "in_progress", priority: 3 });

  // The second session goes over to what the first leaves behind, once it has gone.
  await one.run("workflow", "switch", "AUTH-001");
  await one.ends("AUTH-001");
  const { finished } = await two.run("workflow", "status", "--all");
  expect((finished as { id: string; status: string }[]).map(({ id, status }) => `${id} ${status}`).toSorted()).toEqual([
    "AUTH-001 completed",
    "BUG-042 completed",
    "RES-001 completed",
  ]);
  expect(fs.readdirSync(join(root, "sdd/adrs"))).toEqual(["ADR-0001-which-auth-provider-provider.md"]);
  const texts = ["src/auth/login.ts", "src/auth/mfa.ts", "src/auth/token.ts", "tests/token.test.ts"];
  expect(texts.map((path) => fs.readFileSync(join(root, path), "utf8"))).toEqual([
    "export const login = 2; // @spec AUTH-001\n",
    "export const mfa = 1; // @spec AUTH-001\n",
    "export const token = 42; // @spec BUG-042\n",
    'test("keeps it", () => undefined); // @spec BUG-042\n',
  ]);
  expect(git(root, "log", "-1", "--format=%s")).toBe("fix(BUG-042): Encode it\n");
  expect(await one.run("doctor")).toMatchObject({ healthy: true });
}, 120_000);
