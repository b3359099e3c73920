import { sanitizeText } from "#kernel/model/text-format.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import {
  BUSINESS_RULES_PATH,
  CHANGES_FOLDER,
  type ChangeShelf,
  getChangeArtifactPath,
  REQUIREMENTS_PATH,
} from "#kernel/model/workspace-paths.ts";
import { locateSpecTags } from "#code/model/trace/spec-tag-locations.ts";
import { findTestCases } from "#code/model/scan/test-cases.ts";
import type { CodeScan } from "#code/model/scan/code-scan.ts";
import { isTestPath } from "#code/model/scan/test-files.ts";
import { gatherTraceData } from "#code/operations/trace/trace-data.ts";
import {
  findDroppedCarriers,
  findUncarriedProblems,
  listDroppedRequirements,
  listOwedRequirements,
  listUncodedRequirements,
  type RequirementCarrier,
  type UncarriedProblem,
  type UncodedRequirement,
} from "../../model/change/carried-requirements.ts";
import type { ChangeRecord } from "../../model/change/change-record.ts";
import type { ApprovalNeed } from "../approval/commit-approved.ts";
import { readRecordedAnswers } from "../approval/approval-log-files.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { createTolerantTree } from "#store/operations/tolerant-tree.ts";
import { listLiveRequirements, listLiveRules } from "../../model/project/project-document.ts";
import type { PlanningEngine } from "../engine.ts";
import { loadChangeRecords, type StoredChange } from "./change-records.ts";

/** The result of a test in the last run; undefined if nothing ran. */
export type TestVerdict = (wanted: { readonly file: string; readonly name: string }) => boolean | undefined;

/** Names the question to the user, and the file in `sdd/approvals` is that of the change. */
const getQuestionId = (id: string): string => `${id}/not-in-code`;

/** Owed requirements that neither code and a test nor a reason in the evidence carries, and what still carries others. */
export async function judgeCarriedRequirements(
  engine: PlanningEngine,
  record: ChangeRecord,
  evidence: string,
  { changed, judgeTest }: { readonly changed?: ReadonlySet<string> | undefined; readonly judgeTest?: TestVerdict } = {},
): Promise<{
  readonly owed: number;
  readonly problems: readonly UncarriedProblem[];
  readonly uncoded: readonly UncodedRequirement[];
  /** The files that carry each owed requirement. */
  readonly carriers: ReadonlyMap<string, readonly string[]>;
}> {
  const owed = listOwedRequirements(record.deltas);
  // Later changes may bring these ids back.
  const dropped = record.status === "active" ? listDroppedRequirements(record.deltas) : [];
  const uncoded = listUncodedRequirements(evidence, owed);
  const others = owed.filter(({ id }) => uncoded.every((each) => each.id !== id));
  const ids = [...others, ...dropped].map(({ id }) => id);
  const found = ids.length === 0 ? new Map<string, never>() : await locateCarriers(engine, ids, judgeTest);
  const problems = [...findUncarriedProblems(others, found, changed), ...findDroppedCarriers(dropped, found)];
  const carriers = new Map(
    others.map(({ id }) => [id, [...new Set((found.get(id) ?? []).map(({ path }) => path))]] as const),
  );
  return { owed: owed.length, problems, uncoded, carriers };
}

/** The index shows where to look. Any program can write to it, so each file is read again. */
async function locateCarriers(
  engine: PlanningEngine,
  ids: readonly string[],
  judgeTest: TestVerdict = () => undefined,
) {
  const wanted = new Set(ids);
  const { carriers, known } = await gatherTraceData({ ...engine, notice: () => undefined });
  const paths = new Set(carriers.filter(({ spec }) => wanted.has(spec)).map(({ path }) => path));
  const found = new Map<string, RequirementCarrier[]>();
  for (const path of paths) {
    const text = await engine.source.text(path);
    const look = text === undefined ? undefined : await engine.syntax.look(path, text);
    if (text === undefined || !look || !hasCode(text, look)) continue;
    const locations = locateSpecTags([{ path, look, isTest: isTestPath(path) }], known);
    for (const { spec, isTest, test } of locations.filter((each) => wanted.has(each.spec))) {
      // A tag above all tests of a file is about each of them.
      const names = test === undefined ? findTestCases(look).map(({ name }) => name) : [test];
      const verdicts = isTest ? names.map((name) => judgeTest({ file: path, name })) : [];
      const hasPassed = verdicts.length > 0 && verdicts.every((each) => each === false) ? false : undefined;
      found.set(spec, [...(found.get(spec) ?? []), { path, isTest, hasPassed }]);
    }
  }
  return found;
}

/** A file of comments carries nothing. */
const hasCode = (text: string, { comments }: CodeScan): boolean =>
  /[\p{L}\p{N}]/u.test(comments.reduce((rest, comment) => rest.replace(comment.text, () => " "), text));

/** The user's yes to requirements without code or without a test. */
export function createUncodedNeed(
  engine: Pick<PlanningEngine, "digest">,
  record: ChangeRecord,
  uncoded: readonly UncodedRequirement[],
): ApprovalNeed | undefined {
  if (uncoded.length === 0) return undefined;
  const listed = uncoded.map(
    ({ id, text, reason }) => `${id} "${sanitizeText(text, 160)}": ${sanitizeText(reason, 200)}`,
  );
  return {
    subject: record.id,
    what: `${uncoded.map(({ id }) => id).join(", ")} without code or a test`,
    request: {
      id: getQuestionId(record.id),
      area: "change",
      stage: "verify",
      question: `Do you accept this without code or a test? ${listed.join("; ")}`,
      text: digestUncoded(engine, uncoded),
      path: getChangeArtifactPath(CHANGES_FOLDER, record.id, "verify"),
    },
  };
}

const digestUncoded = ({ digest }: Pick<PlanningEngine, "digest">, uncoded: readonly UncodedRequirement[]): string =>
  digest(JSON.stringify(uncoded.map(({ id, text, reason }) => [id, text, reason])));

/** Owed requirements of a completed change that nothing carries now, and that the user did not accept so. */
export async function findUncarriedRequirements(
  engine: PlanningEngine,
  { shelf, record }: StoredChange,
  isMerged: (id: string) => boolean,
): Promise<readonly Problem[]> {
  const { evidence, accepted } = await engine.store.read((tree) => readAcceptance(tree, shelf, record));
  const { problems: all, uncoded } = await judgeCarriedRequirements(engine, record, evidence);
  const problems = all.filter(({ id }) => isMerged(id));
  const named = uncoded.flatMap(({ id }) => (isMerged(id) ? [id] : [])).join(", ");
  if (named === "" || accepted.has(digestUncoded(engine, uncoded))) return problems;
  const problem = `Nothing carries ${named}, and the user did not accept that. Reopen stage verify, and ask.`;
  return [...problems, { problem }];
}

export interface UncarriedRequirement {
  readonly change: string;
  readonly path: string;
  readonly problem: string;
}

/** The same for all changes that ended. Of a requirement that several of them changed, the last one counts. */
export async function listUncarriedRequirements(engine: PlanningEngine): Promise<UncarriedRequirement[]> {
  const { changes, live } = await engine.store.read((tree) => {
    const tolerant = createTolerantTree(tree, () => undefined);
    const requirements = listLiveRequirements(tolerant.text(REQUIREMENTS_PATH) ?? "");
    const rules = listLiveRules(tolerant.text(BUSINESS_RULES_PATH) ?? "");
    return {
      changes: loadChangeRecords(tolerant).changes.filter(({ record }) => isOwing(record)),
      live: new Set([...requirements, ...rules].map(({ id }) => id)),
    };
  });
  const owners = new Map<string, string>();
  for (const { record } of changes.toSorted((a, b) => (a.record.updated_at < b.record.updated_at ? -1 : 1)))
    for (const { id } of listOwedRequirements(record.deltas)) {
      const isRejected = record.merged?.some((each) => each.id === id && each.how === "document");
      if (!isRejected && (record.status === "completed" || live.has(id))) owners.set(id, record.id);
    }
  const found: UncarriedRequirement[] = [];
  for (const change of changes) {
    const { record, shelf } = change;
    if ([...owners.values()].every((owner) => owner !== record.id)) continue;
    const problems = await findUncarriedRequirements(engine, change, (id) => owners.get(id) === record.id);
    const path = getChangeArtifactPath(shelf, record.id, "verify");
    found.push(...problems.map(({ problem }) => ({ change: record.id, path, problem })));
  }
  return found;
}

/** A change of an earlier release ended without a gate. */
export const isOwing = ({ needs_receipt, status, abandoned }: ChangeRecord): boolean =>
  needs_receipt === true && abandoned === undefined && status !== "active" && status !== "abandoned";

function readAcceptance(tree: StoreTree, shelf: ChangeShelf, record: ChangeRecord) {
  const answers = readRecordedAnswers(tree, record.id).filter(
    ({ id, choice }) => id === getQuestionId(record.id) && choice === "approve",
  );
  return {
    evidence: tree.text(getChangeArtifactPath(shelf, record.id, "verify")) ?? "",
    accepted: new Set(answers.map(({ text }) => text)),
  };
}
