import { type Chapter, chaptersOf, eachChapter, firstParagraph, itemsIn, textOf } from "./chapter.ts";
import { criterionFrom, withoutMarks } from "./criterion.ts";
import type { FoundCriterion, FoundFeature, FoundSpec, LayoutReader, SourceText } from "./found.ts";
import { fieldOf, jsonIn } from "./json.ts";
import { Sorting } from "./sorting.ts";
import { titleOf } from "./title.ts";

const SPEC = /^\.kiro\/specs\/([^/]+)\/requirements\.md$/;
const PART = /^\.kiro\/specs\/([^/]+)\/(design|research|tasks)\.md$/;
const STEERING = /^\.kiro\/steering\/([^/]+)\.md$/;

/** The file that `tenon setup kiro` adds to Kiro's own. */
const OURS = ".kiro/steering/tenon.md";

/** Kiro, and cc-sdd, which uses the same layout. */
export const kiro: LayoutReader = {
  layout: "kiro",
  folders: [".kiro"],
  isThere: (paths) => paths.some((path) => path !== OURS && /^\.kiro\/(?:specs|steering)\/./.test(path)),
  selfIn: (paths) => (paths.some((path) => /^specs\/[^/]+\/requirements\.md$/.test(path)) ? ".kiro" : undefined),
  isOwn: (path) => path.startsWith(".kiro/"),
  read(files) {
    const sorting = new Sorting(files);
    for (const { path, text, match } of sorting.matching(STEERING)) {
      if (path === OURS) sorting.leave(path, "tenon setup wrote it");
      else sorting.take({ kind: "steering", from: path, name: match[1] ?? "", text });
    }
    const introductions = new Map<string, string>();
    for (const { path, text, match } of sorting.matching(SPEC)) {
      const spec = specFrom(path, match[1] ?? "", text);
      introductions.set(match[1] ?? "", spec.summary);
      if (spec.criteria.length > 0) sorting.take(spec);
      else sorting.take({ kind: "document", from: path, text, why: "no requirement with criteria was found in it" });
    }
    const parts = Map.groupBy(sorting.matching(PART), ({ match }) => match[1] ?? "");
    for (const [name, documents] of parts) sorting.take(featureFrom(sorting, name, documents, introductions.get(name)));
    for (const { path } of sorting.matching(/^\.kiro\/specs\/[^/]+\/spec\.json$/))
      sorting.leave(path, "phases and approvals of another tool are not believed");
    for (const folder of ["settings", "hooks", "agents", "prompts", "skills", "powers"])
      sorting.leaveFolder(`.kiro/${folder}`, "it belongs to the tool, not to the project");
    return sorting.found("it is neither requirements nor steering");
  },
};

/** Reads `### Requirement 1: …` with a story and numbered criteria in any language: only the structure counts. */
function specFrom(from: string, name: string, text: string): FoundSpec {
  const root = chaptersOf(text);
  const asked = [...eachChapter(root)].filter(isRequirement);
  const stories: string[] = [];
  const criteria = asked.flatMap((chapter, i): FoundCriterion[] => {
    const story = storyIn(chapter);
    if (story !== "") stories.push(story);
    const number = story === "" ? undefined : stories.length;
    const label = numberOf(chapter, i + 1);
    return listOf(chapter).map((item, j) => {
      const { notes, ...criterion } = criterionFrom(item.text);
      const cited = `${label}.${item.label ?? j + 1}`;
      return {
        ...criterion,
        ...(number === undefined ? {} : { story: number }),
        notes: notes === undefined ? `Requirement ${cited}` : `Requirement ${cited}: ${notes}`,
      };
    });
  });
  const introduction = introductionIn(root);
  const rest = root.parts
    .flatMap((top) => (top.level === 1 ? top.parts : [top]))
    .filter((part) => part !== introduction && ![...eachChapter(part)].some(isRequirement))
    .map(textOf)
    .join("\n")
    .trim();
  return {
    kind: "spec",
    from,
    text,
    title: titleOf(name),
    summary: firstParagraph(introduction?.own ?? root.parts[0]?.own ?? root.own),
    stories,
    criteria,
    ...(rest === "" ? {} : { rest }),
  };
}

const isRequirement = (chapter: Chapter): boolean => chapter.level === 3 && listOf(chapter).length > 0;

/** The numbered list of the chapter or of the heading below it. */
function listOf({ own, parts }: Chapter): ReturnType<typeof itemsIn> {
  const below = parts.filter(({ level }) => level === 4).map((part) => part.own);
  return (
    [own, ...below]
      .map((text) => itemsIn(text).filter(({ label }) => label !== undefined))
      .find((list) => list.length > 0) ?? []
  );
}

/** `**User Story:** As a …` in Kiro, `**Objective:** As a …` in cc-sdd. */
function storyIn({ own }: Chapter): string {
  const [, said = ""] =
    /^[ \t]*\*\*[^*\n]{1,60}?(?::\*\*|\*\*[ \t]*:)[ \t]*(\S[^\n]*(?:\n(?![ \t]*(?:\n|[-*\d#]))[^\n]+)*)/m.exec(own) ??
    [];
  return withoutMarks(said);
}

const numberOf = ({ title }: Chapter, otherwise: number): string =>
  /(\d{1,4}(?:\.\d{1,4})?)/.exec(title)?.[1] ?? String(otherwise);

const introductionIn = (root: Chapter): Chapter | undefined =>
  [...eachChapter(root)].find(
    ({ level, title }) => level === 2 && /^(?:\d+\.\s*)?(?:introduction|overview|概要|はじめに|介绍|简介)/i.test(title),
  );

function featureFrom(
  sorting: Sorting,
  name: string,
  documents: readonly (SourceText & { readonly match: RegExpExecArray })[],
  introduction = "",
): FoundFeature {
  const state = jsonIn(sorting.text(`.kiro/specs/${name}/spec.json`));
  const language = fieldOf(state, "language");
  const own = documents[0]?.text ?? "";
  return {
    kind: "feature",
    from: documents[0]?.path ?? "",
    name,
    description: introduction === "" ? firstParagraph(own) || titleOf(name) : introduction,
    ...(language === undefined ? {} : { language }),
    parts: documents.map(({ path, text, match }) => ({
      from: path,
      as: match[2] as "design" | "research" | "tasks",
      text,
    })),
  };
}
