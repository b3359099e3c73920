import { describeAction } from "#roadmap/operations/lead/action-view.ts";
import type { Lead, SpawnAction } from "#roadmap/model/lead/lead-state.ts";
import { composeActionBrief } from "#roadmap/operations/agent/role-brief.ts";
import * as leadStore from "#roadmap/operations/lead/lead-store.ts";
import type { LedgerSpace, StoreTree } from "#store/operations/ports/store.ts";
import { countPlaces } from "../model/agent-slots.ts";
import { applyRunEvent, type RunAction } from "../model/run-action.ts";
import { listActionFiles } from "../model/work-guard.ts";
import type { RunningEngine } from "./engine.ts";
import {
  type ActionOffer,
  createTeamKey,
  OFFER_SPACE,
  readTeamActions,
  RUN_ACTION_SPACE,
  WORKER_SPACE,
} from "./run-store.ts";
import { getWorkerLease, isFault, RUN_LEASE } from "./team-lease.ts";

/** The clone that led last, whose records are the newest. */
const LEADER_SPACE: LedgerSpace<{ readonly checkout: string }> = { name: "run-leader" };
const LEADER_KEY = "last";

/** Rounds without a look at lost workers after the database was away: they renew their leases first. */
const PATIENCE = 30;

const isAlive = (tree: StoreTree, checkout: string): boolean => {
  const lead = tree.lease(RUN_LEASE);
  return tree.lease(getWorkerLease(checkout))?.isLive === true || (lead?.isLive === true && lead.holder === checkout);
};

export const isWithWorker = ({ state }: RunAction): boolean => state === "assigned" || state === "ended";

export const isOwnedByOther = ({ checkout }: RunningEngine, { worker }: RunAction): boolean =>
  worker !== undefined && worker !== checkout;

/** Whether this clone got the action. Decided in one write, so that only one clone does. */
export function takeAction(engine: RunningEngine, id: string, fresh: RunAction, isOffered: boolean): Promise<boolean> {
  const { store, checkout } = engine;
  const key = createTeamKey(id);
  return store.write((tree) => {
    const known = tree.kept(RUN_ACTION_SPACE).get(key);
    const isTaken = known?.worker !== undefined || (isOffered && !tree.kept(OFFER_SPACE).has(key));
    if (isTaken) return { steps: [], occurrences: [], result: false };
    const { run, agent, at } = fresh;
    const { model: _, ...counted } = known ?? fresh;
    const model = fresh.model === undefined ? {} : { model: fresh.model };
    const value: RunAction = { ...counted, run, agent, at, worker: checkout, ...model };
    return {
      steps: [],
      keeps: [{ space: RUN_ACTION_SPACE.name, key, value }],
      occurrences: [{ kind: "run.assigned", subject: id, data: { agent, worker: checkout } }],
      result: true,
    };
  });
}

/** Actions of the team's run that a clone has, and whether that clone is still there. */
export const listTeamActions = (tree: StoreTree) =>
  [...readTeamActions(tree)].flatMap(([id, { worker, agent, state, at }]) =>
    worker === undefined ? [] : [{ id, worker, agent, state, at, isAlive: isAlive(tree, worker) }],
  );

/** The lead's side of a run with workers in other clones. */
export class TeamLead {
  readonly #engine: RunningEngine;
  readonly #branch: string;
  #hasRemote = false;
  #patience = 0;
  /** The last tip that the remote is known to have. */
  #published: string | undefined;
  /** Keeps commits and merges of one checkout apart. */
  turn = <T>(work: () => Promise<T>): Promise<T> => work();

  constructor(engine: RunningEngine, branch: string) {
    this.#engine = engine;
    this.#branch = branch;
  }

  /** After another clone has led, its pushed records are the truth, and what this clone assigned before is void. */
  async begin(): Promise<string | undefined> {
    const { store, checkout, remote } = this.#engine;
    this.#hasRemote = await remote.exists();
    const problem = await this.publish();
    if (problem !== undefined) return problem;
    await store.write((tree) => {
      const last = tree.kept(LEADER_SPACE).get(LEADER_KEY)?.checkout;
      if (last === checkout) return { steps: [], occurrences: [], result: undefined };
      const own = last === undefined ? [] : leadStore.planAssignmentReset(tree, checkout);
      const run = last === undefined ? undefined : tree.kept(leadStore.RUN_SPACE).get(last);
      return {
        steps: [],
        keeps: [
          ...own,
          ...(run === undefined ? [] : [{ space: leadStore.RUN_SPACE.name, key: checkout, value: run }]),
          { space: LEADER_SPACE.name, key: LEADER_KEY, value: { checkout } },
        ],
        occurrences: [{ kind: "run.led", subject: checkout }],
        result: undefined,
      };
    });
    return undefined;
  }

  /** Commits the records, and brings the branch and that of the remote together. The reason if that has to wait. */
  publish(): Promise<string | undefined> {
    return this.turn(() => this.#publish());
  }

  async #publish(): Promise<string | undefined> {
    if (!this.#hasRemote) return undefined;
    const { landings, remote, snapshots, store } = this.#engine;
    const branch = this.#branch;
    const committed = await snapshots.commitOwnFiles("Record the roadmap");
    if (committed && "why" in committed) return committed.why;
    try {
      for (;;) {
        const target = await landings.target();
        if (target?.branch !== branch) return `${branch} is not checked out here. Run: git switch ${branch}`;
        const own = target.tip;
        if (own === this.#published) return undefined;
        const theirs = await remote.fetchTip(branch);
        if (theirs === own) break;
        if (theirs !== undefined && !(await landings.isAncestor(theirs, own))) {
          const isBehind = await landings.isAncestor(own, theirs);
          const merged = isBehind ? { commit: theirs } : await remote.mergeTips(own, theirs);
          if ("conflicts" in merged)
            return `The remote's ${branch} conflicts with this one: ${merged.conflicts.join(", ")}. Run: git pull --no-rebase`;
          const landed = await landings.land({ branch, from: own, to: merged.commit });
          if (landed.kind === "blocked") return `${landed.why} ${landed.paths.join(", ")}`;
          continue;
        }
        // The lease outlives the push: whoever lost it stops here.
        await store.write(() => ({
          steps: [],
          occurrences: [{ kind: "run.pushed", subject: own }],
          result: undefined,
        }));
        if (await remote.push({ branch, from: theirs, to: own })) break;
      }
      this.#published = (await landings.target())?.tip;
      return undefined;
    } catch (error) {
      if (isFault(error, "team.remote", "team.unreachable")) return `${error.what} ${error.why}`;
      throw error;
    }
  }

  /** Removes what workers pushed and could not report. Nothing may be in progress. */
  async end(): Promise<void> {
    if (!this.#hasRemote) return;
    const { remote } = this.#engine;
    await remote.listShared().then(
      (commits) => remote.forgetShared(commits),
      () => undefined,
    );
  }

  wait(): void {
    this.#patience = PATIENCE;
  }

  /** Frees what workers that are gone had, and offers what none has. The number of agents that could start elsewhere. */
  async share(lead: Lead, entries: ReadonlyMap<string, RunAction>): Promise<number> {
    const engine = this.#engine;
    const { workers, offers, lost } = await engine.store.read((tree) => ({
      workers: [...tree.kept(WORKER_SPACE)].filter(([name]) => name !== engine.checkout && isAlive(tree, name)),
      offers: new Set(tree.kept(OFFER_SPACE).keys()),
      lost: [...entries].filter(
        ([, entry]) => isOwnedByOther(engine, entry) && isWithWorker(entry) && !isAlive(tree, entry.worker ?? ""),
      ),
    }));
    if (this.#patience > 0) this.#patience--;
    else for (const [id, entry] of lost) await releaseAction(engine, id, entry, true);
    if (!this.#hasRemote || workers.length === 0) return 0;
    for (const { action } of lead.out.values())
      if (action.kind === "spawn" && !offers.has(createTeamKey(action.id))) await this.#offer(lead, action);
    const busy = [...entries.values()].filter((entry) => isOwnedByOther(engine, entry) && isWithWorker(entry)).length;
    return workers.reduce((sum, [, { agents }]) => sum + countPlaces(agents), 0) - busy;
  }

  async #offer(lead: Lead, action: SpawnAction): Promise<void> {
    const engine = this.#engine;
    if ((await this.publish()) !== undefined) return;
    const { text } = await composeActionBrief(engine, lead, action);
    const offer: ActionOffer = {
      role: action.role,
      about: describeAction(action),
      files: listActionFiles(lead, action),
      isReview: action.work.of === "review",
      brief: `${text}\n\n${await engine.assets.text("run/note")}`,
      branch: this.#branch,
    };
    await engine.store.write(() => ({
      steps: [],
      keeps: [{ space: OFFER_SPACE.name, key: createTeamKey(action.id), value: offer }],
      occurrences: [{ kind: "run.offered", subject: action.id }],
      result: undefined,
    }));
  }
}

/** Another clone may take it. `isLost`: only if its worker is gone. */
export async function releaseAction(
  { store, clock }: RunningEngine,
  id: string,
  { worker = "" }: RunAction,
  isLost = false,
): Promise<void> {
  const key = createTeamKey(id);
  await store.write((tree) => {
    const known = tree.kept(RUN_ACTION_SPACE).get(key);
    if (known?.worker !== worker || !isWithWorker(known) || (isLost && isAlive(tree, worker)))
      return { steps: [], occurrences: [], result: undefined };
    const value = applyRunEvent(known, { kind: "released" }, clock.now());
    return {
      steps: [],
      keeps: [{ space: RUN_ACTION_SPACE.name, key, value }],
      occurrences: [{ kind: "run.released", subject: id, data: { worker } }],
      result: undefined,
    };
  });
}
