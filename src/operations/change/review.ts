import type * as z from "zod";
import { buildReviewChecklist, type ReviewChecklistItem, type ReviewCriterion } from "#domain/change/checklist.ts";
import { type ReviewedFile, collectAddedLines } from "#domain/change/diff.ts";
import { collectDiffFacts, listIdsInAddedLines } from "#domain/change/diff-facts.ts";
import { CHANGE_STAGES, type ChangeStage } from "#domain/change/flows.ts";
import type { ChangeRecord } from "#domain/change/record.ts";
import { isLockFile } from "#domain/change/classes.ts";
import { parseChangeId } from "#domain/change/id.ts";
import { formatCount } from "#domain/count.ts";
import { Fault } from "#domain/fault.ts";
import type { Page } from "#domain/page.ts";
import { sanitizeText } from "#domain/quote.ts";
import { getChangeArtifactPath, CHANGES_FOLDER } from "#domain/workspace/path.ts";
import { DEFAULT_ANSWER_TOKENS, fitAnswer } from "../fit.ts";
import { defineOperation } from "../operation.ts";
import type { StoreTree } from "../ports/store.ts";
import type { DetailLevel } from "../text.ts";
import { collectReviewCriteria } from "./criteria.ts";
import { listFileChangesSince } from "./growth.ts";
import type { ChangeReviewed, ChangeReviewQuery } from "./schema.ts";
import { loadChangeRecords, type StoredChange } from "./census.ts";
import { findStoredChange, listActiveChanges } from "./shelf.ts";
import { listUnknownIds } from "../strangers.ts";

type ChangeReviewOutput = z.infer<typeof ChangeReviewed>;
type ShownChecklistItem = ChangeReviewOutput["items"][number];
type ReviewPart = { readonly item: ShownChecklistItem } | { readonly fact: string };

const ITEM_TEXT_LENGTHS: Readonly<Record<DetailLevel, number>> = { summary: 80, standard: 240, full: 2_000 };
const EVIDENCE_LIMITS: Readonly<Record<DetailLevel, number>> = { summary: 1, standard: 3, full: 10 };
const MIN_CHANGE_ID_LENGTH = 16;

export const reviewChangeOperation = defineOperation<z.infer<typeof ChangeReviewQuery>, ChangeReviewOutput>({
  id: "change.review",
  effect: "read",
  input: async () => (await import("./schema.ts")).ChangeReviewQuery,
  output: async () => (await import("./schema.ts")).ChangeReviewed,
  async run(engine, { change_id, detail_level = "standard", max_tokens }) {
    const { record, artifacts, statements, tasks, criteria } = await engine.store.read((tree) =>
      loadReviewMaterial(tree, change_id),
    );
    const changes = await listFileChangesSince(engine, record.base_commit);
    const files = typeof changes === "string" ? [] : changes.filter(({ path }) => !isLockFile(path));
    const { lines, unread } = collectAddedLines(files);
    const { items, left } = buildReviewChecklist(criteria, {
      description: record.description,
      artifacts,
      statements,
      files,
      lines,
    });
    const strangers = await engine.store.read((tree) => listUnknownIds(tree, listIdsInAddedLines(lines)));
    const facts =
      typeof changes === "string"
        ? [`There is no diff to compare with: ${changes}.`]
        : files.length === 0
          ? ["Nothing has changed since the change began."]
          : collectDiffFacts(files, lines, tasks, strangers);
    const notes = [
      ...(left > 0 ? [`Left off the list: ${formatCount(left, "item")}.`] : []),
      ...(unread > 0 ? [`Not read: ${formatCount(unread, "added line")}.`] : []),
    ];
    const diff = typeof changes === "string" ? undefined : summarizeChangeDiff(record, files);
    return fitAnswer(engine, max_tokens ?? DEFAULT_ANSWER_TOKENS, {
      items: buildReviewParts(items, [...facts, ...notes], detail_level),
      build: (shown, omitted): ChangeReviewOutput => ({
        change_id: shown.length === 0 && omitted > 0 ? sanitizeText(record.id, MIN_CHANGE_ID_LENGTH) : record.id,
        ...(diff && (shown.length > 0 || omitted === 0) ? { diff } : {}),
        items: shown.flatMap((part) => ("item" in part ? [part.item] : [])),
        facts: shown.flatMap((part) => ("fact" in part ? [part.fact] : [])),
        omitted,
      }),
      page: formatChangeReviewPage,
      shorten: shortenReviewPart,
    });
  },
  page: (output) => formatChangeReviewPage(output),
});

/** Alternates items and facts, so that a short answer contains both. */
function buildReviewParts(
  items: readonly ReviewChecklistItem[],
  facts: readonly string[],
  detail: DetailLevel,
): ReviewPart[] {
  const shown = items.map(({ id, kind, text, why, evidence }) => ({
    item: {
      id: sanitizeText(id),
      kind,
      text: sanitizeText(text, ITEM_TEXT_LENGTHS[detail]),
      why: sanitizeText(why, 200),
      evidence: evidence.slice(0, EVIDENCE_LIMITS[detail]).map((each) => sanitizeText(each, 200)),
    },
  }));
  const said = facts.map((fact) => ({ fact: sanitizeText(fact, 600) }));
  return Array.from({ length: Math.max(shown.length, said.length) }).flatMap((_, i): ReviewPart[] =>
    [shown[i], said[i]].filter((part) => part !== undefined),
  );
}

function shortenReviewPart(part: ReviewPart, length: number): ReviewPart | undefined {
  if ("fact" in part || !part.item.text) return undefined;
  return { item: { ...part.item, text: sanitizeText(part.item.text, length) } };
}

function summarizeChangeDiff(
  { base_commit = "" }: ChangeRecord,
  files: readonly ReviewedFile[],
): NonNullable<ChangeReviewOutput["diff"]> {
  return {
    since: base_commit.slice(0, 12),
    files: files.length,
    added: files.reduce((sum, { added }) => sum + added.length, 0),
    removed: files.reduce((sum, { removed }) => sum + removed, 0),
  };
}

interface ReviewMaterial {
  readonly record: ChangeRecord;
  readonly artifacts: string;
  readonly statements: string;
  readonly tasks: string | undefined;
  readonly criteria: readonly ReviewCriterion[];
}

function loadReviewMaterial(tree: StoreTree, name: string | undefined): ReviewMaterial {
  const change = chooseChangeToReview(tree, name);
  const { shelf, record } = change;
  const textsOf = (stages: readonly ChangeStage[]): string =>
    stages.map((stage) => tree.text(getChangeArtifactPath(shelf, record.id, stage)) ?? "").join("\n\n");
  return {
    record,
    artifacts: textsOf(CHANGE_STAGES),
    statements: textsOf(CHANGE_STAGES.filter((stage) => stage !== "context-check" && stage !== "verify")),
    tasks: tree.text(getChangeArtifactPath(shelf, record.id, "tasks")),
    criteria: collectReviewCriteria(tree, change),
  };
}

/** The named change, else the only active one, else the only completed one. */
function chooseChangeToReview(tree: StoreTree, name: string | undefined): StoredChange {
  if (name !== undefined) return findStoredChange(tree, parseChangeId(name));
  const active = listActiveChanges(tree).map((record) => ({ shelf: CHANGES_FOLDER, record }));
  const completed = loadChangeRecords(tree, [CHANGES_FOLDER]).changes.filter(
    ({ record }) => record.status === "completed",
  );
  const [kind, candidates] = active.length > 0 ? (["active", active] as const) : (["completed", completed] as const);
  const [only, second] = candidates;
  if (only && !second) return only;
  throw new Fault("change.none-to-review", {
    what: "It is not clear which change to review.",
    why: only
      ? `${candidates.map(({ record }) => record.id).join(", ")} are ${kind}.`
      : "No change is active or completed.",
    fix: only
      ? candidates.map(({ record }) => ({ operation: "change.review", input: { change_id: record.id } }))
      : { operation: "change.list" },
  });
}

function formatChangeReviewPage({ change_id, diff, items, facts, omitted }: ChangeReviewOutput): Page {
  const against = diff
    ? ` against ${formatCount(diff.files, "changed file")} since ${diff.since} (+${diff.added} −${diff.removed})`
    : "";
  return {
    title: `Checklist for ${change_id}${against}.`,
    points: [
      ...items.map(({ id, text, why, evidence }) => {
        const found = evidence.length > 0 ? evidence.join(", ") : diff ? "nothing in the diff mentions it" : "no diff";
        return `[ ] ${id}: ${text} (${why}; ${found})`;
      }),
      ...facts,
      ...(omitted > 0 ? [`${omitted} more: raise max_tokens.`] : []),
    ],
  };
}
