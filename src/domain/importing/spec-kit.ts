import { type Chapter, chapterNamed, chaptersOf, eachChapter, firstParagraph, itemsIn, textOf } from "./chapter.ts";
import { criterionFrom, withoutMarks } from "./criterion.ts";
import type { FoundCriterion, FoundPart, FoundSpec, LayoutReader } from "./found.ts";
import { Sorting } from "./sorting.ts";
import { titleOf } from "./title.ts";

const FOLDER = String.raw`^specs\/(\d{1,8}(?:-\d{6})?-[^/]+)`;
const SPEC = new RegExp(String.raw`${FOLDER}\/spec\.md$`);
const PART = new RegExp(String.raw`${FOLDER}\/(plan|research|tasks)\.md$`);
const PARTS = { plan: "design", research: "research", tasks: "tasks" } as const satisfies Record<
  string,
  FoundPart["as"]
>;
const CONSTITUTION = /^(?:\.specify\/)?memory\/constitution\.md$/;
/** Placeholders of an unfilled template: `[FEATURE NAME]`, `[PROJECT_NAME]`. */
const BLANK = /\[(?:FEATURE NAME|PROJECT_NAME|PRINCIPLE_1_NAME)\]/;

export const specKit: LayoutReader = {
  layout: "spec-kit",
  folders: [".specify", "specs", "memory"],
  isThere: (paths) => paths.some((path) => path.startsWith(".specify/") || SPEC.test(path)),
  selfIn: (paths) => (paths.some((path) => /^\d{1,8}-[^/]+\/spec\.md$/.test(path)) ? "specs" : undefined),
  isOwn: (path) => path.startsWith(".specify/") || CONSTITUTION.test(path) || new RegExp(`${FOLDER}/`).test(path),
  read(files) {
    const sorting = new Sorting(files);
    for (const { path, text } of sorting.matching(CONSTITUTION)) {
      if (BLANK.test(text)) sorting.leave(path, "it is the template, with nothing filled in");
      else sorting.take({ kind: "steering", from: path, name: "constitution", text });
    }
    const summaries = new Map<string, string>();
    for (const { path, text, match } of sorting.matching(SPEC)) {
      const spec = specFrom(path, nameOf(match[1]), text);
      summaries.set(match[1] ?? "", spec.summary);
      if (BLANK.test(text)) sorting.leave(path, "it is the template, with nothing filled in");
      else if (spec.criteria.length > 0) sorting.take(spec);
      else sorting.take({ kind: "document", from: path, text, why: "no scenario and no requirement was found in it" });
    }
    for (const [folder, documents] of Map.groupBy(sorting.matching(PART), ({ match }) => match[1] ?? "")) {
      const name = nameOf(folder);
      const parts = documents.map(({ path, text, match }): FoundPart => ({
        from: path,
        as: PARTS[match[2] as keyof typeof PARTS],
        text,
      }));
      const said = summaries.get(folder) || firstParagraph(parts[0]?.text ?? "");
      sorting.take({ kind: "feature", from: parts[0]?.from ?? "", name, description: said || titleOf(name), parts });
    }
    for (const folder of ["templates", "scripts", "extensions", "presets", "workflows", "integrations"])
      sorting.leaveFolder(`.specify/${folder}`, "it belongs to the tool, not to the project");
    for (const { path } of sorting.matching(/^\.specify\/[^/]+\.(?:json|ya?ml)$/))
      sorting.leave(path, "it is state of another tool");
    return sorting.found("it has no place of its own here");
  },
};

const nameOf = (folder = ""): string => folder.replace(/^\d+(?:-\d{6})?-/, "");

function specFrom(from: string, name: string, text: string): FoundSpec {
  const root = chaptersOf(text);
  const all = [...eachChapter(root)];
  const told = all.filter(({ title }) => /^User Story \d+/i.test(title));
  const primary = told.length === 0 ? chapterNamed(root, /^Primary User Story/i) : undefined;
  const stories = [...told.map(storyOf), ...(primary ? [firstParagraph(primary.own)] : [])].filter(
    (story) => story !== "",
  );
  const scenarios = told.length > 0 ? told.flatMap((chapter, i) => scenariosIn(chapter.own, i + 1)) : [];
  const plainly = chapterNamed(root, /^Acceptance Scenarios/i);
  const success = chapterNamed(root, /^(?:Success Criteria|Measurable Outcomes)/i);
  const asked = all.filter(({ title }) => /^(?:Functional|Non-Functional) Requirements/i.test(title));
  const taken = new Set<Chapter>([...told, ...asked, ...(success ? [...eachChapter(success)] : [])]);
  if (plainly) taken.add(plainly);
  if (primary) taken.add(primary);
  const measures = success
    ? [...eachChapter(success)].flatMap(({ own }) => itemsIn(own)).map((item) => withoutMarks(item.text))
    : [];
  return {
    kind: "spec",
    from,
    text,
    title: titleIn(root) || titleOf(name),
    summary: summaryIn(root, stories[0] ?? ""),
    stories,
    criteria: [
      ...scenarios,
      ...(plainly && told.length === 0 ? scenariosIn(plainly.own, primary ? 1 : undefined) : []),
      ...[...asked.map(({ own }) => own), ...told.map(({ own }) => own)].flatMap(requirementsIn),
    ],
    ...(measures.length === 0 ? {} : { success: measures }),
    ...restOf(root, taken, told),
  };
}

/** `# Feature Specification: Photo albums`. */
const titleIn = ({ parts }: Chapter): string => {
  const [top] = parts;
  return top?.level === 1 ? top.title.replace(/^Feature Specification\s*:\s*/i, "").trim() : "";
};

function summaryIn(root: Chapter, story: string): string {
  const head = root.parts[0]?.own ?? root.own;
  const [, input = ""] = /^\*\*Input\*\*\s*:\s*(.*)$/m.exec(head) ?? [];
  const said = input
    .replace(/^User description\s*:\s*/i, "")
    .replace(/^["“]|["”]$/g, "")
    .trim();
  return said === "" || said === "$ARGUMENTS" ? story : said;
}

/** Reads `### User Story 1 - Create an album (Priority: P1)` and the text before the first label. */
function storyOf({ title, own }: Chapter): string {
  const name = title.replace(/^User Story \d+\s*[-–—:]?\s*/i, "").replace(/\s*\(Priority:[^)]*\).*$/i, "");
  const said = firstParagraph(own.split(/^\*\*/m)[0] ?? "");
  return said === "" ? name || title : /^as an?\b/i.test(said) ? said : `${name}: ${said}`;
}

/** The numbered items. An item without Given, When, Then is an outcome. */
function scenariosIn(text: string, story: number | undefined): FoundCriterion[] {
  const numbered = itemsIn(text).filter(({ label }) => label !== undefined && /^\d/.test(label));
  return numbered.map((item) => ({ ...criterionFrom(item.text), ...(story === undefined ? {} : { story }) }));
}

/** `- **FR-001**: System MUST …`. */
const requirementsIn = (text: string): FoundCriterion[] =>
  itemsIn(text)
    .filter(({ label }) => label !== undefined && /^N?FR-/.test(label))
    .map(({ label = "", text: said }) => ({ outcome: withoutMarks(said), notes: label }));

/** Template headings may end with a hint: `*(include if feature involves data)*`. */
const withoutHint = (title: string): string => title.replace(/\s*\*\((?:mandatory|include if)\b[^)]*\)\*?$/, "");

function restOf(root: Chapter, taken: ReadonlySet<Chapter>, told: readonly Chapter[]): Pick<FoundSpec, "rest"> {
  const parts = [...eachChapter(root)].filter(
    (chapter) => chapter.level >= 2 && !taken.has(chapter) && chapter.own.trim() !== "" && !isChecklist(chapter),
  );
  const reasons = told
    .map((chapter) => ({ ...chapter, own: labelled(chapter.own), parts: [] }))
    .filter(({ own }) => own !== "");
  const rest = [...reasons, ...parts.map((part) => ({ ...part, title: withoutHint(part.title), parts: [] }))]
    .map(textOf)
    .join("\n")
    .trim();
  return rest === "" ? {} : { rest };
}

const labelled = (own: string): string =>
  [...own.matchAll(/^\*\*(?:Why this priority|Independent Test)\*\*\s*:.*$/gim)].map(([line]) => line).join("\n\n");

const isChecklist = ({ title }: Chapter): boolean =>
  /^(?:Review & Acceptance Checklist|Execution (?:Flow|Status)|⚡)/i.test(title);
