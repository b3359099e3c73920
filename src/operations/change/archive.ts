import type * as z from "zod";
import { archiveChange } from "#domain/change/change.ts";
import { type ChangeId, parseChangeId } from "#domain/change/id.ts";
import type { ChangeRecord } from "#domain/change/record.ts";
import { offerCommit } from "#domain/commit-message.ts";
import { count } from "#domain/count.ts";
import { Fault } from "#domain/fault.ts";
import type { Page } from "#domain/page.ts";
import { DECISIONS, type Outcome } from "#domain/spec/vocabulary.ts";
import { changeFolder, CHANGES, HISTORY } from "#domain/workspace/path.ts";
import { type Clock, commit } from "../engine.ts";
import { operation } from "../operation.ts";
import type { Plan, Tree } from "../ports/store.ts";
import { type Landing, landDeltas } from "./merge.ts";
import type { ChangeArchive, ChangeArchived } from "./schema.ts";
import { everyChange, type ShelvedChange } from "./census.ts";
import { findChange, occurrences, recordStep } from "./shelf.ts";
import { changePage, viewChange } from "./view.ts";

type Output = z.infer<typeof ChangeArchived>;

export const archive = operation<z.infer<typeof ChangeArchive>, Output>({
  id: "change.archive",
  effect: "change",
  input: async () => (await import("./schema.ts")).ChangeArchive,
  output: async () => (await import("./schema.ts")).ChangeArchived,
  async run(engine, { change_id, decisions = [] }) {
    const { record, landing } = await commit(engine, (tree) => decide(tree, change_id, decisions, engine.clock));
    return {
      passed: landing.conflicts.length === 0,
      change: viewChange(record),
      merged: [...landing.merged],
      documents: landing.steps.map(({ path }) => path),
      conflicts: landing.conflicts.map((conflict) => ({ ...conflict, choices: [...conflict.choices] })),
    };
  },
  page: archivePage,
  isRefusal: (output) => !output.passed,
});

function decide(
  tree: Tree,
  name: string | undefined,
  decisions: readonly string[],
  clock: Clock,
): Plan<{ record: ChangeRecord; landing: Landing }> {
  const { shelf, record: before } = choose(tree, name);
  if (shelf === CHANGES && tree.has(changeFolder(HISTORY, before.id))) throw inTheWay(before.id);
  const [moved, effects] = archiveChange(before, clock.now());
  const landing = landDeltas(tree, before, decisions);
  if (landing.conflicts.length > 0) return { steps: [], occurrences: [], result: { record: before, landing } };
  const { merged } = landing;
  const record = merged.length > 0 ? { ...moved, merged } : moved;
  return {
    steps: [
      ...landing.steps,
      recordStep(record),
      { kind: "move", from: changeFolder(CHANGES, record.id), to: changeFolder(HISTORY, record.id) },
    ],
    occurrences: occurrences(record, effects).map((occurrence) =>
      merged.length > 0
        ? { ...occurrence, data: { ...occurrence.data, merged, documents: landing.steps.map(({ path }) => path) } }
        : occurrence,
    ),
    result: { record, landing },
  };
}

function archivePage({ passed, change, merged, documents, conflicts }: Output): Page {
  if (passed) {
    const page = changePage(`${change.id} is archived in ${change.path}.`, change);
    const outcomes = Object.entries(Object.groupBy(merged, ({ how }) => how));
    const told = outcomes.map(
      ([how, all]) => `${(all ?? []).map(({ id }) => id).join(", ")}: ${OUTCOME_WORDS[how as Outcome]}.`,
    );
    const isDone = change.stages.every(({ status }) => status === "completed");
    return {
      ...page,
      points: [...(page.points ?? []), ...documents.map((path) => `${path} written.`), ...told],
      next: [...(page.next ?? []), ...(isDone ? [offerCommit(change.id, change.description)] : [])],
    };
  }
  return {
    title: `${change.id} is not archived: ${count(conflicts.length, "conflict")} with the project's requirements and rules.`,
    quotes: conflicts.flatMap(({ id, was, now, wants }) => [
      { label: `${id} when the change was written:`, text: was || "(nothing)" },
      { label: `${id} in the document now:`, text: now ?? "(nothing)" },
      { label: `${id} as the change wants it:`, text: wants },
    ]),
    points: [...conflicts.map(({ id, why }) => `${id}: ${why}`), "Ask the user whose word holds, for each of them."],
    next: [
      ...DECISIONS.filter((word) => conflicts.every(({ choices }) => choices.includes(word))).map((word) => ({
        operation: "change.archive",
        input: { change_id: change.id, decisions: conflicts.map(({ id }) => `${id}=${word}`) },
      })),
      { operation: "change.reopen", input: { change_id: change.id, stage: "spec", reason: "…" } },
    ],
  };
}

const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = {
  applied: "applied",
  same: "as the document had it already",
  merged: "joined with what others changed meanwhile",
  document: "the document's text was kept, as decided",
  change: "the change's text was taken, as decided",
};

function choose(tree: Tree, name: string | undefined): ShelvedChange {
  if (name !== undefined) return findChange(tree, parseChangeId(name));
  const completed = everyChange(tree, [CHANGES]).changes.filter(({ record }) => record.status === "completed");
  const [only, second] = completed;
  if (only && !second) return only;
  throw new Fault("change.none-to-archive", {
    what: "It is not clear which change to archive.",
    why: only ? `${completed.map(({ record }) => record.id).join(", ")} are completed.` : "No change is completed.",
    fix: only
      ? completed.map(({ record }) => ({ operation: "change.archive", input: { change_id: record.id } }))
      : { operation: "change.list" },
  });
}

function inTheWay(id: ChangeId): Fault {
  return new Fault("change.in-history", {
    what: `${id} cannot be archived.`,
    why: `${changeFolder(HISTORY, id)} is there already: two branches may have had a change of that name.`,
    fix: `Rename one of them: git mv ${changeFolder(HISTORY, id)} ${changeFolder(HISTORY, id)}-1`,
  });
}
