import type * as z from "zod";
import { checklist, type CheckItem, type Criterion } from "#domain/change/checklist.ts";
import { type ChangedFile, spokenLines } from "#domain/change/diff.ts";
import { diffFacts, idsSpoken } from "#domain/change/diff-facts.ts";
import { CHANGE_STAGES, type ChangeStage } from "#domain/change/flows.ts";
import type { ChangeRecord } from "#domain/change/record.ts";
import { isLockFile } from "#domain/change/classes.ts";
import { parseChangeId } from "#domain/change/id.ts";
import { count } from "#domain/count.ts";
import { Fault } from "#domain/fault.ts";
import type { Page } from "#domain/page.ts";
import { plain } from "#domain/quote.ts";
import { changeArtifact, CHANGES } from "#domain/workspace/path.ts";
import { CEILING, fit } from "../fit.ts";
import { operation } from "../operation.ts";
import type { Tree } from "../ports/store.ts";
import type { Detail } from "../text.ts";
import { criteriaOf } from "./criteria.ts";
import { changesSince } from "./growth.ts";
import type { ChangeReviewed, ChangeReviewQuery } from "./schema.ts";
import { everyChange, type ShelvedChange } from "./census.ts";
import { findChange, unfinishedChanges } from "./shelf.ts";
import { strangersAmong } from "../strangers.ts";

type Output = z.infer<typeof ChangeReviewed>;
type Shown = Output["items"][number];
type Part = { readonly item: Shown } | { readonly fact: string };

const LENGTHS: Readonly<Record<Detail, number>> = { summary: 80, standard: 240, full: 2_000 };
const EVIDENCE: Readonly<Record<Detail, number>> = { summary: 1, standard: 3, full: 10 };
const BAREST = 16;

export const review = operation<z.infer<typeof ChangeReviewQuery>, Output>({
  id: "change.review",
  effect: "read",
  input: async () => (await import("./schema.ts")).ChangeReviewQuery,
  output: async () => (await import("./schema.ts")).ChangeReviewed,
  async run(engine, { change_id, detail_level = "standard", max_tokens }) {
    const { record, artifacts, statements, tasks, criteria } = await engine.store.read((tree) =>
      lookAt(tree, change_id),
    );
    const changes = await changesSince(engine, record.base_commit);
    const files = typeof changes === "string" ? [] : changes.filter(({ path }) => !isLockFile(path));
    const { lines, unread } = spokenLines(files);
    const { items, left } = checklist(criteria, {
      description: record.description,
      artifacts,
      statements,
      files,
      lines,
    });
    const strangers = await engine.store.read((tree) => strangersAmong(tree, idsSpoken(lines)));
    const facts =
      typeof changes === "string"
        ? [`There is no diff to compare with: ${changes}.`]
        : files.length === 0
          ? ["Nothing has changed since the change began."]
          : diffFacts(files, lines, tasks, strangers);
    const notes = [
      ...(left > 0 ? [`Left off the list: ${count(left, "item")}.`] : []),
      ...(unread > 0 ? [`Not read: ${count(unread, "added line")}.`] : []),
    ];
    const diff = typeof changes === "string" ? undefined : totals(record, files);
    return fit(engine, max_tokens ?? CEILING, {
      items: parts(items, [...facts, ...notes], detail_level),
      build: (shown, omitted): Output => ({
        change_id: shown.length === 0 && omitted > 0 ? plain(record.id, BAREST) : record.id,
        ...(diff && (shown.length > 0 || omitted === 0) ? { diff } : {}),
        items: shown.flatMap((part) => ("item" in part ? [part.item] : [])),
        facts: shown.flatMap((part) => ("fact" in part ? [part.fact] : [])),
        omitted,
      }),
      page,
      shorten,
    });
  },
  page: (output) => page(output),
});

/** Alternates items and facts, so that a short answer contains both. */
function parts(items: readonly CheckItem[], facts: readonly string[], detail: Detail): Part[] {
  const shown = items.map(({ id, kind, text, why, evidence }) => ({
    item: {
      id: plain(id),
      kind,
      text: plain(text, LENGTHS[detail]),
      why: plain(why, 200),
      evidence: evidence.slice(0, EVIDENCE[detail]).map((each) => plain(each, 200)),
    },
  }));
  const said = facts.map((fact) => ({ fact: plain(fact, 600) }));
  return Array.from({ length: Math.max(shown.length, said.length) }).flatMap((_, i): Part[] =>
    [shown[i], said[i]].filter((part) => part !== undefined),
  );
}

function shorten(part: Part, length: number): Part | undefined {
  if ("fact" in part || !part.item.text) return undefined;
  return { item: { ...part.item, text: plain(part.item.text, length) } };
}

function totals({ base_commit = "" }: ChangeRecord, files: readonly ChangedFile[]): NonNullable<Output["diff"]> {
  return {
    since: base_commit.slice(0, 12),
    files: files.length,
    added: files.reduce((sum, { added }) => sum + added.length, 0),
    removed: files.reduce((sum, { removed }) => sum + removed, 0),
  };
}

interface Look {
  readonly record: ChangeRecord;
  readonly artifacts: string;
  readonly statements: string;
  readonly tasks: string | undefined;
  readonly criteria: readonly Criterion[];
}

function lookAt(tree: Tree, name: string | undefined): Look {
  const change = choose(tree, name);
  const { shelf, record } = change;
  const textsOf = (stages: readonly ChangeStage[]): string =>
    stages.map((stage) => tree.text(changeArtifact(shelf, record.id, stage)) ?? "").join("\n\n");
  return {
    record,
    artifacts: textsOf(CHANGE_STAGES),
    statements: textsOf(CHANGE_STAGES.filter((stage) => stage !== "context-check" && stage !== "verify")),
    tasks: tree.text(changeArtifact(shelf, record.id, "tasks")),
    criteria: criteriaOf(tree, change),
  };
}

/** The named change, else the only active one, else the only completed one. */
function choose(tree: Tree, name: string | undefined): ShelvedChange {
  if (name !== undefined) return findChange(tree, parseChangeId(name));
  const active = unfinishedChanges(tree).map((record) => ({ shelf: CHANGES, record }));
  const completed = everyChange(tree, [CHANGES]).changes.filter(({ record }) => record.status === "completed");
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

function page({ change_id, diff, items, facts, omitted }: Output): Page {
  const against = diff
    ? ` against ${count(diff.files, "changed file")} since ${diff.since} (+${diff.added} −${diff.removed})`
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
