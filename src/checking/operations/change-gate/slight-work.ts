import { getPathName } from "#kernel/model/folder-path.ts";
import { formatShortList } from "#kernel/model/text-format.ts";
import { getChangeArtifactPath, CHANGES_FOLDER } from "#kernel/model/workspace-paths.ts";
import { isTestPath } from "#code/model/scan/test-files.ts";
import type { ChangeRecord } from "#planning/model/change/change-record.ts";
import type { AttributedWork } from "#planning/operations/workflow/attributed-work.ts";
import {
  classifySlightEdit,
  DOCUMENT_PATTERN,
  isMentionedWork,
  type SlightEdit,
} from "../../model/gate/slight-edit.ts";
import type { CheckingEngine } from "../engine.ts";

const MOST_NAMED_FILES = 3;
const MOST_SEARCHED_FILES = 3_000;

/** Work that may be nothing: `idle` is refused, `slight` passes and is left to a reviewer. */
export interface WorkSubstance {
  readonly idle?: string;
  readonly slight?: string;
  /** Whether only texts in code changed, as the change says. No test has to show that. */
  readonly isText?: boolean;
}

/** Whether a change without an effect on code is what its own words announce. A refactoring is judged by its tests. */
export async function judgeWorkSubstance(
  engine: CheckingEngine,
  record: ChangeRecord,
  { base, files }: AttributedWork,
): Promise<WorkSubstance> {
  if (files.length === 0) return { idle: "No file changed since the change started" };
  if (record.type === "refactor") return {};
  const old = await (await engine.source.at(base))?.read(files.map(({ path }) => path));
  const edits: SlightEdit[] = [];
  for (const { path, from, to } of files) {
    const before = old?.get(path);
    const now = to ? await engine.source.text(path) : "";
    // Binary files, and a program that became executable.
    if (now === undefined || (from && before?.kind !== "text")) return {};
    if (from && to && from.mode !== to.mode && now.startsWith("#!")) return {};
    const was = before?.kind === "text" ? before.text : "";
    const isCode = !DOCUMENT_PATTERN.test(path);
    const [look, then] = [
      isCode ? await engine.syntax.look(path, now) : undefined,
      isCode && from ? await engine.syntax.look(path, was) : undefined,
    ];
    edits.push(classifySlightEdit(path, { text: was, look: then }, { text: now, look }));
  }
  if (edits.every(({ kind }) => kind === "blank"))
    return { idle: "Only blank lines or file modes changed since the change started" };
  const names = formatShortList(
    edits.map(({ path }) => path),
    MOST_NAMED_FILES,
  );
  const words = await engine.store.read((tree) =>
    [
      record.description,
      ...record.stages.map(({ name }) =>
        name === record.current_stage || name === "context-check"
          ? ""
          : (tree.text(getChangeArtifactPath(CHANGES_FOLDER, record.id, name)) ?? ""),
      ),
    ].join("\n"),
  );
  const real = edits.filter(({ kind }) => kind === "code" || kind === "text");
  if (real.length > 0) {
    const isUnused = record.type === "fix" && (await isUnusedCode(engine, files, edits));
    if (isUnused) return { slight: `Only new code was added, and nothing uses it: ${names}` };
    return { isText: real.every((edit) => edit.kind === "text" && isMentionedWork(words, edit)) };
  }
  if (edits.some((edit) => edit.kind !== "blank" && isMentionedWork(words, edit))) return {};
  const isHousekeeping = edits.every(({ kind }) => kind === "blank" || kind === "housekeeping");
  if (isHousekeeping)
    return { idle: `Only ${names} changed since the change started, and its tasks do not mention that` };
  return { slight: `Only ${names} changed, in a way that is not code and that the change does not mention` };
}

/** A fix changes what exists, or adds what something uses. */
async function isUnusedCode(
  { source }: CheckingEngine,
  files: AttributedWork["files"],
  edits: readonly { readonly path: string; readonly kind: string }[],
): Promise<boolean> {
  const added = files.filter(
    ({ path, from }) => !from && edits.some((edit) => edit.path === path && /code|text/.test(edit.kind)),
  );
  if (files.some(({ from }) => from) || added.some(({ path }) => isTestPath(path))) return false;
  const paths = (await source.files())
    .map(({ path }) => path)
    .filter((path) => files.every((each) => each.path !== path));
  if (paths.length > MOST_SEARCHED_FILES) return false;
  const stems = added.map(({ path }) => getPathName(path).replace(/\.[^.]*$/, ""));
  for (const path of paths) {
    const text = await source.text(path, 1_000_000);
    if (text !== undefined && stems.some((stem) => text.includes(stem))) return false;
  }
  return true;
}
