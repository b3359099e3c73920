/**
 * A repository that nobody trusted tries to have something run, in every way that we know: whatever Tenon is asked there,
 * by whichever door, nothing of it is.
 */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toFlagName } from "#doors/cli/command-arguments.ts";
import { CLI_COMMANDS } from "#doors/cli/command-table.ts";
import { MCP_TOOLS } from "#doors/mcp/tool-table.ts";
import { OPERATION_IDS, type OperationId } from "#doors/catalogue.ts";
import { GOOD } from "../bad-input/trial.ts";
import { isFull } from "../kit/chance.ts";
import { connect } from "../kit/client.ts";
import { git, type TemporaryFolder, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { featureSpec } from "../kit/specs.ts";
import { tenonAsync } from "../kit/process.ts";
import { commitAll } from "../kit/repository.ts";
import { alarms, groundOf, type Vector } from "./ground.ts";
import { GIT } from "./vectors/git.ts";
import { JAVASCRIPT } from "./vectors/javascript.ts";
import { CLIENTS, OTHERS } from "./vectors/others.ts";

const VECTORS: readonly Vector[] = [...GIT, ...JAVASCRIPT, ...OTHERS, ...CLIENTS];

/** A place for the canaries, a home of the user's and a repository that holds all that can be held at once. */
class Trap implements Disposable {
  readonly #folders: readonly TemporaryFolder[] = [temporaryFolder(), temporaryFolder(), temporaryRepository()];
  readonly cage = this.#folders[0]?.path ?? "";
  readonly home = this.#folders[1]?.path ?? "";
  readonly root = this.#folders[2]?.path ?? "";

  constructor(vectors: readonly Vector[] = VECTORS) {
    git(this.root, "commit", "--quiet", "--allow-empty", "--message=First");
    for (const vector of vectors) vector.plant(groundOf(this.root, this.cage, vector.name));
  }

  /** As careless a user as there may be: the search for programs begins where one stands. */
  get env(): Record<string, string> {
    return {
      PATH: `.::node_modules/.bin:${process.env["PATH"]}`,
      HOME: this.home,
      TENON_HOME: join(this.home, "data"),
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CONFIG_NOSYSTEM: "1",
    };
  }

  alarms(): string[] {
    return alarms(this.cage);
  }

  [Symbol.dispose](): void {
    for (const folder of this.#folders) folder[Symbol.dispose]();
  }
}

function listWords(operation: OperationId): string[] {
  const command = CLI_COMMANDS.find((candidate) => candidate.operation === operation);
  const flags = Object.entries(GOOD[operation]).map(([field, value]) => {
    const isList = Array.isArray(value) && value.every((each) => typeof each === "string");
    const said = isList ? value.join() : typeof value === "string" ? value : JSON.stringify(value);
    return `--${toFlagName(field)}=${said}`;
  });
  return [...(command?.path.split(" ") ?? []), ...flags];
}

test("covers at least forty vectors, each with its own name", () => {
  expect(VECTORS.length).toBeGreaterThanOrEqual(40);
  expect(new Set(VECTORS.map(({ name }) => name.replace(/\W+/g, "-"))).size).toBe(VECTORS.length);
});

/** Whether the machine has what would set it off. */
const isAtHand = (line: string): boolean =>
  ["npm", "make", "python3"].every(
    (tool) => !line.includes(`${tool} `) || spawnSync("sh", ["-c", `command -v ${tool}`]).status === 0,
  );

const TRIGGERED = VECTORS.filter(({ trigger }) => trigger !== undefined && isAtHand(trigger));

test("proves the canaries of at least ten vectors", () => {
  expect(TRIGGERED.length).toBeGreaterThanOrEqual(10);
});

test.each(TRIGGERED)("the canary of $name fires for its natural trigger", (vector) => {
  using trap = new Trap([vector]);
  const { PATH = "" } = process.env;
  const env = { ...process.env, ...trap.env, PATH, npm_config_offline: "true", npm_config_update_notifier: "false" };
  spawnSync("sh", ["-c", vector.trigger ?? ""], { cwd: trap.root, env, input: "", timeout: 60_000 });
  expect(trap.alarms()).toEqual([`${vector.name.replace(/\W+/g, "-")}.alive`]);
});

/** What looks at most of a repository. The quick tier starts a process for these; all others are asked in this one. */
const LOOK_AROUND: readonly OperationId[] = [
  "workspace.init",
  "workspace.status",
  "adopt.scan",
  "stack.detect",
  "workflow.feature",
  "gate.run",
  "gate.verify",
  "indexing.update",
  "ci.run",
  "setup.clients",
  "importing.take",
  "roadmap.next",
];

test("no command fires a canary", async () => {
  using trap = new Trap();
  const defects: unknown[] = [];
  const run = async (words: readonly string[], cwd = trap.root): Promise<void> => {
    const { code, err } = await tenonAsync(words, { cwd, env: trap.env });
    if (code === 70 || code === null) defects.push([words, err]);
  };
  if (!isFull) await runAll(trap);
  for (const operation of isFull ? OPERATION_IDS : LOOK_AROUND) await run(listWords(operation));
  for (const words of ["version", "help", "queue list", "completion bash", "__complete change ", "doctor --repair"]) {
    await run(words.split(" "));
  }
  // Somebody may stand in a folder that only looks like a repository.
  for (const words of ["status", "doctor", "context check", "feature Inside", "trust"]) {
    await run(words.split(" "), join(trap.root, "vendor/bare"));
  }
  expect([trap.alarms(), defects]).toEqual([[], []]);
});

test("no call of a client fires a canary", async () => {
  using trap = new Trap();
  await using connection = await connect("2026-07-28", {
    cwd: trap.root,
    words: ["--toolsets", "all"],
    env: trap.env,
  });
  const { tools } = await connection.client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(MCP_TOOLS.map(({ name }) => name));
  for (const { name, operation } of MCP_TOOLS) await connection.call(name, GOOD[operation]);
  await connection.client.listResources();
  await connection.client.listPrompts();
  expect(trap.alarms()).toEqual([]);
});

test("no hook fires a canary", async () => {
  using trap = new Trap();
  await tenonAsync(["feature", "Log in", "--id", "AUTH-001"], { cwd: trap.root, env: trap.env });
  const payloads = {
    "session-start": { source: "startup" },
    "user-prompt-submit": { prompt: "Go on." },
    "pre-tool-use": { tool_name: "Edit", tool_input: { file_path: join(trap.root, "package.json") } },
    "post-tool-use": { tool_name: "Edit", tool_input: { file_path: join(trap.root, "package.json") } },
    stop: { last_assistant_message: "All tests pass." },
    "subagent-stop": { last_assistant_message: "Done." },
    "session-end": { reason: "other" },
  };
  for (const [event, payload] of Object.entries(payloads)) {
    const input = JSON.stringify({ session_id: "s", cwd: trap.root, ...payload });
    const { code, err } = await tenonAsync(["hook", event], { cwd: trap.root, env: trap.env, input });
    expect([event, code, err]).toEqual([event, 0, ""]);
  }
  expect(trap.alarms()).toEqual([]);
});

/** Everything in this process: quick, where the repository is of another kind. */
async function runAll(trap: Trap): Promise<void> {
  using tenon = testHouse(trap.root, {
    environment: { ...process.env, ...trap.env },
    dataFolder: join(trap.home, "data"),
    newId: () => crypto.randomUUID(),
  });
  for (const operation of OPERATION_IDS) await tenon.run(...listWords(operation));
}

/** A feature whose spec is agreed to, so that its gate would run checks. */
async function begin({ root, env }: Trap): Promise<void> {
  await tenonAsync(["feature", "Log in with a code", "--id", "AUTH-001"], { cwd: root, env });
  fs.writeFileSync(join(root, "sdd/specs/AUTH-001.yaml"), featureSpec("AUTH-001"));
  for (const stage of ["discover", "specify"]) {
    const words = ["workflow", "advance", "AUTH-001", "--stage", stage, "--approve", "Ann"];
    const { code, out, err } = await tenonAsync(words, { cwd: root, env });
    expect([stage, code, code === 0 ? "" : out + err]).toEqual([stage, 0, ""]);
  }
}

test("no gate fires a canary before the user trusts its checks", async () => {
  using trap = new Trap(CLIENTS);
  await begin(trap);
  const at = { cwd: trap.root, env: trap.env };
  const asked = [
    ["gate", "AUTH-001"],
    ["workflow", "advance", "AUTH-001"],
    ["evidence", "AUTH-001"],
    ["verify", "--run"],
  ];
  for (const words of asked) await tenonAsync(words, at);
  const { hash, commands, problems } = JSON.parse((await tenonAsync(["trust", "--json"], at)).out) as {
    hash: string;
    commands: { text: string }[];
    problems: string[];
  };
  expect([trap.alarms(), problems]).toEqual([[], []]);
  const shown = commands.map(({ text }) => text.replaceAll(trap.cage, "<cage>").replace(/^(.*?) \[.*?\]/, "$1"));
  expect(shown.toSorted()).toEqual([
    ".: test own $ <cage>/argv-of-sdd-stacks.sh",
    'api: lint own $ <cage>/a-fix-of-sdd-stacks.sh "{files}"',
    "api: lint own $ false",
    'web: test own $ sh -c "touch <cage>/a-shell-of-sdd-stacks.alive"',
  ]);
  // Another hash lets nothing run, and this one does: these canaries are alive.
  await tenonAsync(["gate", "AUTH-001", "--trust", "0".repeat(64)], at);
  expect(trap.alarms()).toEqual([]);
  await tenonAsync(["gate", "AUTH-001", "--trust", hash], at);
  expect(trap.alarms()).toEqual(expect.arrayContaining(["a-shell-of-sdd-stacks.alive", "argv-of-sdd-stacks.alive"]));
});

/** Repositories that cannot be the same as the others. What can stand side by side does: each canary has its own name. */
const PECULIAR: readonly (readonly (readonly [string, (trap: Trap) => void])[])[] = [
  [
    [
      "a config with forbidden settings",
      ({ root, cage }) => {
        const { line } = groundOf(root, cage, "config");
        fs.writeFileSync(
          join(root, "sdd/config.yaml"),
          `trust: true\nenv: { NODE_OPTIONS: "--require ./x.cjs" }\nhooks: { before: "${line}" }\ngates: { command: "${line}" }\n`,
        );
      },
    ],
    [
      "a profile that is a link",
      ({ root, cage }) => {
        const { line } = groundOf(root, cage, "linked-profile");
        fs.writeFileSync(join(root, "elsewhere.yaml"), `checks: [{ kind: test, tool: own, shell: "${line}" }]\n`);
        fs.rmSync(join(root, "sdd/stacks/own.yaml"));
        fs.symlinkSync("../../elsewhere.yaml", join(root, "sdd/stacks/own.yaml"));
      },
    ],
    [
      "a git folder with a different common folder",
      ({ root, cage }) => {
        const { program } = groundOf(root, cage, "commondir");
        fs.cpSync(join(root, ".git"), join(root, "other"), { recursive: true });
        fs.appendFileSync(join(root, "other/config"), `[core]\n\tfsmonitor = ${program}\n`);
        fs.writeFileSync(join(root, ".git/commondir"), "../other\n");
      },
    ],
  ],
  [
    [
      "a config that is a link out of the repository",
      ({ root, cage }) => {
        const { line } = groundOf(root, cage, "linked-config");
        fs.writeFileSync(join(cage, "config.yaml"), `gates:\n  waived:\n    tests: "$(${line})"\n`);
        fs.rmSync(join(root, "sdd/config.yaml"));
        fs.symlinkSync(join(cage, "config.yaml"), join(root, "sdd/config.yaml"));
      },
    ],
    [
      "a .git file that names a folder of the repository",
      ({ root, cage }) => {
        const { program } = groundOf(root, cage, "git-file");
        fs.renameSync(join(root, ".git"), join(root, "elsewhere"));
        fs.writeFileSync(join(root, ".git"), "gitdir: ./elsewhere\n");
        fs.appendFileSync(join(root, "elsewhere/config"), `[core]\n\tfsmonitor = ${program}\n\tworktree = ..\n`);
      },
    ],
  ],
];

test.each(PECULIAR.map((repository) => [repository.map(([name]) => name).join(" or "), repository] as const))(
  "%s fires no canary",
  async (_, repository) => {
    using trap = new Trap();
    for (const [, arrange] of repository) arrange(trap);
    await runAll(trap);
    expect(trap.alarms()).toEqual([]);
  },
  300_000,
);

test("committed files fire no canary in a worktree that Tenon makes", async () => {
  const harmless = VECTORS.filter((vector) => !GIT.includes(vector));
  using trap = new Trap(harmless);
  git(trap.root, "add", "--all", "--force");
  commitAll(trap.root);
  for (const vector of GIT) vector.plant(groundOf(trap.root, trap.cage, vector.name));
  const words = ["feature", "Log in", "--id", "AUTH-001", "--worktree"];
  const made = await tenonAsync(words, { cwd: trap.root, env: trap.env });
  expect([made.code, made.err]).toEqual([0, ""]);
  const worktree = join(trap.root, ".sdd/worktrees/AUTH-001");
  for (const command of ["status", "doctor", "workflow advance", "workflow snapshot", "trust", "context check"]) {
    await tenonAsync(command.split(" "), { cwd: worktree, env: trap.env });
  }
  expect([fs.existsSync(join(worktree, "package.json")), trap.alarms()]).toEqual([true, []]);
});
