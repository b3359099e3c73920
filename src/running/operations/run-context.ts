import type * as z from "zod";
import type { RoadmapRole } from "#roadmap/model/agent/agent-roles.ts";
import { type AgentSettings, findAgentProgram } from "../model/agent-catalog.ts";
import type { AgentOutput } from "../model/agent-stream.ts";
import type { AgentLimits } from "../model/agent-slots.ts";
import type { RunningEngine } from "./engine.ts";
import type { TeamLead } from "./team-run.ts";
import type { StartRunInputSchema, StartRunOutputSchema } from "./schema.ts";

export type StartRunInput = z.infer<typeof StartRunInputSchema>;
export type StartRunOutput = z.infer<typeof StartRunOutputSchema>;

export interface PreparedRun {
  readonly settings: AgentSettings;
  readonly limits: AgentLimits;
  readonly branch: string;
  readonly linked: readonly string[];
  readonly setup: readonly string[];
  readonly minutes: number;
  readonly silenceMinutes: number;
  readonly capUsd: number | null;
  /** Used under this cap before, by runs that ended or were killed. */
  readonly spentUsd: number;
  readonly input: StartRunInput;
  readonly team?: TeamLead;
}

export const EMPTY_RUN_OUTPUT: StartRunOutput = {
  run: "",
  branch: "",
  landed: 0,
  failed: [],
  waiting: [],
  questions: [],
  tokens: 0,
  usd: 0,
  complete: false,
  ended: "",
  notes: [],
};

/** An event of a run, for the terminal and for `--json`. */
export type RunNotice =
  | { readonly event: "run"; readonly run: string; readonly branch: string }
  /** From here on this process only watches the run of another one. */
  | { readonly event: "attached"; readonly run: string }
  | { readonly event: "over"; readonly output: StartRunOutput }
  | { readonly event: "wave"; readonly wave: number; readonly features: number; readonly finished: number }
  | {
      readonly event: "started" | "resumed" | "adopted";
      readonly action: string;
      readonly role: string;
      readonly about: string;
      readonly agent: string;
      /** Seconds since then, for a process that attaches later. */
      readonly age_s?: number;
    }
  | ({ readonly event: "progress"; readonly action: string } & Pick<AgentOutput, "tool" | "tools" | "tokens" | "usd">)
  | { readonly event: "ended"; readonly action: string; readonly tokens: number; readonly usd: number }
  | { readonly event: "landed"; readonly action: string; readonly commit?: string | undefined }
  | { readonly event: "accepted" | "failed"; readonly action: string; readonly notes: readonly string[] }
  | {
      readonly event: "rejected" | "conflicted" | "cut-off" | "waiting";
      readonly action: string;
      readonly problems: readonly string[];
    }
  | { readonly event: "parked"; readonly agent: string; readonly seconds: number; readonly why: string }
  | {
      readonly event: "question";
      readonly action: string;
      readonly detail: string;
      readonly choices: readonly string[];
    }
  | { readonly event: "done"; readonly action: string; readonly about: string; readonly notes: readonly string[] };

/** What an agent is started for. */
export interface RunJob {
  readonly id: string;
  readonly role: RoadmapRole;
  readonly about: string;
  /** It changes no files. */
  readonly isReview?: boolean;
  /** For a worker of a team: the branch of the remote to start from. Its commit goes to the remote too. */
  readonly pushed?: string;
  /** The task for an agent that knows nothing yet, in its worktree. */
  compose(folder: string): Promise<string>;
  /** The tree of the files after `compose`, if that writes some. `start`: the tree before. */
  takeGiven?(start: string): Promise<string>;
}

export interface RunContext {
  readonly engine: RunningEngine;
  readonly id: string;
  readonly branch: string;
  readonly settings: AgentSettings;
  readonly minutes: number;
  readonly silenceMinutes: number;
  /** Ignored folders that worktrees share, such as `node_modules`. */
  readonly linked: readonly string[];
  /** The trusted command that prepares a worktree before its agent starts. Empty without one. */
  readonly setup: readonly string[];
  /** What remains of the cost cap, for agents that have a limit of their own. */
  usdLeft(): number | undefined;
  readonly cancelled: AbortSignal;
  tell(notice: RunNotice): void;
  /** One at a time: merges, and tests in the checkout. */
  queue<T>(work: () => Promise<T>): Promise<T>;
  /** Keeps new agents of this kind back for so many seconds. */
  park(agent: string, seconds: number, why: string): void;
  /** Resolves when the kind may start; the reason if it may not in this run. */
  waitForAgent(agent: string): Promise<string | undefined>;
  /** What an agent at work has used, for the hard cap. */
  measure(action: string, output: AgentOutput): void;
  /** In a team: gives the records and the branch to the others. */
  publish(): Promise<void>;
  /** Why an action waits for the user, until it goes on. */
  block(action: string, why: string | undefined): void;
}

/** The agent's changes in its worktree since `tree`. */
export async function listAgentChanges({ engine, settings }: RunContext, name: string, agent: string, tree: string) {
  const rewritten = findAgentProgram(agent, settings)?.rewrites ?? [];
  const changes = await engine.landings.changes(name, tree);
  return { ...changes, changed: changes.changed.filter(({ path }) => !rewritten.includes(path)) };
}

/** What happens in a run, a line for each event, for processes that attach to it. */
export const getEventsPath = (root: string, run: string): string => `${root}/.sdd/runs/${run}/events.jsonl`;

export const getTranscriptPath = (root: string, run: string, name: string, start: number): string =>
  `${root}/.sdd/runs/${run}/${name}/${start}.jsonl`;
