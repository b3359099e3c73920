import { isPlainObject } from "../flow/shape.ts";
import { parseDecisionLog } from "../handover/decisions.ts";
import { parseKnowledgeFileName } from "../knowledge/file-name.ts";
import { chapterNamed, chaptersOf, firstParagraph } from "./chapter.ts";
import type { FoundFeature, FoundPart, LayoutReader, SourceText } from "./found.ts";
import { Sorting } from "./sorting.ts";
import { titleOf } from "./title.ts";

const ROOT = String.raw`^(?:\.claude\/sdd|\.sdd)\/`;
const at = (rest: string): RegExp => new RegExp(`${ROOT}${rest}$`);
const RECORD = at(String.raw`project\/specs\/([^/]+)\/spec\.yaml`);
const PART = at(String.raw`project\/specs\/([^/]+)\/(design\.md|research\.md|tasks\.yaml)`);
const KNOWLEDGE = at(String.raw`project\/knowledge\/([^/]+\.md)`);
const SESSION = at(String.raw`handover\/sessions\/(\d{4}-\d{2}-\d{2}(?:-\d{1,3})?\.md)`);

export const syncSdd: LayoutReader = {
  layout: "sync-sdd",
  folders: [".claude/sdd", ".sdd/project", ".sdd/session", ".sdd/handover", ".sdd/settings", ".sdd/lib"],
  isThere: (paths) => paths.some((path) => at(String.raw`(?:project|session|handover)\/.+`).test(path)),
  selfIn: (paths) => (paths.some((path) => /^project\/(?:specs|steering)\/./.test(path)) ? ".claude/sdd" : undefined),
  isOwn: (path) => at(String.raw`(?:\.version|(?:project|session|handover|settings|lib)\/.+)`).test(path),
  read(files) {
    const sorting = new Sorting(files);
    for (const { path, text, match } of sorting.matching(at(String.raw`project\/steering\/([^/]+)\.md`)))
      sorting.take({ kind: "steering", from: path, name: match[1] ?? "", text });
    for (const { path, text, data, match } of sorting.matching(RECORD))
      sorting.take(featureFrom(sorting, match[1] ?? "", { path, text, data }));
    for (const { path, text, match } of sorting.matching(KNOWLEDGE))
      if (parseKnowledgeFileName(match[1] ?? ""))
        sorting.take({ kind: "knowledge", from: path, name: match[1] ?? "", text });
    for (const { path, text, match } of sorting.matching(SESSION))
      sorting.take({ kind: "session", from: path, name: match[1] ?? "", text });
    for (const { path, text } of sorting.matching(at(String.raw`handover\/decisions\.md`))) {
      const entries = parseDecisionLog(text);
      if (entries.length > 0) sorting.take({ kind: "decisions", from: path, entries });
    }
    for (const { path } of sorting.matching(at(String.raw`project\/(?:specs\/roadmap|knowledge\/index)\.md`)))
      sorting.leave(path, "it is made from the other files, here too");
    for (const { path } of sorting.matching(at(String.raw`(?:\.version|session\/state\.yaml)`)))
      sorting.leave(path, "it is state of another tool");
    for (const { path } of sorting.matching(at(String.raw`project\/(?:.*\/)?reviews\/.+`)))
      sorting.leave(path, "verdicts of another tool are not believed");
    for (const folder of [".claude/sdd/settings", ".sdd/settings", ".sdd/lib"])
      sorting.leaveFolder(folder, "it belongs to the tool, not to the project");
    return sorting.found("it has no place of its own here");
  },
};

function featureFrom(sorting: Sorting, name: string, record: SourceText): FoundFeature {
  const fields = isPlainObject(record.data) ? record.data : {};
  const { language, roadmap } = fields;
  const parts = sorting
    .matching(PART)
    .filter(({ match }) => match[1] === name)
    .map(({ path, text, match }): FoundPart => ({
      from: path,
      as: (match[2] ?? "").replace(/\..*$/, "") as FoundPart["as"],
      text,
    }));
  const design = parts.find(({ as }) => as === "design")?.text ?? "";
  const said = firstParagraph(chapterNamed(chaptersOf(design), /^(?:Introduction|Overview)\b/i)?.own ?? "");
  const dependencies = isPlainObject(roadmap) ? roadmap["dependencies"] : undefined;
  const isPlaced = isPlainObject(roadmap);
  return {
    kind: "feature",
    from: record.path,
    name,
    description: said === "" ? titleOf(name) : said,
    ...(typeof language === "string" && /^[a-z]{2}(?:-[A-Z]{2})?$/.test(language) ? { language } : {}),
    ...(isPlaced
      ? { dependencies: Array.isArray(dependencies) ? dependencies.filter((each) => typeof each === "string") : [] }
      : {}),
    parts,
  };
}
