import { isTestPath } from "../scan/test-path.ts";
import { count } from "../count.ts";
import { proseLines } from "../document/prose.ts";
import { parseTasks } from "../document/tasks.ts";
import { type ChangedFile, idsIn, placeOf, type SpokenLine } from "./diff.ts";

const FAMILIES = ["requirement", "rule", "adr"] as const;
const MOST_NAMED = 5;

export const idsSpoken = (lines: readonly SpokenLine[]): string[] => lines.flatMap(({ text }) => idsIn(text, FAMILIES));

/** Facts only, without judgement. `strangers` are ids that no document defines. */
export function diffFacts(
  files: readonly ChangedFile[],
  lines: readonly SpokenLine[],
  tasks: string | undefined,
  strangers: readonly string[],
): string[] {
  return [
    ...phantomFacts(lines, new Set(strangers)),
    ...testFacts(files),
    ...leftoverFacts(lines),
    ...(tasks === undefined ? [] : taskFacts(files, tasks)),
  ];
}

function phantomFacts(lines: readonly SpokenLine[], strangers: ReadonlySet<string>): string[] {
  const told = new Map<string, SpokenLine>();
  for (const line of lines)
    for (const id of idsIn(line.text, FAMILIES)) if (strangers.has(id) && !told.has(id)) told.set(id, line);
  return [...told].map(([id, line]) => `${id} is mentioned at ${placeOf(line)}, and nothing has that id.`);
}

function testFacts(files: readonly ChangedFile[]): string[] {
  const tests = files.filter(({ path }) => isTestPath(path));
  const deleted = tests.filter(({ status }) => status === "deleted").map(({ path }) => path);
  const changed = tests.filter(({ status }) => status !== "deleted").map(({ path }) => path);
  const moved = files.filter(({ path, from }) => from !== undefined && isTestPath(from) && !isTestPath(path));
  return [
    ...(deleted.length > 0 ? [`${count(deleted.length, "test file")} deleted: ${named(deleted)}.`] : []),
    ...moved.map(({ path, from }) => `${from} was a test; it is ${path} now.`),
    changed.length > 0
      ? `${count(changed.length, "test file")} changed: ${named(changed)}.`
      : "No test was added or changed.",
  ];
}

const LEFTOVERS: readonly (readonly [what: string, pattern: RegExp, isProseToo?: true])[] = [
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
const PROSE = /\.(?:md|mdx|markdown|rst|adoc|txt)$/i;

function leftoverFacts(lines: readonly SpokenLine[]): string[] {
  return LEFTOVERS.flatMap(([what, pattern, isProseToo]) => {
    const found = lines.filter(({ path, text }) => (isProseToo || !PROSE.test(path)) && pattern.test(text));
    return found.length > 0 ? [`${what}: ${named(found.map(placeOf))}.`] : [];
  });
}

/** In backticks, or with a folder in front. A folder ends in a slash. */
const NAMED_PATH =
  /`([\w@.][\w@./-]*(?:\.\w{1,8}|\/))`|(?<![\w:/.@-])([\w@.-]+(?:\/[\w@.-]+)*\/(?:[\w@.-]+\.\w{1,8})?)(?![\w/])/g;

function taskFacts(files: readonly ChangedFile[], text: string): string[] {
  const lines = proseLines(text);
  const tasks = parseTasks(lines);
  const plans = tasks.map(({ id, line }, i) => {
    const end = tasks[i + 1]?.line ?? Number.POSITIVE_INFINITY;
    const own = lines.filter(({ number }) => number >= line && number < end);
    return { id, paths: own.flatMap((each) => pathsIn(each.text)) };
  });
  const paths = lines.flatMap((line) => pathsIn(line.text));
  if (paths.length === 0)
    return files.length > 0 ? ["No task names a file, so none can be compared with the diff."] : [];
  const places = files.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]));
  const unplanned = files
    .filter(({ path, from }) => !paths.some((each) => covers(each, path) || (from !== undefined && covers(each, from))))
    .map(({ path }) => path);
  const untouched = plans.flatMap(({ id, paths: planned }) => {
    const missing = [...new Set(planned)].filter((each) => !places.some((place) => covers(each, place)));
    return missing.length > 0 ? [`${id} names what the diff does not touch: ${named(missing)}.`] : [];
  });
  return [
    ...(unplanned.length > 0
      ? [`${count(unplanned.length, "file")} changed that no task names: ${named(unplanned)}.`]
      : []),
    ...untouched,
  ];
}

const pathsIn = (text: string): string[] =>
  [...text.replace(/\w+:\/\/\S+/g, "").matchAll(NAMED_PATH)].map(([, ticked, bare]) =>
    (ticked ?? bare ?? "").replace(/^\.\//, ""),
  );

/** `search.ts` and `src/search.ts` match `src/search.ts`; `src/` matches everything below it. */
const covers = (named: string, path: string): boolean =>
  named.endsWith("/")
    ? path.startsWith(named) || path.includes(`/${named}`)
    : path === named || path.endsWith(`/${named}`);

const named = (names: readonly string[]): string =>
  `${names.slice(0, MOST_NAMED).join(", ")}${names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : ""}`;
