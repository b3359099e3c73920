import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import { assetsIn } from "./adapters/assets/assets.ts";
import type { SetupPlace } from "./adapters/setup/disk.ts";
import { WorkspaceStore } from "./adapters/store/store.ts";
import { branchIn } from "./adapters/workspace/branch.ts";
import { findRoot, type Whereabouts } from "./adapters/workspace/find-root.ts";
import { checkoutIn, checkoutName, ledgerFile } from "./adapters/workspace/ledger-file.ts";
import { machine } from "./adapters/workspace/machine.ts";
import { readSettings, settingsIn } from "./adapters/workspace/settings.ts";
import type { World } from "./assembly.ts";
import type { Databases } from "./databases.ts";
import type { Fault } from "./domain/fault.ts";
import { DEFAULT_CONFIG } from "./domain/workspace/config.ts";
import type { Engine, Settings } from "./operations/engine.ts";
import { sessionName } from "./domain/workflow/session-name.ts";
import type { Journal } from "./operations/ports/journal.ts";
import type { ModelChoice } from "./operations/ports/model.ts";
import type { Progress, Runner } from "./operations/ports/runner.ts";
import type { Snapshots, Worktrees } from "./operations/ports/snapshots.ts";
import type { Source } from "./operations/ports/source.ts";
import type { Stacks } from "./operations/ports/stacks.ts";
import type { Syntax } from "./operations/ports/syntax.ts";
import type { Trust } from "./operations/ports/trust.ts";

interface Opening {
  readonly version: string;
  readonly progress?: Progress | undefined;
  readonly trust?: string | undefined;
  readonly model?: ModelChoice | undefined;
}

/** Finds the workspace and creates its engine. Loaded on first use, because help and version need no workspace. */
export function openWorkspace(
  world: World,
  databases: Databases,
  { version, progress = nobodyWaits, trust: given, model, ...where }: Partial<Whereabouts> & Opening,
): Engine {
  const { clock, steadyClock, newId } = world;
  const environment = world.environment["TENON_WORKSPACE"] || undefined;
  const root = findRoot({ environment, cwd: world.cwd, home: world.home, ...where });
  const users = usersPart(world, databases);
  const { notice } = users;
  const [checkout, ledger] = [checkoutName(root), databases.of(root)];
  const store = new WorkspaceStore({
    root,
    checkout,
    checkoutIn: (folder) => checkoutIn(folder, ledgerFile(root)),
    ledger,
    clock,
    steadyClock,
    newId,
    notice,
  });
  const logs = async () =>
    (await import("./adapters/store/logs.ts")).logObserver({ root, checkout, ledger, newId, notice });
  const engine: Engine = {
    ...users,
    root,
    checkout,
    branch: () => branchIn(root),
    store,
    source: sourceOf(root, world),
    foreign: {
      folder: async (said) =>
        (await import("./adapters/foreign/folder.ts")).foreignFolders(root, world.cwd).folder(said),
    },
    stacks: stacksOf(() => engine),
    journal: journalOf(root, checkout, world),
    mergeDrivers: {
      register: async () => (await mergeDrivers()).registerDriver(root, world.environment, world.packageFolder),
      isRegistered: async () => (await mergeDrivers()).isDriverRegistered(root, world.environment),
    },
    snapshots: snapshotsOf(root, world),
    snapshotsOf: (place) => {
      if (place.checkout === checkout) return engine.snapshots;
      return checkoutIn(place.root, ledgerFile(root)) === place.checkout ? snapshotsOf(place.root, world) : undefined;
    },
    worktrees: worktreesOf(root, world),
    codeIndex: () => databases.index(root, version, world),
    version,
    runner: runnerOf(world),
    scratch,
    progress,
    model: () => modelOf(world, model),
    trust: trustOf(root, world, given, notice),
    setupFiles: (scope) =>
      setupFilesOf(scope, world, { root, exclusively: (work) => store.exclusively("setup", work) }),
    settings: withEnvironment(settingsIn(store), world),
    project: async () => (await import("./adapters/workspace/project.ts")).projectIn(root),
    observers: [
      {
        name: "the export to .sdd/state.yaml",
        catchUp: async () =>
          (await import("./adapters/store/export.ts")).stateExport({ root, store, clock, newId, notice }).catchUp(),
      },
      {
        name: "memory",
        catchUp: async () => {
          const { memoryObserver } = await import("./operations/remember.ts");
          await memoryObserver(engine).catchUp();
        },
      },
      {
        name: "the logs in .sdd/logs",
        catchUp: async () => (await logs()).catchUp(),
        problem: async () => (await logs()).problem?.(),
      },
    ],
  };
  return engine;
}

const mergeDrivers = () => import("./adapters/source/merge-driver.ts");

function sourceOf(root: string, { environment }: World): Source {
  const load = async () => (await import("./adapters/source/source.ts")).sourceIn(root, environment);
  return {
    files: async () => (await load()).files(),
    text: async (path, most) => (await load()).text(path, most),
    stamped: async (path) => (await load()).stamped(path),
    watch: async (tell) => (await load()).watch(tell),
    head: async () => (await load()).head(),
    committedAt: async (name) => (await load()).committedAt(name),
    changes: async (since) => (await load()).changes(since),
    commits: async (asked) => (await load()).commits(asked),
    past: async (path, most) => (await load()).past(path, most),
    at: async (commit) => (await load()).at(commit),
  };
}

function stacksOf(engine: () => Engine): Stacks {
  const load = async () => {
    const { stacksIn } = await import("./adapters/stack/stacks.ts");
    const { source, assets } = engine();
    const digest = (text: string): string => engine().digest(text);
    return stacksIn({ source, assets, digest, readSettings, yaml: await engine().yaml() });
  };
  return {
    definitions: async (commit) => (await load()).definitions(commit),
    onWorkingFiles: async (commit) => (await load()).onWorkingFiles(commit),
    survey: async () => (await load()).survey(),
  };
}

function snapshotsOf(root: string, { environment }: World): Snapshots {
  const load = async () => (await import("./adapters/source/snapshots.ts")).snapshotsIn(root, environment);
  return {
    isPossible: async () => (await load()).isPossible(),
    obstacle: async () => (await load()).obstacle(),
    tree: async () => (await load()).tree(),
    sourceTree: async () => (await load()).sourceTree(),
    rememberSourceTree: async () => (await load()).rememberSourceTree(),
    knownSourceTree: async () => (await load()).knownSourceTree(),
    keepKnown: async () => (await load()).keepKnown(),
    sourceTreeOf: async (commit) => (await load()).sourceTreeOf(commit),
    take: async (id, n, message, coming) => (await load()).take(id, n, message, coming),
    drop: async (id, n) => (await load()).drop(id, n),
    dropAll: async (id) => (await load()).dropAll(id),
    has: async (commit) => (await load()).has(commit),
    between: async (from, to) => (await load()).between(from, to),
    uncommitted: async () => (await load()).uncommitted(),
    commitsSince: async (commit) => (await load()).commitsSince(commit),
    restore: async (request) => (await load()).restore(request),
  };
}

function worktreesOf(root: string, { environment }: World): Worktrees {
  const load = async () => (await import("./adapters/source/worktrees.ts")).worktreesIn(root, environment);
  return {
    async add(name, files) {
      const made = await (await load()).add(name, files);
      return { ...made, checkout: checkoutName(made.path) };
    },
    remove: async (name) => (await load()).remove(name),
    lend: async (lending) => (await load()).lend(lending),
  };
}

function runnerOf({ environment }: World): Runner {
  return {
    run: async (running) => (await import("./adapters/runner/runner.ts")).processRunner(environment).run(running),
  };
}

const scratch = async () => (await import("./adapters/runner/scratch.ts")).openScratch();

const nobodyWaits: Progress = {
  tell: () => undefined,
  // Created on first use, so that no start waits for it.
  get cancelled() {
    return new AbortController().signal;
  },
};

/** Only the user's choice counts: the settings of a repository never name a model. */
async function modelOf(world: World, choice: ModelChoice = {}) {
  const { chosenModel } = await import("./adapters/model/choice.ts");
  return chosenModel(choice, world.environment, { runner: runnerOf(world), scratch });
}

function trustOf(root: string, world: World, given: string | undefined, notice: (text: string) => void): Trust {
  const load = async () => {
    const [{ trustIn }, { trustPlaceOf }] = await Promise.all([
      import("./adapters/trust/trust.ts"),
      import("./adapters/workspace/trust-place.ts"),
    ]);
    const dataFolder = resolve(world.cwd, world.dataFolder);
    return trustIn({ dataFolder, place: trustPlaceOf(root), newId: world.newId, notice });
  };
  return {
    ...(given === undefined ? {} : { given }),
    granted: async () => (await load()).granted(),
    grant: async (granted) => (await load()).grant(granted),
    revoke: async () => (await load()).revoke(),
  };
}

async function setupFilesOf(scope: "project" | "user", world: World, project?: Omit<SetupPlace, "kept">) {
  const { setupFilesIn } = await import("./adapters/setup/disk.ts");
  if (scope === "project" && project)
    return setupFilesIn({ ...project, kept: join(project.root, "sdd", "setup.json") });
  const { claimed } = await import("./adapters/store/sqlite/claim.ts");
  const dataFolder = resolve(world.cwd, world.dataFolder);
  return setupFilesIn({
    root: world.home,
    kept: join(dataFolder, "setup.json"),
    exclusively: (work) => claimed(join(dataFolder, "setup.claim"), "a setup", work),
  });
}

function journalOf(root: string, checkout: string, { clock, steadyClock }: World): Journal {
  const load = async () =>
    (await import("./adapters/journal/read.ts")).journalIn({ root, checkout, clock, steadyClock });
  return {
    checkout,
    unread: async (places) => (await load()).unread(places),
    remove: async (file) => (await load()).remove(file),
  };
}

/** An engine for operations of the user alone. Every access to a workspace fails with the reason for its absence. */
export function openNowhere(world: World, databases: Databases, version: string, fault: Fault): Engine {
  const none = (): Promise<never> => Promise.reject(fault);
  return {
    ...usersPart(world, databases),
    root: "",
    checkout: "",
    branch: () => undefined,
    store: {
      leases: { acquire: none, renew: none, release: none },
      read: none,
      write: none,
      exclusively: none,
      events: none,
      eventsEverywhere: none,
      position: none,
      pending: none,
      health: none,
    },
    source: {
      files: none,
      text: none,
      stamped: none,
      watch: none,
      head: none,
      committedAt: none,
      changes: none,
      commits: none,
      at: none,
      past: none,
    },
    foreign: { folder: none },
    stacks: { definitions: none, onWorkingFiles: none, survey: none },
    mergeDrivers: { register: none, isRegistered: none },
    snapshots: {
      isPossible: none,
      obstacle: none,
      tree: none,
      sourceTree: none,
      rememberSourceTree: none,
      knownSourceTree: none,
      keepKnown: none,
      sourceTreeOf: none,
      take: none,
      drop: none,
      dropAll: none,
      has: none,
      between: none,
      uncommitted: none,
      commitsSince: none,
      restore: none,
    },
    snapshotsOf: () => undefined,
    worktrees: { add: none, remove: none, lend: none },
    codeIndex: none,
    version,
    runner: runnerOf(world),
    scratch,
    progress: nobodyWaits,
    model: () => modelOf(world),
    trust: { granted: none, grant: none, revoke: none },
    setupFiles: (scope) => (scope === "user" ? setupFilesOf(scope, world) : none()),
    journal: { checkout: "", unread: none, remove: none },
    settings: withEnvironment({ load: async () => DEFAULT_CONFIG }, world),
    project: async () => undefined,
    observers: [],
  };
}

/** `TENON_MEMORY=off` disables memory on machines such as build servers. */
function withEnvironment(settings: Settings, world: World): Settings {
  if (world.environment["TENON_MEMORY"] !== "off") return settings;
  return {
    async load() {
      const config = await settings.load();
      return { ...config, memory: { ...config.memory, enabled: false } };
    },
  };
}

/** Loads the grammars on first use, because they are large. */
function syntaxOf({ packageFolder }: World): Syntax {
  let loaded: Promise<Syntax> | undefined;
  const load = () =>
    (loaded ??= import("./adapters/syntax/syntax.ts").then(({ syntaxIn }) =>
      syntaxIn(new URL("dist/grammars/", packageFolder)),
    ));
  return {
    look: async (path, text) => (await load()).look(path, text),
    outline: async (path, text) => (await load()).outline(path, text),
    async *outlines(files) {
      yield* (await load()).outlines(files);
    },
    sites: async (path, text) => (await load()).sites(path, text),
  };
}

function usersPart(world: World, databases: Databases) {
  return {
    clock: world.clock,
    wait: (ms: number, cancelled: AbortSignal) => world.wait(ms, cancelled),
    session: sessionName(world.environment["TENON_SESSION"]),
    assets: assetsIn(new URL("assets/", world.packageFolder)),
    machine,
    memory: () => databases.memory(world),
    secrets: {
      mask: async (text: string) => (await import("./adapters/secrets/secrets.ts")).maskSecrets(text),
    },
    syntax: syntaxOf(world),
    tokens: { counter: async () => (await import("./adapters/tokens/tokens.ts")).countTokens },
    yaml: async () => (await import("./adapters/yaml/yaml.ts")).yaml,
    digest: (text: string) => createHash("sha256").update(text).digest("hex"),
    notice: (text: string): void => world.io.err(`note: ${text}\n`),
  };
}
