import { Fault } from "#kernel/model/fault.ts";
import type * as records from "../../model/memory-records.ts";
import type { MemorySession, Observation, ObservationRelation } from "../../model/memory-records.ts";
import { createUnknownObservationFault } from "../../model/observation.ts";
import { ALL_PROJECTS, GENERAL_PROJECT, type ProjectIdentity } from "#kernel/model/project-identity.ts";
import type { SearchQuestion } from "#kernel/model/search/search-question.ts";
import type { SessionNeighbours, TermFrequency } from "#kernel/model/search/search-ranking.ts";
import { CONFIG_PATH } from "#kernel/model/workspace-paths.ts";
import type { MemoryEngine } from "../engine.ts";

/** The key under which a later text replaces an earlier one. */
export interface MemoryTopic {
  readonly project: ProjectIdentity;
  readonly scope: Observation["scope"];
  readonly namespace: string;
  readonly topic_key: string;
}

export interface ObservationDraft extends Omit<MemoryTopic, "topic_key"> {
  readonly topic_key?: string | undefined;
  readonly session: string;
  readonly type: string;
  readonly title: string;
  /** The text, or a function of the topic's current text. */
  readonly content: string | ((present: string | undefined) => string);
  readonly source?: string | undefined;
  readonly relate_to?: readonly number[] | undefined;
  /** Never stores the same text twice, however old the first one is. */
  readonly isOnce?: boolean | undefined;
  /** The topic that this observation replaces, if it is stored. */
  readonly supersedes?: MemoryTopic | undefined;
}

export interface SavedObservation {
  readonly observation: Observation;
  /** `unchanged`: the topic already has this text. `duplicate`: the same text was saved a moment ago. */
  readonly action: "created" | "updated" | "unchanged" | "duplicate";
  readonly related: number;
  readonly warnings: readonly string[];
}

export interface MemoryFilter {
  readonly project?: ProjectIdentity | undefined;
  readonly type?: string | undefined;
  readonly scope?: Observation["scope"] | undefined;
  readonly namespace?: string | undefined;
  readonly since?: string | undefined;
}

export interface MemoryCandidates {
  readonly observations: readonly Observation[];
  /** An estimate of the number of texts, and how many contain each term of the question. */
  readonly total: number;
  readonly terms: readonly TermFrequency[];
  readonly repaired: readonly { readonly from: string; readonly to: string }[];
}

export interface ObservationChange {
  readonly title?: string | undefined;
  readonly content?: string | undefined;
  readonly type?: string | undefined;
  readonly scope?: Observation["scope"] | undefined;
  /** Empty for none. */
  readonly topic_key?: string | undefined;
  readonly project?: ProjectIdentity | undefined;
}

export type TextCleanFunction = (text: string) => Promise<string>;

/** What agents have saved. Every call is atomic and durable. */
export interface MemoryRecords {
  save(drafts: readonly ObservationDraft[], at: string): Promise<readonly SavedObservation[]>;
  get(id: number): Promise<Observation | undefined>;
  topic(topic: MemoryTopic): Promise<Observation | undefined>;
  update(id: number, change: ObservationChange, at: string): Promise<Observation>;
  /** A soft delete hides it, a hard delete removes it with its revisions and relations. */
  remove(id: number, isHard: boolean, at: string): Promise<Observation>;
  purge(source: string, project: ProjectIdentity | undefined, isHard: boolean, at: string): Promise<number>;
  restore(id: number, at: string): Promise<Observation>;
  candidates(question: SearchQuestion, filter: MemoryFilter, most: number): Promise<MemoryCandidates>;
  neighbours(
    observations: readonly Observation[],
    reach: number,
  ): Promise<ReadonlyMap<number, SessionNeighbours<Observation>>>;
  recent(filter: MemoryFilter, limit: number): Promise<readonly Observation[]>;
  sessions(project: ProjectIdentity | undefined, limit: number): Promise<readonly MemorySession[]>;
  around(
    observation: Observation,
    before: number,
    after: number,
  ): Promise<SessionNeighbours<Observation> & { session: MemorySession }>;
  startSession(
    project: ProjectIdentity,
    session: { id: string; directory?: string | undefined },
    at: string,
  ): Promise<MemorySession & { isNew: boolean }>;
  endSession(
    project: ProjectIdentity,
    id: string,
    summary: ObservationDraft | undefined,
    at: string,
  ): Promise<MemorySession>;
  relate(
    relation: Omit<ObservationRelation, "id">,
    isBidirectional: boolean,
    at: string,
  ): Promise<readonly ObservationRelation[]>;
  unrelate(id: number): Promise<ObservationRelation>;
  relations(ids: readonly number[]): Promise<readonly ObservationRelation[]>;
  revisions(id: number, most?: number): Promise<readonly records.ObservationRevision[]>;
  stale(
    filter: MemoryFilter,
    before: string,
    limit: number,
  ): Promise<{ observations: readonly Observation[]; total: number }>;
  /** Hides the given stale observations and stores one summary of them. */
  compact(
    ids: readonly number[],
    stale: { filter: MemoryFilter; before: string },
    summary: ObservationDraft | undefined,
    at: string,
  ): Promise<Observation | undefined>;
  stats(): Promise<records.MemoryStatistics>;
  projectName(project: ProjectIdentity): Promise<string>;
  followed(ledger: string): Promise<number>;
  /** Stores drafts for the events between two positions. False if another process is already further. */
  follow(ledger: string, from: number, to: number, drafts: readonly ObservationDraft[], at: string): Promise<boolean>;
  health(): Promise<{ file: string; exists: boolean; problem?: string; observations: number }>;
}

/** Memory of one user, and with team mode also what the team shares. */
export interface MemoryStore extends MemoryRecords {
  /** Only with team mode: why parts of the answers of this call are missing. */
  readonly warnings?: ReadonlySet<string>;
  exportTo(file: string): Promise<{ file: string; lines: number }>;
  importFrom(file: string, clean: TextCleanFunction, at: string): Promise<records.MemoryImportResult>;
  backupTo(file: string): Promise<{ file: string; bytes: number }>;
}

/** Throws if the workspace has disabled memory, or if it has no team and the scope is the team's. */
export async function openEnabledMemory(
  engine: Pick<MemoryEngine, "settings" | "memory">,
  scope?: Observation["scope"],
): Promise<MemoryStore> {
  const { memory } = await engine.settings.load();
  if (memory.enabled) {
    const store = await engine.memory();
    if (scope === "team" && store.warnings === undefined) throw createNoTeamFault();
    return store;
  }
  throw new Fault("memory.off", {
    what: "Memory was not used.",
    why: `Memory is off: see memory.enabled in ${CONFIG_PATH} and TENON_MEMORY.`,
    fix: `Set memory.enabled to true in ${CONFIG_PATH}, or remove the line; unset TENON_MEMORY.`,
  });
}

const createNoTeamFault = (): Fault =>
  new Fault("memory.no-team", {
    what: "The team's memory was not used.",
    why: "TENON_DATABASE_URL is not set, or this is not a git repository.",
    fix: [
      "Set TENON_DATABASE_URL, or save it for yourself:",
      { operation: "memory.save", input: { content: "…", scope: "project" } },
    ],
  });

export async function requireObservation(memory: MemoryStore, id: number): Promise<Observation> {
  const observation = await memory.get(id);
  if (observation) return observation;
  throw createUnknownObservationFault(id);
}

export async function resolveMemoryProject(
  engine: Pick<MemoryEngine, "settings" | "project">,
  said: string | undefined,
): Promise<ProjectIdentity> {
  if (said !== undefined) return { name: said, places: [] };
  const { memory } = await engine.settings.load();
  const own = await engine.project();
  if (memory.project !== "" && own) return { ...own, name: memory.project, isNamedBySettings: true };
  return own ?? { name: GENERAL_PROJECT, places: [] };
}

export async function resolveMemoryProjects(
  engine: MemoryEngine,
  said: string | undefined,
): Promise<ProjectIdentity | undefined> {
  return said === ALL_PROJECTS ? undefined : resolveMemoryProject(engine, said);
}
