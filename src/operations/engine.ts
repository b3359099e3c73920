import type { CiExample } from "#domain/ci/examples.ts";
import type { AgentRole } from "#domain/agent/role.ts";
import type { SharedPart } from "#domain/agent/roles.ts";
import type { ChangeStage } from "#domain/change/flows.ts";
import type { KnowledgeType } from "#domain/knowledge/tag.ts";
import type { ProjectDocumentStage } from "#domain/project/flow.ts";
import type { BUILT_IN_PROFILES } from "#domain/stack/profile/profile.ts";
import type { CoreSteeringFile, SteeringTopic } from "#domain/steering/name.ts";
import type { WorkflowKind } from "#domain/workflow/flows.ts";
import type { Config } from "#domain/workspace/config.ts";
import type { ProjectIdentity } from "#domain/memory/project.ts";
import type { CodeIndex } from "./ports/code-index.ts";
import type { ForeignFolders } from "./ports/foreign.ts";
import type { Journal } from "./ports/journal.ts";
import type { MemoryStore } from "./ports/memory.ts";
import type { LanguageModel } from "./ports/model.ts";
import type { CallProgress, CommandRunner, ScratchFolder } from "./ports/runner.ts";
import type { SetupFiles } from "./ports/setup-files.ts";
import type { SnapshotStore, WorktreeManager } from "./ports/snapshots.ts";
import type { SourceFiles } from "./ports/source.ts";
import type { StackDefinitions } from "./ports/stacks.ts";
import type { LockedStoreTree, StorePlan, Store } from "./ports/store.ts";
import type { SyntaxParser } from "./ports/syntax.ts";
import type { TrustStore } from "./ports/trust.ts";
import type { YamlEditor } from "./ports/yaml.ts";

export interface EngineClock {
  /** UTC, as `2026-01-31T12:00:00Z`. */
  now(): string;
}

type AssetName =
  | `ci/${CiExample}`
  | `guides/change/${ChangeStage}`
  | `guides/project/${ProjectDocumentStage}`
  | "guides/connect"
  | `guides/workflow/${string}`
  | `roles/${AgentRole}`
  | `roles/parts/${SharedPart}`
  | `pages/${string}`
  | `setup/${"rules" | "opencode-plugin"}`
  | "summaries/prompt"
  | `stacks/${(typeof BUILT_IN_PROFILES)[number]}`
  | `templates/project/${ProjectDocumentStage}`
  | "templates/docs/feature"
  | `templates/feature/${"design" | "research" | "tasks"}`
  | `templates/knowledge/${KnowledgeType | "skill"}`
  | `templates/spec/${WorkflowKind}`
  | `templates/steering/${CoreSteeringFile | SteeringTopic | "topic"}`
  | "templates/config";

export interface AssetStore {
  text(name: AssetName): Promise<string>;
}

/**
 * Follows ledger events: exports, notifications, memory. It stores its own position, so that it also sees writes that
 * another process finished. A failure here never undoes the write.
 */
export interface LedgerObserver {
  readonly name: string;
  catchUp(): Promise<void>;
  /** Why it cannot keep up, and the fix. Undefined if it can. The check never writes. */
  problem?(): Promise<{ readonly found: string; readonly fix: string } | undefined>;
}

export interface MachineInfo {
  readonly node: string;
  readonly platform: string;
  readonly sqlite: string;
  readonly isSqliteSound: boolean;
  git(): Promise<string | undefined>;
}

/** Read on every call, because a person may edit the file while a server runs. */
export interface SettingsStore {
  load(): Promise<Config>;
}

interface SecretMasker {
  mask(text: string): Promise<{ text: string; found: readonly string[] }>;
}

interface TokenCounter {
  counter(): Promise<(text: string) => number>;
}

interface MergeDriverRegistry {
  register(): Promise<boolean>;
  isRegistered(): Promise<boolean>;
}

export interface Engine {
  readonly root: string;
  /** Name of this checkout in the ledger. It stays the same if the folder moves. */
  readonly checkout: string;
  /** Checked-out branch, or commit if detached. Undefined outside git. */
  branch(): string | undefined;
  readonly clock: EngineClock;
  wait(ms: number, cancelled: AbortSignal): Promise<void>;
  readonly store: Store;
  readonly assets: AssetStore;
  readonly settings: SettingsStore;
  readonly source: SourceFiles;
  readonly foreign: ForeignFolders;
  readonly stacks: StackDefinitions;
  readonly mergeDrivers: MergeDriverRegistry;
  readonly snapshots: SnapshotStore;
  snapshotsOf(place: { readonly checkout: string; readonly root: string }): SnapshotStore | undefined;
  readonly worktrees: WorktreeManager;
  readonly runner: CommandRunner;
  scratch(): Promise<ScratchFolder>;
  /** Only operations with `isLong` have a caller that shows progress. */
  readonly progress: CallProgress;
  readonly syntax: SyntaxParser;
  codeIndex(): Promise<CodeIndex>;
  readonly trust: TrustStore;
  model(): Promise<LanguageModel | undefined>;
  setupFiles(scope: "project" | "user"): Promise<SetupFiles>;
  readonly journal: Journal;
  /** Session of the call, unless the input names one. */
  readonly session: string;
  readonly machine: MachineInfo;
  readonly version: string;
  readonly observers: readonly LedgerObserver[];
  /** Opened on first use. Call `openEnabledMemory` instead. */
  memory(): Promise<MemoryStore>;
  /** Name and location of this workspace. Undefined outside a workspace. Call `resolveMemoryProject` instead. */
  project(): Promise<ProjectIdentity | undefined>;
  readonly secrets: SecretMasker;
  readonly tokens: TokenCounter;
  yaml(): Promise<YamlEditor>;
  /** SHA-256 as 64 hexadecimal digits. */
  digest(text: string): string;
  notice(text: string): void;
}

/** Then lets every observer catch up. A failing observer is reported, and the others continue. */
export async function commitStoreWrite<T>(
  engine: Pick<Engine, "store" | "observers" | "notice">,
  decide: (tree: LockedStoreTree) => StorePlan<T>,
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
