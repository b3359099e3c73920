import type {
  FileOutcome,
  ForeignChange,
  ForeignDelta,
  ForeignProposal,
  LayoutReader,
  LayoutSorter,
} from "./import-source.ts";
import { createSteeringItem, leaveToolFolders, takeRequirements } from "./import-source.ts";
import { findMarkdownChapter, formatMarkdownChapter, parseMarkdownChapters } from "./imported-markdown.ts";
import { parseOpenspecDeltas, parseOpenspecSpec } from "./openspec-documents.ts";
import { createCapabilityName } from "./requirement-text.ts";

const CHANGE_FILE =
  /^openspec\/changes\/(archive\/)?((?!archive\/)[^/]+)\/(proposal\.md|design\.md|tasks\.md|specs\/.+\/spec\.md|\.openspec\.yaml)$/;

export const openspecLayout: LayoutReader = {
  layout: "openspec",
  folders: ["openspec"],
  isThere: (paths) =>
    paths.some((path) => /^openspec\/(?:specs\/.+\/spec\.md|changes\/.+|project\.md|config\.yaml)$/.test(path)),
  selfIn: (paths) =>
    paths.some((path) => /^(?:specs|changes)\/./.test(path)) &&
    paths.some((path) => /^(?:changes\/|project\.md$|config\.yaml$|AGENTS\.md$)/.test(path))
      ? "openspec"
      : undefined,
  isOwn: (path) => path.startsWith("openspec/"),
  rows: [
    [
      /^openspec\/specs\/(.+)\/spec\.md$/,
      ({ path, text, match: [, folder = ""] }) =>
        takeRequirements(
          {
            kind: "requirements",
            from: path,
            text,
            capability: createCapabilityName(folder),
            ...parseOpenspecSpec(text),
          },
          "no requirement was found in it",
        ),
    ],
    [/^openspec\/project\.md$/, (file) => createSteeringItem(file, "project")],
    [CHANGE_FILE, ({ match }, sorter) => readOpenspecChange(sorter, match[1] !== undefined, match[2] ?? "")],
    [/^openspec\/AGENTS(?:\.[\w-]+)?\.md$/, { leave: "it tells agents how to use another tool" }],
    [/^openspec\/changes\//, "it is part of a change"],
    [/^openspec\/config\.ya?ml$/, "Tenon does not use settings of other tools"],
    ...leaveToolFolders("openspec", "schemas", "templates"),
  ],
  rest: "it is not a spec of existing behaviour",
};

function readOpenspecChange(sorter: LayoutSorter, isArchived: boolean, folder: string): FileOutcome {
  const files = sorter
    .matching(CHANGE_FILE)
    .filter(({ match }) => (match[1] !== undefined) === isArchived && match[2] === folder);
  const find = (name: string) => files.find(({ match }) => match[3] === name);
  const [, day = "", name = folder] = /^(\d{4}-\d{2}-\d{2})-(.+)$/.exec(isArchived ? folder : "") ?? [];
  const deltas: ForeignDelta[] = [];
  const purposes: Record<string, string> = {};
  const parts = files.flatMap(({ path: from, text, match: [, , , path = ""] }): ForeignChange["parts"] => {
    const [, below] = /^specs\/(.+)\/spec\.md$/.exec(path) ?? [];
    if (path === "proposal.md") return [{ from, text, path, as: "opening" }];
    if (path === "design.md") return [{ from, text, path, as: "design" }];
    if (path === "tasks.md") return [{ from, text, path, as: "tasks" }];
    if (below === undefined) return [];
    const capability = createCapabilityName(below);
    const found = parseOpenspecDeltas(text);
    deltas.push(...found.deltas.map((delta) => ({ ...delta, capability })));
    if (found.purpose !== "") purposes[capability] = found.purpose;
    return [{ from, text, path, as: "spec", hasRest: found.hasRest || found.deltas.length === 0 }];
  });
  for (const { path } of files.filter(({ match }) => match[3] === ".openspec.yaml"))
    if (parts.length > 0) sorter.leaveFile(path, "it is state of another tool");
  const design = find("design.md")?.text;
  const tasks = find("tasks.md")?.text;
  return {
    kind: "change",
    from: parts[0]?.from ?? files[0]?.path ?? "",
    name,
    ...(isArchived ? { archived: day } : {}),
    proposal: readOpenspecProposal(find("proposal.md")?.text ?? "", design ?? ""),
    deltas,
    purposes,
    ...(design === undefined ? {} : { design }),
    ...(tasks === undefined ? {} : { tasks }),
    parts,
  };
}

function readOpenspecProposal(text: string, design: string): ForeignProposal {
  const root = parseMarkdownChapters(text);
  const [why, what] = [findMarkdownChapter(root, /^Why\b/i), findMarkdownChapter(root, /^What Changes\b/i)];
  const isLeftOut = /^(?:Non-?goals|Out of scope)\b/i;
  const leftOut = findMarkdownChapter(root, isLeftOut) ?? findMarkdownChapter(parseMarkdownChapters(design), isLeftOut);
  const tops = root.parts.flatMap((part) => (part.level === 1 ? part.parts : [part]));
  const rest = tops.filter((part) => part !== why && part !== what && part !== leftOut).map(formatMarkdownChapter);
  const inside = (part: typeof why): string =>
    part === undefined ? "" : [part.own, ...part.parts.map(formatMarkdownChapter)].join("\n").trim();
  return {
    why: inside(why),
    what: inside(what),
    outOfScope: inside(leftOut) || findNonGoals(design),
    rest: rest.join("\n").trim(),
    text,
  };
}

/** The lines below `**Non-Goals:**`, which the template has instead of a heading. */
function findNonGoals(design: string): string {
  const lines = design.split(/\r\n|\r|\n/);
  const at = lines.findIndex((line) => /^\*\*Non-Goals:?\*\*/i.test(line));
  const below = at < 0 ? [] : lines.slice(at + 1);
  const end = below.findIndex((line) => /^(?:\*\*|#)/.test(line));
  const text = (end < 0 ? below : below.slice(0, end)).join("\n").trim();
  return text.startsWith("<!--") ? "" : text;
}
