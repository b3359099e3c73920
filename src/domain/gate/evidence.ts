import { sanitizeText } from "../quote.ts";
import type { LoadFailure, TestOutcome, TestReport } from "../report/tests.ts";
import type { Why } from "../report/why.ts";
import type { Problem } from "./verdict.ts";

/** A test case in the source; its name may be a template. */
export interface NewCase {
  readonly file: string;
  readonly name: string;
  readonly line: number;
  /** The reason, from a comment in the test, why it may pass without the implementation. */
  readonly allowed?: string;
}

export interface SeenRed {
  readonly file: string;
  readonly name: string;
  readonly why: Why["reason"];
}

export interface Evidence {
  readonly red: readonly SeenRed[];
  readonly problems: readonly Problem[];
}

interface Seeing {
  readonly cases: readonly NewCase[];
  readonly report: TestReport;
  readonly whyFailed: (failed: TestOutcome | LoadFailure) => Why;
  /** Whether a test reported under the first path may be written in the second: some runners name only the package. */
  readonly mayHold: (told: string, file: string) => boolean;
  readonly isBrought: (symbol: string) => boolean;
}

/**
 * A new test must fail without the implementation, on an assertion or because a symbol that the work adds is missing.
 */
export function evidenceOf({ cases, report, whyFailed, mayHold, isBrought }: Seeing): Evidence {
  const red: SeenRed[] = [];
  const problems: Problem[] = [];
  const refuse = ({ file, name, line }: NewCase, why: string): void =>
    void problems.push({ problem: `${file}: ${sanitizeText(name, 200)} ${why}`, line });
  for (const each of cases) {
    const outcomes = report.tests.filter(({ file, name }) => mayHold(file, each.file) && isOf(each.name, name));
    const failure = outcomes.find(({ status }) => status === "failed");
    const load = failure ? undefined : report.failures.find(({ file }) => mayHold(file, each.file));
    const failed = failure ?? load;
    if (!failed) {
      if (each.allowed !== undefined) continue;
      const skipped = outcomes.some(({ status }) => status === "skipped");
      refuse(each, NOT_RED[outcomes.length === 0 ? "absent" : skipped ? "skipped" : "green"]);
      continue;
    }
    const why = whyFailed(failed);
    const isRight =
      why.reason === "assertion" ||
      (why.reason === "missing-symbol" && (why.symbol === undefined || isBrought(why.symbol)));
    if (isRight) red.push({ file: each.file, name: each.name, why: why.reason });
    else refuse(each, `fails without the implementation for another reason: ${reasonOf(why, failed)}`);
  }
  return { red, problems };
}

const NOT_RED = {
  absent: "was not run without the implementation.",
  skipped: "is skipped, so it shows nothing.",
  green: "passes without the implementation, so it does not test what is new.",
} as const;

function reasonOf({ reason, symbol }: Why, { message = "" }: TestOutcome | LoadFailure): string {
  const first = sanitizeText(message.split("\n").find((line) => line.trim() !== "") ?? "", 200);
  if (reason === "missing-symbol")
    return `${sanitizeText(symbol ?? "", 80)} is missing, which is not part of the work.`;
  return `${reason === "syntax" ? "the code cannot be read" : "it broke"}: ${first}`;
}

const BEFORE_A_NAME = /(?:^|> |::|[/.])$/;

/** Compares the test name without its suites and fills in templates. Go writes the spaces of a name as underscores. */
export const isOf = (template: string, name: string): boolean =>
  fits(template, name) || fits(underscored(template), name);

const underscored = (name: string): string =>
  name
    .split(" > ")
    .map((part) => part.replaceAll(" ", "_"))
    .join(" > ");

function fits(template: string, name: string): boolean {
  const bare = name.replace(/\[[^[\]]{0,300}\]$/, "");
  const [first = "", ...rest] = template.split(/%[sdifjoO#%]|\$\{[^}]*\}|\$[\w.]+/);
  for (let at = bare.indexOf(first); at !== -1; at = bare.indexOf(first, at + 1)) {
    if (BEFORE_A_NAME.test(bare.slice(0, at)) && endsWith(bare.slice(at + first.length), rest)) return true;
  }
  return false;
}

/** Whether the text contains the parts in order, with the last at its end. */
function endsWith(text: string, parts: readonly string[]): boolean {
  let at = 0;
  for (const part of parts.slice(0, -1)) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  const last = parts.at(-1);
  return last === undefined ? text === "" : text.length - last.length >= at && text.endsWith(last);
}
