import { Fault } from "#domain/fault.ts";
import type { Observation, Scope } from "#domain/memory/observation.ts";
import { EVERY_PROJECT, NO_PROJECT, type ProjectRef } from "#domain/memory/project.ts";
import type { Question } from "#domain/memory/question.ts";
import type { Neighbours, Weights } from "#domain/memory/rank.ts";
import { CONFIG } from "#domain/workspace/path.ts";
import type { Engine } from "../engine.ts";

/** The key under which a later text replaces an earlier one. */
export interface Topic {
  readonly project: ProjectRef;
  readonly scope: Scope;
  readonly namespace: string;
  readonly topic_key: string;
}

export interface Draft extends Omit<Topic, "topic_key"> {
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
  readonly supersedes?: Topic | undefined;
}

export interface Saved {
  readonly observation: Observation;
  /** `unchanged`: the topic already has this text. `duplicate`: the same text was saved a moment ago. */
  readonly action: "created" | "updated" | "unchanged" | "duplicate";
  readonly related: number;
  readonly warnings: readonly string[];
}

export interface Filter {
  readonly project?: ProjectRef | undefined;
  readonly type?: string | undefined;
  readonly scope?: Scope | undefined;
  readonly namespace?: string | undefined;
  readonly since?: string | undefined;
}

export interface Candidates {
  readonly observations: readonly Observation[];
  readonly weights: Weights;
  readonly repaired: readonly { readonly from: string; readonly to: string }[];
}

export interface Session {
  readonly id: string;
  readonly project: string;
  readonly directory?: string;
  readonly started_at: string;
  readonly ended_at?: string;
  readonly summary?: string;
  readonly observations: number;
}

export interface Relation {
  readonly id: number;
  readonly from_id: number;
  readonly to_id: number;
  readonly type: string;
  readonly note?: string;
}

export interface Revision {
  readonly revision: number;
  readonly type: string;
  readonly title: string;
  readonly content: string;
  readonly at: string;
  readonly source?: string;
}

export interface Stats {
  readonly observations: number;
  readonly deleted: number;
  readonly prompts: number;
  readonly sessions: number;
  readonly relations: number;
  readonly revisions: number;
  readonly projects: readonly { name: string; observations: number; aliases: readonly string[] }[];
  readonly file: string;
  readonly bytes: number;
}

export type Change = Partial<Pick<Observation, "title" | "content" | "type" | "scope">> & {
  readonly topic_key?: string | undefined;
  readonly project?: ProjectRef | undefined;
};

export interface Absorbed {
  readonly kind: string;
  readonly read: number;
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  /** Observations that were deleted for good here and stay deleted. */
  readonly buried: number;
}

export type Clean = (text: string) => Promise<string>;

/** Memory of a user's agents. Every call is atomic and durable. */
export interface Memory {
  save(drafts: readonly Draft[], at: string): Promise<readonly Saved[]>;
  get(id: number): Promise<Observation | undefined>;
  topic(topic: Topic): Promise<Observation | undefined>;
  update(id: number, change: Change, at: string): Promise<Observation>;
  /** A soft delete hides it, a hard delete removes it with its revisions and relations. */
  remove(id: number, isHard: boolean, at: string): Promise<Observation>;
  purge(source: string, project: ProjectRef | undefined, isHard: boolean, at: string): Promise<number>;
  restore(id: number, at: string): Promise<Observation>;
  candidates(question: Question, filter: Filter, most: number): Promise<Candidates>;
  neighbours(
    observations: readonly Observation[],
    reach: number,
  ): Promise<ReadonlyMap<number, Neighbours<Observation>>>;
  recent(filter: Filter, limit: number): Promise<readonly Observation[]>;
  sessions(project: ProjectRef | undefined, limit: number): Promise<readonly Session[]>;
  around(
    observation: Observation,
    before: number,
    after: number,
  ): Promise<Neighbours<Observation> & { session: Session }>;
  startSession(
    project: ProjectRef,
    session: { id: string; directory?: string | undefined },
    at: string,
  ): Promise<Session & { isNew: boolean }>;
  endSession(project: ProjectRef, id: string, summary: Draft | undefined, at: string): Promise<Session>;
  relate(relation: Omit<Relation, "id">, isBidirectional: boolean, at: string): Promise<readonly Relation[]>;
  unrelate(id: number): Promise<Relation>;
  relations(ids: readonly number[]): Promise<readonly Relation[]>;
  revisions(id: number, most?: number): Promise<readonly Revision[]>;
  stale(
    filter: Filter,
    before: string,
    limit: number,
  ): Promise<{ observations: readonly Observation[]; total: number }>;
  /** Hides the given stale observations and stores one summary of them. */
  compact(
    ids: readonly number[],
    stale: { filter: Filter; before: string },
    summary: Draft | undefined,
    at: string,
  ): Promise<Observation | undefined>;
  stats(): Promise<Stats>;
  projectName(project: ProjectRef): Promise<string>;
  followed(ledger: string): Promise<number>;
  /**
   * Stores drafts for the events from one position to the next. Returns false if another process is already further.
   */
  follow(ledger: string, from: number, to: number, drafts: readonly Draft[], at: string): Promise<boolean>;
  exportTo(file: string): Promise<{ file: string; lines: number }>;
  importFrom(file: string, clean: Clean, at: string): Promise<Absorbed>;
  backupTo(file: string): Promise<{ file: string; bytes: number }>;
  health(): Promise<{ file: string; exists: boolean; problem?: string; observations: number }>;
}

/** Throws if the workspace has disabled memory. */
export async function memoryOf(engine: Pick<Engine, "settings" | "memory">): Promise<Memory> {
  const { memory } = await engine.settings.load();
  if (memory.enabled) return engine.memory();
  throw new Fault("memory.off", {
    what: "Nothing was remembered or looked up.",
    why: `Memory is switched off, by memory.enabled in ${CONFIG} or by TENON_MEMORY.`,
    fix: `Set memory.enabled to true in ${CONFIG}, or take the line out; unset TENON_MEMORY.`,
  });
}

export async function projectOf(
  engine: Pick<Engine, "settings" | "project">,
  said: string | undefined,
): Promise<ProjectRef> {
  if (said !== undefined) return { name: said, places: [] };
  const { memory } = await engine.settings.load();
  if (memory.project !== "") return { name: memory.project, places: [] };
  return (await engine.project()) ?? { name: NO_PROJECT, places: [] };
}

export async function projectsOf(engine: Engine, said: string | undefined): Promise<ProjectRef | undefined> {
  return said === EVERY_PROJECT ? undefined : projectOf(engine, said);
}
