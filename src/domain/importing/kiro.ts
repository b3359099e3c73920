import {
  type MarkdownChapter,
  parseMarkdownChapters,
  walkMarkdownChapters,
  findFirstParagraph,
  parseMarkdownListItems,
  formatMarkdownChapter,
} from "./chapter.ts";
import { parseCriterionSentence, stripBoldMarks } from "./criterion.ts";
import type { ForeignCriterion, ForeignFeature, ForeignSpec, LayoutReader, LayoutFile } from "./found.ts";
import { readForeignField, parseForeignJson } from "./json.ts";
import { LayoutSorter } from "./sorting.ts";
import { formatNameAsTitle } from "./title.ts";

const KIRO_SPEC = /^\.kiro\/specs\/([^/]+)\/requirements\.md$/;
const KIRO_PART = /^\.kiro\/specs\/([^/]+)\/(design|research|tasks)\.md$/;
const KIRO_STEERING = /^\.kiro\/steering\/([^/]+)\.md$/;

/** The file that `tenon setup kiro` adds to Kiro's own. */
const TENON_STEERING_FILE = ".kiro/steering/tenon.md";

/** Kiro, and cc-sdd, which uses the same layout. */
export const kiroLayout: LayoutReader = {
  layout: "kiro",
  folders: [".kiro"],
  isThere: (paths) => paths.some((path) => path !== TENON_STEERING_FILE && /^\.kiro\/(?:specs|steering)\/./.test(path)),
  selfIn: (paths) => (paths.some((path) => /^specs\/[^/]+\/requirements\.md$/.test(path)) ? ".kiro" : undefined),
  isOwn: (path) => path.startsWith(".kiro/"),
  read(files) {
    const sorting = new LayoutSorter(files);
    for (const { path, text, match } of sorting.matching(KIRO_STEERING)) {
      if (path === TENON_STEERING_FILE) sorting.leave(path, "tenon setup wrote it");
      else sorting.take({ kind: "steering", from: path, name: match[1] ?? "", text });
    }
    const introductions = new Map<string, string>();
    for (const { path, text, match } of sorting.matching(KIRO_SPEC)) {
      const spec = parseKiroSpec(path, match[1] ?? "", text);
      introductions.set(match[1] ?? "", spec.summary);
      if (spec.criteria.length > 0) sorting.take(spec);
      else sorting.take({ kind: "document", from: path, text, why: "no requirement with criteria was found in it" });
    }
    const parts = Map.groupBy(sorting.matching(KIRO_PART), ({ match }) => match[1] ?? "");
    for (const [name, documents] of parts)
      sorting.take(createKiroFeature(sorting, name, documents, introductions.get(name)));
    for (const { path } of sorting.matching(/^\.kiro\/specs\/[^/]+\/spec\.json$/))
      sorting.leave(path, "phases and approvals of another tool are not believed");
    for (const folder of ["settings", "hooks", "agents", "prompts", "skills", "powers"])
      sorting.leaveFolder(`.kiro/${folder}`, "it belongs to the tool, not to the project");
    return sorting.found("it is neither requirements nor steering");
  },
};

/** Reads `### Requirement 1: …` with a story and numbered criteria in any language: only the structure counts. */
function parseKiroSpec(from: string, name: string, text: string): ForeignSpec {
  const root = parseMarkdownChapters(text);
  const asked = [...walkMarkdownChapters(root)].filter(isRequirementChapter);
  const stories: string[] = [];
  const criteria = asked.flatMap((chapter, i): ForeignCriterion[] => {
    const story = findKiroStory(chapter);
    if (story !== "") stories.push(story);
    const number = story === "" ? undefined : stories.length;
    const label = findRequirementNumber(chapter, i + 1);
    return listChapterCriteria(chapter).map((item, j) => {
      const { notes, ...criterion } = parseCriterionSentence(item.text);
      const cited = `${label}.${item.label ?? j + 1}`;
      return {
        ...criterion,
        ...(number === undefined ? {} : { story: number }),
        notes: notes === undefined ? `Requirement ${cited}` : `Requirement ${cited}: ${notes}`,
      };
    });
  });
  const introduction = findIntroductionChapter(root);
  const rest = root.parts
    .flatMap((top) => (top.level === 1 ? top.parts : [top]))
    .filter((part) => part !== introduction && ![...walkMarkdownChapters(part)].some(isRequirementChapter))
    .map(formatMarkdownChapter)
    .join("\n")
    .trim();
  return {
    kind: "spec",
    from,
    text,
    title: formatNameAsTitle(name),
    summary: findFirstParagraph(introduction?.own ?? root.parts[0]?.own ?? root.own),
    stories,
    criteria,
    ...(rest === "" ? {} : { rest }),
  };
}

const isRequirementChapter = (chapter: MarkdownChapter): boolean =>
  chapter.level === 3 && listChapterCriteria(chapter).length > 0;

/** The numbered list of the chapter or of the heading below it. */
function listChapterCriteria({ own, parts }: MarkdownChapter): ReturnType<typeof parseMarkdownListItems> {
  const below = parts.filter(({ level }) => level === 4).map((part) => part.own);
  return (
    [own, ...below]
      .map((text) => parseMarkdownListItems(text).filter(({ label }) => label !== undefined))
      .find((list) => list.length > 0) ?? []
  );
}

/** `**User Story:** As a …` in Kiro, `**Objective:** As a …` in cc-sdd. */
function findKiroStory({ own }: MarkdownChapter): string {
  const [, said = ""] =
    /^[ \t]*\*\*[^*\n]{1,60}?(?::\*\*|\*\*[ \t]*:)[ \t]*(\S[^\n]*(?:\n(?![ \t]*(?:\n|[-*\d#]))[^\n]+)*)/m.exec(own) ??
    [];
  return stripBoldMarks(said);
}

const findRequirementNumber = ({ title }: MarkdownChapter, otherwise: number): string =>
  /(\d{1,4}(?:\.\d{1,4})?)/.exec(title)?.[1] ?? String(otherwise);

const findIntroductionChapter = (root: MarkdownChapter): MarkdownChapter | undefined =>
  [...walkMarkdownChapters(root)].find(
    ({ level, title }) => level === 2 && /^(?:\d+\.\s*)?(?:introduction|overview|概要|はじめに|介绍|简介)/i.test(title),
  );

function createKiroFeature(
  sorting: LayoutSorter,
  name: string,
  documents: readonly (LayoutFile & { readonly match: RegExpExecArray })[],
  introduction = "",
): ForeignFeature {
  const state = parseForeignJson(sorting.text(`.kiro/specs/${name}/spec.json`));
  const language = readForeignField(state, "language");
  const own = documents[0]?.text ?? "";
  return {
    kind: "feature",
    from: documents[0]?.path ?? "",
    name,
    description: introduction === "" ? findFirstParagraph(own) || formatNameAsTitle(name) : introduction,
    ...(language === undefined ? {} : { language }),
    parts: documents.map(({ path, text, match }) => ({
      from: path,
      as: match[2] as "design" | "research" | "tasks",
      text,
    })),
  };
}
