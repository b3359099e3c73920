import type { StoreTree } from "#store/operations/ports/store.ts";
import { pickFreeAgent } from "../model/agent-slots.ts";
import { createRunAction, explainGivenUp, formatWorktreeName, type RunAction } from "../model/run-action.ts";
import { type ActionJob, doAgentStep } from "./drive-action.ts";
import type { RunningEngine } from "./engine.ts";
import type { PreparedRun, StartRunOutput } from "./run-context.ts";
import { RunHost } from "./run-host.ts";
import {
  type ActionOffer,
  createTeamKey,
  loadRunActions,
  OFFER_SPACE,
  type TeamWorker,
  WORKER_SPACE,
} from "./run-store.ts";
import { AWAY_CODES, getWorkerLease, isFault, RUN_LEASE, withTeamLease } from "./team-lease.ts";
import { isWithWorker, releaseAction, takeAction } from "./team-run.ts";

const POLL_MS = 500;

/** Takes actions of the run that another clone leads, until this one stops or, with `untilLeadEnds`, no clone leads. */
export async function workForTeam(
  engine: RunningEngine,
  prepared: PreparedRun,
  untilLeadEnds: "once-led" | "now" | "never",
): Promise<StartRunOutput | undefined> {
  const done = await withTeamLease(engine, getWorkerLease(engine.checkout), async (held) => {
    const worker = new TeamWorkerRun(held, prepared, untilLeadEnds === "now" ? "tenon run" : "tenon worker");
    await worker.begin();
    return worker.work(untilLeadEnds);
  });
  return done?.result;
}

class TeamWorkerRun extends RunHost {
  /** Actions with a worktree here, and the tags of their agents. */
  #work: Readonly<Record<string, string>> = {};
  #isAway = false;
  #isWaitingTold = false;

  override async begin(): Promise<void> {
    await super.begin();
    const { engine } = this;
    await engine.store.write((tree) => this.#planNote(tree));
  }

  async work(untilLeadEnds: "once-led" | "now" | "never"): Promise<StartRunOutput> {
    let wasLed = untilLeadEnds === "now";
    while (!this.cancelled.aborted) {
      const isLed = await this.#tryRound();
      if (isLed === false && wasLed && untilLeadEnds !== "never") break;
      wasLed ||= isLed === true;
      await this.engine.wait(POLL_MS, this.cancelled).catch(() => undefined);
    }
    await this.settle();
    if (!this.cancelled.aborted) await this.#clean(await loadRunActions(this.engine));
    return this.createOutput({ ended: "The run of the team has ended, or its lead is gone." });
  }

  /** Whether a clone leads; undefined while the database is away. */
  async #tryRound(): Promise<boolean | undefined> {
    try {
      const isLed = await this.#round();
      this.#isAway = false;
      return isLed;
    } catch (error) {
      if (!isFault(error, ...AWAY_CODES)) throw error;
      if (!this.#isAway) this.tell({ event: "waiting", action: "database", problems: [error.what, error.why] });
      this.#isAway = true;
      return undefined;
    }
  }

  async #round(): Promise<boolean> {
    const { engine } = this;
    const known = await engine.store.read((tree) => ({
      work: tree.kept(WORKER_SPACE).get(engine.checkout)?.work ?? {},
      offers: tree.kept(OFFER_SPACE),
      isLed: tree.lease(RUN_LEASE)?.isLive === true,
    }));
    this.#work = known.work;
    const entries = await loadRunActions(engine);
    for (const [key, offer] of known.offers) {
      const id = key.slice(createTeamKey("").length);
      const entry = entries.get(id);
      if (this.active.has(id) || this.blocked.has(id)) continue;
      if (entry?.worker === engine.checkout) {
        if (isWithWorker(entry)) this.start(id, entry.agent, () => this.#drive(id, offer));
      } else if (entry?.worker === undefined && known.isLed) this.#take(id, offer);
    }
    await this.#clean(entries);
    if (!known.isLed && !this.#isWaitingTold)
      this.tell({ event: "waiting", action: "lead", problems: ["No clone leads a run. In one of them: tenon run"] });
    this.#isWaitingTold = !known.isLed;
    return known.isLed;
  }

  #take(id: string, offer: ActionOffer): void {
    const { engine, prepared } = this;
    const chosen = pickFreeAgent(offer.role, prepared.settings, prepared.limits, this.countBusy());
    if (!chosen) return;
    const { name: agent, model } = { model: undefined, ...chosen };
    const at = engine.clock.now();
    const fresh = createRunAction({ run: this.id, agent, at, ...(model === undefined ? {} : { model }) });
    this.start(id, agent, async () => {
      if (await takeAction(engine, id, fresh, true)) await this.#drive(id, offer);
    });
  }

  async #drive(id: string, offer: ActionOffer): Promise<void> {
    const { engine, context } = this;
    const job: ActionJob = {
      id,
      role: offer.role,
      about: offer.about,
      files: offer.files,
      isReview: offer.isReview,
      pushed: offer.branch,
      compose: async () => offer.brief,
    };
    let entry = (await loadRunActions(engine)).get(id);
    while (entry?.worker === engine.checkout && isWithWorker(entry) && explainGivenUp(entry) === undefined) {
      if (this.cancelled.aborted) return;
      const next: RunAction | "blocked" = await doAgentStep(context, job, entry);
      if (next === "blocked") {
        // Another clone may have what is missing here.
        await releaseAction(engine, id, entry);
        return;
      }
      entry = next;
    }
    if (entry?.state === "committed") {
      this.landed++;
      this.tell({ event: "done", action: id, about: "committed", notes: [] });
    }
  }

  /** Ends agents and removes worktrees of actions that landed, or that another clone has now. */
  async #clean(entries: ReadonlyMap<string, RunAction>): Promise<void> {
    const { engine } = this;
    const over = Object.entries(this.#work).filter(([id]) => entries.get(id)?.worker !== engine.checkout);
    for (const [, tag] of over) if (tag !== "") await engine.agents.end(tag);
    const gone = over.map(([id]) => id).filter((id) => !this.active.has(id));
    for (const id of gone) await engine.landings.remove(formatWorktreeName(id, engine.digest));
    if (gone.length > 0) await engine.store.write((tree) => this.#planNote(tree, gone));
  }

  #planNote(tree: StoreTree, gone: readonly string[] = []) {
    const { engine, prepared } = this;
    const { work = {} } = tree.kept(WORKER_SPACE).get(engine.checkout) ?? {};
    const left = Object.fromEntries(Object.entries(work).filter(([id]) => !gone.includes(id)));
    const value: TeamWorker = { at: engine.clock.now(), agents: prepared.limits, work: left };
    return {
      steps: [],
      keeps: [{ space: WORKER_SPACE.name, key: engine.checkout, value }],
      occurrences: [{ kind: "run.worker", subject: engine.checkout }],
      result: undefined,
    };
  }
}
