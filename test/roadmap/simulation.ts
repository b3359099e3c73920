import { Fault } from "#kernel/model/fault.ts";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import type { AuditResult } from "#roadmap/model/review/review-finding.ts";
import { formatAuditReport } from "#roadmap/model/review/review-report.ts";
import type { Lead } from "#roadmap/model/lead/lead-state.ts";
import { readLead } from "#roadmap/operations/lead/lead-store.ts";
import { blockedSays, build, builderSays, type Cuts, doWork, type Given, type Said } from "./agents.ts";
import { codeOf, type Cut } from "./feature-documents.ts";
import type { RoadmapStand } from "./stand.ts";

/** What an agent does instead of its work: the reports that it sends, one after another; none where it vanishes. */
export type Trick = (stand: RoadmapStand, cut: Cut, action: Given) => readonly Said[];

/** Tricks by the id of the action; all that is not named is done honestly. */
export type Script = Readonly<Record<string, Trick>>;

export interface Played {
  /** Each action with what became of its reports, in their order. */
  readonly log: readonly string[];
  /** Why nothing more was due. */
  readonly idle: string;
  /** Tricks that nobody came to. */
  readonly unplayed: readonly string[];
}

const SESSIONS = ["one", "two"];

/** Lets two sessions do whatever is due until nothing is, each in an order of its own. */
export async function play(stand: RoadmapStand, cuts: Cuts, script: Script): Promise<Played> {
  const log: string[] = [];
  const left = new Set(Object.keys(script));
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const session = SESSIONS[round % 2] ?? "";
    const { actions, idle } = await stand.next({ session, limit: 6 });
    if (actions.length === 0) return { log, idle: idle ?? "", unplayed: [...left] };
    const turned = round % 3 === 0 ? actions.toReversed() : actions;
    for (const action of turned) {
      left.delete(action.id);
      log.push(`${action.id}: ${(await act(stand, cuts, script[action.id], action, round)).join(", ")}`);
      watch(await readLead(stand.engine));
    }
  }
  throw new Error(`It never ends:\n${log.slice(-40).join("\n")}`);
}

const MOST_ROUNDS = 2_000;

async function act(
  stand: RoadmapStand,
  cuts: Cuts,
  trick: Trick | undefined,
  action: Given,
  round: number,
): Promise<string[]> {
  const feature = action.id.split("/")[0] ?? "";
  const cut = cuts.get(feature) ?? { feature, groups: ["A"] };
  const sent = trick ? trick(stand, cut, action) : [doWork(stand, cuts, action)];
  const outcomes: string[] = [];
  for (const said of sent) outcomes.push(await report(stand, action.id, said));
  if (sent.length === 0) outcomes.push(await report(stand, action.id, { lost: true }));
  // Some say everything twice.
  const last = sent.at(-1);
  const isOver = outcomes.at(-1) === "applied";
  if (last && isOver && round % 2 === 0) {
    const again = await report(stand, action.id, last);
    if (again !== "repeated") outcomes.push(`again ${again}`);
  }
  return outcomes;
}

/** What became of a report; one of an action that was called off meanwhile is a fault, or was taken for over. */
async function report(stand: RoadmapStand, id: string, said: Said): Promise<string> {
  try {
    const { outcome, problems } = await stand.report(id, said);
    return outcome === "unread" ? `unread ${JSON.stringify(problems)}` : outcome;
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
}

/** What holds at any moment, whatever anybody does. */
function watch(lead: Lead): void {
  const held = new Map<string, string>();
  for (const { action } of lead.out.values()) {
    if (action.kind !== "spawn" || action.work.of === "review") continue;
    const { feature } = action.work;
    const record = lead.features.get(feature);
    if (record?.phase === "blocked") throw new Error(`${action.id} is out, and ${feature} is blocked.`);
    for (const needed of record?.roadmap?.dependencies ?? [])
      if (isFailed(lead, needed)) throw new Error(`${action.id} is out, and ${needed} failed.`);
    if (action.work.of !== "build") continue;
    const { group } = action.work;
    for (const file of record?.implementation.groups.find(({ id }) => id === group)?.files ?? []) {
      if (held.has(file)) throw new Error(`${file} is with ${held.get(file)} and with ${action.id}.`);
      held.set(file, action.id);
    }
  }
  for (const { feature_name, orchestration } of lead.features.values()) {
    const { retry_count, spec_update_count, total_count } = orchestration;
    if (retry_count > 3 || spec_update_count > 2 || total_count > 6)
      throw new Error(`${feature_name} is over its caps: ${JSON.stringify(orchestration)}`);
  }
}

function isFailed({ features }: Lead, name: FeatureName): boolean {
  const info = features.get(name)?.blocked_info;
  return info !== null && info !== undefined && info.reason === "retries_exhausted" && !info.is_skipped;
}

/** Nobody hears of it again. */
export const vanish: Trick = () => [];

/** Claims what it did not write; the last time it has written it. */
export const liesTwice: Trick = (stand, cut, action) => {
  const group = getGroup(action);
  const lie = { report: builderSays(cut, group, [codeOf(cut, group), "src/somewhere-else.mjs"]) };
  build(stand, cut, group);
  return [lie, lie, { report: builderSays(cut, group) }];
};

export const liesThrice: Trick = (_, cut, action) => {
  const lie = { report: builderSays(cut, getGroup(action)) };
  return [lie, lie, lie];
};

export const isBlocked: Trick = (_, cut, action) => [{ report: blockedSays(cut, getGroup(action)) }];

/** Somebody has broken the code before the gate is run. */
export const brokenAtGate: Trick = (stand, cut) => {
  stand.write(codeOf(cut, "A"), "export const answer = () => 42;\n");
  return [{}];
};

export const answers =
  (answer: string, said = "As I say"): Trick =>
  () => [{ answer, said }];

const getGroup = ({ id }: Given): string => /\/build-([^/]+)\//.exec(id)?.[1] ?? "";

/** What an auditor says besides its verdict. */
type Saying = Partial<Pick<AuditResult, "verified" | "spec_feedback" | "steering">>;

export const audits =
  (verdict: AuditResult["verdict"], saying: Saying | ((cut: Cut) => Saying) = {}): Trick =>
  (_, cut, action) => {
    const said = typeof saying === "function" ? saying(cut) : saying;
    const scope = action.id.split("/")[0] ?? "";
    const nothing = { removed: [], resolved: [], unresolved: [], notes: [], roadmap_advisory: [] };
    const audit: AuditResult = { scope, verdict, verified: [], spec_feedback: [], steering: [], ...nothing, ...said };
    return [{ report: formatAuditReport(audit) }];
  };

/** A critical finding at some place. */
export const critical = (location: string, category = "missing-behavior"): Saying => ({
  verified: [{ severity: "C", category, location, description: `It is wrong at ${location}`, sources: ["quality"] }],
});
