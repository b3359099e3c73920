import { Fault } from "#domain/fault.ts";
import type { Observation, Scope } from "#domain/memory/observation.ts";
import { EVERY_PROJECT, NO_PROJECT, type ProjectRef } from "#domain/memory/project.ts";
import type { Question } from "#domain/memory/question.ts";
import type { Neighbours, Weights } from "#domain/memory/rank.ts";
import { CONFIG } from "#domain/workspace/path.ts";
import type { Engine } from "../engine.ts";

/** The name under which a later text takes the place of this one. */
export interface Topic {
  readonly project: ProjectRef;
  readonly scope: Scope;
  readonly namespace: string;
  readonly topic_key: string;
}

/** Something to be remembered. Whatever must not be kept has been taken out of it. */
export interface Draft extends Omit<Topic, "topic_key"> {
  readonly topic_key?: string | undefined;
  readonly session: string;
  readonly type: string;
  readonly title: string;
  /** A text, or how it follows from the one that the topic has now. */
  readonly content: string | ((present: string | undefined) => string);
  readonly source?: string | undefined;
  readonly relate_to?: readonly number[] | undefined;
  /** The same text is never kept twice, however long ago it was saved. */
  readonly isOnce?: boolean | undefined;
  /** What the new one takes the place of, if that is remembered. */
  readonly supersedes?: Topic | undefined;
}

export interface Saved {
  readonly observation: Observation;
  /** `unchanged` when the topic says the same already; `duplicate` when the same was saved a moment ago. */
  readonly action: "created" | "updated" | "unchanged" | "duplicate";
  readonly related: number;
  readonly warnings: readonly string[];
}

export interface Filter {
  /** Every project where none is given. */
  readonly project?: ProjectRef | undefined;
  readonly type?: string | undefined;
  readonly scope?: Scope | undefined;
  readonly namespace?: string | undefined;
  readonly since?: string | undefined;
}

/** What may answer a question, before it is ranked. */
export interface Candidates {
  readonly observations: readonly Observation[];
  readonly weights: Weights;
  /** Words that nobody wrote, and those that were taken instead. */
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
  /** An empty one is taken away. */
  readonly topic_key?: string | undefined;
  readonly project?: ProjectRef | undefined;
};

/** What an import did. */
export interface Absorbed {
  readonly kind: string;
  readonly read: number;
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  /** Those that were deleted here for good, and stay so. */
  readonly buried: number;
}

/** Takes out of a text what must not be kept. */
export type Clean = (text: string) => Promise<string>;

/** What a user's agents remember. Every call is whole: it happens or it does not, and when it returns it is kept. */
export interface Memory {
  save(drafts: readonly Draft[], at: string): Promise<readonly Saved[]>;
  /** Those deleted softly as well. */
  get(id: number): Promise<Observation | undefined>;
  topic(topic: Topic): Promise<Observation | undefined>;
  update(id: number, change: Change, at: string): Promise<Observation>;
  /** Puts away, or destroys with its revisions and relations. */
  remove(id: number, isHard: boolean, at: string): Promise<Observation>;
  /** Everything that came from one source. */
  purge(source: string, project: ProjectRef | undefined, isHard: boolean, at: string): Promise<number>;
  restore(id: number, at: string): Promise<Observation>;
  candidates(question: Question, filter: Filter, most: number): Promise<Candidates>;
  /** For each, those beside it in its session, up to so many on each side. */
  neighbours(
    observations: readonly Observation[],
    reach: number,
  ): Promise<ReadonlyMap<number, Neighbours<Observation>>>;
  /** Last changed first. */
  recent(filter: Filter, limit: number): Promise<readonly Observation[]>;
  sessions(project: ProjectRef | undefined, limit: number): Promise<readonly Session[]>;
  /** What stands before and after it in its session, nearest first, and how many are in it. */
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
  /** All that start or end at one of these. */
  relations(ids: readonly number[]): Promise<readonly Relation[]>;
  /** The latest, oldest of them first. */
  revisions(id: number, most?: number): Promise<readonly Revision[]>;
  /** Not changed since, oldest first; and how many there are. */
  stale(
    filter: Filter,
    before: string,
    limit: number,
  ): Promise<{ observations: readonly Observation[]; total: number }>;
  /** Puts the named ones away, and says in one what they said. Each must be stale. */
  compact(
    ids: readonly number[],
    stale: { filter: Filter; before: string },
    summary: Draft | undefined,
    at: string,
  ): Promise<Observation | undefined>;
  stats(): Promise<Stats>;
  /** What a project is called here, or will be once something of it is kept. */
  projectName(project: ProjectRef): Promise<string>;
  /** How far somebody who follows a ledger has come. */
  followed(ledger: string): Promise<number>;
  /** Keeps what happened from one place to the next; not when somebody else has come further meanwhile. */
  follow(ledger: string, from: number, to: number, drafts: readonly Draft[], at: string): Promise<boolean>;
  exportTo(file: string): Promise<{ file: string; lines: number }>;
  importFrom(file: string, clean: Clean, at: string): Promise<Absorbed>;
  backupTo(file: string): Promise<{ file: string; bytes: number }>;
  /** A close look, for a diagnosis. */
  health(): Promise<{ file: string; exists: boolean; problem?: string; observations: number }>;
}

/** Memory, unless this workspace has switched it off. */
export async function memoryOf(engine: Pick<Engine, "settings" | "memory">): Promise<Memory> {
  const { memory } = await engine.settings.load();
  if (memory.enabled) return engine.memory();
  throw new Fault("memory.off", {
    what: "Nothing was remembered or looked up.",
    why: `Memory is switched off, by memory.enabled in ${CONFIG} or by TENON_MEMORY.`,
    fix: `Set memory.enabled to true in ${CONFIG}, or take the line out; unset TENON_MEMORY.`,
  });
}

/** The project that is meant: the one named, else that of the workspace. */
export async function projectOf(
  engine: Pick<Engine, "settings" | "project">,
  said: string | undefined,
): Promise<ProjectRef> {
  if (said !== undefined) return { name: said, places: [] };
  const { memory } = await engine.settings.load();
  if (memory.project !== "") return { name: memory.project, places: [] };
  return (await engine.project()) ?? { name: NO_PROJECT, places: [] };
}

/** As `projectOf`, where every project may be meant. */
export async function projectsOf(engine: Engine, said: string | undefined): Promise<ProjectRef | undefined> {
  return said === EVERY_PROJECT ? undefined : projectOf(engine, said);
}
