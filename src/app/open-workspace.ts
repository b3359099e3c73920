import fs from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { hashText } from "#kernel/adapters/content-hash.ts";
import { createAssetFiles } from "#kernel/adapters/asset-files.ts";
import type { SetupLocation } from "#onboarding/adapters/setup-files-on-disk.ts";
import { WorkspaceStore } from "#store/adapters/workspace-store.ts";
import {
  readCurrentBranch,
  findCheckoutName,
  readCheckoutName,
  locateLedgerFile,
} from "#kernel/adapters/git-checkout.ts";
import { findWorkspaceRoot, type RootRequest } from "#kernel/adapters/workspace-root.ts";
import type { GitSession } from "#git/adapters/git-repository.ts";
import { hostMachine } from "#kernel/adapters/host-machine.ts";
import { parseWorkspaceSettings, createWorkspaceSettings } from "#store/adapters/workspace-settings.ts";
import type { ProcessContext } from "./application-host.ts";
import { createLedgerObservers } from "./ledger-observers.ts";
import { createTerminalOrigin } from "./call-origin.ts";
import type { DatabaseConnections } from "./open-databases.ts";
import type { Fault } from "#kernel/model/fault.ts";
import { SETUP_MANIFEST_PATH } from "#kernel/model/workspace-paths.ts";
import type { Engine } from "#doors/engine.ts";
import { printNotice } from "#doors/cli/progress-line.ts";
import type { CallOrigin, SettingsStore } from "#kernel/operations/engine.ts";
import { parseSessionName } from "#planning/model/workflow/work-sessions.ts";
import { type CallingProgram, UNKNOWN_CALLER } from "#planning/operations/ports/caller.ts";
import type { Journal } from "#planning/operations/ports/journal.ts";
import type { ModelChoice } from "#code/operations/ports/model.ts";
import type { CallProgress } from "#kernel/operations/call-progress.ts";
import type { AgentProcesses } from "#kernel/operations/ports/agent-processes.ts";
import type { CommandRunner } from "#kernel/operations/ports/runner.ts";
import { createToolSearch, openScratchFolder } from "./tool-search.ts";
import type { SnapshotStore, WorktreeManager, SourceFiles } from "#git/operations/ports/git-files.ts";
import type { StackDefinitions, TrustStore } from "#checking/operations/ports/stacks.ts";
import type { SyntaxParser } from "#code/operations/ports/code-index.ts";

interface WorkspaceOpenOptions {
  readonly version: string;
  readonly progress?: CallProgress | undefined;
  readonly trust?: string | undefined;
  readonly model?: ModelChoice | undefined;
  readonly caller?: CallingProgram | undefined;
  readonly origin?: CallOrigin | undefined;
}

/** Finds the workspace and creates its engine. Loaded on first use, because help and version need no workspace. */
export function openWorkspace(
  world: ProcessContext,
  databases: DatabaseConnections,
  {
    version,
    progress = SILENT_PROGRESS,
    trust: given,
    model,
    caller = world.caller?.() ?? UNKNOWN_CALLER,
    origin = createTerminalOrigin(world),
    ...where
  }: Partial<RootRequest> & WorkspaceOpenOptions,
): Engine {
  const { clock, steadyClock, newId } = world;
  const environment = world.environment["TENON_WORKSPACE"] || undefined;
  const root = findWorkspaceRoot({ environment, cwd: world.cwd, home: world.home, ...where });
  const users = createUserServices(world, databases, root);
  const session = gitSession(root, world);
  const [ledger, checkout] = [databases.of(root, users.notice), readCheckoutName(root)];
  const store = new WorkspaceStore({
    root,
    checkout,
    checkoutIn: (folder) => findCheckoutName(folder, locateLedgerFile(root)),
    ledger,
    clock,
    steadyClock,
    newId,
    notice: users.notice,
  });
  const engine: Engine = {
    ...users,
    root,
    checkout,
    branch: () => readCurrentBranch(root),
    store,
    source: createLazySource(session),
    ...createFolderPorts(root, world),
    stacks: createLazyStacks(() => engine),
    journal: createLazyJournal(root, checkout, world),
    caller,
    sessionStart: async () => (await import("#roadmap/operations/handover/commit-with-session.ts")).planSessionStart,
    mergeDrivers: createLazyMergeDrivers(root, world, session),
    snapshots: createLazySnapshots(session),
    snapshotsOf: (place) => {
      if (place.checkout === checkout) return engine.snapshots;
      return findCheckoutName(place.root, locateLedgerFile(root)) === place.checkout
        ? createLazySnapshots(gitSession(place.root, world))
        : undefined;
    },
    ...createWorktreePorts(session),
    agents: createLazyAgents(world),
    openFolder: async (argument) =>
      openWorkspace(world, databases, { version, progress, trust: given, model, caller, origin, argument }),
    requirements: lazyPort(async () =>
      (await import("#roadmap/operations/requirement-source.ts")).createRequirementSource(engine),
    ),
    codeIndex: () => databases.index(root, version, world),
    version,
    origin,
    runner: forgetFilesAfter(createLazyRunner(world), session),
    wait: async (ms, cancelled) => {
      await users.wait(ms, cancelled);
      (await session()).forgetFiles();
    },
    ...createToolSearch(() => engine, world),
    progress,
    model: () => createChosenModel(world, model),
    trust: createLazyTrust(root, world, given, users.notice),
    openClone: (argument) =>
      openCloneEngine(engine, openWorkspace(world, databases, { version, progress, caller, origin, argument })),
    setupFiles: (scope) =>
      openSetupFiles(scope, world, { root, exclusively: (work) => store.exclusively("setup", work) }),
    team: () => databases.administration(root, users.notice),
    settings: applyMemoryEnvironment(createWorkspaceSettings(store), world),
    project: async () => (await import("#memory/adapters/workspace-project.ts")).readWorkspaceProject(root),
    observers: createLedgerObservers(() => engine, ledger, newId),
  };
  return engine;
}

/** The user trusted the commands of the workspace, not of a folder. */
const openCloneEngine = (engine: Engine, clone: Engine): Engine => ({ ...clone, trust: engine.trust });

const loadMergeDrivers = () => import("#git/adapters/merge-driver-settings.ts");

const createLazyMergeDrivers = (root: string, world: ProcessContext, session: Session): Engine["mergeDrivers"] => ({
  register: async () => (await loadMergeDrivers()).registerMergeDriver(await session(), world.packageFolder),
  // Asked after it may have been registered, so the settings are read again.
  isRegistered: async () => (await loadMergeDrivers()).isMergeDriverRegistered(await gitSession(root, world)()),
});

/** Loads its adapter when a method is first called, so every method is asynchronous. `known` is always there. */
function lazyPort<Port extends object>(load: () => Promise<Port>, known: Partial<Port> = {}): Port {
  const loaded = once(load);
  return portOf(known, async (name, words) => {
    const port = (await loaded()) as Record<PropertyKey, (...words: unknown[]) => unknown>;
    return port[name]?.(...words);
  });
}

/** A port of a workspace that does not exist: every method rejects with the reason. */
const missingPort = <Port extends object>(fault: Fault, known: Partial<Port> = {}): Port =>
  portOf(known, () => Promise.reject(fault));

function portOf<Port extends object>(
  known: Partial<Port>,
  call: (name: PropertyKey, words: unknown[]) => Promise<unknown>,
): Port {
  return new Proxy(known as Port, {
    get: (target, name) => {
      // A promise that resolves to a port must not take it for another promise.
      if (Reflect.has(target, name) || name === "then") return Reflect.get(target, name) as unknown;
      return (...words: unknown[]) => call(name, words);
    },
  });
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** Git for one call: the ports below share it, so that the repository is looked up once. */
type Session = () => Promise<GitSession>;

function gitSession(root: string, { environment }: ProcessContext): Session {
  return once(async () => (await import("#git/adapters/git-repository.ts")).openGitSession(root, environment));
}

const createLazySource = (session: Session): SourceFiles =>
  lazyPort(async () => (await import("#git/adapters/git-source.ts")).createGitSource(await session()));

const createLazySnapshots = (session: Session): SnapshotStore =>
  lazyPort(async () => (await import("#git/adapters/git-snapshots.ts")).createGitSnapshots(await session()));

const createWorktreePorts = (session: Session): Pick<Engine, "worktrees" | "landings" | "remote"> => ({
  worktrees: lazyPort(async () => {
    const worktrees = (await import("#git/adapters/git-worktrees.ts")).createGitWorktrees(await session());
    const add: WorktreeManager["add"] = (name, files) =>
      worktrees.add(name, files).then((made) => ({ ...made, checkout: readCheckoutName(made.path) }));
    return { ...worktrees, add };
  }),
  landings: lazyPort(async () => (await import("#git/adapters/git-landings.ts")).createGitLandings(await session())),
  remote: lazyPort(async () => (await import("#git/adapters/git-remote.ts")).createGitRemote(await session())),
});

const createLazyStacks = (engine: () => Engine): StackDefinitions =>
  lazyPort(async () => {
    const { createStackSurveyor } = await import("#checking/adapters/stack/stack-survey.ts");
    const { source, assets } = engine();
    const digest = (text: string): string => engine().digest(text);
    return createStackSurveyor({
      source,
      assets,
      digest,
      readSettings: parseWorkspaceSettings,
      yaml: await engine().yaml(),
    });
  });

const createLazyRunner = ({ environment }: ProcessContext): CommandRunner =>
  lazyPort(async () => (await import("#checking/adapters/runner/process-runner.ts")).createProcessRunner(environment));

const createLazyAgents = ({ environment, packageFolder }: ProcessContext): AgentProcesses =>
  lazyPort(async () => {
    const { createAgentProcesses } = await import("#checking/adapters/runner/agent-processes.ts");
    const words = import.meta.url.endsWith(".ts")
      ? ["--conditions=tenon-source", fileURLToPath(new URL("src/app/acp-entry.ts", packageFolder))]
      : [fileURLToPath(new URL("dist/acp-agent.js", packageFolder))];
    return createAgentProcesses(environment, [process.execPath, ...words]);
  });

const forgetFilesAfter = (runner: CommandRunner, session: Session): CommandRunner => ({
  async run(request) {
    try {
      return await runner.run(request);
    } finally {
      // A command in a temporary checkout does not write here.
      const own = await session();
      if ((request.root ?? own.root) === own.root) own.forgetFiles();
    }
  },
});

const SILENT_PROGRESS: CallProgress = {
  tell: () => undefined,
  // Created on first use, so that no start waits for it.
  get cancelled() {
    return new AbortController().signal;
  },
};

/** Only the user's choice counts: the settings of a repository never name a model. */
async function createChosenModel(world: ProcessContext, choice: ModelChoice = {}) {
  const { createModelFromChoice } = await import("#code/adapters/model/llm-model.ts");
  return createModelFromChoice(choice, world.environment, {
    runner: createLazyRunner(world),
    scratch: openScratchFolder,
  });
}

function createLazyTrust(
  root: string,
  world: ProcessContext,
  given: string | undefined,
  notice: (text: string) => void,
): TrustStore {
  return lazyPort<TrustStore>(
    async () => {
      const [{ createTrustStore }, { locateTrust }] = await Promise.all([
        import("#checking/adapters/trust/trust-store.ts"),
        import("#kernel/adapters/trust-location.ts"),
      ]);
      const dataFolder = resolve(world.cwd, world.dataFolder);
      return createTrustStore({ dataFolder, place: locateTrust(root), newId: world.newId, notice });
    },
    { given },
  );
}

async function openSetupFiles(scope: "project" | "user", world: ProcessContext, project?: Omit<SetupLocation, "kept">) {
  const { createSetupFiles } = await import("#onboarding/adapters/setup-files-on-disk.ts");
  if (scope === "project" && project)
    return createSetupFiles({ ...project, kept: join(project.root, SETUP_MANIFEST_PATH) });
  const { withFileClaim } = await import("#kernel/adapters/file-claim.ts");
  const dataFolder = resolve(world.cwd, world.dataFolder);
  return createSetupFiles({
    root: world.home,
    kept: join(dataFolder, "setup.json"),
    exclusively: async (work) => {
      // The first command on a machine may be this one. If there is no room for the folder, the claim reports why.
      if (!fs.existsSync(dataFolder)) fs.mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
      return withFileClaim(join(dataFolder, "setup.claim"), "a setup", work);
    },
  });
}

function createLazyJournal(root: string, checkout: string, { clock, steadyClock }: ProcessContext): Journal {
  return lazyPort<Journal>(
    async () =>
      (await import("#planning/adapters/journal-files.ts")).createJournal({ root, checkout, clock, steadyClock }),
    { checkout },
  );
}

/** Folders that the user names, also outside the workspace: one port reads, the other writes a new folder. */
const createFolderPorts = (root: string, { cwd }: ProcessContext): Pick<Engine, "foreign" | "exports"> => ({
  foreign: lazyPort(async () =>
    (await import("#onboarding/adapters/foreign-folders.ts")).openForeignFolders(root, cwd),
  ),
  exports: lazyPort(async () => (await import("#onboarding/adapters/export-folders.ts")).openExportFolders(cwd)),
});

/** An engine for operations of the user alone. Every access to a workspace fails with the reason for its absence. */
export function openWithoutWorkspace(
  world: ProcessContext,
  databases: DatabaseConnections,
  version: string,
  fault: Fault,
): Engine {
  const none = (): Promise<never> => Promise.reject(fault);
  return {
    ...createUserServices(world, databases),
    root: "",
    checkout: "",
    branch: () => undefined,
    store: missingPort<Engine["store"]>(fault, { leases: missingPort(fault) }),
    source: missingPort(fault),
    foreign: missingPort(fault),
    exports: missingPort(fault),
    stacks: missingPort(fault),
    mergeDrivers: missingPort(fault),
    team: none,
    snapshots: missingPort(fault),
    snapshotsOf: () => undefined,
    worktrees: missingPort(fault),
    landings: missingPort(fault),
    remote: missingPort(fault),
    openFolder: none,
    agents: createLazyAgents(world),
    requirements: missingPort(fault),
    codeIndex: none,
    version,
    origin: createTerminalOrigin(world),
    runner: createLazyRunner(world),
    scratch: openScratchFolder,
    isInstalled: none,
    missingTools: none,
    progress: SILENT_PROGRESS,
    model: () => createChosenModel(world),
    trust: missingPort(fault),
    openClone: () => {
      throw fault;
    },
    setupFiles: (scope) => (scope === "user" ? openSetupFiles(scope, world) : none()),
    journal: missingPort<Journal>(fault, { checkout: "" }),
    caller: UNKNOWN_CALLER,
    sessionStart: none,
    settings: applyMemoryEnvironment(
      { load: async () => (await import("#kernel/model/workspace-config.ts")).DEFAULT_CONFIG },
      world,
    ),
    project: async () => undefined,
    observers: [],
  };
}

/** `TENON_MEMORY=off` disables memory on machines such as build servers. */
function applyMemoryEnvironment(settings: SettingsStore, world: ProcessContext): SettingsStore {
  if (world.environment["TENON_MEMORY"] !== "off") return settings;
  return {
    async load() {
      const config = await settings.load();
      return { ...config, memory: { ...config.memory, enabled: false } };
    },
  };
}

/** Loads the grammars on first use, because they are large. */
function createLazySyntax({ packageFolder }: ProcessContext): SyntaxParser {
  const load = once(async () =>
    (await import("#code/adapters/syntax/tree-sitter-syntax.ts")).createTreeSitterSyntax(
      new URL("dist/grammars/", packageFolder),
    ),
  );
  return lazyPort<SyntaxParser>(load, {
    async *outlines(files) {
      yield* (await load()).outlines(files);
    },
  });
}

function createUserServices(world: ProcessContext, databases: DatabaseConnections, root?: string) {
  const secrets = {
    mask: async (text: string) => (await import("#kernel/adapters/secret-scan.ts")).maskSecrets(text),
  };
  return {
    clock: world.clock,
    wait: (ms: number, cancelled: AbortSignal) => world.wait(ms, cancelled),
    session: parseSessionName(world.environment["TENON_SESSION"]),
    assets: createAssetFiles(new URL("assets/", world.packageFolder)),
    machine: hostMachine,
    memory: () => databases.memoryOf(root, world, secrets),
    secrets,
    syntax: createLazySyntax(world),
    tokens: { counter: async () => (await import("#kernel/adapters/token-count.ts")).countTokens },
    yaml: async () => (await import("#kernel/adapters/yaml-reader.ts")).yamlAdapter,
    digest: hashText,
    notice: (text: string): void => printNotice(world.io, text),
  };
}
