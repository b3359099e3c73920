import type * as z from "zod";
import { formatDuration } from "#kernel/model/utc-time.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { isWorkflowId } from "#kernel/model/workflow-id.ts";
import { formatLeaseName } from "#planning/model/workflow/work-sessions.ts";
import { SESSION_SPACE } from "#planning/operations/workflow/ledger-spaces.ts";
import { listTeamActions } from "#running/operations/team-run.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import type { OnboardingEngine } from "../engine.ts";
import type {
  CheckTeamInputSchema,
  CheckTeamOutputSchema,
  ShowTeamInputSchema,
  ShowTeamOutputSchema,
} from "./schema.ts";

/** Who works on what, in all clones. */
export const showTeam = defineOperation<
  z.infer<typeof ShowTeamInputSchema>,
  z.infer<typeof ShowTeamOutputSchema>,
  OnboardingEngine
>({
  id: "team.status",
  effect: "read",
  input: async () => (await import("./schema.ts")).ShowTeamInputSchema,
  output: async () => (await import("./schema.ts")).ShowTeamOutputSchema,
  async run(engine) {
    const { clones, leases, ...known } = await (await engine.team()).status();
    const members = new Map(clones.map(({ checkout, member }) => [checkout, member]));
    const work = (await engine.store.read(listTeamWork)).map((each) => ({
      ...each,
      member: members.get(each.checkout) ?? "",
    }));
    return { ...known, clones: [...clones], work, leases: [...leases] };
  },
  page: ({ repository, member, events, clones, work, leases }) => ({
    title: `The team has ${clones.length === 1 ? "one checkout" : `${clones.length} checkouts`} of this repository.`,
    facts: [
      ["repository", repository],
      ["you are", member],
      ["events", String(events)],
    ],
    table: {
      columns: ["checkout", "member", "last seen", "last event"],
      rows: clones.map(({ checkout, member: who, at, last }) => [checkout, who, at, last]),
    },
    points: [
      ...work.map(formatTeamWork),
      ...leases.map(({ name, holder, seconds }) => `${name} is held by ${holder} for ${formatDuration(seconds)}.`),
    ],
    next: work
      .filter(({ work: id, is_gone: isGone }) => isGone && isWorkflowId(id))
      .map(({ work: id }) => ({ operation: "workflow.resume", input: { id } })),
  }),
});

type TeamWork = z.infer<typeof ShowTeamOutputSchema>["work"][number];

const formatTeamWork = ({ work, who, checkout, member, since, is_gone: isGone }: TeamWork): string => {
  const at = `${member || "an unknown member"} (${who} in ${checkout})`;
  return isGone ? `${work} was with ${at}, who is gone since ${since}.` : `${work} is with ${at} since ${since}.`;
};

/** Sessions with work, and agents of a run. */
function listTeamWork(tree: StoreTree): Omit<TeamWork, "member">[] {
  const open = [...tree.kept(SESSION_SPACE).values()].filter(({ ended_at: ended }) => ended === undefined);
  const sessions = open.flatMap(({ id, current, token, checkout, started_at: since, gone_at: gone }) => {
    if (current === undefined) return [];
    // Work that no session was named for has no lease.
    if (token === undefined && open.some((other) => other.id !== id && other.current === current)) return [];
    const lease = tree.lease(formatLeaseName(current));
    const isTaken = lease?.isLive === true && lease.holder !== id;
    const isGone = token !== undefined && (gone !== undefined || lease?.isLive !== true);
    return isTaken ? [] : [{ work: current, who: id, checkout, since, is_gone: isGone }];
  });
  const actions = listTeamActions(tree).map(({ id, worker, agent, at, isAlive }) => ({
    work: id,
    who: agent,
    checkout: worker,
    since: at,
    is_gone: !isAlive,
  }));
  return [...sessions, ...actions];
}

/** Each check of the connection, the schema and the rights. */
export const checkTeam = defineOperation<
  z.infer<typeof CheckTeamInputSchema>,
  z.infer<typeof CheckTeamOutputSchema>,
  OnboardingEngine
>({
  id: "team.doctor",
  effect: "read",
  input: async () => (await import("./schema.ts")).CheckTeamInputSchema,
  output: async () => (await import("./schema.ts")).CheckTeamOutputSchema,
  run: async (engine) => ({ checks: [...(await (await engine.team()).checks())] }),
  page: ({ checks }) => ({
    title: checks.every(({ isFine }) => isFine) ? "The team's database is fine." : "The team's database has problems.",
    facts: checks.map(({ check, found, isFine }) => [check, isFine ? found : `PROBLEM: ${found}`] as const),
    next: checks.some(({ check, isFine }) => !isFine && (check === "schema" || check === "repository"))
      ? [{ operation: "team.init" }]
      : [],
  }),
  isRefusal: ({ checks }) => checks.some(({ isFine }) => !isFine),
});
