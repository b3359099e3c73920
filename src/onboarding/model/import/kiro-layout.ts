import {
  type MarkdownChapter,
  parseMarkdownChapters,
  walkMarkdownChapters,
  findFirstParagraph,
  parseMarkdownListItems,
  formatMarkdownChapter,
  stripBoldMarks,
  readForeignField,
  parseForeignJson,
  formatNameAsTitle,
} from "./imported-markdown.ts";
import type {
  ForeignFeature,
  ForeignRequirement,
  ForeignRequirements,
  LayoutReader,
  LayoutSorter,
} from "./import-source.ts";
import { createSteeringItem, leaveToolFolders, takeRequirements } from "./import-source.ts";
import { createCapabilityName } from "./requirement-text.ts";

const KIRO_PART = /^\.kiro\/specs\/([^/]+)\/(design|research|tasks)\.md$/;
const KIRO_STORY =
  /^[ \t]*\*\*[^*\n]{1,60}?(?::\*\*|\*\*[ \t]*:)[ \t]*(\S[^\n]*(?:\n(?![ \t]*(?:\n|[-*\d#]))[^\n]+)*)/m;

/** Kiro, and cc-sdd, which uses the same layout. */
export const kiroLayout: LayoutReader = {
  layout: "kiro",
  folders: [".kiro"],
  // `tenon setup kiro` adds a steering file of its own.
  isThere: (paths) => paths.some((path) => /^\.kiro\/(?:specs\/|steering\/(?!tenon\.md$))./.test(path)),
  selfIn: (paths) => (paths.some((path) => /^specs\/[^/]+\/requirements\.md$/.test(path)) ? ".kiro" : undefined),
  isOwn: (path) => path.startsWith(".kiro/"),
  rows: [
    [/^\.kiro\/steering\/tenon\.md$/, { leave: "tenon setup wrote it" }],
    [/^\.kiro\/steering\/([^/]+)\.md$/, (file) => createSteeringItem(file)],
    [
      /^\.kiro\/specs\/([^/]+)\/requirements\.md$/,
      ({ path, text, match }) =>
        takeRequirements(parseKiroSpec(path, match[1] ?? "", text), "no requirement with criteria was found in it"),
    ],
    [KIRO_PART, ({ match }, sorter) => createKiroFeature(sorter, match[1] ?? "")],
    [/^\.kiro\/specs\/[^/]+\/spec\.json$/, { leave: "Tenon does not use phases and approvals of other tools" }],
    ...leaveToolFolders(".kiro", "settings", "hooks", "agents", "prompts", "skills", "powers"),
  ],
  rest: "it is neither requirements nor steering",
};

/** In any language: only the structure counts. Each criterion is a requirement, because it can be tested. */
function parseKiroSpec(from: string, name: string, text: string): ForeignRequirements {
  const root = parseMarkdownChapters(text);
  const asked = [...walkMarkdownChapters(root)].filter(isRequirementChapter);
  const stories: string[] = [];
  const requirements = asked.flatMap((chapter, i): ForeignRequirement[] => {
    // `**User Story:** As a …` in Kiro, `**Objective:** As a …` in cc-sdd.
    const story = stripBoldMarks(KIRO_STORY.exec(chapter.own)?.[1] ?? "");
    if (story !== "") stories.push(story);
    const label = /(\d{1,4}(?:\.\d{1,4})?)/.exec(chapter.title)?.[1] ?? String(i + 1);
    const title = chapter.title.replace(/^.{0,40}?\d{1,4}(?:\.\d{1,4})?\s*[:.–—-]?\s*/, "");
    return listChapterCriteria(chapter).map((item, j) => ({
      name: `${label}.${item.label ?? j + 1} ${title}`.trim(),
      text: stripBoldMarks(item.text),
      scenarios: [],
    }));
  });
  const introduction = [...walkMarkdownChapters(root)].find(
    ({ level, title }) => level === 2 && /^(?:\d+\.\s*)?(?:introduction|overview|概要|はじめに|介绍|简介)/i.test(title),
  );
  const rest = formatOtherChapters(
    root,
    (part) => part === introduction || [...walkMarkdownChapters(part)].some(isRequirementChapter),
  );
  const summary = findFirstParagraph(introduction?.own ?? root.parts[0]?.own ?? root.own);
  return {
    kind: "requirements",
    from,
    text,
    capability: createCapabilityName(name),
    purpose: [...(summary === "" ? [] : [summary]), ...stories.map((story) => `- ${story}`)].join("\n"),
    requirements,
    hasRest: rest !== "",
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

function createKiroFeature(sorter: LayoutSorter, name: string): ForeignFeature {
  const parts = sorter.listParts(KIRO_PART, name);
  const language = readForeignField(parseForeignJson(sorter.text(`.kiro/specs/${name}/spec.json`)), "language");
  const requirements = sorter.text(`.kiro/specs/${name}/requirements.md`);
  const introduction =
    requirements === undefined ? "" : parseKiroSpec("", name, requirements).purpose.split("\n", 1)[0];
  return {
    kind: "feature",
    from: parts[0]?.from ?? "",
    name,
    description: introduction || findFirstParagraph(parts[0]?.text ?? "") || formatNameAsTitle(name),
    ...(language === undefined ? {} : { language }),
    parts,
  };
}

function formatOtherChapters(root: MarkdownChapter, isHeld: (part: MarkdownChapter) => boolean): string {
  const parts = root.parts.flatMap((top) => (top.level === 1 ? top.parts : [top]));
  return parts
    .filter((part) => !isHeld(part))
    .map(formatMarkdownChapter)
    .join("\n")
    .trim();
}
