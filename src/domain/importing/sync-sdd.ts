import { isPlainObject } from "../flow/shape.ts";
import { parseDecisionLog } from "../handover/decisions.ts";
import { parseKnowledgeFileName } from "../knowledge/file-name.ts";
import { findMarkdownChapter, parseMarkdownChapters, findFirstParagraph } from "./chapter.ts";
import type { ForeignFeature, ForeignFeaturePart, LayoutReader, LayoutFile } from "./found.ts";
import { LayoutSorter } from "./sorting.ts";
import { formatNameAsTitle } from "./title.ts";

const SYNC_SDD_ROOT = String.raw`^(?:\.claude\/sdd|\.sdd)\/`;
const createSyncSddPattern = (rest: string): RegExp => new RegExp(`${SYNC_SDD_ROOT}${rest}$`);
const SYNC_SDD_RECORD = createSyncSddPattern(String.raw`project\/specs\/([^/]+)\/spec\.yaml`);
const SYNC_SDD_PART = createSyncSddPattern(String.raw`project\/specs\/([^/]+)\/(design\.md|research\.md|tasks\.yaml)`);
const SYNC_SDD_KNOWLEDGE = createSyncSddPattern(String.raw`project\/knowledge\/([^/]+\.md)`);
const SYNC_SDD_SESSION = createSyncSddPattern(String.raw`handover\/sessions\/(\d{4}-\d{2}-\d{2}(?:-\d{1,3})?\.md)`);

export const syncSddLayout: LayoutReader = {
  layout: "sync-sdd",
  folders: [".claude/sdd", ".sdd/project", ".sdd/session", ".sdd/handover", ".sdd/settings", ".sdd/lib"],
  isThere: (paths) =>
    paths.some((path) => createSyncSddPattern(String.raw`(?:project|session|handover)\/.+`).test(path)),
  selfIn: (paths) => (paths.some((path) => /^project\/(?:specs|steering)\/./.test(path)) ? ".claude/sdd" : undefined),
  isOwn: (path) =>
    createSyncSddPattern(String.raw`(?:\.version|(?:project|session|handover|settings|lib)\/.+)`).test(path),
  read(files) {
    const sorting = new LayoutSorter(files);
    for (const { path, text, match } of sorting.matching(
      createSyncSddPattern(String.raw`project\/steering\/([^/]+)\.md`),
    ))
      sorting.take({ kind: "steering", from: path, name: match[1] ?? "", text });
    for (const { path, text, data, match } of sorting.matching(SYNC_SDD_RECORD))
      sorting.take(createSyncSddFeature(sorting, match[1] ?? "", { path, text, data }));
    for (const { path, text, match } of sorting.matching(SYNC_SDD_KNOWLEDGE))
      if (parseKnowledgeFileName(match[1] ?? ""))
        sorting.take({ kind: "knowledge", from: path, name: match[1] ?? "", text });
    for (const { path, text, match } of sorting.matching(SYNC_SDD_SESSION))
      sorting.take({ kind: "session", from: path, name: match[1] ?? "", text });
    for (const { path, text } of sorting.matching(createSyncSddPattern(String.raw`handover\/decisions\.md`))) {
      const entries = parseDecisionLog(text);
      if (entries.length > 0) sorting.take({ kind: "decisions", from: path, entries });
    }
    for (const { path } of sorting.matching(
      createSyncSddPattern(String.raw`project\/(?:specs\/roadmap|knowledge\/index)\.md`),
    ))
      sorting.leave(path, "it is made from the other files, here too");
    for (const { path } of sorting.matching(createSyncSddPattern(String.raw`(?:\.version|session\/state\.yaml)`)))
      sorting.leave(path, "it is state of another tool");
    for (const { path } of sorting.matching(createSyncSddPattern(String.raw`project\/(?:.*\/)?reviews\/.+`)))
      sorting.leave(path, "verdicts of another tool are not believed");
    for (const folder of [".claude/sdd/settings", ".sdd/settings", ".sdd/lib"])
      sorting.leaveFolder(folder, "it belongs to the tool, not to the project");
    return sorting.found("it has no place of its own here");
  },
};

function createSyncSddFeature(sorting: LayoutSorter, name: string, record: LayoutFile): ForeignFeature {
  const fields = isPlainObject(record.data) ? record.data : {};
  const { language, roadmap } = fields;
  const parts = sorting
    .matching(SYNC_SDD_PART)
    .filter(({ match }) => match[1] === name)
    .map(({ path, text, match }): ForeignFeaturePart => ({
      from: path,
      as: (match[2] ?? "").replace(/\..*$/, "") as ForeignFeaturePart["as"],
      text,
    }));
  const design = parts.find(({ as }) => as === "design")?.text ?? "";
  const said = findFirstParagraph(
    findMarkdownChapter(parseMarkdownChapters(design), /^(?:Introduction|Overview)\b/i)?.own ?? "",
  );
  const dependencies = isPlainObject(roadmap) ? roadmap["dependencies"] : undefined;
  const isPlaced = isPlainObject(roadmap);
  return {
    kind: "feature",
    from: record.path,
    name,
    description: said === "" ? formatNameAsTitle(name) : said,
    ...(typeof language === "string" && /^[a-z]{2}(?:-[A-Z]{2})?$/.test(language) ? { language } : {}),
    ...(isPlaced
      ? { dependencies: Array.isArray(dependencies) ? dependencies.filter((each) => typeof each === "string") : [] }
      : {}),
    parts,
  };
}
