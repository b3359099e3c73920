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
  createSteeringItem,
  type ForeignCriterion,
  type ForeignFeature,
  type ForeignFeaturePart,
  type ForeignSpec,
  type LayoutReader,
  type LayoutSorter,
  leaveToolFolders,
  takeSpecWithCriteria,
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
  rows: [
    [
      KIRO_STEERING,
      (file) => (file.path === TENON_STEERING_FILE ? { leave: "tenon setup wrote it" } : createSteeringItem(file)),
    ],
    [
      KIRO_SPEC,
      ({ path, text, match }) =>
        takeSpecWithCriteria(parseKiroSpec(path, match[1] ?? "", text), "no requirement with criteria was found in it"),
    ],
    [KIRO_PART, ({ match }, sorter) => createKiroFeature(sorter, match[1] ?? "")],
    [/^\.kiro\/specs\/[^/]+\/spec\.json$/, { leave: "phases and approvals of another tool are not believed" }],
    ...leaveToolFolders(".kiro", "settings", "hooks", "agents", "prompts", "skills", "powers"),
  ],
  rest: "it is neither requirements nor steering",
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
  const rest = formatOtherChapters(
    root,
    (part) => part === introduction || [...walkMarkdownChapters(part)].some(isRequirementChapter),
  );
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

function createKiroFeature(sorter: LayoutSorter, name: string): ForeignFeature {
  const folder = `.kiro/specs/${name}`;
  const documents = sorter.matching(KIRO_PART).filter(({ match }) => match[1] === name);
  const language = readForeignField(parseForeignJson(sorter.text(`${folder}/spec.json`)), "language");
  const requirements = sorter.text(`${folder}/requirements.md`);
  const introduction = requirements === undefined ? "" : parseKiroSpec("", name, requirements).summary;
  const own = documents[0]?.text ?? "";
  return {
    kind: "feature",
    from: documents[0]?.path ?? "",
    name,
    description: introduction || findFirstParagraph(own) || formatNameAsTitle(name),
    ...(language === undefined ? {} : { language }),
    parts: documents.map(({ path, text, match }) => ({
      from: path,
      as: match[2] as ForeignFeaturePart["as"],
      text,
    })),
  };
}

/** The chapters that no field of a spec holds. */
function formatOtherChapters(root: MarkdownChapter, isHeld: (part: MarkdownChapter) => boolean): string {
  const parts = root.parts.flatMap((top) => (top.level === 1 ? top.parts : [top]));
  return parts
    .filter((part) => !isHeld(part))
    .map(formatMarkdownChapter)
    .join("\n")
    .trim();
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
  rows: [
    [
      OPENSPEC_SPEC,
      ({ path, text, match }) =>
        takeSpecWithCriteria(parseOpenspecSpec(path, match[1] ?? "", text), "no requirement was found in it"),
    ],
    [/^openspec\/project\.md$/, (file) => createSteeringItem(file, "project")],
    [
      OPENSPEC_OPEN_CHANGE,
      ({ path, text, match }, sorter) => {
        sorter.begin({ from: path, description: describeOpenspecChange(text, match[1] ?? "") });
        return "a change begins anew, with a type and a size of its own";
      },
    ],
    [
      OPENSPEC_ARCHIVED_CHANGE,
      ({ path, text, match }) => {
        const name = (match[1] ?? "").replace(/^\d{4}-\d{2}-\d{2}-/, "");
        return { kind: "document", from: path, text, why: "it is history", remember: formatNameAsTitle(name) };
      },
    ],
    [/^openspec\/AGENTS(?:\.[\w-]+)?\.md$/, { leave: "it tells agents how to use another tool" }],
    [/\/\.openspec\.yaml$/, { leave: "it is state of another tool" }],
    [/^openspec\/changes\//, "it is part of a change"],
    [/^openspec\/config\.ya?ml$/, "settings of another tool count for nothing here"],
    ...leaveToolFolders("openspec", "schemas", "templates"),
  ],
  rest: "it is no spec of what there is",
};

function parseOpenspecSpec(from: string, name: string, text: string): ForeignSpec {
  const root = parseMarkdownChapters(text);
  const purpose = findMarkdownChapter(root, /^(?:Purpose|Overview)\b/i);
  const requirements = [...walkMarkdownChapters(root)].filter(({ title }) => OPENSPEC_REQUIREMENT.test(title));
  const said = new Set(requirements.flatMap((chapter) => [...walkMarkdownChapters(chapter)]));
  const rest = formatOtherChapters(
    root,
    (part) => part === purpose || [...walkMarkdownChapters(part)].some((each) => said.has(each)),
  );
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
