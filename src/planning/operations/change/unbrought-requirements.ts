import { normalizeItemText } from "../../model/project/requirement-lists.ts";
import { listLiveRequirements, listLiveRules } from "../../model/project/project-document.ts";
import {
  BUSINESS_RULES_PATH,
  DESIGN_PATH,
  getAcceptancePath,
  getChangeRecordPath,
  PROJECT_RECORD_PATH,
  REQUIREMENTS_PATH,
  type WorkspacePath,
} from "#kernel/model/workspace-paths.ts";
import { isTraceId } from "#kernel/model/ids/trace-id.ts";
import type { SourceView } from "#git/operations/ports/git-files.ts";
import { createTolerantTree } from "#store/operations/tolerant-tree.ts";
import type { PlanningEngine } from "../engine.ts";
import { loadChangeRecords } from "./change-records.ts";

const BOOKS = [
  [REQUIREMENTS_PATH, listLiveRequirements],
  [BUSINESS_RULES_PATH, listLiveRules],
] as const;
const DOCUMENT_FILE = /\.(?:md|mdx)$/i;
/** Characters that an imported text has in common with its source. */
const SHARED_LENGTH = 40;

export interface UnbroughtRequirement {
  readonly path: WorkspacePath;
  readonly line: number;
  readonly problem: string;
}

/** Neither a change, the project pipeline, an import nor an acceptance brought these: a person typed them. */
export async function listUnbroughtRequirements(
  { store, source }: PlanningEngine,
  since: string,
): Promise<UnbroughtRequirement[]> {
  const before = await source.at(since);
  if (!before) return [];
  const old = await before.read([...BOOKS.map(([path]) => path), PROJECT_RECORD_PATH]);
  const readOld = (path: string): string => {
    const found = old.get(path);
    return found?.kind === "text" ? found.text : "";
  };
  const known = new Set(before.paths);
  const now = await store.read((tree) => {
    const tolerant = createTolerantTree(tree, () => undefined);
    const texts = new Map(BOOKS.map(([path]) => [path, tolerant.text(path) ?? ""]));
    const records = loadChangeRecords(tolerant).changes.filter(
      ({ shelf, record }) => record.merged !== undefined && !known.has(getChangeRecordPath(shelf, record.id)),
    );
    return {
      texts,
      merged: new Set(records.flatMap(({ record }) => (record.deltas ?? []).flatMap(({ id, to }) => [id, to ?? id]))),
      isProject: (tolerant.text(PROJECT_RECORD_PATH) ?? "") !== readOld(PROJECT_RECORD_PATH),
      // Drafts from code come with a design.
      isDrafted: !known.has(REQUIREMENTS_PATH) && !known.has(DESIGN_PATH) && tolerant.has(DESIGN_PATH),
      isAccepted: (id: string): boolean =>
        isTraceId(id) && tolerant.has(getAcceptancePath(id)) && !known.has(getAcceptancePath(id)),
    };
  });
  if (now.isProject || now.isDrafted) return [];
  const typed = BOOKS.flatMap(([path, list]) => {
    const earlier = new Map(list(readOld(path)).map(({ id, text }) => [id, normalizeItemText(text)]));
    return list(now.texts.get(path) ?? "")
      .filter(({ id, text }) => earlier.get(id) !== normalizeItemText(text))
      .filter(({ id }) => !now.merged.has(id) && !now.isAccepted(id))
      .map((item) => ({ ...item, path, how: earlier.has(item.id) ? "changed" : "was added" }));
  });
  const imported = typed.length === 0 ? "" : await readOtherDocuments(source, before);
  return typed
    .filter(({ text }) => !imported.includes(normalizeItemText(text).slice(0, SHARED_LENGTH)))
    .map(({ id, path, line, how }) => ({
      path,
      line,
      problem: `${id} ${how} since ${since.slice(0, 12)}, and no change brought it in. Take it out, and start a change: tenon change start "…"`,
    }));
}

/** An import copies requirements from documents of another tool, which are still there. */
async function readOtherDocuments(source: PlanningEngine["source"], before: SourceView): Promise<string> {
  const paths = (await source.files()).map(({ path }) => path).filter((path) => DOCUMENT_FILE.test(path));
  const texts = await Promise.all(paths.map((path) => source.text(path)));
  const old = await before.read(before.paths.filter((path) => DOCUMENT_FILE.test(path) && !path.startsWith("sdd/")));
  const all = [...texts, ...[...old.values()].map((each) => (each.kind === "text" ? each.text : ""))];
  return all.map((text) => normalizeItemText(text ?? "")).join("\n");
}
