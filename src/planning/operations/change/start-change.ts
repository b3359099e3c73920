import type * as z from "zod";
import { beginChange } from "../../model/change/change-lifecycle.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { PlanningEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { ChangeProposed, ChangeStart } from "./schema.ts";
import {
  createChangeNameCheck,
  listActiveChanges,
  createChangeRecordStep,
  countUnfinishedWorkflows,
} from "./change-records.ts";
import { formatChangePage, loadOpenChangeStage, createChangeView } from "./change-page.ts";
import type { ChangeSize, ChangeType } from "#kernel/model/stages/change-stages.ts";
import { isLockFile, nextLargerSize, nextSmallerSize, proposeChangeSize } from "../../model/change/change-size.ts";
import {
  collectIdentifierTerms,
  rankItemsByTerms,
  stripDraftPhrases,
  type TermIndexedItem,
  extractDistinctiveTerms,
} from "../../model/change/distinctive-terms.ts";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import { type DefinedItem, listMentionedIds } from "#kernel/model/document/id-references.ts";
import { parseProseLines } from "#kernel/model/document/markdown-document.ts";
import type { Page } from "#kernel/model/page.ts";
import { listLiveRequirements, listLiveRules } from "../../model/project/project-document.ts";
import { BUSINESS_RULES_PATH, REQUIREMENTS_PATH } from "#kernel/model/workspace-paths.ts";
import type { SourceFile } from "#git/operations/ports/git-files.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";

export const startChangeOperation = defineOperation({
  id: "change.start",
  effect: "append",
  input: async () => (await import("./schema.ts")).ChangeStart,
  output: async () => (await import("./schema.ts")).ChangeStarted,
  async run(engine: PlanningEngine, wanted) {
    const { type, size } = wanted;
    if (type === undefined || size === undefined) return { proposed: await proposeChangeStart(engine, wanted) };
    const proposal = { ...wanted, type, size, base_commit: await engine.source.head() };
    const record = await commitStoreWrite(engine, (tree) => {
      const at = engine.clock.now();
      const workflows = countUnfinishedWorkflows(tree);
      const begun = beginChange(proposal, listActiveChanges(tree), createChangeNameCheck(tree), at, workflows);
      const data = { type, size, description: begun.description };
      return {
        steps: [createChangeRecordStep(begun)],
        occurrences: [{ kind: "change.started", subject: begun.id, data }],
        result: begun,
      };
    });
    return { change: createChangeView(record), next: await loadOpenChangeStage(engine, record) };
  },
  page({ change, next, proposed }) {
    if (proposed) return formatProposalPage(proposed);
    if (!change || !next) throw new Error("A change has begun, or one is proposed.");
    return formatChangePage(`Change ${change.id} has begun; stage ${next.stage} is open.`, change, next.guide);
  },
});

/** Files beyond these limits are compared by name only. */
const MAX_COMPARED_FILES = 3_000;
const MAX_COMPARED_FILE_BYTES = 64 * 1024;
const MAX_COMPARED_BYTES = 4 * 1024 * 1024;
const MAX_NAMED_FILES = 5;
const MAX_LISTED_REQUIREMENTS = 50;

export type ChangeProposalOutput = z.infer<typeof ChangeProposed>;

type WantedChange = z.infer<typeof ChangeStart>;

export async function proposeChangeStart(
  engine: Pick<PlanningEngine, "source" | "store">,
  wanted: WantedChange,
): Promise<ChangeProposalOutput> {
  const asked = extractDistinctiveTerms(wanted.description);
  const files = (await engine.source.files()).filter(({ path }) => !isLockFile(path));
  const { spoken, unread } = await indexSourceFiles(engine, files, asked);
  const touched = rankItemsByTerms(asked.keys(), spoken);
  const items = await engine.store.read(loadRequirementItems);
  const requirements = listTouchedItems(wanted.description, asked, items ?? []);
  const best = touched.slice(0, MAX_NAMED_FILES).map(({ item }) => sanitizeText(item));
  const words = [...new Set(touched.flatMap(({ terms }) => terms))].map((term) => asked.get(term) ?? term);
  const { type, size, because } = proposeChangeSize(
    wanted.description,
    {
      ...(files.length > 0 ? { files: { count: touched.length, best, words: words.slice(0, MAX_NAMED_FILES) } } : {}),
      ...(items ? { requirements } : {}),
    },
    wanted,
  );
  return {
    type,
    size,
    because: [...because],
    measured: { files: touched.length, best, requirements: requirements.slice(0, MAX_LISTED_REQUIREMENTS) },
    unmeasured: [
      ...(files.length === 0 ? ["There are no files to compare it with."] : []),
      ...(asked.size === 0 ? ["No word of it tells it from other changes, so nothing was compared."] : []),
      ...(unread > 0 ? [`Compared by name only: ${unread} of ${formatCount(files.length, "file")}.`] : []),
      ...(items ? [] : ["There are no requirements or rules to compare it with."]),
      ...((await engine.source.head()) === undefined
        ? ["There is no commit to measure from, so nothing will be told if it outgrows its size."]
        : []),
    ],
    begin: listStartChoices(wanted, type, size),
  };
}

/** The proposed size, one smaller, one larger. A given size is the only choice. */
function listStartChoices(wanted: WantedChange, type: ChangeType, size: ChangeSize): WantedChange[] {
  const { type: _, size: given, ...rest } = wanted;
  const sizes = given ? [size] : [size, nextSmallerSize(size), nextLargerSize(size)];
  return sizes.flatMap((each) => (each ? [{ type, size: each, ...rest }] : []));
}

export function formatProposalPage({ type, size, because, unmeasured, begin }: ChangeProposalOutput): Page {
  return {
    title: `Nothing has begun. Proposed: ${type === "enhancement" ? "an" : "a"} ${type} of size ${size}.`,
    points: [...because, ...unmeasured],
    next: begin.map((input) => ({ operation: "change.start", input })),
  };
}

async function indexSourceFiles(
  engine: Pick<PlanningEngine, "source">,
  files: readonly SourceFile[],
  asked: ReadonlyMap<string, string>,
): Promise<{ spoken: TermIndexedItem<string>[]; unread: number }> {
  const named = files.map(({ path, bytes }) => ({ path, bytes, name: collectIdentifierTerms(path) }));
  const isNamed = ({ name }: { name: ReadonlySet<string> }): boolean =>
    [...asked.keys()].some((term) => name.has(term));
  const inOrder = [...named.filter(isNamed), ...named.filter((file) => !isNamed(file))];
  const spoken: TermIndexedItem<string>[] = [];
  let [read, left, unread] = [0, MAX_COMPARED_BYTES, 0];
  for (const { path, bytes, name } of inOrder) {
    const isRead = asked.size > 0 && read < MAX_COMPARED_FILES && bytes <= Math.min(left, MAX_COMPARED_FILE_BYTES);
    const text = isRead ? await engine.source.text(path, MAX_COMPARED_FILE_BYTES) : undefined;
    if (isRead) [read, left] = [read + 1, left - bytes];
    else unread++;
    spoken.push({ item: path, name, text: text === undefined ? new Set() : collectIdentifierTerms(text) });
  }
  return { spoken, unread: asked.size > 0 ? unread : 0 };
}

function loadRequirementItems(tree: StoreTree): DefinedItem[] | undefined {
  const [requirements, rules] = [tree.text(REQUIREMENTS_PATH), tree.text(BUSINESS_RULES_PATH)];
  if (requirements === undefined && rules === undefined) return undefined;
  return [...listLiveRequirements(requirements ?? ""), ...listLiveRules(rules ?? "")];
}

function listTouchedItems(
  description: string,
  asked: ReadonlyMap<string, string>,
  items: readonly DefinedItem[],
): string[] {
  const named = listMentionedIds(parseProseLines(description), "requirement", "rule");
  const spoken = items.map(({ id, text }) => ({
    item: id,
    name: new Set<string>(),
    text: collectIdentifierTerms(stripDraftPhrases(text)),
  }));
  const known = items.filter(({ id }) => named.includes(id)).map(({ id }) => id);
  return [...new Set([...known, ...rankItemsByTerms(asked.keys(), spoken).map(({ item }) => item)])];
}
