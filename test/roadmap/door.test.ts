import { expect, test } from "vitest";
import { connect, type Connection, getFault } from "../kit/client.ts";
import { git, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { tenon } from "../kit/process.ts";
import { put } from "../kit/repository.ts";
import { TINY } from "../gate/tiny.ts";
import { cutsOf, doWork, type Given, type Said } from "./agents.ts";

const CUTS = cutsOf({ "user-login": ["A"] });

interface Answer {
  readonly actions?: readonly Given[];
  readonly outcome?: string;
  readonly problems?: readonly { readonly problem: string }[];
  readonly idle?: string;
  readonly receipt?: string;
}

/** A repository whose user trusts its tests, with a roadmap that runs, by the built program. */
async function shop() {
  const [folder, home] = [temporaryRepository(), temporaryFolder()];
  const root = folder.path;
  const env = { TENON_HOME: home.path, TENON_MEMORY: "off" };
  for (const [path, text] of Object.entries(TINY)) put(root, path, text);
  put(root, ".gitignore", ".sdd/\n");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "Begin");
  const cli = (...words: readonly string[]): Answer => {
    const { code, out, err } = tenon([...words, "--json"], { cwd: root, env });
    if (code !== 0 && code !== 3) throw new Error(`tenon ${words.join(" ")}: ${code} ${out}${err}`);
    return JSON.parse(out) as Answer;
  };
  const { hash } = cli("trust") as { hash: string };
  cli("trust", "--confirm", hash);
  const connection = await connect("2026-07-28", { cwd: root, env, words: ["--toolsets", "roadmap"] });
  return {
    root,
    cli,
    connection,
    stand: {
      write: (path: string, text: string) => put(root, path, text),
      commit(message: string) {
        git(root, "add", "-A");
        git(root, "commit", "-qm", message);
      },
    },
    async [Symbol.asyncDispose]() {
      await connection[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
      home[Symbol.dispose]();
    },
  };
}

async function call(connection: Connection, tool: string, input: Said): Promise<Answer> {
  const result = await connection.call(tool, input);
  if (result.isError) throw new Error(`${tool}: ${JSON.stringify(result.content)}`);
  return result.structuredContent as Answer;
}

test(
  "lets an agent build a feature with the tools, and its user see it on the command line",
  { timeout: 240_000 },
  async () => {
    await using it = await shop();
    const { connection, cli, stand } = it;
    await call(connection, "sdd_design", { feature: "user-login", description: "Users log in with a password" });
    const features = [{ name: "user-login", description: "Users log in with a password", dependencies: [] }];
    await call(connection, "sdd_roadmap", { action: "create", features });
    await call(connection, "sdd_roadmap", { action: "run" });
    const done: string[] = [];
    for (let isByTool = true; ; isByTool = !isByTool) {
      // Every other time the same is asked and said by the other door.
      const asked = isByTool ? await call(connection, "sdd_next", {}) : cli("next");
      const { actions = [], idle } = asked;
      if (actions.length === 0) {
        done.push(idle ?? "");
        break;
      }
      for (const action of actions) {
        const said = doWork(stand, CUTS, action);
        const taken = isByTool
          ? await call(connection, "sdd_report", { action: action.id, ...said })
          : cli("report", action.id, ...Object.entries(said).flatMap(([name, value]) => [`--${name}`, String(value)]));
        done.push(`${action.id} ${taken.outcome}`);
        if (taken.outcome !== "applied") throw new Error(JSON.stringify(taken));
      }
    }
    expect(done.filter((line) => !/\/B\d\//.test(line))).toEqual([
      "user-login/architect/1 applied",
      "user-login/tasks/1 applied",
      "user-login/build-A/1 applied",
      "user-login/gate/1 applied",
      "wave-1/gate/1 applied",
      "wave-1/commit applied",
      "Everything is done: 1 feature is done.",
    ]);
    expect(git(it.root, "log", "--format=%s", "-2").trim().split("\n")).toEqual([
      "Record wave 1",
      expect.stringMatching(/^user-login: /),
    ]);
    const fault = await connection.call("sdd_report", { action: "user-login/build-A/2", report: "…" });
    expect([fault.isError, getFault(fault)]).toEqual([true, "roadmap.not-out"]);
  },
);
