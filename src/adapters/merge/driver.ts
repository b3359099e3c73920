import fs from "node:fs";
import { findChangeRecordProblem } from "#domain/change/shape.ts";
import { featureRecordProblem, waveRecordProblem } from "#domain/feature/shape.ts";
import { findUnearnedStages } from "#domain/project/earned.ts";
import { mergeBuffer } from "#domain/knowledge/buffer.ts";
import { mergeDecisions } from "#domain/handover/merge.ts";
import { mergeSessions } from "#domain/handover/merge-sessions.ts";
import { asProjectRecord, findProjectRecordProblem } from "#domain/project/shape.ts";
import { parsePlainYaml } from "#domain/read-plain-yaml.ts";
import { mergeDocuments, type Merged, mergeLines } from "#domain/spec/documents.ts";
import { mergeRecords } from "#domain/spec/records.ts";
import { acceptanceProblem, asAcceptance } from "#domain/trace/acceptance.ts";
import { mergeAcceptances } from "#domain/trace/merge.ts";
import type { Revised } from "#operations/ports/store.ts";

/** The three files that git passes to a merge driver, and the path in the repository. The result replaces `ours`. */
export interface DriverFiles {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
  readonly path: string;
}

export interface Sealing {
  readonly seal: (record: Revised, path: string) => string;
  readonly tell: (text: string) => void;
}

const RECORD = /\.json$|(?:^|\/)(?:features\/[^/]+\/spec|waves\/[^/]+)\.yaml$/;

type Sides = readonly [base: string, ours: string, theirs: string];

/** Returns true if nothing is left to decide. Otherwise git reports a conflict and keeps both texts. */
export function mergeFiles(files: DriverFiles, { seal, tell }: Sealing): boolean {
  const { path } = files;
  try {
    const sides = [files.base, files.ours, files.theirs].map(readText) as unknown as Sides;
    if (RECORD.test(path)) {
      const { text, conflicts } = mergeSealed(path, sides, seal);
      if (text !== undefined) replace(files.ours, text);
      else tell(recordAdvice(path, conflicts));
      return text !== undefined;
    }
    const { text, conflicts, joined = [] } = mergeText(path, sides);
    replace(files.ours, text);
    if (joined.length > 0)
      tell(`tenon: ${path}: both sides changed ${joined.join(", ")}, in different lines: read what it says now`);
    if (conflicts.length > 0) tell(documentAdvice(path, conflicts));
    return conflicts.length === 0;
  } catch (error) {
    // `ours` stays as it was, `theirs` is in git's index, and git marks the file as unmerged.
    tell(recordAdvice(path, [error instanceof Error ? error.message : String(error)]));
    return false;
  }
}

/** Atomic: a full disk leaves `ours` unchanged. */
function replace(file: string, text: string): void {
  const beside = `${file}.tenon`;
  try {
    fs.writeFileSync(beside, text);
    fs.renameSync(beside, file);
  } finally {
    fs.rmSync(beside, { force: true });
  }
}

function readText(file: string): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(fs.readFileSync(file));
}

function mergeText(path: string, [base, ours, theirs]: Sides): Merged {
  if (/(?:^|\/)(?:requirements|business-rules)\.md$/.test(path)) return mergeDocuments(base, ours, theirs, "specs");
  // These files are generated, and the next change of their sources generates them again.
  if (/(?:^|\/)roadmap\.md$/.test(path)) return { text: ours, conflicts: [] };
  if (/(?:^|\/)knowledge\/index\.md$/.test(path)) return { text: ours, conflicts: [] };
  if (/(?:^|\/)handover\/buffer\.md$/.test(path)) return mergeBuffer(base, ours, theirs);
  if (/(?:^|\/)handover\/decisions\.md$/.test(path)) return mergeDecisions(base, ours, theirs);
  if (/(?:^|\/)handover\/session\.md$/.test(path)) return mergeSessions(base, ours, theirs);
  if (/(?:^|\/)tasks\.md$/.test(path)) return mergeDocuments(base, ours, theirs, "tasks");
  return mergeLines(base, ours, theirs);
}

/** Merges only intact records, and only into a valid record. */
function mergeSealed(
  path: string,
  sides: Sides,
  seal: Sealing["seal"],
): { text?: string; conflicts: readonly string[] } {
  const [base, ours, theirs] = sides.map((text) => openSealed(path, text, seal));
  const id = ACCEPTANCE.exec(path)?.[1];
  if (id !== undefined) return mergeTrace(id, [base, ours, theirs], (record) => seal(record, path));
  if (!base || !ours || !theirs) return { conflicts: ["a version of it that is damaged, or new on both sides"] };
  const { record, conflicts } = mergeRecords(base, ours, theirs);
  const problem = recordProblem(path, record);
  if (conflicts.length > 0 || problem !== undefined)
    return { conflicts: problem ? [...conflicts, problem] : conflicts };
  return { text: seal(record as unknown as Revised, path), conflicts: [] };
}

const ACCEPTANCE = /(?:^|\/)trace\/([^/]+)\.json$/;

function mergeTrace(
  id: string,
  [base, ours, theirs]: readonly (Record<string, unknown> | undefined)[],
  seal: (record: Revised) => string,
): { text?: string; conflicts: readonly string[] } {
  if (!ours || !theirs || [ours, theirs].some((side) => acceptanceProblem(side, id) !== undefined))
    return { conflicts: ["a version of it that is damaged"] };
  const merged = mergeAcceptances(base && asAcceptance(base), asAcceptance(ours), asAcceptance(theirs));
  if (!merged) return { conflicts: [`each side accepted other code for ${id}`] };
  const { checksum: _, ...record } = merged as unknown as Record<string, unknown>;
  return { text: seal(record as unknown as Revised), conflicts: [] };
}

function recordProblem(path: string, record: Readonly<Record<string, unknown>>): string | undefined {
  const [, folder = "", name] = /([^/]+)\/([^/]+)$/.exec(path) ?? [];
  if (name === "change.json") return findChangeRecordProblem(record, folder);
  if (name === "spec.yaml") return featureRecordProblem(record, folder);
  if (folder === "waves") return waveRecordProblem(record, Number.parseInt(name ?? "", 10));
  if (name !== "sdd.json") return undefined;
  // Each side may have earned its stages while the combination has not.
  return findProjectRecordProblem(record) ?? findUnearnedStages(asProjectRecord(record))[0]?.problem.replace(/\.$/, "");
}

function openSealed(path: string, text: string, seal: Sealing["seal"]): Record<string, unknown> | undefined {
  try {
    const value = parsed(path, text);
    const isSealed = JSON.stringify(parsed(path, seal(value as unknown as Revised, path))) === JSON.stringify(value);
    return isSealed && Number.isSafeInteger(value["rev"]) ? value : undefined;
  } catch {
    return undefined;
  }
}

function parsed(path: string, text: string): Record<string, unknown> {
  if (path.endsWith(".json")) return JSON.parse(text) as Record<string, unknown>;
  const found = parsePlainYaml(text);
  if ("value" in found) return found.value;
  throw new SyntaxError(found.problem);
}

const documentAdvice = (path: string, conflicts: readonly string[]): string =>
  `tenon: ${path}: look at ${[...new Set(conflicts)].join(", ")}. Settle what stands between the marks, or twice; then: git add ${path}`;

const recordAdvice = (path: string, conflicts: readonly string[]): string =>
  `tenon: ${path} could not be merged: ${conflicts.join(", ")}. Keep one side: git checkout --ours -- ${path} (or --theirs), then git add ${path} and tenon validate`;
