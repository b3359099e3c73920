import {
  type MarkdownChapter,
  findMarkdownChapter,
  parseMarkdownChapters,
  walkMarkdownChapters,
  findFirstParagraph,
  collapseWhitespace,
  formatMarkdownChapter,
} from "./chapter.ts";
import { parseCriterionSentence, parseCriterionSteps } from "./criterion.ts";
import type { ForeignCriterion, ForeignSpec, LayoutReader } from "./found.ts";
import { LayoutSorter } from "./sorting.ts";
import { formatNameAsTitle } from "./title.ts";

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
