import type { LeadAction, SpawnAction } from "#roadmap/model/lead/lead-state.ts";
import { decideNextActions } from "#roadmap/model/lead/lead-decision.ts";
import { describeAction } from "#roadmap/operations/lead/action-view.ts";
import { readLead } from "#roadmap/operations/lead/lead-store.ts";
import { nextActions } from "#roadmap/operations/lead/next-actions.ts";
import { findBranchProblem } from "#roadmap/operations/lead/commit-branch.ts";
import { reportAction } from "#roadmap/operations/lead/report-action.ts";
import { countPlaces, pickFreeAgent } from "../model/agent-slots.ts";
import { createRunAction, formatWorktreeName, type RunAction, SINGLE_WORK_PREFIX } from "../model/run-action.ts";
import { driveAction } from "./drive-action.ts";
import type { RunningEngine } from "./engine.ts";
import type { PreparedRun, StartRunOutput } from "./run-context.ts";
import { RunHost } from "./run-host.ts";
import { dropRunAction, loadRunActions, loadStoppedActions, saveNewRunAction } from "./run-store.ts";
import { AWAY_CODES, isFault } from "./team-lease.ts";
import { isOwnedByOther, isWithWorker, takeAction } from "./team-run.ts";

/** The assignments of a run belong to this session, so that the next run goes on with them. */
const RUN_SESSION = "tenon-run";
/** Assigned beyond the free places, so that a place is never empty for long. */
const ASSIGNED_AHEAD = 4;
const POLL_MS = 500;
const MAX_POLLS = 20;

export async function runLoop(engine: RunningEngine, prepared: PreparedRun): Promise<StartRunOutput> {
  const run = new RoadmapRun(engine, prepared, "tenon run");
  await run.begin();
  return run.untilDone();
}

class RoadmapRun extends RunHost {
  readonly #asked = new Map<string, StartRunOutput["questions"][number]>();
  readonly #failed: string[] = [];
  readonly #notes: string[] = [];
  #wave = "";
  #stopped: ReadonlySet<string> = new Set();
  /** For workers in other clones, or for the database. */
  #isWaiting = false;

  /** Ends leftovers of a killed run that no action needs any more. */
  override async begin(): Promise<void> {
    await super.begin();
    const { engine } = this;
    const { out, run } = await readLead(engine);
    if (run.cap !== null) this.cap = { tokens: run.cap, spent: run.spent };
    // In a team, the entries of a lead before this one may still have workers.
    if (this.prepared.team) return;
    for (const [id, entry] of await loadRunActions(engine)) {
      if (!out.has(id)) await this.#dropLeftover(id, entry);
    }
  }

  async #dropLeftover(id: string, entry: RunAction): Promise<void> {
    const { engine } = this;
    if (id.startsWith(SINGLE_WORK_PREFIX)) return;
    if (entry.tag !== undefined) await engine.agents.end(entry.tag);
    const target = await engine.landings.target();
    const { landing } = entry;
    // Documents land without a commit of their own. Work that did not land keeps its worktree.
    const isDone = entry.commit === undefined || (entry.state === "landed" && !landing);
    const isLanded = isDone || (landing && target && (await engine.landings.isAncestor(landing.to, target.tip)));
    if (isLanded) await engine.landings.remove(formatWorktreeName(id, engine.digest));
    await dropRunAction(engine, id, "dismissed");
  }

  async untilDone(): Promise<StartRunOutput> {
    const { once, until } = this.prepared.input;
    const before = await this.#countFinished();
    for (let round = 0; !this.cancelled.aborted; round++) {
      const position = await this.engine.store.position();
      const isEnough = (once === true && round > 0) || (until !== undefined && (await this.#countFinished()) > before);
      await this.#tellWave();
      // An action that ends while others are assigned may have made more ready.
      const wasIdle = this.active.size === 0;
      if (!isEnough) await this.#tryAssign();
      else this.ended ??= `${until === undefined ? "Everything that was ready" : `The next ${until}`} is finished.`;
      if (this.active.size === 0 && (isEnough || (wasIdle && !this.#isWaiting))) break;
      const over = new AbortController();
      const news = this.#waitForNews(position, AbortSignal.any([this.cancelled, over.signal]));
      await Promise.race([...[...this.active.values()].map(({ work }) => work), news]);
      over.abort();
      await news;
    }
    await this.settle();
    return this.#summarize();
  }

  /** Until a process has written to the ledger. Edits of documents write nothing, so they show later. */
  async #waitForNews(position: number, over: AbortSignal): Promise<void> {
    for (let polls = 0; polls < MAX_POLLS && !over.aborted; polls++) {
      await this.engine.wait(POLL_MS, over).catch(() => undefined);
      if (!over.aborted && (await this.engine.store.position()) !== position) return;
    }
  }

  async #countFinished(): Promise<number> {
    const { waves, features } = await readLead(this.engine);
    if (this.prepared.input.until === "wave") return [...waves.values()].filter(({ step }) => step === "done").length;
    return [...features.values()].filter(({ phase }) => phase === "implementation-complete").length;
  }

  /** How far the first wave is that is not done. */
  async #tellWave(): Promise<void> {
    const { waves, features } = await readLead(this.engine);
    const open = [...features.values()].filter(({ roadmap }) => roadmap && waves.get(roadmap.wave)?.step !== "done");
    const wave = Math.min(...open.map(({ roadmap }) => roadmap?.wave ?? Infinity));
    const own = open.filter(({ roadmap }) => roadmap?.wave === wave);
    const finished = own.filter(({ phase }) => phase === "implementation-complete").length;
    if (own.length === 0 || this.#wave === `${wave} ${finished}`) return;
    this.#wave = `${wave} ${finished}`;
    this.tell({ event: "wave", wave, features: own.length, finished });
  }

  /** Without the database of a team nothing begins, and agents at work go on. */
  async #tryAssign(): Promise<void> {
    try {
      await this.#assign();
    } catch (error) {
      if (!this.prepared.team || !isFault(error, ...AWAY_CODES)) throw error;
      this.prepared.team.wait();
      if (!this.#isWaiting) this.tell({ event: "waiting", action: "database", problems: [error.what, error.why] });
      this.#isWaiting = true;
    }
  }

  async #assign(): Promise<void> {
    const engine = this.engine;
    const { limits, settings } = this.prepared;
    const known = await readLead(engine);
    const stopped = await loadStoppedActions(engine);
    await this.#endReturnedAgents(known.out, stopped);
    this.#releaseResumed(stopped);
    const mine = [...known.out.values()].filter(({ session }) => session === RUN_SESSION);
    const before = await loadRunActions(engine);
    const elsewhere = new Set([...before].filter(([, entry]) => isOwnedByOther(engine, entry)).map(([id]) => id));
    const isWaiting = (id: string): boolean => !this.active.has(id) && !elsewhere.has(id) && !this.blocked.has(id);
    const waiting = mine.filter(({ action }) => action.kind === "spawn" && isWaiting(action.id)).length;
    const team = this.prepared.team;
    const workers = team ? await team.share(known, before) : 0;
    const places = countPlaces(limits) + workers;
    const free = places - [...this.active.values()].filter(({ agent }) => agent !== undefined).length;
    // What an earlier lead of the team assigned goes on under the same names.
    const inherited = team ? [...before.keys()].filter((id) => !known.out.has(id)).length : 0;
    const limit = mine.length + inherited + Math.max(0, free + ASSIGNED_AHEAD - waiting);
    const { actions, notes } = await nextActions.run(engine, { session: RUN_SESSION, limit });
    for (const note of notes) if (!this.#notes.includes(note)) this.#notes.push(note);
    const { out } = await readLead(engine);
    const entries = await loadRunActions(engine);
    this.#isWaiting = [...entries].some(
      ([id, entry]) => out.has(id) && isOwnedByOther(engine, entry) && isWithWorker(entry),
    );
    if (team && actions.length < limit)
      for (const [id, entry] of entries) if (!out.has(id) && !this.active.has(id)) await this.#dropLeftover(id, entry);
    for (const { id, answered } of actions) {
      const action = out.get(id)?.action;
      if (!action || this.active.has(id) || this.blocked.has(id)) continue;
      if (action.kind !== "spawn") {
        if (action.kind === "ask" && answered === undefined) this.#ask(action);
        else this.start(id, undefined, () => this.#doEngineAction(action, answered));
        continue;
      }
      const busy = this.countBusy();
      const found = entries.get(id);
      if (found && isOwnedByOther(engine, found)) {
        if (!isWithWorker(found)) this.start(id, undefined, () => this.#drive(action));
        continue;
      }
      const entry = team && found?.worker === undefined ? undefined : found;
      const chosen = entry ? { name: entry.agent } : pickFreeAgent(action.role, settings, limits, busy);
      if (!chosen || (entry && (busy.get(entry.agent) ?? 0) >= (limits[entry.agent] ?? 1))) continue;
      const { name: agent, model } = { model: undefined, ...chosen };
      const at = engine.clock.now();
      const fresh = createRunAction({ run: this.id, agent, at, ...(model === undefined ? {} : { model }) });
      this.start(id, agent, async () => {
        if (!entry && team && !(await takeAction(engine, id, fresh, false))) return;
        if (!entry && !team) await saveNewRunAction(engine, id, fresh);
        await this.#drive(action);
      });
    }
  }

  /** The user stopped their action, or reported it as lost to start it again. */
  async #endReturnedAgents(out: ReadonlyMap<string, unknown>, stopped: ReadonlyMap<string, unknown>): Promise<void> {
    const returned = [...this.active].filter(
      ([id, { agent }]) => agent !== undefined && (!out.has(id) || stopped.has(id)),
    );
    if (returned.length === 0) return;
    const entries = await loadRunActions(this.engine);
    for (const [id] of returned) {
      const { tag } = entries.get(id) ?? {};
      if (tag !== undefined) await this.engine.agents.end(tag);
    }
  }

  #releaseResumed(stopped: ReadonlyMap<string, unknown>): void {
    for (const id of this.#stopped) if (!stopped.has(id)) this.block(id, undefined);
    this.#stopped = new Set(stopped.keys());
  }

  async #drive(action: SpawnAction): Promise<void> {
    const result = await driveAction(this.context, action);
    if (result === "landed") this.landed++;
    if (result === "failed") this.#failed.push(action.id);
  }

  /** Gates and commits cost nothing: the engine does them itself. */
  async #doEngineAction(action: LeadAction, answered: string | undefined): Promise<void> {
    const engine = this.engine;
    const { id } = action;
    const about = describeAction(action);
    await this.inTurn(async () => {
      if (action.kind === "commit") {
        const misplaced = await findBranchProblem(engine, action);
        if (misplaced !== undefined) {
          this.block(id, `${misplaced.replace(" Then report again.", "")} Then run again: tenon run`);
          return;
        }
        const done = await engine.snapshots.commitOwnFiles(action.message);
        if (done && "why" in done) {
          this.block(id, `${done.why} Then run again: tenon run`);
          return;
        }
      }
      const { outcome, open, problems, notes } = await reportAction.run(engine, {
        action: id,
        ...(answered === undefined ? {} : { answer: answered }),
      });
      const found = problems.map(({ problem }) => problem);
      this.tell({ event: "done", action: id, about, notes: [...found, ...notes] });
      this.#asked.delete(id);
      if (outcome === "refused" && open) this.block(id, [...found, ...notes].join(" "));
    });
    await this.publish();
  }

  #ask({ id, detail, choices }: Extract<LeadAction, { kind: "ask" }>): void {
    if (this.#asked.has(id)) return;
    this.#asked.set(id, { action: id, detail, choices: [...choices] });
    this.tell({ event: "question", action: id, detail, choices });
  }

  async #summarize(): Promise<StartRunOutput> {
    const lead = await readLead(this.engine);
    const { actions, reviews, idle } = decideNextActions(lead);
    const waves = new Set([...lead.features.values()].flatMap(({ roadmap }) => roadmap?.wave ?? []));
    const isNothingLeft = actions.length + reviews.length + lead.out.size === 0;
    if (isNothingLeft) await this.prepared.team?.end();
    const complete = isNothingLeft && [...waves].every((wave) => lead.waves.get(wave)?.step === "done");
    return this.createOutput({
      failed: this.#failed,
      questions: [...this.#asked.values()],
      complete,
      ended: complete ? "The roadmap is complete." : (idle ?? "Nothing more can start now."),
      notes: this.#notes,
    });
  }
}
