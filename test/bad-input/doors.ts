import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import type { CallToolResult } from "@modelcontextprotocol/server";
import { toFlagName } from "#doors/cli/command-arguments.ts";
import { CLI_COMMANDS } from "#doors/cli/command-table.ts";
import { runToolCall } from "#doors/mcp/tool-call.ts";
import { type McpTool, MCP_TOOLS } from "#doors/mcp/tool-table.ts";
import type { OperationId } from "#doors/catalogue.ts";
import { afterAll } from "vitest";
import { type TemporaryFolder, temporaryFolder } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { CANARY } from "./corpus.ts";

export type Input = Readonly<Record<string, unknown>>;

/** `ok`, the code of a fault, or `defect`. */
export type Outcome = string;

export interface Doors extends Disposable {
  mcp(operation: OperationId, input: Input): Promise<Outcome>;
  /** As `mcp`, with all that the client hears. */
  heard(operation: OperationId, input: Input): Promise<[Outcome, text: string]>;
  /** Nothing where a command line cannot say it. */
  cli(operation: OperationId, input: Input): Promise<Outcome | undefined>;
  /** What a person is shown. */
  shown(operation: OperationId, input: Input): Promise<string>;
  json(operation: OperationId, input: Input): Promise<unknown>;
}

/** Longer than any call takes on a busy machine: it bounds a hang, and measures nothing. */
const BOUND_MS = 30_000;

export function openDoors(root: string): Doors {
  // A copied workspace has a ledger with ids of its own.
  const tenon = testHouse(root, { newId: () => crypto.randomUUID() });
  const commandLine = (operation: OperationId, input: Input, ...flags: string[]): string[] => {
    const command = CLI_COMMANDS.find((candidate) => candidate.operation === operation);
    const given = Object.entries(input).map(([field, value]) => `--${toFlagName(field)}=${String(value)}`);
    return [...(command?.path.split(" ") ?? []), ...given, ...flags];
  };
  const call = (operation: OperationId, input: Input) => {
    // What is the user's alone has no tool, and is to be as safe as if it had.
    const unlisted: McpTool = { name: operation, operation, toolset: "none" };
    const tool = MCP_TOOLS.find((candidate) => candidate.operation === operation) ?? unlisted;
    const circumstances = { clientRoots: undefined, offered: async () => [...MCP_TOOLS, tool] };
    return bounded(runToolCall(tool, input, tenon.house.mcpHouse(undefined, true), circumstances));
  };
  return {
    mcp: async (operation, input) => getOutcome(await call(operation, input)),
    async heard(operation, input) {
      const result = await call(operation, input);
      return [getOutcome(result), JSON.stringify(result)];
    },
    async cli(operation, input) {
      if (!Object.values(input).every(isSayable)) return undefined;
      const { code, out, err } = await bounded(tenon.run(...commandLine(operation, input, "--json")));
      if (code === 0 || code === 3) return "ok";
      const { error } = JSON.parse(err) as { error: { code: string } };
      const isUsage = /^(?:usage|input)\.|^(?:lock\.bad-path|timebox\.unreadable|workflow\.bad-id)$/.test(error.code);
      const expected = isUsage || operation === "workflow.conflicts" ? 2 : 1;
      return code === expected && out === "" ? error.code : `defect: ${code} ${out}`;
    },
    async shown(operation, input) {
      const { out, err } = await bounded(tenon.run(...commandLine(operation, input)));
      return out + err;
    },
    json: async (operation, input) => (await call(operation, input)).structuredContent,
    [Symbol.dispose]: () => tenon[Symbol.dispose](),
  };
}

/** As a flag: a list of texts with commas between them. */
const isSayable = (value: unknown): boolean =>
  /string|number|boolean/.test(typeof value) ||
  (Array.isArray(value) && value.every((each) => typeof each === "string"));

function getOutcome({ isError, _meta }: CallToolResult): Outcome {
  if (!isError) return "ok";
  return (_meta?.["tenon/fault"] as { code: string } | undefined)?.code ?? "defect";
}

async function bounded<T>(work: Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(BOUND_MS);
  const ended = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(new Error("It hangs.")), { once: true });
  });
  return Promise.race([work, ended]);
}

interface SharedWorkspace<Prepared> {
  readonly folder: TemporaryFolder;
  readonly doors: Doors;
  readonly prepared: Prepared;
}

/** One workspace for a table of bad inputs. A case that changes it calls `leave`, so the next case gets a new one. */
export function shareWorkspace<Prepared>(prepare: (root: string, doors: Doors) => Promise<Prepared>) {
  let shared: SharedWorkspace<Prepared> | undefined;
  const open = async (): Promise<SharedWorkspace<Prepared>> => {
    const folder = temporaryFolder();
    const doors = openDoors(folder.path);
    return { folder, doors, prepared: await prepare(folder.path, doors) };
  };
  const leave = (): void => {
    shared?.doors[Symbol.dispose]();
    shared?.folder[Symbol.dispose]();
    shared = undefined;
  };
  afterAll(leave);
  return {
    leave,
    async enter() {
      shared ??= await open();
      return { root: shared.folder.path, doors: shared.doors, prepared: shared.prepared };
    },
  };
}

/** Every entry below a folder with its kind, mode and bytes; a database's shared memory, which reading moves, left out. */
export function fingerprint(folder: string): Record<string, string> {
  const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name);
    const { mode } = fs.lstatSync(path);
    const bytes = entry.isFile() ? createHash("sha256").update(fs.readFileSync(path)).digest("base64url") : "";
    const target = entry.isSymbolicLink() ? fs.readlinkSync(path) : "";
    return [path.slice(folder.length + 1), `${mode.toString(8)} ${bytes}${target}`] as const;
  });
  return Object.fromEntries(entries.filter(([path]) => !path.endsWith(".db-shm")));
}

/** A path at which a file appears if anything in the corpus is ever run. */
export interface Canary {
  /** The text with the canary's path in it. */
  in<T>(text: T): T;
  readonly isAlive: () => boolean;
}

export function canary(): Canary {
  const path = join(os.tmpdir(), `tenon-canary-${process.pid}-${Math.trunc(performance.now())}`);
  return {
    in: (text) => (typeof text === "string" ? (text.replaceAll(CANARY, path) as typeof text) : text),
    isAlive: () => !fs.existsSync(path),
  };
}
