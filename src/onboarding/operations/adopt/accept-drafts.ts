import type { OnboardingEngine } from "../engine.ts";
import type * as z from "zod";
import { Fault } from "#kernel/model/fault.ts";
import type { Page } from "#kernel/model/page.ts";
import { formatCount, formatShortList } from "#kernel/model/text-format.ts";
import * as paths from "#kernel/model/workspace-paths.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { removeDraftMarks } from "#planning/model/adopt/document-drafts.ts";
import { chooseItemList, insertSpecItem, removeSpecItem } from "#planning/model/living-spec/item-edit.ts";
import { listLiveRequirements, listLiveRules } from "#planning/model/project/project-document.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { StoreStep, StoreTree } from "#store/operations/ports/store.ts";
import type { AcceptOutputSchema, UndoOutputSchema } from "./schema.ts";

type AcceptOutput = z.infer<typeof AcceptOutputSchema>;

const ITEM_BOOKS = [
  { path: paths.REQUIREMENTS_PATH, list: listLiveRequirements, empty: "# Requirements\n" },
  { path: paths.BUSINESS_RULES_PATH, list: listLiveRules, empty: "# Business rules\n" },
];

/** Only from here on do drafts count: they move into the project's documents, one by one or all. */
export const acceptDrafts = defineOperation({
  id: "adopt.accept",
  effect: "change",
  input: async () => (await import("./schema.ts")).AcceptInputSchema,
  output: async () => (await import("./schema.ts")).AcceptOutputSchema,
  run: (engine: OnboardingEngine, { ids = [], all = false }): Promise<AcceptOutput> =>
    commitStoreWrite(engine, (tree) =>
      planAcceptance(tree, { ids: new Set(ids.map(String)), isAll: all, at: engine.clock.now() }),
    ),
  page: ({ accepted, written, kept, left }): Page => ({
    title: `Accepted ${formatCount(accepted.length, "item")}${left > 0 ? `; ${formatCount(left, "draft")} left` : ""}.`,
    points: [
      ...written.map((path) => `${path} written`),
      ...kept.map((path) => `${path} kept: the workspace has such a document already`),
    ],
    next: left > 0 ? [{ operation: "adopt.accept", input: { all: true } }] : [{ operation: "trace.show" }],
  }),
});

function planAcceptance(
  tree: StoreTree,
  { ids, isAll, at }: { readonly ids: ReadonlySet<string>; readonly isAll: boolean; readonly at: string },
) {
  const drafts = loadDrafts(tree);
  if (!isAll && ids.size === 0) throw createNoDraftFault("No draft was named.", drafts);
  const known = new Set(drafts.flatMap(({ items }) => items.map(({ id }) => id)));
  const unknown = [...ids].filter((id) => !known.has(id));
  if (drafts.length === 0 || unknown.length > 0)
    throw createNoDraftFault(
      unknown.length > 0 ? `No draft has the id ${formatShortList(unknown, 5)}.` : "There are no drafts.",
      drafts,
    );
  const steps: StoreStep[] = [];
  const accepted: string[] = [];
  const kept: string[] = [];
  let left = 0;
  for (const { path, draft, text, items, empty } of drafts) {
    const present = tree.has(path) ? (tree.text(path) ?? "") : undefined;
    const chosen = items.filter(({ id }) => isAll || ids.has(id));
    const rest = chosen.reduce((book, { id }) => removeSpecItem(book, id), text);
    left += items.length - chosen.length;
    if (isAll && present === undefined) steps.push({ kind: "document", path, text: removeDraftMarks(text) });
    else if (chosen.length > 0) {
      const taken = chosen.reduce(
        (book, item) => insertSpecItem(book, chooseItemList(item.id), item.id, removeDraftMarks(item.text)),
        present ?? empty,
      );
      steps.push({ kind: "document", path, text: taken });
    } else if (isAll && items.length === 0) kept.push(path);
    if (!isAll && chosen.length > 0) steps.push({ kind: "document", path: draft, text: rest });
    accepted.push(...chosen.map(({ id }) => id));
  }
  if (isAll) steps.push({ kind: "move", from: paths.DRAFT_FOLDER, to: paths.getUndonePath(at, paths.DRAFT_FOLDER) });
  const written = steps.flatMap((step) => (step.kind === "document" ? [step.path] : []));
  return {
    steps,
    occurrences: [{ kind: "workspace.drafts-accepted", subject: paths.DRAFT_FOLDER, data: { accepted } }],
    result: { accepted, written, kept, left: isAll ? 0 : left },
  };
}

function loadDrafts(tree: StoreTree) {
  const books = [...ITEM_BOOKS, { path: paths.DESIGN_PATH, list: () => [], empty: "" }];
  return books.flatMap(({ path, list, empty }) => {
    const draft = paths.getDraftPath(path);
    const text = tree.has(draft) ? tree.text(draft) : undefined;
    return text === undefined ? [] : [{ path, draft, text, empty, items: list(text) }];
  });
}

const createNoDraftFault = (what: string, drafts: ReturnType<typeof loadDrafts>): Fault => {
  const ids = drafts.flatMap(({ items }) => items.map(({ id }) => id));
  return new Fault("adopt.no-draft", {
    what,
    why:
      ids.length > 0
        ? `Drafts: ${formatShortList(ids, 10)}.`
        : `${paths.DRAFT_FOLDER}/ holds what \`tenon adopt\` drafts.`,
    fix: ids.length > 0 ? { operation: "adopt.accept", input: { all: true } } : { operation: "adopt.bootstrap" },
  });
};

/** Nothing is deleted: the drafts move to `.sdd/undone/`, which git ignores. */
export const undoDrafts = defineOperation({
  id: "adopt.undo",
  effect: "change",
  input: async () => (await import("./schema.ts")).UndoInputSchema,
  output: async () => (await import("./schema.ts")).UndoOutputSchema,
  async run(engine: OnboardingEngine): Promise<z.infer<typeof UndoOutputSchema>> {
    const template = await engine.assets.text("templates/config");
    const at = engine.clock.now();
    return commitStoreWrite(engine, (tree) => {
      if (!tree.has(paths.DRAFT_FOLDER)) throw createNoDraftFault("There are no drafts.", []);
      const moved = [paths.DRAFT_FOLDER, ...listUntouchedFoundation(tree, template)];
      return {
        steps: [
          ...moved.map((from): StoreStep => ({ kind: "move", from, to: paths.getUndonePath(at, from) })),
          ...restoreGitignore(tree, moved),
        ],
        occurrences: [{ kind: "workspace.adoption-undone", subject: paths.DRAFT_FOLDER, data: { moved } }],
        result: { moved, to: paths.getUndonePath(at, paths.DRAFT_FOLDER) },
      };
    });
  },
  page: ({ moved, to }): Page => ({
    title: `Undone: ${formatShortList(moved, 5)} removed.`,
    points: [`Kept for you in ${to}`],
    next: [{ operation: "adopt.bootstrap" }],
  }),
});

function listUntouchedFoundation(tree: StoreTree, template: string): paths.WorkspacePath[] {
  const isAlone = tree.text(paths.CONFIG_PATH) === template && tree.names(paths.SDD_FOLDER).length === 2;
  if (!isAlone) return [];
  return [paths.CONFIG_PATH, ...(tree.text(paths.GITIGNORE_PATH) === IGNORED_LINE ? [paths.GITIGNORE_PATH] : [])];
}

const IGNORED_LINE = ".sdd/\n";

function restoreGitignore(tree: StoreTree, moved: readonly paths.WorkspacePath[]): StoreStep[] {
  const text = tree.text(paths.GITIGNORE_PATH) ?? "";
  if (!moved.includes(paths.CONFIG_PATH) || moved.includes(paths.GITIGNORE_PATH) || !text.endsWith(`\n${IGNORED_LINE}`))
    return [];
  return [{ kind: "document", path: paths.GITIGNORE_PATH, text: text.slice(0, -IGNORED_LINE.length) }];
}
