import type { ZodError } from "zod";
import { Fault, type OperationCall } from "../model/fault.ts";
import { findClosestWord, quote, sanitizeText } from "../model/text-format.ts";

/** The name of an input field at a door: `--size` or `<id>` in the CLI. */
type ArgumentNamer = (field: string) => string;

interface InvalidInput {
  readonly input: Readonly<Record<string, unknown>>;
  readonly known: readonly string[];
  readonly issues: ZodError["issues"];
  readonly nameArgument?: ArgumentNamer | undefined;
}

export function createInvalidInputFault(
  operation: string,
  { input, known, issues, nameArgument = (field) => field }: InvalidInput,
): Fault {
  const problems = issues.flatMap((issue) => describeInputIssue(issue, input, nameArgument, known));
  return createFault({ operation, ...correctInput(issues, input) }, joinMissing(problems));
}

export const createUnknownInputFault = (operation: string, unknown: readonly string[]): Fault =>
  createFault(
    { operation, sample: {} },
    unknown.map((key) => `Unknown argument ${quote(key, 40)}: it takes none.`),
  );

const createFault = (fix: OperationCall, problems: readonly string[]): Fault =>
  new Fault("input.invalid", { what: problems.join(" "), why: "Nothing was changed.", fix });

/** `Missing arguments: a, b.` instead of a sentence for each. */
function joinMissing(problems: readonly string[]): string[] {
  const names = problems.flatMap((problem) => /^Missing argument (`[^`]+`)\.$/.exec(problem)?.[1] ?? []);
  if (names.length < 2) return [...problems];
  const others = problems.filter((problem) => !/^Missing argument `[^`]+`\.$/.test(problem));
  return [...others, `Missing arguments: ${names.join(", ")}.`];
}

const MAX_SAMPLE_TEXT = 60;

/** The call as it was meant if every mistake has a close choice, or a sample with blanks to fill in. */
function correctInput(issues: ZodError["issues"], input: Readonly<Record<string, unknown>>) {
  const sample: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input))
    sample[name] = typeof value === "string" && value.length > MAX_SAMPLE_TEXT ? "…" : structuredClone(value);
  let isMeant = Object.values(sample).every((value) => value !== "…");
  for (const issue of issues) {
    const [field, ...inner] = issue.path.map(String);
    const near = issue.code === "invalid_value" ? findMeantChoice(issue, input) : undefined;
    if (near !== undefined && field !== undefined && inner.length <= 1) {
      if (inner[0] === undefined) sample[field] = near;
      else Reflect.set(Object(sample[field]), inner[0], near);
      continue;
    }
    isMeant = false;
    if (issue.code === "unrecognized_keys" && field === undefined)
      for (const key of issue.keys) Reflect.deleteProperty(sample, key);
    else if (field !== undefined && inner.length === 0) sample[field] = findAllowedValue(issue);
    else if (field !== undefined) sample[field] = "…";
  }
  return isMeant ? { input: sample } : { sample };
}

type InputIssue = ZodError["issues"][number];

/** A value that the field accepts, or a blank. */
function findAllowedValue(issue: InputIssue): unknown {
  if (issue.code === "invalid_value") return String(issue.values[0]);
  if (issue.code === "too_small" && issue.origin === "number") return Number(issue.minimum);
  if (issue.code === "too_big" && issue.origin === "number") return Number(issue.maximum);
  return "…";
}

function findMeantChoice(
  issue: Extract<InputIssue, { code: "invalid_value" }>,
  input: Readonly<Record<string, unknown>>,
): string | undefined {
  const given = issue.path.reduce<unknown>((value, key) => Reflect.get(Object(value), key), input);
  return typeof given === "string" ? findClosestWord(given, issue.values.map(String)) : undefined;
}

function describeInputIssue(
  issue: InputIssue,
  input: Readonly<Record<string, unknown>>,
  nameArgument: ArgumentNamer,
  known: readonly string[],
): string[] {
  const [field = "", ...inner] = issue.path.map(String);
  const name = sanitizeText([nameArgument(field), ...inner].join(".").replace(/^(--[\w-]+)\.\d+$/, "$1"), 60);
  const choices = issue.code === "invalid_value" ? issue.values.map(String) : [];
  // A problem of several arguments belongs to none of them.
  if (issue.path.length === 0 && issue.code === "custom") return [`${issue.message}.`];
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => {
      const near = inner.length === 0 && field === "" ? findClosestWord(key, known) : undefined;
      return `Unknown argument ${quote(key, 40)}.${near === undefined ? "" : ` Did you mean "${near}"?`}`;
    });
  if (issue.code === "too_big") {
    const given = input[field];
    // A string instead of a list is reported as a wrong type, not as a list that is too long.
    if (typeof given === "string" && issue.origin !== "string") return [];
    if (typeof given !== "string") return [`${name} is too large: at most ${issue.maximum}.`];
    return [`${name} is too long: it has ${given.length} characters; the limit is ${issue.maximum}.`];
  }
  if (issue.code === "too_small") return [`${name} is too small: at least ${issue.minimum}.`];
  if (input[field] === undefined) return [`Missing argument \`${name}\`${formatChoices(choices)}.`];
  if (issue.code === "invalid_value") {
    const given = issue.path.reduce<unknown>((value, key) => Reflect.get(Object(value), key), input);
    if (typeof given !== "string") return [`${name} must be one of ${choices.join(", ")}.`];
    const near = findMeantChoice(issue, input);
    const noun = inner.length === 1 ? field.replace(/s$/, "") : (inner.at(-1) ?? field);
    const hint = near === undefined ? `${formatChoices(choices)}.` : `. Did you mean "${near}"?`;
    return [`Unknown ${noun === "for" ? "choice" : noun.replaceAll("_", " ")} ${quote(given, 60)}${hint}`];
  }
  if (issue.code !== "invalid_type") return [`${name} ${issue.message}.`];
  if (issue.expected === "int") return [`${name} must be a whole number.`];
  return [`${name} must be ${/^[aeiou]/.test(issue.expected) ? "an" : "a"} ${issue.expected}.`];
}

/** `: choose a, b or c`; nothing without choices. */
const formatChoices = (choices: readonly string[]): string =>
  choices.length === 0 ? "" : `: choose ${choices.join(", ").replace(/, ([^,]*)$/, " or $1")}`;
