import type { SteadyMoment } from "../model/utc-time.ts";
import type { ProjectIdentity } from "../model/project-identity.ts";
import type { Config } from "../model/workspace-config.ts";
import type { CallProgress } from "./call-progress.ts";
import type { YamlEditor } from "./ports/yaml.ts";

export interface EngineClock {
  /** UTC, as `2026-01-31T12:00:00Z`. */
  now(): string;
  /** Tests may have none. */
  steady?(): SteadyMoment;
}

export interface AssetStore {
  /** Text of a shipped asset by its path in `assets/`, without the extension. */
  text(name: string): Promise<string>;
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

/** Who made a call, and how the user can answer a question in it. */
export interface CallOrigin {
  /** `terminal`, or the name of the client. */
  readonly name: string;
  /** Name of the account, for answers that carry no other name. */
  readonly user: string;
  /** Whether the client can show the user a question and return the answer. */
  readonly canElicit: boolean;
  /** Why an agent may have made the call. Undefined if a person typed it. */
  findAgentSign(): Promise<string | undefined>;
  /** Whether a script or a pipeline made the call: there is no terminal, and no agent set its variables. */
  isUnattended(): Promise<boolean>;
}

/** The ports that every module may use. Each module extends the engine with its own ports, in the order of ranks. */
export interface KernelEngine {
  readonly root: string;
  /** Name of this checkout in the ledger. It stays the same if the folder moves. */
  readonly checkout: string;
  /** Checked-out branch, or commit if detached. Undefined outside git. */
  branch(): string | undefined;
  readonly clock: EngineClock;
  wait(ms: number, cancelled: AbortSignal): Promise<void>;
  readonly assets: AssetStore;
  readonly settings: SettingsStore;
  /** Only operations with `isLong` have a caller that shows progress. */
  readonly progress: CallProgress;
  readonly origin: CallOrigin;
  /** Session of the call, unless the input names one. */
  readonly session: string;
  readonly machine: MachineInfo;
  readonly version: string;
  /** Name and location of this workspace. Undefined outside a workspace. Call `resolveMemoryProject` instead. */
  project(): Promise<ProjectIdentity | undefined>;
  readonly secrets: { mask(text: string): Promise<{ text: string; found: readonly string[] }> };
  readonly tokens: { counter(): Promise<(text: string) => number> };
  readonly yaml: () => Promise<YamlEditor>;
  /** SHA-256 as 64 hexadecimal digits. */
  readonly digest: (text: string) => string;
  notice(text: string): void;
}
