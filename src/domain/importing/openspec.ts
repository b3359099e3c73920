import { type Chapter, chapterNamed, chaptersOf, eachChapter, firstParagraph, oneLine, textOf } from "./chapter.ts";
import { criterionFrom, criterionFromSteps } from "./criterion.ts";
import type { FoundCriterion, FoundSpec, LayoutReader } from "./found.ts";
import { Sorting } from "./sorting.ts";
import { titleOf } from "./title.ts";

const SPEC = /^openspec\/specs\/(?:.+\/)?([^/]+)\/spec\.md$/;
const OPEN = /^openspec\/changes\/(?!archive\/)([^/]+)\/proposal\.md$/;
const ARCHIVED = /^openspec\/changes\/archive\/([^/]+)\/proposal\.md$/;
const REQUIREMENT = /^Requirement\s*:\s*(.*)$/i;
const SCENARIO = /^Scenario\s*:\s*(.*)$/i;

export const openspec: LayoutReader = {
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
    const sorting = new Sorting(files);
    for (const { path, text, match } of sorting.matching(SPEC)) {
      const spec = specFrom(path, match[1] ?? "", text);
      if (spec.criteria.length > 0) sorting.take(spec);
      else sorting.take({ kind: "document", from: path, text, why: "no requirement was found in it" });
    }
    for (const { path, text } of sorting.matching(/^openspec\/project\.md$/))
      sorting.take({ kind: "steering", from: path, name: "project", text });
    for (const { path, text, match } of sorting.matching(OPEN)) {
      sorting.begin({ from: path, description: aimOf(text, match[1] ?? "") });
      sorting.take({
        kind: "document",
        from: path,
        text,
        why: "a change begins anew, with a type and a size of its own",
      });
    }
    for (const { path, text, match } of sorting.matching(ARCHIVED)) {
      const name = (match[1] ?? "").replace(/^\d{4}-\d{2}-\d{2}-/, "");
      sorting.take({ kind: "document", from: path, text, why: "it is history", remember: titleOf(name) });
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

function specFrom(from: string, name: string, text: string): FoundSpec {
  const root = chaptersOf(text);
  const purpose = chapterNamed(root, /^(?:Purpose|Overview)\b/i);
  const requirements = [...eachChapter(root)].filter(({ title }) => REQUIREMENT.test(title));
  const said = new Set(requirements.flatMap((chapter) => [...eachChapter(chapter)]));
  const rest = root.parts
    .flatMap((top) => (top.level === 1 ? top.parts : [top]))
    .filter((part) => part !== purpose && ![...eachChapter(part)].some((each) => said.has(each)))
    .map(textOf)
    .join("\n")
    .trim();
  const summary = firstParagraph(purpose?.own ?? "");
  return {
    kind: "spec",
    from,
    text,
    title: titleOf(name),
    summary: /^TBD\b/.test(summary) ? "" : summary,
    stories: [],
    criteria: requirements.flatMap(criteriaOf),
    ...(rest === "" ? {} : { rest }),
  };
}

/** Each scenario is a criterion. A requirement without scenarios is a criterion itself. */
function criteriaOf(requirement: Chapter): FoundCriterion[] {
  const [, name = ""] = REQUIREMENT.exec(requirement.title) ?? [];
  const statement = oneLine(requirement.own.replace(/\*\*/g, ""));
  const scenarios = [...eachChapter(requirement)].flatMap((chapter): FoundCriterion[] => {
    const scenario = SCENARIO.exec(chapter.title)?.[1];
    const criterion = scenario === undefined ? undefined : criterionFromSteps(chapter.own);
    return criterion ? [{ ...criterion, notes: noted(`${name}: ${scenario}`, statement) }] : [];
  });
  if (scenarios.length > 0) return scenarios;
  const { notes: _, ...criterion } = criterionFrom(statement);
  return statement === "" ? [] : [{ ...criterion, notes: noted(name, "when" in criterion ? statement : "") }];
}

const noted = (name: string, statement: string): string => oneLine(statement === "" ? name : `${name}. ${statement}`);

function aimOf(proposal: string, name: string): string {
  const root = chaptersOf(proposal);
  const why = firstParagraph(chapterNamed(root, /^(?:Why|What Changes|Summary)\b/i)?.own ?? "");
  return why === "" ? titleOf(name) : `${titleOf(name)}: ${why}`;
}
