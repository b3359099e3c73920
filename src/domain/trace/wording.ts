import { printable } from "../quote.ts";
import type { CriterionSaid } from "./said.ts";

/** What changed in the code that carries a requirement, as far as whoever words it anew has to know. */
export interface Evidence {
  /** One line. */
  readonly title: string;
  /** As a comparison of lines; empty where nothing is known of the text. */
  readonly diff: string;
}

/** Of each, so that a comment stays a comment and not a listing. */
const MOST_LINES = 40;

/**
 * What the spec stage of a change takes, with the text that the requirement has now: whoever words it anew only has to
 * change that. What changed in the code stands below as a comment.
 */
export function deltaFor(id: string, text: string, evidence: readonly Evidence[]): string {
  const noted = linesOf(evidence).map((line) => line.replaceAll("--", "- -"));
  return ["## Requirements", "", "### MODIFIED", `- **${id}**: ${oneLine(text)}`, "", "<!--", ...noted, "-->", ""].join(
    "\n",
  );
}

/** The lines of a criterion in its spec, to be put in the place of those that are there. */
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

/** The summary of a spec, where the change is about no criterion. */
export function summaryFor(file: string, key: string, text: string, evidence: readonly Evidence[]): string {
  const noted = linesOf(evidence).map((line) => `# ${line}`.trimEnd());
  return [`# ${file}`, `${key}: ${scalar(text)}`, ...noted, ""].join("\n");
}

/** JSON is YAML; words that mean nothing to YAML may stand as they are. */
const scalar = (text: string): string =>
  /^[\p{L}][\p{L}\p{N} ,.()/+-]*[\p{L}\p{N}.)]$/u.test(text) && !/^(?:true|false|null|yes|no|on|off)$/i.test(text)
    ? text
    : JSON.stringify(text);

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

function linesOf(evidence: readonly Evidence[]): string[] {
  return evidence.flatMap(({ title, diff }) => {
    const lines = diff === "" ? [] : diff.split("\n");
    const shown = lines.slice(0, MOST_LINES).map((line) => printable(line.replace(/\t/g, "  ")));
    return [printable(oneLine(title)), ...shown, ...(lines.length > MOST_LINES ? ["…"] : [])];
  });
}
