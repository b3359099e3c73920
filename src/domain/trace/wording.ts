import { escapeUnprintable } from "../quote.ts";
import type { CriterionSaid } from "./said.ts";

export interface Evidence {
  readonly title: string;
  /** A line diff; empty if the text is unknown. */
  readonly diff: string;
}

const MOST_LINES = 40;

/** A delta for the spec stage of a change: the current text to edit, with the code changes as a comment. */
export function deltaFor(id: string, text: string, evidence: readonly Evidence[]): string {
  const noted = linesOf(evidence).map((line) => line.replaceAll("--", "- -"));
  return ["## Requirements", "", "### MODIFIED", `- **${id}**: ${oneLine(text)}`, "", "<!--", ...noted, "-->", ""].join(
    "\n",
  );
}

export function criterionFor(
  file: string,
  { id, said }: { readonly id: string; readonly said: CriterionSaid },
  evidence: readonly Evidence[],
): string {
  const noted = linesOf(evidence).map((line) => `    # ${line}`.trimEnd());
  const lines =
    typeof said === "string"
      ? ["fix_approach:", "  acceptance_criteria:", `    - ${scalar(said)} # ${id}`]
      : [
          "acceptance_criteria:",
          `  - id: ${id}`,
          ...Object.entries(said).flatMap(([name, value]) => field(name, value)),
        ];
  return [`# ${file}`, ...lines, ...noted, ""].join("\n");
}

const field = (name: string, value: unknown): string[] =>
  typeof value === "string" ? [`    ${name}: ${scalar(value)}`] : [];

/** For a change that concerns no single criterion. */
export function summaryFor(file: string, key: string, text: string, evidence: readonly Evidence[]): string {
  const noted = linesOf(evidence).map((line) => `# ${line}`.trimEnd());
  return [`# ${file}`, `${key}: ${scalar(text)}`, ...noted, ""].join("\n");
}

/** Quotes as JSON, which is valid YAML, unless the text is plain words. */
const scalar = (text: string): string =>
  /^[\p{L}][\p{L}\p{N} ,.()/+-]*[\p{L}\p{N}.)]$/u.test(text) && !/^(?:true|false|null|yes|no|on|off)$/i.test(text)
    ? text
    : JSON.stringify(text);

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

function linesOf(evidence: readonly Evidence[]): string[] {
  return evidence.flatMap(({ title, diff }) => {
    const lines = diff === "" ? [] : diff.split("\n");
    const shown = lines.slice(0, MOST_LINES).map((line) => escapeUnprintable(line.replace(/\t/g, "  ")));
    return [escapeUnprintable(oneLine(title)), ...shown, ...(lines.length > MOST_LINES ? ["…"] : [])];
  });
}
