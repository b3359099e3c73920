import * as z from "zod/mini";
import { countNumber, type Immutable } from "#kernel/model/record-schema.ts";

/** Begins the ids of work outside of the roadmap. */
export const SINGLE_WORK_PREFIX = "work/";

/** The steps of an action on its way into the target branch. Each one is a single write to the ledger. */
const RUN_STATES = ["assigned", "ended", "committed", "queued", "landed"] as const;
type RunState = (typeof RUN_STATES)[number];

export const RunAction = z.object({
  run: z.string(),
  state: z.enum(RUN_STATES),
  at: z.string(),
  agent: z.string(),
  model: z.exactOptional(z.string()),
  /** In a team: the checkout that has it. Absent until one takes it. */
  worker: z.exactOptional(z.string()),
  /** The commit and the tree that the agent starts from. Absent until the worktree exists. */
  base: z.exactOptional(z.string()),
  start: z.exactOptional(z.string()),
  /** Names all processes of the agent. Absent if none was started. */
  tag: z.exactOptional(z.string()),
  session: z.exactOptional(z.string()),
  /** The agent's last message, from `ended` on. */
  report: z.exactOptional(z.string()),
  /** The tree as Tenon last left it, if Tenon writes into the worktree as well. */
  given: z.exactOptional(z.string()),
  /** The agent's files may be committed, and Tenon has begun to end the stages of its work. */
  isAllowed: z.exactOptional(z.literal(true)),
  /** The agent's work, and its merge with the tip that is about to land. */
  commit: z.exactOptional(z.string()),
  landing: z.exactOptional(z.object({ from: z.string(), to: z.string() })),
  tokens: countNumber,
  usd: z.number(),
  /** Starts, continued sessions, rejected results, merge conflicts, and waits for a provider or the user. */
  starts: countNumber,
  resumes: countNumber,
  rejections: countNumber,
  conflicts: countNumber,
  waits: countNumber,
  /** Why the agent must work again; part of its next prompt. */
  problems: z.array(z.string()),
  /** `fresh`: the next agent knows nothing of the sessions before. */
  next: z.exactOptional(z.enum(["resume", "fresh"])),
});
export type RunAction = Immutable<z.infer<typeof RunAction>>;

/** After this many results that cannot be used, the action counts as a lost run. */
const MAX_RUN_REJECTIONS = 3;
/** After this many conflicts in a row the user decides. */
export const MAX_RUN_CONFLICTS = 3;
/** A session that was cut off is continued this often. */
const MAX_RUN_RESUMES = 1;

type Started = Pick<RunAction, "base" | "start" | "tag" | "given"> & { readonly session?: string | undefined };

export type RunEvent =
  | ({ readonly kind: "started"; readonly isResumed: boolean } & Started)
  | { readonly kind: "ended"; readonly report: string; readonly session?: string | undefined }
  /** The agent was cut off: by a crash, by silence, by a limit of time. */
  | {
      readonly kind: "cut-off";
      readonly why: string;
      readonly session?: string | undefined;
      readonly mayResume: boolean;
    }
  /** The provider has a limit, or the user stopped the agent. It is not the agent's fault. */
  | { readonly kind: "limited"; readonly session?: string | undefined }
  /** The result cannot be used. The agent gets the problems in the same session. */
  | {
      readonly kind: "rejected";
      readonly problems: readonly string[];
      readonly given?: string;
      /** The work has become larger. It does not count against the agent. */
      readonly isProgress?: boolean;
    }
  | { readonly kind: "committed"; readonly commit?: string | undefined }
  | { readonly kind: "allowed" }
  | { readonly kind: "queued" }
  | { readonly kind: "merging"; readonly from: string; readonly to: string }
  /** Others landed changes that do not fit. A fresh agent starts from the new tip. */
  | { readonly kind: "conflicted"; readonly problems: readonly string[] }
  | { readonly kind: "landed" }
  /** Its worker is gone. Another one may take it. */
  | { readonly kind: "released" }
  | { readonly kind: "spent"; readonly tokens: number; readonly usd: number };

const ALLOWED: Readonly<Record<RunEvent["kind"], readonly RunState[]>> = {
  started: ["assigned"],
  ended: ["assigned"],
  "cut-off": ["assigned"],
  limited: ["assigned"],
  rejected: ["ended", "queued", "landed"],
  allowed: ["ended"],
  committed: ["ended"],
  queued: ["committed"],
  merging: ["queued"],
  conflicted: ["queued"],
  landed: ["queued"],
  released: ["assigned", "ended"],
  spent: RUN_STATES,
};

export const createRunAction = (
  known: Pick<RunAction, "run" | "agent" | "at"> & { model?: string; worker?: string },
): RunAction => ({
  ...known,
  state: "assigned",
  tokens: 0,
  usd: 0,
  starts: 0,
  resumes: 0,
  rejections: 0,
  conflicts: 0,
  waits: 0,
  problems: [],
});

/** The action after an event. Throws if the event does not fit its state. */
export function applyRunEvent(action: RunAction, event: RunEvent, at: string): RunAction {
  if (!ALLOWED[event.kind].includes(action.state))
    throw new RangeError(`An action that is ${action.state} cannot be ${event.kind}.`);
  switch (event.kind) {
    case "started": {
      const { kind: _, isResumed, session, ...known } = event;
      const { next: _next, ...rest } = action;
      const counted = isResumed ? action.starts : action.starts + 1;
      return { ...rest, ...known, ...(session === undefined ? {} : { session }), starts: counted, at };
    }
    case "ended":
      return { ...action, ...keepSession(event), state: "ended", report: event.report, at };
    case "cut-off": {
      const mayResume = event.mayResume && action.resumes < MAX_RUN_RESUMES;
      if (mayResume) return retry({ ...action, ...keepSession(event), resumes: action.resumes + 1 }, "resume", [], at);
      return retry({ ...action, rejections: action.rejections + 1 }, "fresh", [event.why], at);
    }
    case "limited":
      return retry({ ...action, ...keepSession(event), waits: action.waits + 1 }, "resume", action.problems, at);
    case "rejected": {
      const given = event.given === undefined ? {} : { given: event.given };
      const counted = event.isProgress ? { waits: action.waits + 1 } : { rejections: action.rejections + 1 };
      return retry({ ...action, ...given, ...counted }, "resume", event.problems, at);
    }
    case "committed":
      return { ...action, state: "committed", ...(event.commit === undefined ? {} : { commit: event.commit }), at };
    case "allowed":
      return { ...action, isAllowed: true, at };
    case "queued":
      return { ...action, state: "queued", at };
    case "merging":
      return { ...action, landing: { from: event.from, to: event.to }, at };
    case "conflicted":
      return retry({ ...action, conflicts: action.conflicts + 1 }, "fresh", event.problems, at);
    case "landed":
      return { ...action, state: "landed", at };
    case "released": {
      const { worker: _w, ...rest } = retry(action, "fresh", action.problems, at);
      return rest;
    }
    case "spent":
      return { ...action, tokens: event.tokens, usd: event.usd };
  }
}

const keepSession = ({ session }: { readonly session?: string | undefined }) =>
  session === undefined ? {} : { session };

/** Back to the agent. What landed, and what a fresh agent shall not see, needs a worktree of the current tip. */
function retry(action: RunAction, next: "resume" | "fresh", problems: readonly string[], at: string): RunAction {
  const { tag: _t, report: _r, commit: _c, landing: _l, isAllowed: _a, session, ...known } = action;
  const { base, start, given, ...rest } = known;
  const kept = next === "resume" && session !== undefined ? { session } : {};
  // An agent without sessions goes on with the files of the one before.
  const isFresh = next === "fresh" || action.state === "landed";
  const place =
    isFresh || base === undefined || start === undefined
      ? {}
      : { base, start, ...(given === undefined ? {} : { given }) };
  const how = "session" in kept ? next : "fresh";
  return { ...rest, ...kept, ...place, state: "assigned", next: how, problems: [...problems], at };
}

/** Why the action is given up, for the Lead or the user; undefined while it goes on. */
export function explainGivenUp({ rejections, conflicts, problems }: RunAction): string | undefined {
  if (conflicts >= MAX_RUN_CONFLICTS) return `It conflicts with landed work for the third time: ${problems.join(" ")}`;
  return rejections >= MAX_RUN_REJECTIONS ? problems.join(" ") || "Its agent was cut off too often." : undefined;
}

/** A name for the worktree: letters, digits, hyphens and underscores. */
export function formatWorktreeName(action: string, digest: (text: string) => string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9/-]*$/.test(action) && action.length < 90) return action.replaceAll("/", "_");
  return `${action
    .replaceAll(/[^A-Za-z0-9-]+/g, "_")
    .replace(/^_+/, "")
    .slice(0, 80)}_${digest(action).slice(0, 8)}`;
}
