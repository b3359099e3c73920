import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import { PathSet } from "#roadmap/model/feature/claimed-path.ts";
import type { FeatureRecord, TaskGroupRecord } from "#roadmap/model/feature/feature-record.ts";
import { applyLeadEvent } from "#roadmap/model/lead/apply-event.ts";
import { decideNextActions, type LeadDecision, type PendingReview } from "#roadmap/model/lead/lead-decision.ts";
import type {
  AgentReport,
  Lead,
  LeadAction,
  LeadEffect,
  LeadEvent,
  LeadEventResult,
  ReportFacts,
  ReviewScope,
} from "#roadmap/model/lead/lead-state.ts";
import { createNextBatch } from "#roadmap/model/lead/lead-view.ts";
import type { AuditResult, InspectionResult, ReviewFinding } from "#roadmap/model/review/review-finding.ts";
import { createEmptyLead } from "./features.ts";

export const AT = "2026-11-16T09:00:00Z";

/** What somebody says, with what is found when it is looked at. */
export interface Told {
  readonly report: AgentReport;
  readonly facts?: Partial<ReportFacts>;
}

/** A finding, as grave and wherever it is said. */
export const finding = (said: Partial<ReviewFinding> = {}): ReviewFinding => ({
  severity: "H",
  category: "quality",
  location: "src/somewhere.ts",
  description: "It could be better",
  sources: ["quality"],
  ...said,
});

/** The report of an inspector that found nothing, from each of its views. */
export function createEmptyInspection(views: readonly string[] = []): Extract<AgentReport, { kind: "inspection" }> {
  const others = Object.fromEntries(views.map((view) => [view, inspection()]));
  return { kind: "inspection", inspection: inspection(), ...(views.length > 1 ? { others } : {}) };
}

export const inspection = (said: Partial<InspectionResult> = {}): InspectionResult => ({
  scope: "",
  findings: [],
  notes: [],
  ...said,
});

export const audit = (said: Partial<AuditResult> = {}): AuditResult => ({
  scope: "",
  verdict: "GO",
  verified: [],
  removed: [],
  resolved: [],
  unresolved: [],
  spec_feedback: [],
  steering: [],
  notes: [],
  roadmap_advisory: [],
  ...said,
});

/** What the user says where nothing speaks against going on. */
const GOING_ON: Readonly<Record<string, string>> = {
  escalation: "fix",
  "review-passed": "continue",
  "wave-passed": "continue",
  "wave-failed": "proceed",
  steering: "approve",
  structure: "approve",
  "follow-up": "re-review",
  cap: "raise",
};

/** A repository as agents leave it, with the Lead that drives them. Nothing in it is by chance. */
export class Workshop {
  lead: Lead = createEmptyLead();
  readonly log: LeadEvent[] = [];
  readonly effects: LeadEffect[] = [];
  /** Ids of what was reported and taken. */
  readonly taken = new Set<string>();
  /** How each feature will be planned; one group with one file if it is not said. */
  readonly plans = new Map<string, readonly TaskGroupRecord[]>();
  readonly #written = new Map<string, number>();

  /** Another one that stands as this one does, and goes its own way from here. */
  copy(lead = this.lead): Workshop {
    const copy = new Workshop();
    copy.lead = lead;
    for (const [name, plan] of this.plans) copy.plans.set(name, plan);
    for (const [what, times] of this.#written) copy.#written.set(what, times);
    return copy;
  }

  /** Applies an event, and remembers it. */
  feed(event: LeadEvent): LeadEventResult {
    const { lead, applied } = applyLeadEvent(this.lead, event);
    this.lead = lead;
    this.log.push(event);
    if (applied.kind !== "repeated") this.effects.push(...applied.effects);
    if (event.kind === "reported" && applied.kind === "applied") this.taken.add(event.action);
    return applied;
  }

  add(...records: readonly FeatureRecord[]): this {
    for (const record of records) this.feed({ kind: "feature-added", record });
    return this;
  }

  begin(
    said: { readonly isGated?: boolean; readonly cap?: number | null; readonly onOverlap?: "partition" } = {},
  ): this {
    this.feed({ kind: "run-begun", isGated: false, cap: null, ...said });
    return this;
  }

  decide(): LeadDecision {
    return decideNextActions(this.lead);
  }

  feature(name: string): FeatureRecord {
    const record = this.lead.features.get(name as FeatureName);
    if (!record) throw new Error(`no feature ${name}`);
    return record;
  }

  /** Ids of what is due. */
  due(): string[] {
    const { actions, reviews } = this.decide();
    return [...actions.map(({ id }) => id), ...reviews.map(({ review, scope }) => `${getScopeHead(scope)}/${review}`)];
  }

  action(id: string): LeadAction {
    const action = this.lead.out.get(id)?.action ?? this.decide().actions.find((one) => one.id === id);
    if (!action) throw new Error(`${id} is not due; due: ${this.due().join(", ") || this.decide().idle}`);
    return action;
  }

  handOut(id: string, session = "one", estimate = 100): LeadEventResult {
    return this.feed({ kind: "handed-out", action: id, session, at: AT, base: null, estimate });
  }

  /** Reports on an action; what is not said is as it is when everything went well. */
  report(id: string, told: Partial<Told> = {}, tokens?: number): LeadEventResult {
    const well = this.well(this.action(id));
    return this.reportAs(id, told.report ?? well.report, { ...well.facts, ...told.facts }, tokens);
  }

  reportAs(id: string, report: AgentReport, facts: Partial<ReportFacts> = {}, tokens?: number): LeadEventResult {
    const event = { kind: "reported", action: id, report, facts: { at: AT, ...facts } } as const;
    return this.feed(tokens === undefined ? event : { ...event, tokens });
  }

  answer(id: string, choice: string, said = ""): LeadEventResult {
    return this.reportAs(id, { kind: "answer", choice, said });
  }

  lose(id: string): LeadEventResult {
    return this.feed({ kind: "lost", action: id, why: "nobody answered" });
  }

  /** Begins a review as whoever carries it out does. */
  beginReview(
    { review, scope }: Pick<PendingReview, "review" | "scope">,
    of = this.hashOf(review, scope),
  ): LeadEventResult {
    const batch = this.nextBatch(scope);
    return this.feed({ kind: "review-begun", review, scope, batch, of, tracked: [], mended: [] });
  }

  nextBatch(scope: ReviewScope): string {
    return createNextBatch(this.lead, scope, []);
  }

  hashOf(review: string, scope: ReviewScope): string {
    if (scope.of !== "feature") return `everything ${this.#written.get("code") ?? 0}`;
    const { design, implementation } = this.feature(scope.feature);
    return (review === "design" ? design?.hash : implementation.hash) ?? "nothing";
  }

  /** Brings a review to its end with this verdict of the auditor; all inspectors find nothing. */
  review(head: string, review: "design" | "impl" | "dead-code", said: Partial<AuditResult> = {}): LeadEventResult {
    const key = `${head}/${review}`;
    const due = this.decide().reviews.find((one) => `${getScopeHead(one.scope)}/${one.review}` === key);
    if (due) this.beginReview(due);
    const open = this.lead.reviews.get(key);
    if (!open) throw new Error(`no review ${key}; due: ${this.due().join(", ")}`);
    for (const name of open.inspectors) {
      const id = `${key}/${open.batch}/${name}`;
      if (this.decide().actions.some((action) => action.id === id)) this.report(id);
    }
    const facts = { frozen: open.of };
    return this.report(`${key}/${open.batch}/auditor`, { report: { kind: "audit", audit: audit(said) }, facts });
  }

  /** What is reported and found when an action went well. */
  well(action: LeadAction): Told {
    switch (action.kind) {
      case "ask":
        return { report: { kind: "answer", choice: GOING_ON[action.question] ?? "", said: "1000000000" } };
      case "commit":
        return { report: { kind: "commit", declined: false }, facts: { commit: { hash: "c0ffee", isClean: true } } };
      case "gate":
        return { report: { kind: "gate" }, facts: { build: this.built(action.feature, "passed") } };
      case "wave-gate":
        return {
          report: { kind: "gate" },
          facts: { wave: { tree: "tested", tests: { status: "passed", problems: [] } } },
        };
      case "spawn":
        return this.#workWell(action);
    }
  }

  #workWell({ work, role }: Extract<LeadAction, { kind: "spawn" }>): Told {
    switch (work.of) {
      case "design": {
        const hash = `design ${work.feature} ${this.#next(`design ${work.feature}`)}`;
        const files = this.planOf(work.feature).flatMap((group) => group.files);
        return {
          report: { kind: "architect", discovery: "light", tags: [] },
          facts: { design: { hash, files, problems: [] } },
        };
      }
      case "tasks": {
        const others = new PathSet(work.excluded);
        const groups = this.planOf(work.feature).map((group) => ({
          ...group,
          files: group.files.filter((file) => !others.has(file)),
        }));
        const hash = `tasks ${work.feature} ${this.#next(`tasks ${work.feature}`)}`;
        return { report: { kind: "tasks", tags: [] }, facts: { tasks: { hash, groups, problems: [] } } };
      }
      case "build": {
        const group = this.feature(work.feature).implementation.groups.find(({ id }) => id === work.group);
        const files = group?.files ?? [];
        const build = { ...this.built(work.feature, "deferred"), files };
        return { report: { kind: "builder", tasks: work.tasks, files, tests: null, tags: [] }, facts: { build } };
      }
      case "review": {
        const frozen = this.lead.reviews.get(work.review)?.of ?? "";
        return role.startsWith("auditor-")
          ? { report: { kind: "audit", audit: audit() }, facts: { frozen } }
          : { report: createEmptyInspection(work.views), facts: { frozen } };
      }
    }
  }

  planOf(name: string): readonly TaskGroupRecord[] {
    const one: TaskGroupRecord = {
      id: "A",
      wave: 1,
      tasks: ["1.1"],
      files: [`src/${name}.ts`],
      depends: [],
      status: "pending",
    };
    return this.plans.get(name) ?? [one];
  }

  /** The files of a feature after somebody wrote some of them. */
  built(
    name: string,
    status: "passed" | "failed" | "unknown" | "deferred" | "waived",
  ): NonNullable<ReportFacts["build"]> {
    this.#next("code");
    const hash = `code ${name} ${this.#next(`code ${name}`)}`;
    const groups = this.lead.features.get(name as FeatureName)?.implementation.groups ?? [];
    const files = groups.flatMap((group) => group.files);
    return { hash, missing: [], outside: [], files, tests: { status, problems: [] } };
  }

  #next(what: string): number {
    const number = (this.#written.get(what) ?? 0) + 1;
    this.#written.set(what, number);
    return number;
  }

  /** Lets everything go well until this is due. */
  until(id: string): this {
    this.finish((one) => one.due().includes(id));
    if (!this.due().includes(id)) throw new Error(`${id} never came; due: ${this.due().join(", ")}`);
    return this;
  }

  /** Lets everything go well, until nothing is due and nobody is at work, or until it is so far. How many steps it took. */
  finish(isSoFar: (workshop: Workshop) => boolean = () => false, most = 10_000): number {
    for (let step = 0; step < most; step++) {
      if (isSoFar(this)) return step;
      const { actions, reviews, out } = this.decide();
      const [review] = reviews;
      const next = out[0]?.action ?? actions[0];
      if (review) this.beginReview(review);
      else if (next) this.report(next.id);
      else return step;
    }
    throw new Error(`no end after ${most} steps; due: ${this.due().join(", ")}`);
  }
}

const getScopeHead = (scope: ReviewScope): string =>
  scope.of === "feature" ? scope.feature : scope.of === "wave" ? `wave-${scope.wave}` : "all";
