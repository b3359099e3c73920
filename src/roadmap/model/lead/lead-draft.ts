import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import type { FeatureRecord, WaveRecord } from "../feature/feature-record.ts";
import type { ActionId, ActionAssignment, Lead, OpenReview, RoadmapRun } from "./lead-state.ts";
import { getUnpaidEstimate } from "./feature-counters.ts";
import type { LeadEffect, DecisionType } from "./lead-events.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";

type LeadPart = "features" | "waves" | "reviews" | "out";

/** The Lead while one event changes it. Copies a map on its first write and replaces records whole. */
export class LeadDraft {
  readonly base: Lead;
  readonly effects: LeadEffect[] = [];
  #features: Map<FeatureName, FeatureRecord>;
  #waves: Map<number, WaveRecord>;
  #reviews: Map<string, OpenReview>;
  #out: Map<ActionId, ActionAssignment>;
  #run: RoadmapRun;
  readonly #copied = new Set<LeadPart>();

  constructor(base: Lead) {
    this.base = base;
    // The casts are safe: every write copies the map first.
    this.#features = base.features as Map<FeatureName, FeatureRecord>;
    this.#waves = base.waves as Map<number, WaveRecord>;
    this.#reviews = base.reviews as Map<string, OpenReview>;
    this.#out = base.out as Map<ActionId, ActionAssignment>;
    this.#run = base.run;
  }

  /** A snapshot. Later writes do not change it. */
  lead(): Lead {
    this.#copied.clear();
    return {
      features: this.#features,
      waves: this.#waves,
      run: this.#run,
      reviews: this.#reviews,
      out: this.#out,
    };
  }

  effect(effect: LeadEffect): void {
    this.effects.push(effect);
  }

  feature(name: FeatureName): FeatureRecord | undefined {
    return this.#features.get(name);
  }

  /** A copy, so a caller can write while iterating. */
  features(): readonly FeatureRecord[] {
    return [...this.#features.values()];
  }

  keep(record: FeatureRecord): void {
    this.#features = this.#own("features", this.#features);
    this.#features.set(record.feature_name, record);
  }

  forget(name: FeatureName): void {
    this.#features = this.#own("features", this.#features);
    this.#features.delete(name);
  }

  wave(wave: number): WaveRecord | undefined {
    return this.#waves.get(wave);
  }

  waves(): readonly WaveRecord[] {
    return [...this.#waves.values()];
  }

  keepWave(record: WaveRecord): void {
    this.#waves = this.#own("waves", this.#waves);
    this.#waves.set(record.wave, record);
  }

  get run(): RoadmapRun {
    return this.#run;
  }

  changeRun(changes: Partial<RoadmapRun>): void {
    this.#run = { ...this.#run, ...changes };
  }

  review(key: string): OpenReview | undefined {
    return this.#reviews.get(key);
  }

  reviewKeys(): string[] {
    return [...this.#reviews.keys()];
  }

  keepReview(key: string, review: OpenReview): void {
    this.#reviews = this.#own("reviews", this.#reviews);
    this.#reviews.set(key, review);
  }

  dropReview(key: string): void {
    if (!this.#reviews.has(key)) return;
    this.#reviews = this.#own("reviews", this.#reviews);
    this.#reviews.delete(key);
  }

  out(id: ActionId): ActionAssignment | undefined {
    return this.#out.get(id);
  }

  allOut(): readonly ActionAssignment[] {
    return [...this.#out.values()];
  }

  keepOut(out: ActionAssignment): void {
    this.#out = this.#own("out", this.#out);
    this.#out.set(out.action.id, out);
  }

  pay(tokens: number): void {
    if (tokens > 0 && this.#run.isOn) this.changeRun({ spent: this.#run.spent + tokens });
  }

  /** Ends the assignment. Charges the reported tokens, or else the rest of the estimate. */
  end(id: ActionId, tokens?: number): void {
    const out = this.#out.get(id);
    this.pay(tokens ?? (out ? getUnpaidEstimate(out) : 0));
    if (!out) return;
    this.#out = this.#own("out", this.#out);
    this.#out.delete(id);
  }

  #own<K, V>(part: LeadPart, map: Map<K, V>): Map<K, V> {
    if (this.#copied.has(part)) return map;
    this.#copied.add(part);
    return new Map(map);
  }
}

export interface UserDecision {
  readonly type: DecisionType;
  readonly summary: string;
  readonly context: string;
  readonly decision: string;
  readonly said: string;
  readonly impact: string;
  readonly steeringRef?: string;
}

export function recordUserDecision(draft: LeadDraft, { said, ...told }: UserDecision): void {
  const reason = sanitizeText(said, 500) || "The user gave no reason.";
  draft.effect({ kind: "decision", ...told, reason, source: "user instruction" });
}
