import type * as z from "zod";
import { storeContextCheck, requireOnlyActiveChange } from "../../model/change/change-lifecycle.ts";
import type { ChangeRecord, ContextCheck, ContextFact } from "../../model/change/change-record.ts";
import { collectContextFacts } from "../../model/context/context-facts.ts";
import {
  type PlanningDocument,
  isRemovedPiece,
  type DocumentPiece,
  splitDocumentPieces,
} from "#kernel/model/document/document-pieces.ts";
import { extractSearchKeywords, rankByRelevance } from "../../model/context/document-relevance.ts";
import { formatCount } from "#kernel/model/text-format.ts";
import { Fault } from "#kernel/model/fault.ts";
import type { SearchQuestion } from "#kernel/model/search/search-question.ts";
import type { Page } from "#kernel/model/page.ts";
import { BUSINESS_RULES_PATH, HISTORY_FOLDER, TASKS_PATH } from "#kernel/model/workspace-paths.ts";
import {
  loadChangeRecords,
  isOpenChange,
  type StoredChange,
  chooseActiveChange,
  createChangeRecordStep,
  listActiveChanges,
} from "../change/change-records.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { PlanningEngine } from "../engine.ts";
import { DEFAULT_ANSWER_TOKENS, fitAnswer } from "#kernel/operations/answer-budget.ts";
import { createObservationView } from "#memory/operations/observation-view.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import {
  findRelevantCode,
  createArtifactFinding,
  createChangeFinding,
  createConventionFinding,
  createDecisionFinding,
  formatDecisionTitle,
  formatContextFindings,
  type ContextFinding,
  createObservationFinding,
  createPieceFinding,
  shortenContextFinding,
  createSkippedFinding,
  listSkippedSources,
  recallRelevantObservations,
} from "./context-findings.ts";
import {
  type ContextSnapshot,
  readContextSnapshot,
  digestContextSnapshot,
  loadTemplateLines,
} from "./context-snapshot.ts";
import type { ContextChecked, ContextCheckQuery } from "./schema.ts";

type ContextCheckInput = z.infer<typeof ContextCheckQuery>;
type ContextCheckOutput = z.infer<typeof ContextChecked>;

const MAX_CHECK_SECTIONS = 12;
const MAX_CHECK_DECISIONS = 5;
const MAX_CHECK_CHANGES = 10;
const MAX_CHECK_EXPLORATIONS = 5;
const MAX_CHECK_CODE_FINDINGS = 8;
const MAX_LIKELY_ITEMS = 3;

export const contextCheckOperation = defineOperation({
  id: "context.check",
  effect: "change",
  input: async () => (await import("./schema.ts")).ContextCheckQuery,
  output: async () => (await import("./schema.ts")).ContextChecked,
  async run(engine: PlanningEngine, input) {
    const own = await loadTemplateLines(engine);
    const seen = await engine.store.read((tree) => readContextCheckSources(tree, input, own));
    const { change } = seen;
    const facts = collectContextFacts(buildContextMaterial(seen));
    const isKept = change?.record.status === "active";
    if (change && isKept) {
      const made = { at: engine.clock.now(), tree: digestContextSnapshot(engine, change, seen.look), facts };
      await storeCheckInChange(engine, change.record, made);
    }
    const findings = await collectContextFindings(engine, seen, input);
    const critical = facts.filter(({ severity }) => severity === "critical").length;
    return fitAnswer<ContextFact | ContextFinding, ContextCheckOutput>(
      engine,
      input.max_tokens ?? DEFAULT_ANSWER_TOKENS,
      {
        items: [...facts, ...findings],
        build: (shown, omitted) => ({
          // An empty answer has no room for the change id either.
          ...(change && isKept && (shown.length > 0 || omitted === 0) ? { change_id: change.record.id } : {}),
          critical,
          facts: shown.filter(isFactItem),
          findings: shown.filter((each): each is ContextFinding => !isFactItem(each)),
          omitted,
        }),
        page: formatContextCheckPage,
        shorten: (item, length) => (isFactItem(item) ? undefined : shortenContextFinding(item, length)),
      },
    );
  },
  page: (output) => formatContextCheckPage(output),
});

const isFactItem = (item: ContextFact | ContextFinding): item is ContextFact => "severity" in item;

interface ContextCheckSources {
  readonly change?: StoredChange;
  readonly look: ContextSnapshot;
  readonly description: string;
  readonly question: SearchQuestion;
  readonly pieces: readonly DocumentPiece[];
  readonly sections: readonly DocumentPiece[];
  readonly prior: readonly ChangeRecord[];
  readonly damaged: readonly { readonly path: string; readonly why: string }[];
}

function readContextCheckSources(
  tree: StoreTree,
  input: ContextCheckInput,
  own: ReadonlySet<string>,
): ContextCheckSources {
  const change = chooseChangeToCheck(tree, input);
  const description = [change?.record.description, input.change_description?.trim()]
    .filter((text) => text !== undefined)
    .join("\n");
  const look = readContextSnapshot(tree, change);
  const question = extractSearchKeywords([description, ...look.own.map(({ text }) => text)].join("\n"));
  const pieces = look.documents.flatMap((each) => splitDocumentPieces(each, own));
  const { changes, damaged } = loadChangeRecords(tree);
  const prior = changes.flatMap(({ record }) =>
    isOpenChange(record) || record.id === change?.record.id ? [] : [{ title: record.description, text: "", record }],
  );
  return {
    ...(change ? { change } : {}),
    look,
    description,
    question,
    pieces,
    sections: selectMostRelevant(question, pieces, MAX_CHECK_SECTIONS),
    prior: selectMostRelevant(question, prior, MAX_CHECK_CHANGES).map(({ record }) => record),
    damaged: damaged.filter(({ path }) => path.startsWith(HISTORY_FOLDER)),
  };
}

/** The named change, or the only active one. Undefined if none is active but a description is given. */
function chooseChangeToCheck(
  tree: StoreTree,
  { change_id, change_description }: ContextCheckInput,
): StoredChange | undefined {
  if (change_id !== undefined) return chooseActiveChange(tree, change_id, "context.check");
  const unfinished = listActiveChanges(tree);
  if (unfinished.length > 0)
    return chooseActiveChange(tree, requireOnlyActiveChange(unfinished, "context.check").id, "context.check");
  if (change_description !== undefined) return undefined;
  throw new Fault("input.missing", {
    what: "There is nothing to check.",
    why: "No change is active, and none is described.",
    fix: [
      { operation: "context.check", input: { change_description: "…" } },
      { operation: "change.start", input: { description: "…" } },
    ],
  });
}

const selectMostRelevant = <T extends { title: string; text: string }>(
  question: SearchQuestion,
  of: readonly T[],
  most: number,
): T[] =>
  rankByRelevance(question, of)
    .slice(0, most)
    .map(({ item }) => item);

function buildContextMaterial({ change, look, description, pieces, sections }: ContextCheckSources) {
  const own = (stage: string): string[] => look.own.flatMap((each) => (each.stage === stage ? [each.text] : []));
  const document = (path: string): PlanningDocument | undefined => look.documents.find((each) => each.path === path);
  const tasks = document(TASKS_PATH);
  return {
    said: [{ path: "The description", text: description }, ...look.own],
    pieces,
    rules: document(BUSINESS_RULES_PATH),
    tasks: [...(tasks ? [tasks.text] : []), ...own("tasks")],
    spec: own("spec")[0],
    adrs: [...look.adrs.map(({ id }) => id as string), ...(change?.record.adrs ?? [])],
    others: look.others,
    likely: sections
      .filter((piece) => piece.id && !isRemovedPiece(piece))
      .slice(0, MAX_LIKELY_ITEMS)
      .flatMap(({ id }) => id ?? []),
  };
}

/** The sources may change before the commit. The stage gate detects that. */
async function storeCheckInChange(engine: PlanningEngine, { id }: ChangeRecord, made: ContextCheck): Promise<void> {
  await commitStoreWrite(engine, (tree) => {
    const { record } = chooseActiveChange(tree, id, "context.check");
    const kept = record.status === "active" ? storeContextCheck(record, made) : record;
    if (kept === record) return { steps: [], occurrences: [], result: undefined };
    const data = { tree: made.tree, facts: made.facts.map((fact) => fact.fact) };
    return {
      steps: [createChangeRecordStep(kept)],
      occurrences: [{ kind: "change.context-checked", subject: id, data }],
      result: undefined,
    };
  });
}

async function collectContextFindings(
  engine: PlanningEngine,
  seen: ContextCheckSources,
  input: ContextCheckInput,
): Promise<ContextFinding[]> {
  const { look, question, description, sections, prior, damaged } = seen;
  const detail = input.detail_level ?? "standard";
  const { observations, silent } = await recallRelevantObservations(engine, question, {
    project: input.project_name,
    type: "explore",
    limit: MAX_CHECK_EXPLORATIONS,
  });
  const said = [description, ...look.own.map(({ text }) => text)].join("\n");
  const code = await findRelevantCode(engine, { question, said, detail, most: MAX_CHECK_CODE_FINDINGS });
  const decisions = look.adrs.map((place) => ({ title: formatDecisionTitle(place), text: "", place }));
  const terms = new Set(question.terms);
  return [
    ...sections.map((piece) => createPieceFinding(piece, question, detail)),
    ...code.found,
    ...selectMostRelevant(question, decisions, MAX_CHECK_DECISIONS).map(({ place }) => createDecisionFinding(place)),
    ...prior.map(createChangeFinding),
    ...observations.map((each) => createObservationFinding(createObservationView(each, detail, terms), "explored")),
    ...look.documents.map(createArtifactFinding),
    ...look.conventions.map((document) => createConventionFinding(document, detail)),
    createScopeFinding(look),
    ...listSkippedSources(look),
    ...damaged.map(({ path, why }) => createSkippedFinding(path, why)),
    ...(silent === undefined ? [] : [createSkippedFinding("memory", silent)]),
    ...(code.silent === undefined ? [] : [createSkippedFinding("the index of code", code.silent)]),
  ];
}

function createScopeFinding({ documents, adrs, others, prior, conventions }: ContextSnapshot): ContextFinding {
  const places = [
    `${formatCount(documents.length, "document")} in sdd/`,
    formatCount(adrs.length, "decision"),
    formatCount(others.length, "other open change"),
    formatCount(prior.length, "closed change"),
    ...(documents.length > 0 ? [] : [formatCount(conventions.length, "convention file")]),
  ];
  return { kind: "looked", ref: "workspace", text: places.join(", ") };
}

function formatContextCheckPage({ change_id, critical, facts, findings, omitted }: ContextCheckOutput): Page {
  const about = change_id === undefined ? "" : ` for ${change_id}`;
  return {
    title: `Context check${about}: ${formatCount(critical, "critical fact")}.`,
    facts: facts.map(({ id, severity, fact }) => [`${id} ${severity}`, fact]),
    ...formatContextFindings(findings, omitted),
    next: change_id === undefined ? [] : [{ operation: "change.advance", input: { change_id, content: "…" } }],
  };
}
