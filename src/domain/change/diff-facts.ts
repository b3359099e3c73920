import { isTestPath } from "../scan/test-path.ts";
import { formatCount } from "../count.ts";
import { parseProseLines } from "../document/prose.ts";
import { parseTaskList } from "../document/tasks.ts";
import { type ReviewedFile, listMentionedIds, formatLineLocation, type AddedDiffLine } from "./diff.ts";

const DIFF_ID_FAMILIES = ["requirement", "rule", "adr"] as const;
const MAX_NAMES_IN_FACT = 5;

export const listIdsInAddedLines = (lines: readonly AddedDiffLine[]): string[] =>
  lines.flatMap(({ text }) => listMentionedIds(text, DIFF_ID_FAMILIES));

/** Facts only, without judgement. `strangers` are ids that no document defines. */
export function collectDiffFacts(
  files: readonly ReviewedFile[],
  lines: readonly AddedDiffLine[],
  tasks: string | undefined,
  strangers: readonly string[],
): string[] {
  return [
    ...describeUnknownIds(lines, new Set(strangers)),
    ...describeTestChanges(files),
    ...describeLeftovers(lines),
    ...(tasks === undefined ? [] : compareTasksWithDiff(files, tasks)),
  ];
}

function describeUnknownIds(lines: readonly AddedDiffLine[], strangers: ReadonlySet<string>): string[] {
  const told = new Map<string, AddedDiffLine>();
  for (const line of lines)
    for (const id of listMentionedIds(line.text, DIFF_ID_FAMILIES))
      if (strangers.has(id) && !told.has(id)) told.set(id, line);
  return [...told].map(([id, line]) => `${id} is mentioned at ${formatLineLocation(line)}, and nothing has that id.`);
}

function describeTestChanges(files: readonly ReviewedFile[]): string[] {
  const tests = files.filter(({ path }) => isTestPath(path));
  const deleted = tests.filter(({ status }) => status === "deleted").map(({ path }) => path);
  const changed = tests.filter(({ status }) => status !== "deleted").map(({ path }) => path);
  const moved = files.filter(({ path, from }) => from !== undefined && isTestPath(from) && !isTestPath(path));
  return [
    ...(deleted.length > 0
      ? [`${formatCount(deleted.length, "test file")} deleted: ${formatShortNameList(deleted)}.`]
      : []),
    ...moved.map(({ path, from }) => `${from} was a test; it is ${path} now.`),
    changed.length > 0
      ? `${formatCount(changed.length, "test file")} changed: ${formatShortNameList(changed)}.`
      : "No test was added or changed.",
  ];
}

const LEFTOVER_PATTERNS: readonly (readonly [what: string, pattern: RegExp, isProseToo?: true])[] = [
  ["Conflict marks of a merge, added", /^(?:<{7}|>{7})(?: |$)/, true],
  ["Notes to come back, added", /\b(?:TODO|FIXME|XXX|HACK)\b/, true],
  [
    "Debugging lines, added",
    /\bconsole\.(?:log|debug|trace)\(|^\s*debugger;?\s*$|\b(?:dbg!|var_dump)\(|\bbinding\.pry\b|\bbyebug\b|\bi?pdb\.set_trace\(|^\s*breakpoint\(\)/,
  ],
  ["Tests that run alone, added", /\b(?:describe|it|test|context)\.only\(|\bf(?:it|describe)\(/],
  [
    "Tests that are skipped, added",
    /\b(?:describe|it|test|context)\.skip\(|\bx(?:it|describe)\(|@pytest\.mark\.skip\b|\bt\.Skip\(|@Disabled\b/,
  ],
];
const PROSE_FILE_PATTERN = /\.(?:md|mdx|markdown|rst|adoc|txt)$/i;

function describeLeftovers(lines: readonly AddedDiffLine[]): string[] {
  return LEFTOVER_PATTERNS.flatMap(([what, pattern, isProseToo]) => {
    const found = lines.filter(
      ({ path, text }) => (isProseToo || !PROSE_FILE_PATTERN.test(path)) && pattern.test(text),
    );
    return found.length > 0 ? [`${what}: ${formatShortNameList(found.map(formatLineLocation))}.`] : [];
  });
}

/** In backticks, or with a folder in front. A folder ends in a slash. */
const TASK_PATH_PATTERN =
  /`([\w@.][\w@./-]*(?:\.\w{1,8}|\/))`|(?<![\w:/.@-])([\w@.-]+(?:\/[\w@.-]+)*\/(?:[\w@.-]+\.\w{1,8})?)(?![\w/])/g;

function compareTasksWithDiff(files: readonly ReviewedFile[], text: string): string[] {
  const lines = parseProseLines(text);
  const tasks = parseTaskList(lines);
  const plans = tasks.map(({ id, line }, i) => {
    const end = tasks[i + 1]?.line ?? Number.POSITIVE_INFINITY;
    const own = lines.filter(({ number }) => number >= line && number < end);
    return { id, paths: own.flatMap((each) => extractTaskPaths(each.text)) };
  });
  const paths = lines.flatMap((line) => extractTaskPaths(line.text));
  if (paths.length === 0)
    return files.length > 0 ? ["No task names a file, so none can be compared with the diff."] : [];
  const places = files.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]));
  const unplanned = files
    .filter(
      ({ path, from }) =>
        !paths.some((each) => isPathCovered(each, path) || (from !== undefined && isPathCovered(each, from))),
    )
    .map(({ path }) => path);
  const untouched = plans.flatMap(({ id, paths: planned }) => {
    const missing = [...new Set(planned)].filter((each) => !places.some((place) => isPathCovered(each, place)));
    return missing.length > 0 ? [`${id} names what the diff does not touch: ${formatShortNameList(missing)}.`] : [];
  });
  return [
    ...(unplanned.length > 0
      ? [`${formatCount(unplanned.length, "file")} changed that no task names: ${formatShortNameList(unplanned)}.`]
      : []),
    ...untouched,
  ];
}

const extractTaskPaths = (text: string): string[] =>
  [...text.replace(/\w+:\/\/\S+/g, "").matchAll(TASK_PATH_PATTERN)].map(([, ticked, bare]) =>
    (ticked ?? bare ?? "").replace(/^\.\//, ""),
  );

/** `search.ts` and `src/search.ts` match `src/search.ts`; `src/` matches everything below it. */
const isPathCovered = (named: string, path: string): boolean =>
  named.endsWith("/")
    ? path.startsWith(named) || path.includes(`/${named}`)
    : path === named || path.endsWith(`/${named}`);

const formatShortNameList = (names: readonly string[]): string =>
  `${names.slice(0, MAX_NAMES_IN_FACT).join(", ")}${names.length > MAX_NAMES_IN_FACT ? ` and ${names.length - MAX_NAMES_IN_FACT} more` : ""}`;
