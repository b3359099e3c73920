import { listOwedRequirements } from "../../model/change/carried-requirements.ts";
import type { ChangeRecord } from "../../model/change/change-record.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import type { SpecBooks } from "../../model/living-spec/delta-merge.ts";
import { numberNamedItems } from "../../model/living-spec/named-items.ts";
import { listLiveRequirements, listLiveRules } from "../../model/project/project-document.ts";
import {
  adoptNewItems,
  checkSpecDeltas,
  listNewIds,
  listNextFreeIds,
  SPEC_BOOK_PATHS,
  mergeSpecDeltas,
} from "../../model/living-spec/delta-merge.ts";
import {
  type WrittenDelta,
  parseSpecDeltas,
  serializeDelta,
  findStrayDeltas,
  listDuplicateIds,
  outlineSpecItems,
} from "../../model/living-spec/item-outline.ts";
import * as paths from "#kernel/model/workspace-paths.ts";
import type { PlanningEngine } from "../engine.ts";
import { findProjectRecord } from "../project/project-record-file.ts";
import { listArchivedChangeSpecIds } from "../project/project-document-files.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { readArtifactText } from "./artifact-files.ts";
import { listOpenChanges } from "./change-records.ts";
import { listCoveredIds, listDefinedIds } from "#kernel/model/document/id-references.ts";
import { formatCoverageGap } from "../../model/project/design-coverage.ts";
import { findConflictMarkers, parseProseLines } from "#kernel/model/document/markdown-document.ts";
import { Fault } from "#kernel/model/fault.ts";
import type { ChangeId, ChangeStage } from "#kernel/model/stages/change-stages.ts";
import { quote } from "#kernel/model/text-format.ts";
import type { MergeDecision } from "../../model/living-spec/delta-vocabulary.ts";
import type { LocatedProblem } from "./change-inspection.ts";

/** Characters. Stays below the maximum size of a record. */
const MAX_STAMPED_DELTAS_LENGTH = 400_000;

const SPEC_BOOKS = ["requirements", "rules"] as const;

const loadSpecBooks = (tree: StoreTree): SpecBooks => ({
  requirements: tree.text(paths.REQUIREMENTS_PATH),
  rules: tree.text(paths.BUSINESS_RULES_PATH),
});

export const loadDeltaContext = (tree: StoreTree) => ({ claims: loadDeltaClaims(tree, ""), given: loadGivenIds(tree) });

/** Ids that the spec of this change can use, and the requirements and rules that exist. */
export function loadFreeIds(tree: StoreTree, changeId: string) {
  const books = loadSpecBooks(tree);
  const ids = listNextFreeIds({ books, claims: loadDeltaClaims(tree, changeId), given: loadGivenIds(tree) });
  const live = [...listLiveRequirements(books.requirements ?? ""), ...listLiveRules(books.rules ?? "")];
  return { ids, live: live.map(({ id }) => id) };
}

export function numberNewItems(tree: StoreTree, record: ChangeRecord, text: string) {
  const isSpec = getDeltaStage(record) === "spec";
  // Reading the whole history for free ids is slow, so do it only for a text with names.
  if (!/^#+\s*requirement\s*:/im.test(text) && !(isSpec && /^#+\s*(?:added|renamed)\b/im.test(text)))
    return { text, named: [] };
  const [nextId = "FR-001"] = loadFreeIds(tree, record.id).ids;
  return numberNamedItems(text, nextId, loadSpecBooks(tree).requirements ?? "", isSpec);
}

/** Shows the next free ids in a guide whose examples begin with 001. */
export const fillGuideIds = (guide: string, [functional = "", quality = "", rule = ""]: readonly string[]): string =>
  guide
    .replace(/\bFR-001\b/g, functional)
    .replace(/\bNFR-001\b/g, quality)
    .replace(/\bBR-001\b/g, rule);

const loadDeltaClaims = (tree: StoreTree, changeId: string) =>
  listOpenChanges(tree)
    .filter(({ id }) => id !== changeId)
    .flatMap(({ id, deltas: theirs }) => (theirs ? [{ change: id, deltas: theirs }] : []));

/** Includes ids that are no longer in a document. */
const loadGivenIds = (tree: StoreTree): string[] => [
  ...(findProjectRecord(tree)?.ids ?? []),
  ...listArchivedChangeSpecIds(tree),
];

/** The stage whose artifact edits requirements and rules: the spec, or the tasks of a flow without one. */
export const getDeltaStage = ({ stages }: Pick<ChangeRecord, "stages">): "spec" | "tasks" =>
  stages.some(({ name }) => name === "spec") ? "spec" : "tasks";

const getDeltaPath = (record: ChangeRecord, shelf: paths.ChangeShelf = paths.CHANGES_FOLDER) =>
  paths.getChangeArtifactPath(shelf, record.id, getDeltaStage(record));

const getDeltaScope = (stage: "spec" | "tasks") => (stage === "spec" ? "requirements" : "anywhere");

/** The text with the deltas of a change, of which the record may be damaged. */
export const readDeltaArtifact = (tree: StoreTree, shelf: paths.ChangeShelf, id: ChangeId): string =>
  readArtifactText(tree, paths.getChangeArtifactPath(shelf, id, "spec")) ??
  readArtifactText(tree, paths.getChangeArtifactPath(shelf, id, "tasks")) ??
  "";

/** A delta in a different artifact would be lost when the change is archived. */
export function findMisplacedDeltas(record: ChangeRecord, stage: ChangeStage, text: string): Problem[] {
  const own = getDeltaStage(record);
  const accepted = stage === own ? parseSpecDeltas(text, getDeltaScope(own)).deltas : (record.deltas ?? []);
  const isLater =
    record.stages.findIndex(({ name }) => name === own) > record.stages.findIndex(({ name }) => name === stage);
  return findStrayDeltas(text, accepted, stage === own).map(({ op, id, line }) => {
    if (stage === own) return { problem: `${id} is ${op} outside of ## Requirements: move it there.`, line };
    if (accepted.some((delta) => delta.id === id))
      return { problem: `${id} reads differently in ${own}.md, which counts. Name only its id here.`, line };
    if (record.stages.every(({ name }) => name !== own))
      return { problem: `${id} is ${op} here, but a quick change changes no requirements. Make it small first.`, line };
    const cure = isLater ? `Write it in the ${own} stage instead.` : `Reopen stage ${own} and write it there.`;
    return { problem: `${id} is ${op} here, but only ${own}.md changes requirements. ${cure}`, line };
  });
}

export function stampSpecDeltas(engine: PlanningEngine, tree: StoreTree, record: ChangeRecord, spec: string) {
  const claims = loadDeltaClaims(tree, record.id);
  const where = getDeltaScope(getDeltaStage(record));
  // Reading the whole history is slow, so do it only if the spec adds ids.
  const parsed = parseSpecDeltas(spec, where);
  const hasNew = parsed.deltas.some((delta) => listNewIds(delta).length > 0);
  const needsHistory = hasNew || parsed.loose.length > 0;
  const given = needsHistory ? loadGivenIds(tree) : [];
  const { deltas, problems, repeats } = checkSpecDeltas(spec, { books: loadSpecBooks(tree), claims, given }, where);
  // A delta with unchanged wording keeps its original base text.
  const earlier = new Map((record.deltas ?? []).map((delta) => [serializeDelta(delta), delta]));
  const stamped = deltas.map(
    (delta) => earlier.get(serializeDelta(delta)) ?? { ...delta, base: engine.digest(delta.was) },
  );
  const isTooLong = JSON.stringify(stamped).length > MAX_STAMPED_DELTAS_LENGTH;
  const overlaps = stamped.flatMap(({ op, id }) =>
    claims.flatMap(({ change, deltas: theirs }) => {
      const touching = theirs.filter((other) => other.id === id || other.to === id);
      return touching.map((other) => ({ id, op, change, other_op: other.op }));
    }),
  );
  const tooLong = isTooLong ? [{ problem: "The deltas are too long for one change: split it." }] : [];
  return { deltas: stamped, problems: [...problems, ...tooLong], overlaps, repeats };
}

/** Requirements of the spec that the design or the tasks leave out. Only tasks have to name what the change brings. */
export function findUncoveredSpec(tree: StoreTree, record: ChangeRecord, stage: string, text: string) {
  const own = getDeltaStage(record);
  if (stage !== "design" && stage !== "tasks") return { problems: [], notes: [] };
  const spec = own === stage ? text : (readArtifactText(tree, getDeltaPath(record)) ?? "");
  const { deltas, loose } = parseSpecDeltas(spec, getDeltaScope(own));
  const wanted = [...deltas.filter(({ op }) => op === "added" || op === "modified"), ...loose].map((item) => item.id);
  // A requirement that the tasks themselves state is covered by the items of tasks only.
  const tasks = outlineSpecItems(text, "tasks").items.map((item) => item.text);
  const named = listCoveredIds(parseProseLines(own === stage ? tasks.join("\n") : text), "requirement", "rule");
  const missing = [...new Set(wanted)].filter((id) => !named.includes(id));
  // A single task that names nothing is the whole change.
  const isWhole = stage === "tasks" && tasks.length === 1 && named.length === 0;
  const owed = new Set(
    stage === "tasks" && own === "spec" ? listOwedRequirements(record.deltas).map(({ id }) => id) : [],
  );
  return {
    problems: isWhole ? [] : missing.filter((id) => owed.has(id)).map((id) => ({ problem: formatTaskGap(id) })),
    notes: isWhole ? [] : missing.filter((id) => !owed.has(id)).map((id) => formatCoverageGap(id, stage)),
  };
}

const formatTaskGap = (id: string): string =>
  `${id} is in the spec, and no task names it. Name it in its task, such as "TASK-002: … (${id})", or write below the tasks why it needs none.`;

/** Only a completed change changes the documents. The input schema checked the form `FR-003=document` of decisions. */
export function planDeltaMerge(tree: StoreTree, record: ChangeRecord, said: readonly string[]) {
  const isLanding = record.status === "completed";
  const deltas = isLanding ? (record.deltas ?? []) : [];
  const decisions = said.map((text): [string, MergeDecision] => {
    const [id = "", word] = text.split("=");
    if (deltas.some((delta) => delta.id === id)) return [id, word as MergeDecision];
    throw new Fault("input.invalid", {
      what: "Nothing was done.",
      why: `decisions names ${quote(id, 20)}, which this change does not touch.`,
      fix: { operation: "change.archive", input: { change_id: record.id } },
    });
  });
  if (isLanding && isSpecEdited(tree, record)) {
    const spec = getDeltaPath(record);
    throw new Fault("change.spec-edited", {
      what: `${record.id} cannot be archived.`,
      why: `The deltas in ${spec} are not the checked ones: it was edited since.`,
      fix: [
        { operation: "change.reopen", input: { change_id: record.id, stage: getDeltaStage(record), reason: "…" } },
        `Or restore the checked version: git checkout -- ${spec}`,
      ],
    });
  }
  const books = loadSpecBooks(tree);
  const { books: after, merged, conflicts } = mergeSpecDeltas(books, deltas, record.id, new Map(decisions));
  const changed = SPEC_BOOKS.flatMap((book) => {
    const text = after[book];
    const isChanged = text !== undefined && text !== books[book];
    return isChanged ? [{ kind: "document", path: SPEC_BOOK_PATHS[book], text } as const] : [];
  });
  return { steps: conflicts.length > 0 ? [] : changed, merged, conflicts };
}

function isSpecEdited(tree: StoreTree, record: ChangeRecord): boolean {
  const spec = readArtifactText(tree, getDeltaPath(record));
  if (spec === undefined) return false;
  const serialize = (deltas: readonly WrittenDelta[]): string => deltas.map(serializeDelta).join("\n");
  const parsed = parseSpecDeltas(spec, getDeltaScope(getDeltaStage(record)));
  const { requirements, rules } = loadSpecBooks(tree);
  const known = new Set(listKnownIds(requirements, rules));
  const accepted = new Set((record.deltas ?? []).map(({ id }) => id));
  const hasBook = (id: string): boolean => (id.startsWith("BR-") ? rules : requirements) !== undefined;
  const { deltas } = adoptNewItems(parsed, (id) => accepted.has(id) || (hasBook(id) && !known.has(id)));
  return serialize(deltas) !== serialize(record.deltas ?? []);
}

const listKnownIds = (requirements = "", rules = ""): string[] => [
  ...listDefinedIds(requirements, "requirement"),
  ...listDefinedIds(rules, "rule"),
];

export function inspectLivingSpecs(tree: StoreTree): LocatedProblem[] {
  const books = loadSpecBooks(tree);
  const inspectBooks = (find: (text: string) => readonly Problem[]): LocatedProblem[] =>
    SPEC_BOOKS.flatMap((book) =>
      find(books[book] ?? "").map((problem) => ({ path: SPEC_BOOK_PATHS[book], ...problem })),
    );
  const marks = inspectBooks((text) => findConflictMarkers(parseProseLines(text)));
  if (marks.length > 0) return marks;
  const twice = inspectBooks((text) =>
    listDuplicateIds(outlineSpecItems(text)).map(({ id, line }) => ({
      problem: `${id} is defined twice: give one of them the next free number.`,
      line,
    })),
  );
  return [...twice, ...listOpenChanges(tree).flatMap((record) => inspectChangeDeltas(tree, record))];
}

function inspectChangeDeltas(tree: StoreTree, record: ChangeRecord): LocatedProblem[] {
  const stage = getDeltaStage(record);
  const path = getDeltaPath(record);
  const isDone = record.stages.some(({ name, status }) => name === stage && status === "completed");
  const spec = readArtifactText(tree, path);
  if (!isDone || spec === undefined) return [];
  const malformed = parseSpecDeltas(spec, getDeltaScope(stage)).problems.map((problem) => ({ path, ...problem }));
  if (malformed.length > 0) return malformed;
  if (isSpecEdited(tree, record)) {
    return [{ path, problem: "Its deltas are not the checked ones: reopen the stage, or undo the edit." }];
  }
  return mergeSpecDeltas(loadSpecBooks(tree), record.deltas ?? [], record.id).conflicts.map(({ id, why }) => ({
    path,
    problem: `${id} conflicts with the project's: ${why} Archiving will ask you which text to keep.`,
  }));
}
