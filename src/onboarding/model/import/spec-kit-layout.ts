import {
  type MarkdownChapter,
  findMarkdownChapter,
  parseMarkdownChapters,
  walkMarkdownChapters,
  findFirstParagraph,
  parseMarkdownListItems,
  formatMarkdownChapter,
  parseCriterionSentence,
  stripBoldMarks,
  formatNameAsTitle,
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

const SPEC_KIT_FOLDER = String.raw`^specs\/(\d{1,8}(?:-\d{6})?-[^/]+)`;
const SPEC_KIT_SPEC = new RegExp(String.raw`${SPEC_KIT_FOLDER}\/spec\.md$`);
const SPEC_KIT_PART = new RegExp(String.raw`${SPEC_KIT_FOLDER}\/(plan|research|tasks)\.md$`);
const SPEC_KIT_PART_KINDS = { plan: "design", research: "research", tasks: "tasks" } as const satisfies Record<
  string,
  ForeignFeaturePart["as"]
>;
const SPEC_KIT_CONSTITUTION = /^(?:\.specify\/)?memory\/constitution\.md$/;
/** Placeholders of an unfilled template: `[FEATURE NAME]`, `[PROJECT_NAME]`. */
const TEMPLATE_PLACEHOLDER = /\[(?:FEATURE NAME|PROJECT_NAME|PRINCIPLE_1_NAME)\]/;

export const specKitLayout: LayoutReader = {
  layout: "spec-kit",
  folders: [".specify", "specs", "memory"],
  isThere: (paths) => paths.some((path) => path.startsWith(".specify/") || SPEC_KIT_SPEC.test(path)),
  selfIn: (paths) => (paths.some((path) => /^\d{1,8}-[^/]+\/spec\.md$/.test(path)) ? "specs" : undefined),
  isOwn: (path) =>
    path.startsWith(".specify/") || SPEC_KIT_CONSTITUTION.test(path) || new RegExp(`${SPEC_KIT_FOLDER}/`).test(path),
  rows: [
    [
      SPEC_KIT_CONSTITUTION,
      (file) => (TEMPLATE_PLACEHOLDER.test(file.text) ? UNFILLED_TEMPLATE : createSteeringItem(file, "constitution")),
    ],
    [
      SPEC_KIT_SPEC,
      ({ path, text, match }) =>
        TEMPLATE_PLACEHOLDER.test(text)
          ? UNFILLED_TEMPLATE
          : takeSpecWithCriteria(
              parseSpecKitSpec(path, stripFolderNumber(match[1]), text),
              "no scenario and no requirement was found in it",
            ),
    ],
    [SPEC_KIT_PART, ({ match }, sorter) => createSpecKitFeature(sorter, match[1] ?? "")],
    ...leaveToolFolders(".specify", "templates", "scripts", "extensions", "presets", "workflows", "integrations"),
    [/^\.specify\/[^/]+\.(?:json|ya?ml)$/, { leave: "it is state of another tool" }],
  ],
  rest: "it has no place of its own here",
};

const UNFILLED_TEMPLATE = { leave: "it is the template, with nothing filled in" };

function createSpecKitFeature(sorter: LayoutSorter, folder: string): ForeignFeature {
  const name = stripFolderNumber(folder);
  const parts = sorter
    .matching(SPEC_KIT_PART)
    .filter(({ match }) => match[1] === folder)
    .map(({ path, text, match }): ForeignFeaturePart => ({
      from: path,
      as: SPEC_KIT_PART_KINDS[match[2] as keyof typeof SPEC_KIT_PART_KINDS],
      text,
    }));
  const spec = sorter.text(`specs/${folder}/spec.md`);
  const said = (spec && parseSpecKitSpec("", name, spec).summary) || findFirstParagraph(parts[0]?.text ?? "");
  return {
    kind: "feature",
    from: parts[0]?.from ?? "",
    name,
    description: said || formatNameAsTitle(name),
    parts,
  };
}

const stripFolderNumber = (folder = ""): string => folder.replace(/^\d+(?:-\d{6})?-/, "");

function parseSpecKitSpec(from: string, name: string, text: string): ForeignSpec {
  const root = parseMarkdownChapters(text);
  const all = [...walkMarkdownChapters(root)];
  const told = all.filter(({ title }) => /^User Story \d+/i.test(title));
  const primary = told.length === 0 ? findMarkdownChapter(root, /^Primary User Story/i) : undefined;
  const stories = [...told.map(formatSpecKitStory), ...(primary ? [findFirstParagraph(primary.own)] : [])].filter(
    (story) => story !== "",
  );
  const scenarios = told.length > 0 ? told.flatMap((chapter, i) => listSpecKitScenarios(chapter.own, i + 1)) : [];
  const plainly = findMarkdownChapter(root, /^Acceptance Scenarios/i);
  const success = findMarkdownChapter(root, /^(?:Success Criteria|Measurable Outcomes)/i);
  const asked = all.filter(({ title }) => /^(?:Functional|Non-Functional) Requirements/i.test(title));
  const taken = new Set<MarkdownChapter>([...told, ...asked, ...(success ? [...walkMarkdownChapters(success)] : [])]);
  if (plainly) taken.add(plainly);
  if (primary) taken.add(primary);
  const measures = success
    ? [...walkMarkdownChapters(success)]
        .flatMap(({ own }) => parseMarkdownListItems(own))
        .map((item) => stripBoldMarks(item.text))
    : [];
  return {
    kind: "spec",
    from,
    text,
    title: findSpecKitTitle(root) || formatNameAsTitle(name),
    summary: findSpecKitSummary(root, stories[0] ?? ""),
    stories,
    criteria: [
      ...scenarios,
      ...(plainly && told.length === 0 ? listSpecKitScenarios(plainly.own, primary ? 1 : undefined) : []),
      ...[...asked.map(({ own }) => own), ...told.map(({ own }) => own)].flatMap(listSpecKitRequirements),
    ],
    ...(measures.length === 0 ? {} : { success: measures }),
    ...collectSpecKitRest(root, taken, told),
  };
}

/** `# Feature Specification: Photo albums`. */
const findSpecKitTitle = ({ parts }: MarkdownChapter): string => {
  const [top] = parts;
  return top?.level === 1 ? top.title.replace(/^Feature Specification\s*:\s*/i, "").trim() : "";
};

function findSpecKitSummary(root: MarkdownChapter, story: string): string {
  const head = root.parts[0]?.own ?? root.own;
  const [, input = ""] = /^\*\*Input\*\*\s*:\s*(.*)$/m.exec(head) ?? [];
  const said = input
    .replace(/^User description\s*:\s*/i, "")
    .replace(/^["“]|["”]$/g, "")
    .trim();
  return said === "" || said === "$ARGUMENTS" ? story : said;
}

/** Reads `### User Story 1 - Create an album (Priority: P1)` and the text before the first label. */
function formatSpecKitStory({ title, own }: MarkdownChapter): string {
  const name = title.replace(/^User Story \d+\s*[-–—:]?\s*/i, "").replace(/\s*\(Priority:[^)]*\).*$/i, "");
  const said = findFirstParagraph(own.split(/^\*\*/m)[0] ?? "");
  return said === "" ? name || title : /^as an?\b/i.test(said) ? said : `${name}: ${said}`;
}

/** The numbered items. An item without Given, When, Then is an outcome. */
function listSpecKitScenarios(text: string, story: number | undefined): ForeignCriterion[] {
  const numbered = parseMarkdownListItems(text).filter(({ label }) => label !== undefined && /^\d/.test(label));
  return numbered.map((item) => ({ ...parseCriterionSentence(item.text), ...(story === undefined ? {} : { story }) }));
}

/** `- **FR-001**: System MUST …`. */
const listSpecKitRequirements = (text: string): ForeignCriterion[] =>
  parseMarkdownListItems(text)
    .filter(({ label }) => label !== undefined && /^N?FR-/.test(label))
    .map(({ label = "", text: said }) => ({ outcome: stripBoldMarks(said), notes: label }));

/** Template headings may end with a hint: `*(include if feature involves data)*`. */
const stripHeadingHint = (title: string): string => title.replace(/\s*\*\((?:mandatory|include if)\b[^)]*\)\*?$/, "");

function collectSpecKitRest(
  root: MarkdownChapter,
  taken: ReadonlySet<MarkdownChapter>,
  told: readonly MarkdownChapter[],
): Pick<ForeignSpec, "rest"> {
  const parts = [...walkMarkdownChapters(root)].filter(
    (chapter) => chapter.level >= 2 && !taken.has(chapter) && chapter.own.trim() !== "" && !isChecklistChapter(chapter),
  );
  const reasons = told
    .map((chapter) => ({ ...chapter, own: listStoryReasons(chapter.own), parts: [] }))
    .filter(({ own }) => own !== "");
  const rest = [...reasons, ...parts.map((part) => ({ ...part, title: stripHeadingHint(part.title), parts: [] }))]
    .map(formatMarkdownChapter)
    .join("\n")
    .trim();
  return rest === "" ? {} : { rest };
}

const listStoryReasons = (own: string): string =>
  [...own.matchAll(/^\*\*(?:Why this priority|Independent Test)\*\*\s*:.*$/gim)].map(([line]) => line).join("\n\n");

const isChecklistChapter = ({ title }: MarkdownChapter): boolean =>
  /^(?:Review & Acceptance Checklist|Execution (?:Flow|Status)|⚡)/i.test(title);
