import { Fault } from "#kernel/model/fault.ts";
import { findSecrets, maskSecretRanges } from "#kernel/model/secret-detection.ts";
import { toSystemFault } from "#kernel/model/system-error.ts";
import type { RunningEngine } from "./engine.ts";
import {
  EMPTY_RUN_OUTPUT,
  getEventsPath,
  type PreparedRun,
  type RunContext,
  type RunNotice,
  type StartRunOutput,
} from "./run-context.ts";
import { AWAY_CODES, isFault } from "./team-lease.ts";
import { loadRunRecord, saveRunRecord } from "./run-store.ts";

const PUSH = "push";

/** What all agents of a run share: places, costs, limits of providers, the merge queue and the way to stop. */
export class RunHost {
  readonly engine: RunningEngine;
  readonly prepared: PreparedRun;
  readonly id: string;
  readonly cancelled: AbortSignal;
  /** Actions at work: those of agents with their kind, others without. */
  readonly active = new Map<string, { readonly agent?: string; readonly work: Promise<void> }>();
  readonly blocked = new Map<string, string>();
  readonly context: RunContext;
  readonly #stop = new AbortController();
  readonly #parked = new Map<string, { readonly until: number; readonly why: string }>();
  readonly #measured = new Map<string, { readonly tokens: number; readonly usd: number }>();
  #queue: Promise<unknown> = Promise.resolve();
  #spent = { tokens: 0, usd: 0 };
  #defect: unknown;
  readonly #again: string;
  readonly #events: string;
  /** The token cap, and what was spent before this run. */
  cap: { readonly tokens: number; readonly spent: number } | undefined;
  landed = 0;
  ended: string | undefined;

  /** `again`: the command that continues. */
  constructor(engine: RunningEngine, prepared: PreparedRun, again: string) {
    this.#again = again;
    this.engine = engine;
    this.prepared = prepared;
    // The name marks the processes of agents, and two clones of a team may share a machine.
    const place = engine.store.isTeam === true ? `-${engine.digest(engine.checkout).slice(0, 6)}` : "";
    this.id = `run-${engine.clock.now().replaceAll(/[^0-9]/g, "")}${place}`;
    if (prepared.team) prepared.team.turn = (work) => this.inTurn(work);
    this.#events = getEventsPath(engine.root, this.id);
    this.cancelled = AbortSignal.any([engine.progress.cancelled, this.#stop.signal]);
    this.context = this.#createContext();
  }

  async begin(): Promise<void> {
    const { branch, limits, capUsd, spentUsd: usd, input } = this.prepared;
    const record = { id: this.id, at: this.engine.clock.now(), branch, agents: limits, cap_usd: capUsd };
    const work = input.work === undefined ? {} : { work: input.work };
    await saveRunRecord(this.engine, { ...record, ...work, usd, tokens: 0, landed: 0 });
    this.tell({ event: "run", run: this.id, branch });
    if (capUsd !== null && usd >= capUsd) this.#stopAtCap("--cap-usd");
  }

  start(id: string, agent: string | undefined, work: () => Promise<void>): void {
    const guarded = work()
      .catch((error: unknown) => {
        if (error instanceof Fault && error.code === "call.cancelled") return;
        // A lost action is another worker's. What is away comes back, and the next round goes on.
        if (isFault(error, "lease.lost", ...AWAY_CODES)) {
          this.tell({ event: "waiting", action: id, problems: [error.what, error.why] });
          return;
        }
        const fault = toSystemFault(error);
        if (fault) {
          const problems = [fault.what, fault.why, ...fault.fixes.filter((fix) => typeof fix === "string")];
          this.block(id, problems.join(" "));
          this.tell({ event: "waiting", action: id, problems });
          return;
        }
        this.#defect ??= error;
        this.#stop.abort();
      })
      .finally(() => {
        this.active.delete(id);
        this.#measured.delete(id);
      });
    this.active.set(id, { work: guarded, ...(agent === undefined ? {} : { agent }) });
  }

  /** Until everything that was started has ended. */
  async settle(): Promise<void> {
    await Promise.all([...this.active.values()].map(({ work }) => work));
    if (this.#defect !== undefined) throw this.#defect;
  }

  countBusy(): Map<string, number> {
    const busy = new Map<string, number>();
    for (const { agent } of this.active.values()) if (agent) busy.set(agent, (busy.get(agent) ?? 0) + 1);
    return busy;
  }

  tell(notice: RunNotice): void {
    this.#note(notice);
    this.engine.progress.notice?.(notice);
  }

  #note(notice: RunNotice): void {
    const line = JSON.stringify({ at: this.engine.clock.now(), ...notice });
    this.engine.agents.note(this.#events, maskSecretRanges(line, findSecrets(line)));
  }

  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#queue.then(work);
    this.#queue = next.catch(() => undefined);
    return next;
  }

  block(id: string, why: string | undefined): void {
    if (why === undefined) this.blocked.delete(id);
    else this.blocked.set(id, why);
  }

  async createOutput(known: Pick<StartRunOutput, "ended"> & Partial<StartRunOutput>): Promise<StartRunOutput> {
    const { tokens, usd } = this.#sum();
    const record = await loadRunRecord(this.engine);
    if (record) await saveRunRecord(this.engine, { ...record, landed: this.landed });
    const output = {
      ...EMPTY_RUN_OUTPUT,
      run: this.id,
      branch: this.prepared.branch,
      landed: this.landed,
      waiting: [...this.blocked].map(([action, why]) => ({ action, why })),
      tokens,
      usd,
      ...known,
      ended: this.ended ?? (this.cancelled.aborted ? `Stopped. To continue: ${this.#again}` : known.ended),
    };
    this.#note({ event: "over", output });
    return output;
  }

  #createContext(): RunContext {
    const { settings, branch, linked, setup, minutes, silenceMinutes, capUsd, spentUsd } = this.prepared;
    return {
      engine: this.engine,
      id: this.id,
      branch,
      settings,
      linked,
      setup,
      minutes,
      silenceMinutes,
      cancelled: this.cancelled,
      usdLeft: () => (capUsd === null ? undefined : Math.max(0.01, capUsd - spentUsd - this.#sum().usd)),
      tell: (notice) => this.#hear(notice),
      queue: (work) => this.inTurn(work),
      park: (agent, seconds, why) => this.#park(agent, seconds, why),
      waitForAgent: (agent) => this.#waitForAgent(agent),
      measure: (action, { tokens, usd }) => this.#measure(action, tokens, usd),
      block: (id, why) => this.block(id, why),
      publish: () => this.publish(),
    };
  }

  async publish(): Promise<void> {
    const problem = await this.prepared.team?.publish();
    this.block(PUSH, problem);
    if (problem !== undefined) this.tell({ event: "waiting", action: PUSH, problems: [problem] });
  }

  #hear(notice: RunNotice): void {
    if (notice.event === "ended") {
      const { tokens, usd } = this.#spent;
      const { tokens: more = 0, usd: costs = 0 } = this.#measured.get(notice.action) ?? {};
      this.#spent = { tokens: tokens + more, usd: usd + costs };
      this.#measured.delete(notice.action);
    }
    this.tell(notice);
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
    const { capUsd, spentUsd } = this.prepared;
    const isTokens = this.cap !== undefined && this.cap.spent + sum.tokens > this.cap.tokens;
    if (!isTokens && (capUsd === null || spentUsd + sum.usd <= capUsd)) return;
    this.#stopAtCap(isTokens ? "--cap-tokens" : "--cap-usd");
  }

  #stopAtCap(flag: string): void {
    this.ended ??= `The cap is reached; all agents were stopped. To continue: ${this.#again} ${flag} <more>`;
    this.#stop.abort();
  }

  #now(): number {
    return Math.floor(Date.parse(this.engine.clock.now()) / 1000);
  }

  #park(agent: string, seconds: number, why: string): void {
    const until = Math.max(this.#parked.get(agent)?.until ?? 0, this.#now() + seconds);
    this.#parked.set(agent, { until, why });
    this.tell({ event: "parked", agent, seconds: until - this.#now(), why });
  }

  async #waitForAgent(agent: string): Promise<string | undefined> {
    for (;;) {
      const parked = this.#parked.get(agent);
      if (!parked || parked.until <= this.#now() || this.cancelled.aborted) return undefined;
      await this.engine.wait(1000, this.cancelled).catch(() => undefined);
    }
  }
}
