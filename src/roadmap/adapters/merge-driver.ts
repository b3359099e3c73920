import fs from "node:fs";
import { findChangeRecordProblem } from "#planning/model/change/change-record.ts";
import { findFeatureRecordProblem, findWaveRecordProblem } from "../model/feature/feature-record.ts";
import { findUnearnedStages } from "#planning/model/project/project-lifecycle.ts";
import { mergeKnowledgeBuffers } from "../model/knowledge/lesson-buffer.ts";
import { mergeDecisionLogs } from "../model/handover/decision-log.ts";
import { mergeSessionDocuments } from "../model/handover/session-draft.ts";
import { asProjectRecord, findProjectRecordProblem } from "#planning/model/project/project-record.ts";
import { parsePlainYaml } from "#kernel/model/plain-yaml.ts";
import {
  mergeItemDocuments,
  type MergedDocument,
  mergeDocumentLines,
  mergeRecordFields,
} from "#planning/model/living-spec/document-merge.ts";
import { matchesSchema } from "#kernel/model/record-schema.ts";
import { createAcceptanceSchema, mergeAcceptances, type TraceAcceptance } from "#code/model/trace/trace-acceptance.ts";
import type { RevisedRecord } from "#store/operations/ports/store.ts";

/** The three files that git passes to a merge driver, and the path in the repository. The result replaces `ours`. */
export interface MergeDriverFiles {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
  readonly path: string;
}

export interface MergeDriverOutput {
  readonly seal: (record: RevisedRecord, path: string) => string;
  readonly tell: (text: string) => void;
}

const RECORD_PATH_PATTERN = /\.json$|(?:^|\/)(?:features\/[^/]+\/spec|waves\/[^/]+)\.yaml$/;

type MergeTexts = readonly [base: string, ours: string, theirs: string];

/** Returns true if nothing is left to decide. Otherwise git reports a conflict and keeps both texts. */
export function mergeGitFiles(files: MergeDriverFiles, { seal, tell }: MergeDriverOutput): boolean {
  const { path } = files;
  try {
    const sides = [files.base, files.ours, files.theirs].map(readStrictText) as unknown as MergeTexts;
    if (RECORD_PATH_PATTERN.test(path)) {
      const { text, conflicts } = mergeSealedRecords(path, sides, seal);
      if (text !== undefined) replaceFileAtomically(files.ours, text);
      else tell(formatRecordAdvice(path, conflicts));
      return text !== undefined;
    }
    const { text, conflicts, joined = [] } = mergeDocumentText(path, sides);
    replaceFileAtomically(files.ours, text);
    if (joined.length > 0)
      tell(`tenon: ${path}: both sides changed ${joined.join(", ")}, in different lines: read what it says now`);
    if (conflicts.length > 0) tell(formatDocumentAdvice(path, conflicts));
    return conflicts.length === 0;
  } catch (error) {
    // `ours` stays as it was, `theirs` is in git's index, and git marks the file as unmerged.
    tell(formatRecordAdvice(path, [error instanceof Error ? error.message : String(error)]));
    return false;
  }
}

/** Atomic: a full disk leaves `ours` unchanged. */
function replaceFileAtomically(file: string, text: string): void {
  const beside = `${file}.tenon`;
  try {
    fs.writeFileSync(beside, text);
    fs.renameSync(beside, file);
  } finally {
    fs.rmSync(beside, { force: true });
  }
}

function readStrictText(file: string): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(fs.readFileSync(file));
}

function mergeDocumentText(path: string, [base, ours, theirs]: MergeTexts): MergedDocument {
  if (/(?:^|\/)(?:requirements|business-rules)\.md$/.test(path)) return mergeItemDocuments(base, ours, theirs, "specs");
  // These files are generated, and the next change of their sources generates them again.
  if (/(?:^|\/)roadmap\.md$/.test(path)) return { text: ours, conflicts: [] };
  if (/(?:^|\/)knowledge\/index\.md$/.test(path)) return { text: ours, conflicts: [] };
  if (/(?:^|\/)handover\/buffer\.md$/.test(path)) return mergeKnowledgeBuffers(base, ours, theirs);
  if (/(?:^|\/)handover\/decisions\.md$/.test(path)) return mergeDecisionLogs(base, ours, theirs);
  if (/(?:^|\/)handover\/session\.md$/.test(path)) return mergeSessionDocuments(base, ours, theirs);
  if (/(?:^|\/)tasks\.md$/.test(path)) return mergeItemDocuments(base, ours, theirs, "tasks");
  return mergeDocumentLines(base, ours, theirs);
}

/** Merges only intact records, and only into a valid record. */
function mergeSealedRecords(
  path: string,
  sides: MergeTexts,
  seal: MergeDriverOutput["seal"],
): { text?: string; conflicts: readonly string[] } {
  const [base, ours, theirs] = sides.map((text) => parseSealedRecord(path, text, seal));
  const id = ACCEPTANCE_PATH_PATTERN.exec(path)?.[1];
  if (id !== undefined) return mergeAcceptanceRecords(id, [base, ours, theirs], (record) => seal(record, path));
  if (!base || !ours || !theirs) return { conflicts: ["a version of it that is damaged, or new on both sides"] };
  const { record, conflicts } = mergeRecordFields(base, ours, theirs);
  const problem = findRecordProblem(path, record);
  if (conflicts.length > 0 || problem !== undefined)
    return { conflicts: problem ? [...conflicts, problem] : conflicts };
  return { text: seal(record as unknown as RevisedRecord, path), conflicts: [] };
}

const ACCEPTANCE_PATH_PATTERN = /(?:^|\/)trace\/([^/]+)\.json$/;

function mergeAcceptanceRecords(
  id: string,
  [base, ours, theirs]: readonly (Record<string, unknown> | undefined)[],
  seal: (record: RevisedRecord) => string,
): { text?: string; conflicts: readonly string[] } {
  const schema = createAcceptanceSchema(id);
  if (!matchesSchema<TraceAcceptance>(schema, ours) || !matchesSchema<TraceAcceptance>(schema, theirs))
    return { conflicts: ["a version of it that is damaged"] };
  const merged = mergeAcceptances(base as TraceAcceptance | undefined, ours, theirs);
  if (!merged) return { conflicts: [`each side accepted other code for ${id}`] };
  const { checksum: _, ...record } = merged as unknown as Record<string, unknown>;
  return { text: seal(record as unknown as RevisedRecord), conflicts: [] };
}

function findRecordProblem(path: string, record: Readonly<Record<string, unknown>>): string | undefined {
  const [, folder = "", name] = /([^/]+)\/([^/]+)$/.exec(path) ?? [];
  if (name === "change.json") return findChangeRecordProblem(record, folder);
  if (name === "spec.yaml") return findFeatureRecordProblem(record, folder);
  if (folder === "waves") return findWaveRecordProblem(record, Number.parseInt(name ?? "", 10));
  if (name !== "sdd.json") return undefined;
  // Each side may have earned its stages while the combination has not.
  return findProjectRecordProblem(record) ?? findUnearnedStages(asProjectRecord(record))[0]?.problem.replace(/\.$/, "");
}

function parseSealedRecord(
  path: string,
  text: string,
  seal: MergeDriverOutput["seal"],
): Record<string, unknown> | undefined {
  try {
    const value = parseMergeRecord(path, text);
    const isSealed =
      JSON.stringify(parseMergeRecord(path, seal(value as unknown as RevisedRecord, path))) === JSON.stringify(value);
    return isSealed && Number.isSafeInteger(value["rev"]) ? value : undefined;
  } catch {
    return undefined;
  }
}

function parseMergeRecord(path: string, text: string): Record<string, unknown> {
  if (path.endsWith(".json")) return JSON.parse(text) as Record<string, unknown>;
  const found = parsePlainYaml(text);
  if ("value" in found) return found.value;
  throw new SyntaxError(found.problem);
}

const formatDocumentAdvice = (path: string, conflicts: readonly string[]): string =>
  `tenon: ${path}: look at ${[...new Set(conflicts)].join(", ")}. Settle what stands between the marks, or twice; then: git add ${path}`;

const formatRecordAdvice = (path: string, conflicts: readonly string[]): string =>
  `tenon: ${path} could not be merged: ${conflicts.join(", ")}. Keep one side: git checkout --ours -- ${path} (or --theirs), then git add ${path} and tenon validate`;
