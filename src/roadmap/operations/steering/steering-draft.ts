import { maskDetectedSecrets } from "#kernel/model/secret-detection.ts";
import { createSlug } from "#kernel/model/slug.ts";
import type { WorkspacePath } from "#kernel/model/workspace-paths.ts";
import { DECISIONS_PATH, getSupersededSteeringPath, SUPERSEDED_FOLDER } from "#kernel/model/workspace-paths.ts";
import type { LedgerEntry, LedgerSpace, StoreStep, StoreTree } from "#store/operations/ports/store.ts";
import { findNextArchiveNumber } from "#store/operations/tolerant-tree.ts";
import type { FeatureRecord } from "../../model/feature/feature-record.ts";
import {
  appendDecisionEntries,
  type DecisionEntry,
  findLastDecisionNumber,
  formatDecisionEntry,
  formatProductLogLine,
  isUserDecision,
} from "../../model/handover/decision-log.ts";
import type { LeadEffect } from "../../model/lead/lead-state.ts";
import {
  addFeatureCriterion,
  appendProductDecision,
  updateSpecRationale,
} from "../../model/steering/product-document.ts";
import { addCodifiedLine } from "../../model/steering/markdown-section.ts";
import type { SteeringName } from "../../model/steering/steering-name.ts";
import { formatSteeringTitle, parseSteeringName, resolveSteeringPath } from "../../model/steering/steering-name.ts";

/** The last decision number of all worktrees. The log of this worktree may lack some. */
export const DECISION_NUMBERS: LedgerSpace<number> = { name: "handover" };
export const DECISION_NUMBER_KEY = "decisions";

export interface ArchivedFile {
  readonly from: WorkspacePath;
  readonly to: WorkspacePath;
}

/** Steering files and decision log after a write. Several edits of one file become one step. */
export class SteeringDraft {
  readonly #tree: StoreTree;
  readonly #at: string;
  readonly #texts = new Map<WorkspacePath, string>();
  readonly #entries: string[] = [];
  readonly #moves: ArchivedFile[] = [];
  readonly #copies: ArchivedFile[] = [];
  #number: number;

  constructor(tree: StoreTree, at: string) {
    this.#tree = tree;
    this.#at = at;
    this.#number = Math.max(
      findLastDecisionNumber(tree.text(DECISIONS_PATH) ?? ""),
      tree.kept(DECISION_NUMBERS).get(DECISION_NUMBER_KEY) ?? 0,
    );
  }

  text(path: WorkspacePath): string | undefined {
    return this.#texts.get(path) ?? this.#tree.text(path);
  }

  write(path: WorkspacePath, text: string): void {
    if (this.text(path) !== text) this.#texts.set(path, text);
  }

  edit(name: SteeringName, change: (text: string) => string): void {
    const path = resolveSteeringPath(name);
    this.write(path, change(this.text(path) ?? `# ${formatSteeringTitle(name)}\n`));
  }

  /** Adds a line once. Throws for a file outside the folder. */
  codify(file: string, line: string): void {
    this.edit(parseSteeringName(file), (text) => addCodifiedLine(text, maskDetectedSecrets(line)));
  }

  /** Assigns the next number. A user decision also goes into an existing product.md. */
  decide(said: DecisionEntry): number {
    const number = ++this.#number;
    // Call input is masked earlier, agent reports may not be.
    const { type, ...texts } = said;
    const clean = Object.entries(texts).map(([name, text]) => [name, maskDetectedSecrets(text)]);
    const decision = { type, ...(Object.fromEntries(clean) as typeof texts) };
    this.#entries.push(formatDecisionEntry(number, this.#at, decision));
    if (isUserDecision(decision) && this.text(resolveSteeringPath("product")) !== undefined)
      this.edit("product", (text) => appendProductDecision(text, formatProductLogLine(number, this.#at, decision)));
    return number;
  }

  remove(path: WorkspacePath): void {
    this.#moves.push({ from: path, to: this.#free(path) });
  }

  keepAside(path: WorkspacePath): void {
    this.#copies.push({ from: path, to: this.#free(path) });
  }

  #free(path: WorkspacePath): WorkspacePath {
    const name = createSlug(path.slice(path.lastIndexOf("/") + 1).replace(/\.md$/i, ""), "topic");
    const taken = new Set(this.asides().map(({ to }) => to));
    let n = findNextArchiveNumber(this.#tree, SUPERSEDED_FOLDER, `steering-${name}`);
    while (taken.has(getSupersededSteeringPath(name, n))) n++;
    return getSupersededSteeringPath(name, n);
  }

  asides(): readonly ArchivedFile[] {
    return [...this.#copies, ...this.#moves];
  }

  changed(): WorkspacePath[] {
    return [...this.#texts].filter(([path, text]) => this.#tree.text(path) !== text).map(([path]) => path);
  }

  steps(): StoreStep[] {
    return [
      ...this.#copies.map(({ from, to }) => createDocumentStep(to, this.#tree.text(from) ?? "")),
      ...this.#moves.map((move): StoreStep => ({ kind: "move", ...move })),
      ...this.changed().map((path) => createDocumentStep(path, this.#texts.get(path) ?? "")),
      ...(this.#entries.length === 0
        ? []
        : [createDocumentStep(DECISIONS_PATH, appendDecisionEntries(this.#tree.text(DECISIONS_PATH), this.#entries))]),
    ];
  }

  /** Must be in the same plan as the steps, so that no other worktree assigns the same numbers. */
  keeps(): LedgerEntry[] {
    return this.#entries.length === 0
      ? []
      : [{ space: DECISION_NUMBERS.name, key: DECISION_NUMBER_KEY, value: this.#number }];
  }
}

const createDocumentStep = (path: WorkspacePath, text: string): StoreStep => ({ kind: "document", path, text });

/** Other product changes of the same write. Two separate writers would overwrite each other's file. */
export interface ProductUpdate {
  readonly planned?: readonly Pick<FeatureRecord, "feature_name" | "description" | "roadmap">[];
  readonly designed?: readonly Pick<FeatureRecord, "feature_name" | "description">[];
}

export function draftSteeringEffects(
  tree: StoreTree,
  effects: readonly LeadEffect[],
  at: string,
  { planned, designed = [] }: ProductUpdate = {},
): SteeringDraft {
  const draft = new SteeringDraft(tree, at);
  const rationales = planned?.flatMap(({ feature_name: name, description, roadmap }) =>
    roadmap ? [{ name, description, ...roadmap }] : [],
  );
  if (rationales) draft.edit("product", (text) => updateSpecRationale(text, rationales));
  for (const { feature_name: name, description } of designed)
    draft.edit("product", (text) => addFeatureCriterion(text, name, description));
  for (const effect of effects) {
    if (effect.kind === "steering") draft.codify(effect.file, effect.text);
    if (effect.kind !== "decision") continue;
    const { kind: _, ...decision } = effect;
    draft.decide(decision);
  }
  return draft;
}
