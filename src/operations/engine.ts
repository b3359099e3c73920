import type { CiExample } from "#domain/ci/examples.ts";
import type { AgentRole } from "#domain/agent/role.ts";
import type { SharedPart } from "#domain/agent/roles.ts";
import type { ChangeStage } from "#domain/change/flows.ts";
import type { KnowledgeType } from "#domain/knowledge/tag.ts";
import type { WrittenStage } from "#domain/project/flow.ts";
import type { BUILT_IN } from "#domain/stack/profile/profile.ts";
import type { CoreFile, Topic } from "#domain/steering/name.ts";
import type { WorkflowKind } from "#domain/workflow/flows.ts";
import type { Config } from "#domain/workspace/config.ts";
import type { ProjectRef } from "#domain/memory/project.ts";
import type { CodeIndex } from "./ports/code-index.ts";
import type { Foreign } from "./ports/foreign.ts";
import type { Journal } from "./ports/journal.ts";
import type { Memory } from "./ports/memory.ts";
import type { Model } from "./ports/model.ts";
import type { Progress, Runner, Scratch } from "./ports/runner.ts";
import type { SetupFiles } from "./ports/setup-files.ts";
import type { Snapshots, Worktrees } from "./ports/snapshots.ts";
import type { Source } from "./ports/source.ts";
import type { Stacks } from "./ports/stacks.ts";
import type { LockedTree, Plan, Store } from "./ports/store.ts";
import type { Syntax } from "./ports/syntax.ts";
import type { Trust } from "./ports/trust.ts";
import type { Yaml } from "./ports/yaml.ts";

/** Time comes from here and nowhere else. */
export interface Clock {
  /** UTC, as `2026-01-31T12:00:00Z`. */
  now(): string;
}

/** The texts that ship with Tenon, by name. */
type AssetName =
  | `ci/${CiExample}`
  | `guides/change/${ChangeStage}`
  | `guides/project/${WrittenStage}`
  | "guides/connect"
  | `guides/workflow/${string}`
  | `roles/${AgentRole}`
  | `roles/parts/${SharedPart}`
  | `pages/${string}`
  | `setup/${"rules" | "opencode-plugin"}`
  | "summaries/prompt"
  | `stacks/${(typeof BUILT_IN)[number]}`
  | `templates/project/${WrittenStage}`
  | "templates/docs/feature"
  | `templates/feature/${"design" | "research" | "tasks"}`
  | `templates/knowledge/${KnowledgeType | "skill"}`
  | `templates/spec/${WorkflowKind}`
  | `templates/steering/${CoreFile | Topic | "topic"}`
  | "templates/config";

export interface Assets {
  text(name: AssetName): Promise<string>;
}

/**
 * Follows what happens: exports, notifications, memory. It keeps its own place in the ledger's events, so that a write
 * which somebody else finished, or whose writer died before it could tell, is not missed. A failure here never undoes
 * the write.
 */
export interface Observer {
  readonly name: string;
  /** Takes note of what happened since it last looked; nothing to do is the usual case. */
  catchUp(): Promise<void>;
  /** Why it cannot keep up, and what mends that; nothing when it can. Looking never writes. */
  problem?(): Promise<{ readonly found: string; readonly fix: string } | undefined>;
}

export interface Machine {
  readonly node: string;
  /** As `linux x64`. */
  readonly platform: string;
  readonly sqlite: string;
  /** Whether this SQLite keeps a ledger safe. */
  readonly isSqliteSound: boolean;
  /** Nothing when git cannot be run. */
  git(): Promise<string | undefined>;
}

/** Settings are read each time: a person may edit the file while a server runs. */
export interface Settings {
  /** The file as it stands, checked; a fault if it is wrong. */
  load(): Promise<Config>;
}

/** Finds what looks like a key, a token or a password. */
interface Secrets {
  /** The text with each of them masked, and what kinds there were. */
  mask(text: string): Promise<{ text: string; found: readonly string[] }>;
}

/** Counts what a model will be asked to read. */
interface Tokens {
  /** A function that counts; loaded when it is first asked for. */
  counter(): Promise<(text: string) => number>;
}

/** What git asks when two branches changed one of Tenon's files. */
interface MergeDrivers {
  /** Makes itself known in the repository's own settings; false where there is no repository. */
  register(): Promise<boolean>;
  /** Whether this clone knows them. */
  isRegistered(): Promise<boolean>;
}

/** Everything an operation may reach, for one workspace. */
export interface Engine {
  readonly root: string;
  /** What the ledger calls this checkout of the repository, wherever its folder is moved. */
  readonly checkout: string;
  /** What git has checked out: a branch, or a commit where there is none; nothing outside git. */
  branch(): string | undefined;
  readonly clock: Clock;
  /** Lets so many milliseconds pass, or fewer when the caller gives up. */
  wait(ms: number, cancelled: AbortSignal): Promise<void>;
  readonly store: Store;
  readonly assets: Assets;
  readonly settings: Settings;
  /** The code that the workspace is about. */
  readonly source: Source;
  /** What other tools left in folders, of this workspace or not; it is only read. */
  readonly foreign: Foreign;
  /** What it is made of, and what judges it. */
  readonly stacks: Stacks;
  readonly mergeDrivers: MergeDrivers;
  readonly snapshots: Snapshots;
  /** Those of another checkout of the repository; nothing when it is gone. */
  snapshotsOf(place: { readonly checkout: string; readonly root: string }): Snapshots | undefined;
  readonly worktrees: Worktrees;
  readonly runner: Runner;
  /** A folder for what a command writes about itself. */
  scratch(): Promise<Scratch>;
  /** Whoever waits for this call. Only what is `isLong` has somebody to tell. */
  readonly progress: Progress;
  /** What code looks like to a parser; loaded when it is first asked. */
  readonly syntax: Syntax;
  /** What is known of the code; opened when it is first asked for. Ask `bringIndexUpToDate`. */
  codeIndex(): Promise<CodeIndex>;
  /** What of it the user lets run. Ask `whetherTrusted`. */
  readonly trust: Trust;
  /** The model that the user named, with this call or by the environment; nothing where nobody did. */
  model(): Promise<Model | undefined>;
  /** The files of clients in this workspace, or in the user's home. */
  setupFiles(scope: "project" | "user"): Promise<SetupFiles>;
  /** What hooks wrote down and nobody has folded into the ledger yet. */
  readonly journal: Journal;
  /** Whose session a call belongs to, unless it says so itself. */
  readonly session: string;
  readonly machine: Machine;
  /** Of Tenon. */
  readonly version: string;
  readonly observers: readonly Observer[];
  /** What the user's agents remember; opened when it is first asked for. Ask `memoryOf`. */
  memory(): Promise<Memory>;
  /** What this workspace is called and where it stands; nothing outside any. Ask `projectOf`. */
  project(): Promise<ProjectRef | undefined>;
  readonly secrets: Secrets;
  readonly tokens: Tokens;
  /** Reads and edits YAML; loaded when it is first asked for. */
  yaml(): Promise<Yaml>;
  /** SHA-256 of a text, as 64 hexadecimal digits. */
  digest(text: string): string;
  /** What a user should be told besides the answer. */
  notice(text: string): void;
}

/** Writes what `decide` plans, then lets every observer catch up; one that fails is reported and the others go on. */
export async function commit<T>(
  engine: Pick<Engine, "store" | "observers" | "notice">,
  decide: (tree: LockedTree) => Plan<T>,
): Promise<T> {
  const result = await engine.store.write(decide);
  for (const observer of engine.observers) {
    try {
      await observer.catchUp();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      engine.notice(`The write is kept, but ${observer.name} failed: ${why}`);
    }
  }
  return result;
}
