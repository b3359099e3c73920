import {
  type MarkdownChapter,
  parseMarkdownChapters,
  walkMarkdownChapters,
  findFirstParagraph,
  parseMarkdownListItems,
  formatMarkdownChapter,
  parseCriterionSentence,
  stripBoldMarks,
  readForeignField,
  parseForeignJson,
  formatNameAsTitle,
  findMarkdownChapter,
  collapseWhitespace,
  parseCriterionSteps,
} from "./imported-markdown.ts";
import {
  type ForeignCriterion,
  type ForeignFeature,
  type ForeignSpec,
  type LayoutReader,
  type LayoutFile,
  LayoutSorter,
} from "./import-source.ts";

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

const OPENSPEC_SPEC = /^openspec\/specs\/(?:.+\/)?([^/]+)\/spec\.md$/;
const OPENSPEC_OPEN_CHANGE = /^openspec\/changes\/(?!archive\/)([^/]+)\/proposal\.md$/;
const OPENSPEC_ARCHIVED_CHANGE = /^openspec\/changes\/archive\/([^/]+)\/proposal\.md$/;
const OPENSPEC_REQUIREMENT = /^Requirement\s*:\s*(.*)$/i;
const OPENSPEC_SCENARIO = /^Scenario\s*:\s*(.*)$/i;

export const openspecLayout: LayoutReader = {
  layout: "openspec",
  folders: ["openspec"],
  isThere: (paths) =>
    paths.some((path) => /^openspec\/(?:specs\/.+\/spec\.md|changes\/.+|project\.md|config\.yaml)$/.test(path)),
  selfIn: (paths) =>
    paths.some((path) => /^specs\/(?:.+\/)?[^/]+\/spec\.md$/.test(path)) &&
    paths.some((path) => /^(?:changes\/|project\.md$|config\.yaml$|AGENTS\.md$)/.test(path))
      ? "openspec"
      : undefined,
  isOwn: (path) => path.startsWith("openspec/"),
  read(files) {
    const sorting = new LayoutSorter(files);
    for (const { path, text, match } of sorting.matching(OPENSPEC_SPEC)) {
      const spec = parseOpenspecSpec(path, match[1] ?? "", text);
      if (spec.criteria.length > 0) sorting.take(spec);
      else sorting.take({ kind: "document", from: path, text, why: "no requirement was found in it" });
    }
    for (const { path, text } of sorting.matching(/^openspec\/project\.md$/))
      sorting.take({ kind: "steering", from: path, name: "project", text });
    for (const { path, text, match } of sorting.matching(OPENSPEC_OPEN_CHANGE)) {
      sorting.begin({ from: path, description: describeOpenspecChange(text, match[1] ?? "") });
      sorting.take({
        kind: "document",
        from: path,
        text,
        why: "a change begins anew, with a type and a size of its own",
      });
    }
    for (const { path, text, match } of sorting.matching(OPENSPEC_ARCHIVED_CHANGE)) {
      const name = (match[1] ?? "").replace(/^\d{4}-\d{2}-\d{2}-/, "");
      sorting.take({ kind: "document", from: path, text, why: "it is history", remember: formatNameAsTitle(name) });
    }
    for (const { path } of sorting.matching(/^openspec\/AGENTS(?:\.[\w-]+)?\.md$/))
      sorting.leave(path, "it tells agents how to use another tool");
    for (const { path } of sorting.matching(/\/\.openspec\.yaml$/)) sorting.leave(path, "it is state of another tool");
    for (const { path, text } of sorting.matching(/^openspec\/changes\//))
      sorting.take({ kind: "document", from: path, text, why: "it is part of a change" });
    for (const { path, text } of sorting.matching(/^openspec\/config\.ya?ml$/))
      sorting.take({ kind: "document", from: path, text, why: "settings of another tool count for nothing here" });
    for (const folder of ["schemas", "templates"])
      sorting.leaveFolder(`openspec/${folder}`, "it belongs to the tool, not to the project");
    return sorting.found("it is no spec of what there is");
  },
};

function parseOpenspecSpec(from: string, name: string, text: string): ForeignSpec {
  const root = parseMarkdownChapters(text);
  const purpose = findMarkdownChapter(root, /^(?:Purpose|Overview)\b/i);
  const requirements = [...walkMarkdownChapters(root)].filter(({ title }) => OPENSPEC_REQUIREMENT.test(title));
  const said = new Set(requirements.flatMap((chapter) => [...walkMarkdownChapters(chapter)]));
  const rest = root.parts
    .flatMap((top) => (top.level === 1 ? top.parts : [top]))
    .filter((part) => part !== purpose && ![...walkMarkdownChapters(part)].some((each) => said.has(each)))
    .map(formatMarkdownChapter)
    .join("\n")
    .trim();
  const summary = findFirstParagraph(purpose?.own ?? "");
  return {
    kind: "spec",
    from,
    text,
    title: formatNameAsTitle(name),
    summary: /^TBD\b/.test(summary) ? "" : summary,
    stories: [],
    criteria: requirements.flatMap(listOpenspecCriteria),
    ...(rest === "" ? {} : { rest }),
  };
}

/** Each scenario is a criterion. A requirement without scenarios is a criterion itself. */
function listOpenspecCriteria(requirement: MarkdownChapter): ForeignCriterion[] {
  const [, name = ""] = OPENSPEC_REQUIREMENT.exec(requirement.title) ?? [];
  const statement = collapseWhitespace(requirement.own.replace(/\*\*/g, ""));
  const scenarios = [...walkMarkdownChapters(requirement)].flatMap((chapter): ForeignCriterion[] => {
    const scenario = OPENSPEC_SCENARIO.exec(chapter.title)?.[1];
    const criterion = scenario === undefined ? undefined : parseCriterionSteps(chapter.own);
    return criterion ? [{ ...criterion, notes: formatCriterionNotes(`${name}: ${scenario}`, statement) }] : [];
  });
  if (scenarios.length > 0) return scenarios;
  const { notes: _, ...criterion } = parseCriterionSentence(statement);
  return statement === ""
    ? []
    : [{ ...criterion, notes: formatCriterionNotes(name, "when" in criterion ? statement : "") }];
}

const formatCriterionNotes = (name: string, statement: string): string =>
  collapseWhitespace(statement === "" ? name : `${name}. ${statement}`);

function describeOpenspecChange(proposal: string, name: string): string {
  const root = parseMarkdownChapters(proposal);
  const why = findFirstParagraph(findMarkdownChapter(root, /^(?:Why|What Changes|Summary)\b/i)?.own ?? "");
  return why === "" ? formatNameAsTitle(name) : `${formatNameAsTitle(name)}: ${why}`;
}
