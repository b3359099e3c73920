import { type Problem } from "#kernel/model/verdict.ts";
import { classifyTestFailure } from "../report/failure-reason.ts";
import { type LoadFailure, stripTerminalColours, type TestFormat, type TestOutcome } from "../report/test-report.ts";

/** One failure that a check reported. Two runs that report the same failure give it the same key. */
export interface ReportedFailure {
  readonly key: string;
  readonly problem: string;
  /** Of a test, as the runner names it. */
  readonly file?: string;
}

export interface ComparedFailures {
  readonly fresh: readonly Problem[];
  readonly already: readonly string[];
}

/** Failures that the files without the work have too are not charged to the work. Repeated ones are counted. */
export function compareFailures(now: readonly ReportedFailure[], before: readonly string[]): ComparedFailures {
  const left = new Map<string, number>();
  for (const key of before) left.set(key, (left.get(key) ?? 0) + 1);
  const fresh: Problem[] = [];
  const already: string[] = [];
  for (const { key, problem } of now) {
    const count = left.get(key) ?? 0;
    if (count > 0) already.push(problem);
    else fresh.push({ problem });
    left.set(key, count - 1);
  }
  return { fresh, already };
}

/** The steps and the failed target that Cargo names depend on earlier builds, so they are not findings. */
const CARGO_PROGRESS =
  /^(?: +(?:Blocking|Building|Checking|Compiling|Dirty|Downloaded|Downloading|Finished|Fresh|Locking|Running|Updating) |warning: build failed, waiting for other jobs|error: could not compile `)/;

/** Package managers name the script and its command before the output of the tool, and themselves after it. */
const MANAGER_LINE =
  /^(?:npm (?:warn|notice|error|ERR!|WARN)\b|> \S|yarn run v|\$ \S|error Command failed with exit code|info Visit https:\/\/|\s?ELIFECYCLE\b)/;

/** Line numbers, counts and times do not count. Some tools name files of the working folder in a checkout. */
export function listFailureLines(output: string, folder: string, working = folder): ReportedFailure[] {
  const lines = stripTerminalColours(output)
    .replaceAll("\r\n", "\n")
    .replaceAll(`${formatRelativeFolder(folder, working)}/`, "")
    .replaceAll(`${working}/`, "")
    .replaceAll(`${folder}/`, "")
    .replaceAll(folder, ".")
    .split("\n");
  return dropQuotedCode(lines)
    .map((line) => line.trimEnd())
    .filter((line) => /\w/.test(line) && !CARGO_PROGRESS.test(line) && !MANAGER_LINE.test(line))
    .map((line) => ({ key: normalizeLine(line), problem: line.trim() }));
}

function formatRelativeFolder(from: string, to: string): string {
  const [here, there] = [from.split("/"), to.split("/")];
  const common = here.findIndex((part, i) => part !== there[i]);
  return common < 0 ? to : [...here.slice(common).map(() => ".."), ...there.slice(common)].join("/");
}

const QUOTE_LINE = /^\s*(?:>\s*)?\d*\s*[|│┃╎·]/;
const NUMBERED_LINE = /^\s*(?:>\s*)?\d+\s*[|│┃╎]/;
const POINTER_LINE = /^\s*[|│┃╎·][\s|│]*[\^~─┬━]/;

/** Tools quote code around a finding. An edit beside an old finding changes the quote, but not the finding. */
function dropQuotedCode(lines: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < lines.length;) {
    let end = at;
    while (QUOTE_LINE.test(lines[end] ?? "")) end++;
    const block = lines.slice(at, Math.max(end, at + 1));
    const isQuote = block.some((line) => POINTER_LINE.test(line));
    kept.push(...block.filter((line) => !isQuote || !NUMBERED_LINE.test(line)));
    at += block.length;
  }
  return kept;
}

/** A test that fails for a new reason is a new failure. Values in an assertion differ between runs and do not count. */
export function describeFailureReason(format: TestFormat, failure: TestOutcome | LoadFailure, root: string): string {
  const { reason, symbol } = classifyTestFailure(format, failure);
  if (reason === "assertion") return reason;
  const [first = ""] = /\S.*/.exec(stripTerminalColours(failure.message ?? "")) ?? [];
  return `${reason} ${normalizeLine((symbol ?? first).replaceAll(`${root}/`, ""))}`;
}

/** Numbers that are part of a name, such as TS2322 or `value2`, count. */
export const normalizeLine = (line: string): string =>
  line
    .trim()
    .replaceAll(/\d+(?:[.,]\d+)* ?(?:ms|s|m|h|min|sec|seconds?|minutes?)\b/g, "0")
    .replaceAll(/(?<![A-Za-z_\d])\d+(?:[.,:]\d+)*(?![A-Za-z_\d])/g, "0")
    .replaceAll(/\b(error|warning|problem|file|issue|hint|match)(?:e?s)\b/gi, "$1");
