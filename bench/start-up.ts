import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import { join, resolve } from "node:path";
import { createBusyWorkspace, HOOK_CASES } from "./hook.ts";

const START_UP_BIN = resolve("bin/tenon.js");
const START_UP_ROUNDS = 31;
const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, CLAUDE_PROJECT_DIR: ___, ...environment } = process.env;

export interface StartUpRatio {
  readonly what: string;
  readonly ratio: number;
  /** Best divided by best: the value that a loaded machine changes least. */
  readonly best: number;
  readonly budget: number;
}

interface StartUpCase {
  readonly what: string;
  readonly budget: number;
  run(): Promise<number> | number;
}

/** Each round runs every case once, so a busy moment affects all of them. */
export async function measureStartUp(): Promise<StartUpRatio[]> {
  const small = createStartUpWorkspace(3, 1);
  const large = createStartUpWorkspace(50, 4);
  const busy = await createBusyWorkspace();
  const cases: StartUpCase[] = [
    { what: "node -e 0", budget: 1, run: () => timeStartUp(["-e", "0"], small) },
    { what: "tenon --version", budget: 2, run: () => timeStartUp([START_UP_BIN, "--version"], small) },
    {
      what: "tenon status --json, small workspace",
      budget: 1.6,
      run: () => timeStartUp([START_UP_BIN, "status", "--json"], small),
    },
    {
      what: "tenon validate --json, 250 items",
      budget: 3.5,
      run: () => timeStartUp([START_UP_BIN, "validate", "--json"], large),
    },
    ...HOOK_CASES.map(({ what, event, payload }) => ({
      what: `hook, ${what}`,
      budget: 1.4,
      run: () => {
        // Each run finds an empty journal, because operations fold it in regularly.
        fs.rmSync(join(busy, ".sdd/journal"), { recursive: true, force: true });
        const input = JSON.stringify({ session_id: "bench", cwd: busy, ...payload(busy) });
        return timeStartUp([START_UP_BIN, "hook", event], busy, input);
      },
    })),
    { what: "MCP, start until the answer to initialize", budget: 2.3, run: () => timeMcpAnswer(LEGACY_REQUEST, small) },
    {
      what: "MCP, start until the answer to server/discover",
      budget: 2.3,
      run: () => timeMcpAnswer(MODERN_REQUEST, small),
    },
    { what: "tenon ui, start until the page is served", budget: 3, run: () => timePageAnswer(small) },
  ];
  const times = cases.map((): number[] => []);
  for (let round = -2; round < START_UP_ROUNDS; round++) {
    for (const [i, each] of cases.entries()) {
      const time = await each.run();
      if (round >= 0) times[i]?.push(time);
    }
  }
  for (const folder of [small, large, busy]) fs.rmSync(folder, { recursive: true });
  const [bare = []] = times;
  return cases.slice(1).map(({ what, budget }, i) => {
    const own = times[i + 1] ?? [];
    return {
      what,
      budget,
      ratio: computeStartUpMedian(own) / computeStartUpMedian(bare),
      best: Math.min(...own) / Math.min(...bare),
    };
  });
}

function timeStartUp(words: readonly string[], cwd: string, input = ""): number {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, words, { cwd, env: environment, encoding: "utf8", input });
  if (status !== 0) throw new Error(`${words.join(" ")} failed: ${stderr}`);
  return performance.now() - start;
}

const MCP_META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
const LEGACY_REQUEST = {
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } },
};
const MODERN_REQUEST = { method: "server/discover", params: { _meta: MCP_META } };

function timeMcpAnswer(request: { method: string; params: object }, cwd: string): Promise<number> {
  return new Promise((done, fail) => {
    const start = performance.now();
    const child = spawn(process.execPath, [START_UP_BIN, "mcp"], {
      cwd,
      env: environment,
      stdio: ["pipe", "pipe", "inherit"],
    });
    child.on("error", fail);
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, ...request })}\n`);
    let time = 0;
    child.stdout.once("data", (chunk: Buffer) => {
      time = performance.now() - start;
      const answer = JSON.parse(chunk.toString()) as { result?: unknown };
      if (answer.result === undefined) fail(new Error(chunk.toString()));
      child.stdin.end();
    });
    child.on("close", () => done(time));
  });
}

async function timePageAnswer(cwd: string): Promise<number> {
  const start = performance.now();
  const child = spawn(process.execPath, [START_UP_BIN, "ui", "--no-open", "--json"], {
    cwd,
    env: environment,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const { url } = JSON.parse(line.toString()) as { url: string };
  const answer = await fetch(new URL("/", url));
  await answer.text();
  const time = performance.now() - start;
  child.kill("SIGINT");
  await ended;
  if (!answer.ok) throw new Error(`The page answered ${answer.status}`);
  return time;
}

/** A repository with changes past their first stages. Each change is one record and `stages` documents. */
function createStartUpWorkspace(changes: number, stages: number): string {
  const folder = fs.realpathSync(fs.mkdtempSync(join(os.tmpdir(), "tenon-bench-")));
  execFileSync("git", ["init", "--quiet"], { cwd: folder });
  const tenon = (...words: string[]): void =>
    void execFileSync(process.execPath, [START_UP_BIN, ...words], { cwd: folder, env: environment });
  const texts = [
    "It breaks.",
    "## Findings\n\nNone.\n\n## Impact\n\nPatch.",
    "- TASK-001: Mend it",
    "## Evidence\n\nTASK-001: passed.",
  ];
  for (let i = 1; i <= changes; i++) {
    tenon("change", "start", `Fix number ${i}`, "--type", "fix", "--size", "small", "--concurrent");
    for (const [stage, text] of texts.slice(0, stages).entries()) {
      if (stage === 1) tenon("context", "check", "--change-id", `fix-number-${i}`);
      const why = stage === texts.length - 1 ? ["--no-code", "Nothing is built here"] : [];
      tenon("change", "advance", "--change-id", `fix-number-${i}`, "--content", text, ...why);
    }
  }
  return folder;
}

function computeStartUpMedian(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}
