import type { PlanningEngine } from "../engine.ts";
import type * as z from "zod";
import {
  buildReviewChecklist,
  type ReviewChecklistItem,
  type ReviewCriterion,
  collectAddedLines,
  collectDiffFacts,
  listIdsInAddedLines,
} from "../../model/change/change-review.ts";
import { CHANGE_STAGES, type ChangeStage } from "#kernel/model/stages/change-stages.ts";
import { isLockFile } from "../../model/change/change-size.ts";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import { ignoreFault } from "#kernel/model/fault.ts";
import type { Page } from "#kernel/model/page.ts";
import {
  getChangeArtifactPath,
  BUSINESS_RULES_PATH,
  DESIGN_PATH,
  REQUIREMENTS_PATH,
} from "#kernel/model/workspace-paths.ts";
import { DEFAULT_ANSWER_TOKENS, fitAnswer } from "#kernel/operations/answer-budget.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import type { DetailLevel } from "#kernel/operations/text-fields.ts";
import { describeOutsideWork, loadWorkChanges } from "../workflow/attributed-work.ts";
import type { ChangeReviewed } from "./schema.ts";
import { readArtifactText } from "./artifact-files.ts";
import { chooseOnlyChange, type StoredChange } from "./change-records.ts";
import { listUnknownIds } from "../unknown-ids.ts";
import type { DefinedItem } from "#kernel/model/document/id-references.ts";
import { parseDesignComponents } from "../../model/project/design-coverage.ts";
import { listLiveRequirements, listLiveRules } from "../../model/project/project-document.ts";
import { parseSpecDeltas } from "../../model/living-spec/item-outline.ts";
import {
  type DecisionFile,
  listChangeDecisions,
  readDecisionFileText,
  createDecisionView,
  listWorkspaceDecisions,
} from "../adr/decision-files.ts";

type ChangeReviewOutput = z.infer<typeof ChangeReviewed>;
type ReviewPart = { readonly item: ChangeReviewOutput["items"][number] } | { readonly fact: string };

/** Characters of an item's text and number of its evidence, by detail. */
const ITEM_LIMITS = { summary: [80, 1], standard: [240, 3], full: [2_000, 10] } as const;
const MIN_CHANGE_ID_LENGTH = 16;

export const reviewChangeOperation = defineOperation({
  id: "change.review",
  effect: "read",
  input: async () => (await import("./schema.ts")).ChangeReviewQuery,
  output: async () => (await import("./schema.ts")).ChangeReviewed,
  async run(engine: PlanningEngine, { change_id, detail_level = "standard", max_tokens = DEFAULT_ANSWER_TOKENS }) {
    const { record, tasks, criteria, ...texts } = await engine.store.read((tree) =>
      loadReviewMaterial(tree, change_id),
    );
    const { why, work, changes } = await loadWorkChanges(engine, record);
    const files = changes.filter(({ path }) => !isLockFile(path));
    const { lines, unread } = collectAddedLines(files);
    const reviewed = { description: record.description, ...texts, files, lines };
    const { items, left } = buildReviewChecklist(criteria, reviewed);
    const strangers = await engine.store.read((tree) => listUnknownIds(tree, listIdsInAddedLines(lines)));
    const facts =
      why !== undefined
        ? [`There is no diff to compare: ${why}.`]
        : files.length === 0
          ? ["Nothing has changed since the change started."]
          : collectDiffFacts(files, lines, tasks, strangers);
    const notes = [
      ...(left > 0 ? [`Left off the list: ${formatCount(left, "item")}.`] : []),
      ...(unread > 0 ? [`Not read: ${formatCount(unread, "added line")}.`] : []),
      ...(work ? describeOutsideWork(record.id, work).notes : []),
    ];
    const diff = {
      since: record.base_commit?.slice(0, 12) ?? "",
      files: files.length,
      added: files.reduce((sum, { added }) => sum + added.length, 0),
      removed: files.reduce((sum, { removed }) => sum + removed, 0),
    };
    const hasDiff = why === undefined;
    return fitAnswer(engine, max_tokens, {
      items: buildReviewParts(items, [...facts, ...notes], detail_level),
      build: (shown, omitted): ChangeReviewOutput => ({
        change_id: shown.length === 0 && omitted > 0 ? sanitizeText(record.id, MIN_CHANGE_ID_LENGTH) : record.id,
        ...(hasDiff && (shown.length > 0 || omitted === 0) ? { diff } : {}),
        items: shown.flatMap((part) => ("item" in part ? [part.item] : [])),
        facts: shown.flatMap((part) => ("fact" in part ? [part.fact] : [])),
        omitted,
      }),
      page: formatChangeReviewPage,
      shorten: (part, length) =>
        "fact" in part || !part.item.text
          ? undefined
          : { item: { ...part.item, text: sanitizeText(part.item.text, length) } },
    });
  },
  page: (output) => formatChangeReviewPage(output),
});

/** Alternates items and facts, so that a short answer contains both. */
function buildReviewParts(items: readonly ReviewChecklistItem[], facts: readonly string[], detail: DetailLevel) {
  const [textLength, evidenceCount] = ITEM_LIMITS[detail];
  const shown = items.map(({ id, kind, text, why, evidence }) => ({
    item: {
      id: sanitizeText(id),
      kind,
      text: sanitizeText(text, textLength),
      why: sanitizeText(why, 200),
      evidence: evidence.slice(0, evidenceCount).map((each) => sanitizeText(each, 200)),
    },
  }));
  const said = facts.map((fact) => ({ fact: sanitizeText(fact, 600) }));
  return Array.from({ length: Math.max(shown.length, said.length) }).flatMap((_, i): ReviewPart[] =>
    [shown[i], said[i]].filter((part) => part !== undefined),
  );
}

function loadReviewMaterial(tree: StoreTree, name: string | undefined) {
  const change = chooseOnlyChange(tree, name, "review");
  const { shelf, record } = change;
  const textsOf = (stages: readonly ChangeStage[]): string =>
    stages.map((stage) => readArtifactText(tree, getChangeArtifactPath(shelf, record.id, stage)) ?? "").join("\n\n");
  return {
    record,
    artifacts: textsOf(CHANGE_STAGES),
    statements: textsOf(CHANGE_STAGES.filter((stage) => stage !== "context-check" && stage !== "verify")),
    tasks: readArtifactText(tree, getChangeArtifactPath(shelf, record.id, "tasks")),
    criteria: collectReviewCriteria(tree, change),
  };
}

function formatChangeReviewPage({ change_id, diff, items, facts, omitted }: ChangeReviewOutput): Page {
  const against = diff
    ? ` against ${formatCount(diff.files, "changed file")} since ${diff.since} (+${diff.added} −${diff.removed})`
    : "";
  return {
    title: `Checklist for ${change_id}${against}.`,
    points: [
      ...items.map(({ id, text, why, evidence }) => {
        const found = evidence.length > 0 ? evidence.join(", ") : diff ? "the diff does not mention it" : "no diff";
        return `[ ] ${id}: ${text} (${why}; ${found})`;
      }),
      ...facts,
      ...(omitted > 0 ? [`${omitted} more: raise max_tokens.`] : []),
    ],
  };
}

/** The change's own statements come first and win over the project's for the same id. */
function collectReviewCriteria(tree: StoreTree, change: StoredChange): ReviewCriterion[] {
  const own = (stage: "spec" | "design"): string =>
    readArtifactText(tree, getChangeArtifactPath(change.shelf, change.record.id, stage)) ?? "";
  const all = [
    ...collectSpecCriteria(own("spec")),
    ...collectComponentCriteria(own("design"), true),
    ...collectDecisionCriteria(tree, listChangeDecisions(tree, change), true),
    ...listLiveRequirements(tree.text(REQUIREMENTS_PATH) ?? "").map((item) => createItemCriterion(item, "requirement")),
    ...listLiveRules(tree.text(BUSINESS_RULES_PATH) ?? "").map((item) => createItemCriterion(item, "rule")),
    ...collectComponentCriteria(tree.text(DESIGN_PATH) ?? ""),
    ...collectDecisionCriteria(tree, listWorkspaceDecisions(tree)),
  ];
  return [...Map.groupBy(all, ({ id }) => id).values()].flatMap(([first]) => first ?? []);
}

const createItemCriterion = ({ id, text }: DefinedItem, kind: "requirement" | "rule") => ({ id, kind, text });

/** A spec without delta headings states its items directly. */
function collectSpecCriteria(spec: string): ReviewCriterion[] {
  const { deltas, loose } = parseSpecDeltas(spec);
  const stated = deltas.map(({ id, op, to, text }) => {
    if (op === "removed") return { id, text: `is removed: ${text}` };
    return { id, text: op === "renamed" ? `becomes ${to}` : text };
  });
  return [...stated, ...loose].map(({ id, text }) => ({
    id,
    kind: id.startsWith("BR-") ? "rule" : "requirement",
    text: text.replace(/\s+/g, " "),
    isOwn: true,
  }));
}

function collectComponentCriteria(design: string, isOwn = false): ReviewCriterion[] {
  return parseDesignComponents(design).map(({ name, carries }) => ({
    id: name,
    kind: "component",
    text: carries.length > 0 ? `carries ${carries.join(", ")}` : "a component of the design",
    isOwn,
  }));
}

/** Accepted decisions only. Skips unreadable files; `adr.list` reports them. */
function collectDecisionCriteria(tree: StoreTree, places: readonly DecisionFile[], isOwn = false): ReviewCriterion[] {
  return places.flatMap((place): ReviewCriterion[] => {
    const adr = ignoreFault(() => createDecisionView(place, readDecisionFileText(tree, place)));
    const id = isOwn ? place.id : place.ref;
    return adr?.status === "accepted" ? [{ id, kind: "decision", text: adr.title, isOwn }] : [];
  });
}
