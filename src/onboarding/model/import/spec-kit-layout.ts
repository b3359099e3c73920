import type { RequirementPriority } from "#planning/model/living-spec/delta-vocabulary.ts";
import {
  type MarkdownChapter,
  findMarkdownChapter,
  parseMarkdownChapters,
  walkMarkdownChapters,
  findFirstParagraph,
  parseMarkdownListItems,
  stripBoldMarks,
} from "./imported-markdown.ts";
import type {
  FileOutcome,
  ForeignChange,
  ForeignRequirement,
  ForeignRequirements,
  LayoutReader,
  LayoutSorter,
} from "./import-source.ts";
import { createSteeringItem, leaveToolFolders, takeRequirements } from "./import-source.ts";
import { createCapabilityName, deriveRequirementName, type RequirementScenario } from "./requirement-text.ts";

const SPEC_KIT_FOLDER = String.raw`^specs\/(\d{1,8}(?:-\d{6})?-[^/]+)`;
const SPEC_KIT_SPEC = new RegExp(String.raw`${SPEC_KIT_FOLDER}\/spec\.md$`);
const SPEC_KIT_PART = new RegExp(String.raw`${SPEC_KIT_FOLDER}\/((?:plan|tasks)\.md)$`);
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
          : takeRequirements(
              parseSpecKitSpec(path, stripFolderNumber(match[1]), text),
              "no scenario and no requirement was found in it",
            ),
    ],
    [SPEC_KIT_PART, ({ match }, sorter) => readSpecKitChange(sorter, match[1] ?? "")],
    ...leaveToolFolders(".specify", "templates", "scripts", "extensions", "presets", "workflows", "integrations"),
    [/^\.specify\/[^/]+\.(?:json|ya?ml)$/, { leave: "it is state of another tool" }],
  ],
  rest: "Tenon has no equivalent",
};

const UNFILLED_TEMPLATE = { leave: "it is the template, with nothing filled in" };

/** It is over when all its tasks are marked as done; what Tenon checks later does not depend on these marks. */
function readSpecKitChange(sorter: LayoutSorter, folder: string): FileOutcome {
  const files = sorter.matching(SPEC_KIT_PART).filter(({ match }) => match[1] === folder);
  const find = (name: string) => files.find(({ match }) => match[2] === name)?.text;
  const [design, tasks] = [find("plan.md"), find("tasks.md")];
  const spec = sorter.text(`specs/${folder}/spec.md`) ?? "";
  const marks = [...(tasks ?? "").matchAll(/^[ \t]{0,12}[-*+][ \t]+\[([ xX])\]/gm)].map(([, mark]) => mark);
  const isOver = marks.length > 0 && !marks.includes(" ");
  const name = stripFolderNumber(folder);
  const summary = findMarkdownChapter(parseMarkdownChapters(design ?? ""), /^Summary\b/i)?.own.trim() ?? "";
  const { requirements, purpose } = parseSpecKitSpec("", name, spec);
  const stories = requirements.filter(({ scenarios }) => scenarios.length > 0).map((story) => `- ${story.name}`);
  return {
    kind: "change",
    from: files[0]?.path ?? "",
    name,
    ...(isOver ? { archived: "" } : {}),
    proposal: {
      why: purpose,
      what: [...(summary === "" ? [] : [summary, ""]), ...stories].join("\n").trim(),
      outOfScope: "",
      rest: "",
      text: [purpose, summary].filter((part) => part !== "").join("\n\n"),
    },
    deltas: [],
    purposes: {},
    ...(requirements.length > 0 && !TEMPLATE_PLACEHOLDER.test(spec) ? { builds: name } : {}),
    ...(design === undefined ? {} : { design }),
    ...(tasks === undefined ? {} : { tasks }),
    parts: files.map(({ path: from, text, match: [, , path = ""] }) => ({
      from,
      text,
      path,
      as: path === "plan.md" ? ("design" as const) : ("tasks" as const),
    })),
  } satisfies ForeignChange;
}

const stripFolderNumber = (folder = ""): string => createCapabilityName(folder.replace(/^\d+(?:-\d{6})?-/, ""));

/** Stories with their scenarios, functional requirements, and measurable outcomes as qualities. */
function parseSpecKitSpec(from: string, capability: string, text: string): ForeignRequirements {
  const root = parseMarkdownChapters(text);
  const all = [...walkMarkdownChapters(root)];
  const told = all.filter(({ title }) => /^User Story \d+/i.test(title));
  const primary = told.length === 0 ? findMarkdownChapter(root, /^Primary User Story/i) : undefined;
  const plainly = told.length === 0 ? findMarkdownChapter(root, /^Acceptance Scenarios/i) : undefined;
  const asked = all.filter(({ title }) => /^(?:Functional|Non-Functional) Requirements/i.test(title));
  const success = findMarkdownChapter(root, /^(?:Success Criteria|Measurable Outcomes)/i);
  const measured = success ? [...walkMarkdownChapters(success)] : [];
  const taken = new Set<MarkdownChapter | undefined>([...told, ...asked, ...measured, plainly, primary]);
  const input = findSpecKitInput(root);
  const story = findFirstParagraph(primary?.own ?? "");
  return {
    kind: "requirements",
    from,
    text,
    capability,
    purpose: input || story || (told[0] ? parseSpecKitStory(told[0]).text : ""),
    // First, because these have numbers, which then often stay the same here.
    requirements: [
      ...[...asked, ...told].flatMap(({ own }) => listSpecKitItems(own, /^N?FR-/)),
      ...told.map(parseSpecKitStory),
      ...(story === "" && !plainly
        ? []
        : [{ name: "Primary user story", text: story, scenarios: listSpecKitScenarios(plainly?.own ?? "") }]),
      ...measured.flatMap(({ own }) => listSpecKitItems(own, /^SC-/)),
    ],
    hasRest: all.some((part) => part.level >= 2 && !taken.has(part) && part.own.trim() !== "") || told.some(hasReasons),
  };
}

/** The text between the labels, such as `**Why this priority**`, is in no requirement. */
const hasReasons = ({ own }: MarkdownChapter): boolean => /^\*\*(?:Why this priority|Independent Test)\*\*/im.test(own);

const listSpecKitItems = (own: string, family: RegExp): ForeignRequirement[] =>
  parseMarkdownListItems(own).flatMap(({ label = "", text }) =>
    family.test(label)
      ? [
          {
            name: deriveRequirementName(stripBoldMarks(text)),
            label,
            text: stripBoldMarks(text),
            scenarios: [],
            ...(label.startsWith("FR-") ? {} : { isQuality: true }),
          },
        ]
      : [],
  );

function findSpecKitInput(root: MarkdownChapter): string {
  const head = root.parts[0]?.own ?? root.own;
  const [, input = ""] = /^\*\*Input\*\*\s*:\s*(.*)$/m.exec(head) ?? [];
  const said = input
    .replace(/^User description\s*:\s*/i, "")
    .replace(/^["“]|["”]$/g, "")
    .trim();
  return said === "$ARGUMENTS" ? "" : said;
}

/** Priorities of stories. P1 is what the first release needs. */
const STORY_PRIORITIES: readonly RequirementPriority[] = ["must", "must", "should"];

/** Reads `### User Story 1 - Create an album (Priority: P1)` and the text before the first label. */
function parseSpecKitStory({ title, own }: MarkdownChapter): ForeignRequirement {
  const name = title.replace(/^User Story \d+\s*[-–—:]?\s*/i, "").replace(/\s*\(Priority:[^)]*\).*$/i, "") || title;
  const rank = Number(/\(Priority:\s*P(\d)/i.exec(title)?.[1] ?? 1);
  return {
    name,
    text: findFirstParagraph(own.split(/^\*\*/m)[0] ?? "") || name,
    scenarios: listSpecKitScenarios(own),
    priority: STORY_PRIORITIES[rank] ?? "could",
  };
}

/** Each numbered item is a scenario; its steps are on lines of their own. */
const listSpecKitScenarios = (text: string): RequirementScenario[] =>
  parseMarkdownListItems(text)
    .filter(({ label }) => label !== undefined && /^\d/.test(label))
    .map((item, i) => ({ name: String(i + 1), steps: splitSteps(stripBoldMarks(item.text)) }));

const splitSteps = (sentence: string): string =>
  sentence
    .split(/,?\s+(?=(?:When|Then|And|But)\b)/)
    .map((step) => `- ${step.replace(/^(Given|When|Then|And|But)\b/, (word) => `**${word.toUpperCase()}**`)}`)
    .join("\n");
