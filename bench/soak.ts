import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { connect } from "../test/kit/client.ts";

export interface SoakFigures {
  readonly calls: number;
  /** Megabytes of the server's resident memory after a quarter of the calls, and at the end. */
  readonly early: number;
  readonly late: number;
  readonly openFiles: readonly [early: number, late: number];
}

export const SOAK_BUDGET = 1.1;

type SoakCall = readonly [tool: string, input: (n: number) => Record<string, unknown>];

const EVEN_TEXT = { context: "c", decision: "d", rationale: "r" };

/** A quarter saves an observation. Others read, or change one thing again and again, so that stored data stays equal. */
const SOAK_CALLS: readonly SoakCall[] = [
  [
    "mem_save",
    (n) => ({ type: "discovery", title: `Observation ${n % 50}`, content: `Learned ${n}.`, topic_key: `t/${n % 50}` }),
  ],
  ["sdd_status", () => ({})],
  ["sdd_lock", (n) => ({ action: n % 32 < 16 ? "claim" : "release", paths: ["src/login.ts"], id: "AUTH-001" })],
  ["mem_search", (n) => ({ query: `Observation ${n % 50}` })],
  [
    "mem_save",
    (n) => ({ type: "decision", title: `Choice ${n % 20}`, content: `Chose ${n}.`, topic_key: `c/${n % 20}` }),
  ],
  ["sdd_workflow_status", () => ({})],
  ["sdd_suggest_context", () => ({ task_description: "Log in with a password" })],
  ["mem_context", () => ({})],
  [
    "mem_save",
    (n) => ({ type: "pattern", title: `Pattern ${n % 20}`, content: `Saw ${n}.`, topic_key: `p/${n % 20}` }),
  ],
  ["sdd_change_list", () => ({})],
  ["sdd_workflow_prioritize", (n) => ({ id: "AUTH-001", priority: 1 + (n % 9) })],
  ["sdd_context_check", () => ({ change_description: "Log in with a password" })],
  ["mem_save", (n) => ({ type: "config", title: `Setting ${n % 20}`, content: `Set ${n}.`, topic_key: `s/${n % 20}` })],
  ["sdd_adr_list", () => ({})],
  ["sdd_workflow_stats", () => ({})],
  ["mem_stats", () => ({})],
];

/** Calls one server again and again. The amount of stored data stays the same, so its memory must too. */
export async function measureSoak(calls: number): Promise<SoakFigures> {
  const folder = fs.realpathSync(fs.mkdtempSync(join(os.tmpdir(), "tenon-bench-")));
  const [root, home] = [join(folder, "work"), join(folder, "home")];
  for (const each of [root, home]) fs.mkdirSync(each);
  execFileSync("git", ["init", "--quiet"], { cwd: root });
  const server = await connect("2025-11-25", {
    cwd: root,
    words: ["--toolsets", "all"],
    isStructured: false,
    env: { TENON_HOME: home, HOME: home },
  });
  const call = async (tool: string, input: Record<string, unknown>): Promise<void> => {
    const { isError, content } = await server.call(tool, input);
    if (isError) throw new Error(`${tool}: ${JSON.stringify(content)}`);
  };
  await call("sdd_feature", { description: "Log in", id: "AUTH-001", files: ["src/app.ts"] });
  await call("sdd_adr", { title: "Keep sessions in a cookie", standalone: true, ...EVEN_TEXT });
  const { pid = 0 } = server;
  let early = { megabytes: 0, files: 0 };
  for (let n = 0; n < calls; n++) {
    const [tool, input] = SOAK_CALLS[n % SOAK_CALLS.length] ?? ["sdd_status", () => ({})];
    await call(tool, input(n));
    if (n === calls >> 2) early = readProcessSize(pid);
  }
  const late = readProcessSize(pid);
  await server[Symbol.asyncDispose]();
  fs.rmSync(folder, { recursive: true });
  return { calls, early: early.megabytes, late: late.megabytes, openFiles: [early.files, late.files] };
}

/** Only Linux shows it. */
function readProcessSize(pid: number): { megabytes: number; files: number } {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return { megabytes: Number(kilobytes) / 1024, files: fs.readdirSync(`/proc/${pid}/fd`).length };
}
