import { Fault } from "#kernel/model/fault.ts";
import type { LeadAction, SpawnAction } from "#roadmap/model/lead/lead-state.ts";
import { decideNextActions } from "#roadmap/model/lead/lead-decision.ts";
import { describeAction } from "#roadmap/operations/lead/action-view.ts";
import { readLead } from "#roadmap/operations/lead/lead-store.ts";
import { nextActions } from "#roadmap/operations/lead/next-actions.ts";
import { reportAction } from "#roadmap/operations/lead/report-action.ts";
import { countPlaces, pickFreeAgent } from "../model/agent-slots.ts";
import { createRunAction, formatWorktreeName } from "../model/run-action.ts";
import { driveAction } from "./drive-action.ts";
import type { RunningEngine } from "./engine.ts";
import {
  EMPTY_RUN_OUTPUT,
  type PreparedRun,
  type RunContext,
  type RunNotice,
  type StartRunOutput,
} from "./run-context.ts";
import { dropRunAction, loadRunActions, loadRunRecord, saveNewRunAction, saveRunRecord } from "./run-store.ts";

/** The assignments of a run belong to this session, so that the next run goes on with them. */
const RUN_SESSION = "tenon-run";
/** Assigned beyond the free places, so that a place is never empty for long. */
const ASSIGNED_AHEAD = 4;
const POLL_MS = 500;

export async function runLoop(engine: RunningEngine, prepared: PreparedRun): Promise<StartRunOutput> {
  const run = new RoadmapRun(engine, prepared);
  await run.begin();
  return run.untilDone();
}

class RoadmapRun {
  readonly #engine: RunningEngine;
  readonly #prepared: PreparedRun;
  readonly #id: string;
  readonly #stop = new AbortController();
  readonly #cancelled: AbortSignal;
  /** Actions at work: those of agents with their kind, others without. */
  readonly #active = new Map<string, { readonly agent?: string; readonly work: Promise<void> }>();
  readonly #blocked = new Map<string, string>();
  readonly #asked = new Map<string, StartRunOutput["questions"][number]>();
  readonly #parked = new Map<string, { readonly until: number; readonly why: string }>();
  readonly #measured = new Map<string, { readonly tokens: number; readonly usd: number }>();
  readonly #failed: string[] = [];
  readonly #notes: string[] = [];
  #queue: Promise<unknown> = Promise.resolve();
  #landed = 0;
  #spent = { tokens: 0, usd: 0 };
  #cap: { tokens: number; spent: number } | undefined;
  #ended: string | undefined;
  #defect: unknown;

  constructor(engine: RunningEngine, prepared: PreparedRun) {
    this.#engine = engine;
    this.#prepared = prepared;
    this.#id = `run-${engine.clock.now().replaceAll(/[^0-9]/g, "")}`;
    this.#cancelled = AbortSignal.any([engine.progress.cancelled, this.#stop.signal]);
  }

  /** Ends leftovers of a killed run that no action needs any more. */
  async begin(): Promise<void> {
    const engine = this.#engine;
    const { branch, limits, capUsd } = this.#prepared;
    const record = { id: this.#id, at: engine.clock.now(), branch, agents: limits, cap_usd: capUsd };
    await saveRunRecord(engine, { ...record, usd: 0, tokens: 0, landed: 0 });
    this.#tell({ event: "run", run: this.#id, branch });
    const { out, run } = await readLead(engine);
    if (run.cap !== null) this.#cap = { tokens: run.cap, spent: run.spent };
    for (const [id, entry] of await loadRunActions(engine)) {
      if (out.has(id)) continue;
      if (entry.tag !== undefined) await engine.agents.end(entry.tag);
      const target = await engine.landings.target();
      const { landing } = entry;
      // Documents land without a commit of their own. Work that did not land keeps its worktree.
      const isDone = entry.commit === undefined || (entry.state === "landed" && !landing);
      const isLanded = isDone || (landing && target && (await engine.landings.isAncestor(landing.to, target.tip)));
      if (isLanded) await engine.landings.remove(formatWorktreeName(id, engine.digest));
      await dropRunAction(engine, id, "dismissed");
    }
  }

  async untilDone(): Promise<StartRunOutput> {
    const { once, until } = this.#prepared.input;
    const before = await this.#countFinished();
    for (let round = 0; !this.#cancelled.aborted; round++) {
      const isEnough = (once === true && round > 0) || (until !== undefined && (await this.#countFinished()) > before);
      if (!isEnough) await this.#assign();
      else this.#ended ??= `${until === undefined ? "Everything that was ready" : `The next ${until}`} is finished.`;
      if (this.#active.size === 0) break;
      const waker = this.#engine.wait(POLL_MS, this.#cancelled).catch(() => undefined);
      await Promise.race([...[...this.#active.values()].map(({ work }) => work), waker]);
    }
    await Promise.all([...this.#active.values()].map(({ work }) => work));
    if (this.#defect !== undefined) throw this.#defect;
    return this.#createOutput();
  }

  async #countFinished(): Promise<number> {
    const { waves, features } = await readLead(this.#engine);
    if (this.#prepared.input.until === "wave") return [...waves.values()].filter(({ step }) => step === "done").length;
    return [...features.values()].filter(({ phase }) => phase === "implementation-complete").length;
  }

  async #assign(): Promise<void> {
    const engine = this.#engine;
    const { limits, settings } = this.#prepared;
    const known = await readLead(engine);
    const mine = [...known.out.values()].filter(({ session }) => session === RUN_SESSION);
    const waiting = mine.filter(({ action }) => action.kind === "spawn" && !this.#active.has(action.id)).length;
    const free = countPlaces(limits) - [...this.#active.values()].filter(({ agent }) => agent !== undefined).length;
    const limit = mine.length + Math.max(0, free + ASSIGNED_AHEAD - waiting);
    const { actions, notes } = await nextActions.run(engine, { session: RUN_SESSION, limit });
    for (const note of notes) if (!this.#notes.includes(note)) this.#notes.push(note);
    const { out } = await readLead(engine);
    const entries = await loadRunActions(engine);
    for (const { id, answered } of actions) {
      const action = out.get(id)?.action;
      if (!action || this.#active.has(id) || this.#blocked.has(id)) continue;
      if (action.kind !== "spawn") {
        if (action.kind === "ask" && answered === undefined) this.#ask(action);
        else this.#start(id, undefined, () => this.#doEngineAction(action, answered));
        continue;
      }
      const busy = new Map<string, number>();
      for (const { agent } of this.#active.values()) if (agent) busy.set(agent, (busy.get(agent) ?? 0) + 1);
      const entry = entries.get(id);
      const chosen = entry ? { name: entry.agent } : pickFreeAgent(action.role, settings, limits, busy);
      if (!chosen || (entry && (busy.get(entry.agent) ?? 0) >= (limits[entry.agent] ?? 1))) continue;
      const { name: agent, model } = { model: undefined, ...chosen };
      const at = engine.clock.now();
      const fresh = createRunAction({ run: this.#id, agent, at, ...(model === undefined ? {} : { model }) });
      this.#start(id, agent, async () => {
        if (!entry) await saveNewRunAction(engine, id, fresh);
        await this.#drive(action);
      });
    }
  }

  #start(id: string, agent: string | undefined, work: () => Promise<void>): void {
    const guarded = work()
      .catch((error: unknown) => {
        if (error instanceof Fault && error.code === "call.cancelled") return;
        if (error instanceof Fault) {
          this.#blocked.set(id, `${error.what} ${error.why}`);
          this.#tell({ event: "waiting", action: id, problems: [error.what, error.why] });
          return;
        }
        this.#defect ??= error;
        this.#stop.abort();
      })
      .finally(() => this.#active.delete(id));
    this.#active.set(id, { work: guarded, ...(agent === undefined ? {} : { agent }) });
  }

  async #drive(action: SpawnAction): Promise<void> {
    const result = await driveAction(this.#createContext(), action);
    this.#measured.delete(action.id);
    if (result === "landed") this.#landed++;
    if (result === "failed") this.#failed.push(action.id);
  }

  /** Gates and commits cost nothing: the engine does them itself. */
  async #doEngineAction(action: LeadAction, answered: string | undefined): Promise<void> {
    const engine = this.#engine;
    const { id } = action;
    const about = describeAction(action);
    await this.#inTurn(async () => {
      if (action.kind === "commit") {
        const done = await engine.snapshots.commitOwnFiles(action.message);
        if (done && "why" in done) {
          this.#block(id, `${done.why} Then run again: tenon run`);
          return;
        }
      }
      const { outcome, open, problems, notes } = await reportAction.run(engine, {
        action: id,
        ...(answered === undefined ? {} : { answer: answered }),
      });
      const found = problems.map(({ problem }) => problem);
      this.#tell({ event: "done", action: id, about, notes: [...found, ...notes] });
      this.#asked.delete(id);
      if (outcome === "refused" && open) this.#block(id, [...found, ...notes].join(" "));
    });
  }

  #ask({ id, detail, choices }: Extract<LeadAction, { kind: "ask" }>): void {
    if (this.#asked.has(id)) return;
    this.#asked.set(id, { action: id, detail, choices: [...choices] });
    this.#tell({ event: "question", action: id, detail, choices });
  }

  #tell(notice: RunNotice): void {
    this.#engine.progress.notice?.(notice);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#queue.then(work);
    this.#queue = next.catch(() => undefined);
    return next;
  }

  #block(id: string, why: string | undefined): void {
    if (why === undefined) this.#blocked.delete(id);
    else this.#blocked.set(id, why);
  }

  #createContext(): RunContext {
    const { settings, branch, linked, setup, minutes, silenceMinutes, capUsd } = this.#prepared;
    return {
      engine: this.#engine,
      id: this.#id,
      branch,
      settings,
      linked,
      setup,
      minutes,
      silenceMinutes,
      cancelled: this.#cancelled,
      usdLeft: () => (capUsd === null ? undefined : Math.max(0.01, capUsd - this.#sum().usd)),
      tell: (notice) => this.#hear(notice),
      queue: (work) => this.#inTurn(work),
      park: (agent, seconds, why) => this.#park(agent, seconds, why),
      waitForAgent: (agent) => this.#waitForAgent(agent),
      measure: (action, { tokens, usd }) => this.#measure(action, tokens, usd),
      block: (id, why) => this.#block(id, why),
    };
  }

  #hear(notice: RunNotice): void {
    if (notice.event === "ended") {
      const { tokens, usd } = this.#spent;
      const { tokens: more = 0, usd: costs = 0 } = this.#measured.get(notice.action) ?? {};
      this.#spent = { tokens: tokens + more, usd: usd + costs };
      this.#measured.delete(notice.action);
    }
    this.#tell(notice);
  }

  #sum(): { readonly tokens: number; readonly usd: number } {
    let { tokens, usd } = this.#spent;
    for (const each of this.#measured.values()) {
      tokens += each.tokens;
      usd += each.usd;
    }
    return { tokens, usd };
  }

  /** A hard cap: what the agents really used ends the run, whatever was estimated. */
  #measure(action: string, tokens: number, usd: number): void {
    this.#measured.set(action, { tokens, usd });
    const sum = this.#sum();
    const { capUsd } = this.#prepared;
    const isTokens = this.#cap !== undefined && this.#cap.spent + sum.tokens > this.#cap.tokens;
    if (!isTokens && (capUsd === null || sum.usd <= capUsd)) return;
    const flag = isTokens ? "--cap-tokens" : "--cap-usd";
    this.#ended ??= `The cap is reached; all agents were stopped. To continue: tenon run ${flag} <more>`;
    this.#stop.abort();
  }

  #now(): number {
    return Math.floor(Date.parse(this.#engine.clock.now()) / 1000);
  }

  #park(agent: string, seconds: number, why: string): void {
    const until = Math.max(this.#parked.get(agent)?.until ?? 0, this.#now() + seconds);
    this.#parked.set(agent, { until, why });
    this.#tell({ event: "parked", agent, seconds: until - this.#now(), why });
  }

  async #waitForAgent(agent: string): Promise<string | undefined> {
    for (;;) {
      const parked = this.#parked.get(agent);
      if (!parked || parked.until <= this.#now() || this.#cancelled.aborted) return undefined;
      await this.#engine.wait(1000, this.#cancelled).catch(() => undefined);
    }
  }

  async #createOutput(): Promise<StartRunOutput> {
    const engine = this.#engine;
    const lead = await readLead(engine);
    const { tokens, usd } = this.#sum();
    const record = await loadRunRecord(engine);
    if (record) await saveRunRecord(engine, { ...record, tokens, usd, landed: this.#landed });
    const { actions, reviews, idle } = decideNextActions(lead);
    const waves = new Set([...lead.features.values()].flatMap(({ roadmap }) => roadmap?.wave ?? []));
    const isNothingLeft = actions.length + reviews.length + lead.out.size === 0;
    const complete = isNothingLeft && [...waves].every((wave) => lead.waves.get(wave)?.step === "done");
    const ended =
      this.#ended ??
      (this.#cancelled.aborted
        ? "Stopped. To continue: tenon run"
        : complete
          ? "The roadmap is complete."
          : (idle ?? "Nothing more can start now."));
    return {
      ...EMPTY_RUN_OUTPUT,
      run: this.#id,
      branch: this.#prepared.branch,
      landed: this.#landed,
      failed: this.#failed,
      waiting: [...this.#blocked].map(([action, why]) => ({ action, why })),
      questions: [...this.#asked.values()],
      tokens,
      usd,
      complete,
      ended,
      notes: this.#notes,
    };
  }
}
