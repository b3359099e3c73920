import fs from "node:fs";
import { findChangeRecordProblem } from "#planning/model/change/change-record.ts";
import { findFeatureRecordProblem, findWaveRecordProblem } from "../model/feature/feature-record.ts";
import { findUnearnedStages } from "#planning/model/project/project-lifecycle.ts";
import { mergeKnowledgeBuffers } from "../model/knowledge/lesson-buffer.ts";
import { mergeDecisionLogs, mergeSessionDocuments } from "../model/handover/handover-merge.ts";
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

interface MergeDriverOutput {
  readonly seal: (record: RevisedRecord, path: string) => string;
  readonly tell: (text: string) => void;
}

type MergeTexts = readonly [base: string, ours: string, theirs: string];

/** Returns true if nothing is left to decide. Otherwise git reports a conflict and keeps both texts. */
export function mergeGitFiles(files: MergeDriverFiles, { seal, tell }: MergeDriverOutput): boolean {
  const { path } = files;
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    const read = (file: string): string => decoder.decode(fs.readFileSync(file));
    const sides = [read(files.base), read(files.ours), read(files.theirs)] as const;
    if (/\.json$|(?:^|\/)(?:features\/[^/]+\/spec|waves\/[^/]+)\.yaml$/.test(path)) {
      const { text, conflicts } = mergeSealedRecords(path, sides, seal);
      if (text !== undefined) replaceFileAtomically(files.ours, text);
      else tell(formatRecordAdvice(path, conflicts));
      return text !== undefined;
    }
    const { text, conflicts, joined = [] } = mergeDocumentText(path, sides);
    replaceFileAtomically(files.ours, text);
    if (joined.length > 0)
      tell(`tenon: ${path}: both sides changed ${joined.join(", ")}, in different lines: check the result`);
    const places = [...new Set(conflicts)].join(", ");
    const advice = `look at ${places}. Resolve the text between the marks and duplicates; then: git add ${path}`;
    if (conflicts.length > 0) tell(`tenon: ${path}: ${advice}`);
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

function mergeDocumentText(path: string, [base, ours, theirs]: MergeTexts): MergedDocument {
  const isNamed = (...names: readonly string[]): boolean => names.some((name) => `/${path}`.endsWith(`/${name}`));
  if (isNamed("requirements.md", "business-rules.md")) return mergeItemDocuments(base, ours, theirs, "specs");
  // These files are generated, and the next change of their sources generates them again.
  if (isNamed("roadmap.md", "knowledge/index.md")) return { text: ours, conflicts: [] };
  if (isNamed("handover/buffer.md")) return mergeKnowledgeBuffers(base, ours, theirs);
  if (isNamed("handover/decisions.md")) return mergeDecisionLogs(base, ours, theirs);
  if (isNamed("handover/session.md")) return mergeSessionDocuments(base, ours, theirs);
  if (isNamed("tasks.md")) return mergeItemDocuments(base, ours, theirs, "tasks");
  return mergeDocumentLines(base, ours, theirs);
}

/** Merges only intact records, and only into a valid record. */
function mergeSealedRecords(path: string, sides: MergeTexts, seal: MergeDriverOutput["seal"]) {
  const [base, ours, theirs] = sides.map((text) => parseSealedRecord(path, text, seal));
  const id = /(?:^|\/)trace\/([^/]+)\.json$/.exec(path)?.[1];
  if (id !== undefined) {
    const schema = createAcceptanceSchema(id);
    if (!matchesSchema<TraceAcceptance>(schema, ours) || !matchesSchema<TraceAcceptance>(schema, theirs))
      return { conflicts: ["a version of it that is damaged"] };
    const merged = mergeAcceptances(base as TraceAcceptance | undefined, ours, theirs);
    if (!merged) return { conflicts: [`each side accepted different code for ${id}`] };
    const { checksum: _, ...accepted } = merged as unknown as Record<string, unknown>;
    return { text: seal(accepted as unknown as RevisedRecord, path), conflicts: [] };
  }
  if (!base || !ours || !theirs) return { conflicts: ["a version of it that is damaged, or new on both sides"] };
  const { record, conflicts } = mergeRecordFields(base, ours, theirs);
  const problem = findRecordProblem(path, record);
  if (conflicts.length > 0 || problem !== undefined)
    return { conflicts: problem ? [...conflicts, problem] : conflicts };
  return { text: seal(record as unknown as RevisedRecord, path), conflicts: [] };
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

function parseSealedRecord(path: string, text: string, seal: MergeDriverOutput["seal"]) {
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

const formatRecordAdvice = (path: string, conflicts: readonly string[]): string =>
  `tenon: ${path} could not be merged: ${conflicts.join(", ")}. Keep one side: git checkout --ours -- ${path} (or --theirs), then git add ${path} and tenon validate`;
