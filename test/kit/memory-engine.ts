import { createHash } from "node:crypto";
import { PassThrough } from "node:stream";
import { pathToFileURL } from "node:url";
import { ApplicationHost, type ProcessContext } from "#app/application-host.ts";
import { createStackSurveyor } from "#checking/adapters/stack/stack-survey.ts";
import { UNKNOWN_CALLER } from "#planning/operations/ports/caller.ts";
import { planSessionStart } from "#roadmap/operations/handover/commit-with-session.ts";
import type { TrustGrant } from "#checking/model/stack/trusted-surface.ts";
import { loadCatalogueOperation, type OperationId } from "#doors/catalogue.ts";
import { runCli } from "#doors/cli/run-cli.ts";
import type { Engine } from "#doors/engine.ts";
import { renderMcpPage } from "#doors/mcp/mcp-render.ts";
import { MCP_TOOLS } from "#doors/mcp/tool-table.ts";
import type { SnapshotStore, SourceContent, SourceFiles, SourceView } from "#git/operations/ports/git-files.ts";
import { createAssetFiles } from "#kernel/adapters/asset-files.ts";
import { yamlAdapter } from "#kernel/adapters/yaml-reader.ts";
import { validateOperationInput } from "#kernel/operations/operation.ts";
import type { JournalLine } from "#planning/model/workflow/journal-fold.ts";
import { parseSessionName } from "#planning/model/workflow/work-sessions.ts";
import type { Journal } from "#planning/operations/ports/journal.ts";
import { createRequirementSource } from "#roadmap/operations/requirement-source.ts";
import { MemoryLedger, MemoryStore } from "./memory-store.ts";
import { createWorkspaceSettings, parseWorkspaceSettings } from "#store/adapters/workspace-settings.ts";

type Input = Readonly<Record<string, unknown>>;

interface MemoryWorkspaceOptions {
  /** Texts by path: sources and documents under `sdd/`. */
  readonly files?: Readonly<Record<string, string>>;
  /** Shared by workspaces that are worktrees of one repository. */
  readonly ledger?: MemoryLedger;
  readonly checkout?: string;
  readonly session?: string;
  /** Ports that a test replaces. */
  readonly ports?: Partial<Engine>;
}

/** A workspace without a disk: a complete engine, its files and what it told the user. */
export interface MemoryWorkspace {
  readonly engine: Engine;
  /** Every file by path. Change it as a person edits files. */
  readonly files: Map<string, string>;
  readonly ledger: MemoryLedger;
  readonly notices: readonly string[];
  /** The seconds that were waited for, of which none passed. */
  readonly waits: readonly number[];
  readonly clock: { now(): string; set(time: string): void };
  /** Lines as hooks leave them, until an operation folds them into the ledger. */
  readonly journal: JournalLine[];
  /** Validates the input, runs the operation and validates its output. */
  readonly run: (id: OperationId, input?: Input) => Promise<Record<string, unknown>>;
  /** The page of an operation as an agent reads it. */
  page(id: OperationId, input?: Input): Promise<string>;
  /** Runs one command line on this workspace, in this process. */
  readonly cli: (...words: string[]) => Promise<{ code: number; out: string; err: string }>;
  /** The text of a file. Throws if there is none. */
  readonly read: (path: string) => string;
  /** Sorted paths below a folder. */
  readonly list: (folder: string) => string[];
}

const PACKAGE = pathToFileURL(`${process.cwd()}/`);
const ASSETS = createAssetFiles(new URL("assets/", PACKAGE));
const ROOT = "/nowhere/workspace";
const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

/**
 * The product on a store in memory. Assets, YAML, tokens, secrets and stack profiles are real; the clock, the ids, the
 * files and git are not. There is no repository, no process and no code index: an operation that needs one is rejected.
 * Memory of agents is off.
 */
export function openMemoryWorkspace(options: MemoryWorkspaceOptions = {}): MemoryWorkspace {
  const files = new Map(Object.entries(options.files ?? {}));
  const { ledger = new MemoryLedger(), checkout = "main" } = options;
  const clock = createSteppingClock();
  const [notices, waits, journal]: [string[], number[], JournalLine[]] = [[], [], []];
  let [ids, steady] = [0, 0];
  const newId = (): string => `id-${String(++ids).padStart(6, "0")}`;
  const steadyClock = { boot: "test boot", nowMs: () => ++steady };
  const store = new MemoryStore({ files, ledger, checkout, clock, steadyClock, newId });
  const settings = createWorkspaceSettings(store);
  const source = createMemorySource(files);
  const engine: Engine = {
    root: ROOT,
    checkout,
    branch: () => undefined,
    clock,
    wait: async (ms) => {
      waits.push(ms / 1000);
      clock.set(new Date(Date.parse(clock.now()) + ms).toISOString());
    },
    assets: ASSETS,
    settings: {
      load: async () => {
        const config = await settings.load();
        return { ...config, memory: { ...config.memory, enabled: false } };
      },
    },
    progress: { tell: () => undefined, cancelled: new AbortController().signal },
    session: parseSessionName(options.session),
    machine: { node: "24.0.0", platform: "test", sqlite: "3.50.0", isSqliteSound: true, git: async () => "2.50.0" },
    version: "0.0.0",
    origin: {
      name: "test",
      user: "ada",
      canElicit: false,
      findAgentSign: async () => "standard input or output is not a terminal",
      isUnattended: async () => true,
    },
    project: async () => ({ name: "workspace", places: [ROOT] }),
    secrets: { mask: async (text) => (await import("#kernel/adapters/secret-scan.ts")).maskSecrets(text) },
    tokens: { counter: async () => (await import("#kernel/adapters/token-count.ts")).countTokens },
    yaml: async () => yamlAdapter,
    digest,
    notice: (text) => void notices.push(text),
    store,
    observers: [],
    source,
    team: () => Promise.reject(new Error("There is no team in memory.")),
    mergeDrivers: { register: async () => false, isRegistered: async () => false },
    snapshots: createMissingPort<SnapshotStore>("git", {
      isPossible: async () => false,
      obstacle: async () => undefined,
    }),
    snapshotsOf: () => undefined,
    worktrees: createMissingPort<Engine["worktrees"]>("git", { reuse: (work) => work() }),
    openClone: () => {
      throw new Error("There is no other folder in memory.");
    },
    landings: createMissingPort("git"),
    remote: createMissingPort("git"),
    agents: createMissingPort("agents"),
    openFolder: () => Promise.reject(new Error("There are no other folders here.")),
    requirements: createRequirementSource({ store, yaml: async () => yamlAdapter, digest, assets: ASSETS, checkout }),
    syntax: createMissingPort("the syntax parser"),
    codeIndex: () => Promise.reject(new Error("There is no code index in memory.")),
    model: async () => undefined,
    memory: () => Promise.reject(new Error("There is no memory of agents here.")),
    journal: createMemoryJournal(checkout, journal),
    caller: UNKNOWN_CALLER,
    sessionStart: async () => planSessionStart,
    missingTools: async () => [],
    isInstalled: async () => true,
    stacks: createStackSurveyor({
      source,
      assets: ASSETS,
      digest,
      readSettings: parseWorkspaceSettings,
      yaml: yamlAdapter,
    }),
    runner: createMissingPort("a process"),
    scratch: () => Promise.reject(new Error("There is no scratch folder in memory.")),
    trust: createMemoryTrust(),
    foreign: createMissingPort("a foreign folder"),
    exports: createMissingPort("an export folder"),
    setupFiles: () => Promise.reject(new Error("There are no client files in memory.")),
    ...options.ports,
  };
  const run: MemoryWorkspace["run"] = async (id, input = {}) => {
    const operation = await loadCatalogueOperation(id);
    const output = await operation.run(engine, await validateOperationInput(operation, input));
    return (await operation.output()).parse(output) as Record<string, unknown>;
  };
  return {
    engine,
    files,
    ledger,
    notices,
    waits,
    clock,
    journal,
    run,
    page: async (id, input) => renderMcpPage((await loadCatalogueOperation(id)).page(await run(id, input)), MCP_TOOLS),
    cli: (...words) => runMemoryCommand(engine, words),
    read(path) {
      const text = files.get(path);
      if (text === undefined) throw new Error(`There is no ${path}.`);
      return text;
    },
    list: (folder) => [...files.keys()].filter((path) => path.startsWith(`${folder}/`)).toSorted(),
  };
}

/** A clock that moves one second at each look. */
function createSteppingClock(): MemoryWorkspace["clock"] {
  let time = Date.parse("2026-01-31T12:00:00Z");
  return {
    now: () => new Date((time += 1000)).toISOString().replace(".000Z", "Z"),
    set: (text) => void (time = Date.parse(text)),
  };
}

async function runMemoryCommand(engine: Engine, words: readonly string[]) {
  const written = { out: "", err: "" };
  const world: ProcessContext = {
    cwd: ROOT,
    home: "/nowhere/home",
    environment: {},
    clock: engine.clock,
    wait: (ms, cancelled) => engine.wait(ms, cancelled),
    steadyClock: { boot: "test boot", nowMs: () => 0 },
    newId: () => "id-defect",
    io: {
      isTerminal: false,
      hasColour: false,
      hasErrorColour: false,
      width: 1000,
      errorWidth: undefined,
      askKey: async () => false,
      onInterrupt: () => () => undefined,
      out: (text) => void (written.out += text),
      err: (text) => void (written.err += text),
      canAsk: false,
      ask: async () => false,
      stdin: async () => "",
      file: () => Promise.reject(new Error("There is no disk.")),
      save: () => Promise.reject(new Error("There is no disk.")),
    },
    streams: () => ({ input: new PassThrough(), output: new PassThrough(), log: () => undefined }),
    packageFolder: PACKAGE,
    dataFolder: "/nowhere/data",
    ancestors: async () => [],
  };
  const code = await runCli(words, new MemoryHost(world, engine));
  return { code, ...written };
}

class MemoryHost extends ApplicationHost {
  readonly #engine: Engine;

  constructor(world: ProcessContext, engine: Engine) {
    super(world, engine.version);
    this.#engine = engine;
  }

  override async open(): Promise<Engine> {
    return this.#engine;
  }
}

/** Files outside git: no commit, no difference, no history. */
function createMemorySource(files: ReadonlyMap<string, string>): SourceFiles {
  const own = /^\.?sdd\//;
  const paths = (): string[] => [...files.keys()].toSorted();
  const view = (): SourceView => ({
    paths: paths(),
    ignored: [],
    read: async (wanted, most) => new Map(wanted.map((path) => [path, readContent(files, path, most)])),
  });
  return {
    files: async () =>
      paths()
        .filter((path) => !own.test(path))
        .map((path) => ({
          path,
          bytes: Buffer.byteLength(files.get(path) ?? ""),
          stamp: digest(files.get(path) ?? ""),
        })),
    text: async (path, most) => {
      const content = readContent(files, path, most);
      return content.kind === "text" ? content.text : undefined;
    },
    stamped: async (path) => ({ ...readContent(files, path), stamp: digest(files.get(path) ?? "") }),
    watch: async () => ({ [Symbol.dispose]: () => undefined }),
    head: async () => undefined,
    committedAt: async () => undefined,
    forkPoint: async () => undefined,
    changes: async () => undefined,
    commits: async () => undefined,
    at: async (commit) => (commit === undefined ? view() : undefined),
    past: async () => [],
  };
}

function readContent(files: ReadonlyMap<string, string>, path: string, most = 1024 * 1024): SourceContent {
  const text = files.get(path);
  if (text === undefined) return { kind: "missing" };
  return Buffer.byteLength(text) > most ? { kind: "large" } : { kind: "text", text };
}

function createMemoryJournal(checkout: string, journal: readonly JournalLine[]): Journal {
  const file = "2026-01-31.jsonl";
  return {
    checkout,
    async unread(places) {
      const lines = journal.map((line, i) => ({ ...line, end: i + 1, ms: 1 })).slice(places.get(file)?.offset ?? 0);
      return lines.length === 0
        ? []
        : [{ file, first: "journal", lines, garbage: [], end: journal.length, isSpent: false }];
    },
    remove: async () => undefined,
  };
}

function createMemoryTrust(): Engine["trust"] {
  let kept: TrustGrant | undefined;
  return {
    granted: async () => kept,
    grant: async (granted) => void (kept = granted),
    revoke: async () => void (kept = undefined),
  };
}

/** A port of the outside world that an operation in memory may not need. */
function createMissingPort<Port extends object>(what: string, known: Partial<Port> = {}): Port {
  return new Proxy(known as Port, {
    get: (target, name) => {
      if (Reflect.has(target, name) || name === "then") return Reflect.get(target, name) as unknown;
      return () => Promise.reject(new Error(`In memory there is no ${what}: ${String(name)}.`));
    },
  });
}
