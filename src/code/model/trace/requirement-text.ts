import type { TraceId } from "#kernel/model/ids/trace-id.ts";
import { escapeUnprintable } from "#kernel/model/text-format.ts";
import type { RequirementState } from "./code-drift.ts";

export type CriterionContent = string | Readonly<Record<string, unknown>>;

export interface TracedRequirement extends RequirementState {
  readonly id: TraceId;
  readonly text: string;
  readonly path?: string;
  readonly form:
    | { readonly kind: "item" }
    | { readonly kind: "criterion"; readonly criterion: string; readonly said: CriterionContent }
    | { readonly kind: "spec"; readonly key: string }
    | { readonly kind: "none" };
}

export function formatSortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatSortedJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return `{${entries
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, each]) => `${JSON.stringify(name)}:${formatSortedJson(each)}`)
    .join(",")}}`;
}

/** With a line diff; empty if the text is unknown. */
type DriftEvidence = Readonly<{ title: string; diff: string }>;

const MAX_EVIDENCE_LINES = 40;

/** The current text for its author to edit, with the code changes as comments. Undefined if no document can hold it. */
export function draftRequirementText(requirement: TracedRequirement | undefined, evidence: readonly DriftEvidence[]) {
  if (requirement?.path === undefined) return undefined;
  const { id, path, text, form } = requirement;
  const collapse = (words: string): string => words.replace(/\s+/g, " ").trim();
  const notes = evidence.flatMap(({ title, diff }) => {
    const lines = diff === "" ? [] : diff.split("\n");
    const shown = lines.slice(0, MAX_EVIDENCE_LINES).map((line) => escapeUnprintable(line.replace(/\t/g, "  ")));
    return [escapeUnprintable(collapse(title)), ...shown, ...(lines.length > MAX_EVIDENCE_LINES ? ["…"] : [])];
  });
  const noteWith = (mark: string): string[] => notes.map((line) => `${mark} ${line}`.trimEnd());
  switch (form.kind) {
    case "item": {
      // A delta for the spec stage of a change.
      const item = `- **${id}**: ${collapse(text)}`;
      const comment = ["<!--", ...notes.map((line) => line.replaceAll("--", "- -")), "-->"];
      return ["## Requirements", "", "### MODIFIED", item, "", ...comment, ""].join("\n");
    }
    case "criterion":
      return [`# ${path}`, ...formatCriterionLines(form.criterion, form.said), ...noteWith("    #"), ""].join("\n");
    case "spec":
      return [`# ${path}`, `${form.key}: ${formatDraftScalar(text)}`, ...noteWith("#"), ""].join("\n");
    case "none":
      return undefined;
  }
}

function formatCriterionLines(id: string, said: CriterionContent): string[] {
  if (typeof said === "string")
    return ["fix_approach:", "  acceptance_criteria:", `    - ${formatDraftScalar(said)} # ${id}`];
  const fields = Object.entries(said).flatMap(([name, value]) =>
    typeof value === "string" ? [`    ${name}: ${formatDraftScalar(value)}`] : [],
  );
  return ["acceptance_criteria:", `  - id: ${id}`, ...fields];
}

/** Quotes as JSON, which is valid YAML, unless the text is plain words. */
const formatDraftScalar = (text: string): string =>
  /^[\p{L}][\p{L}\p{N} ,.()/+-]*[\p{L}\p{N}.)]$/u.test(text) && !/^(?:true|false|null|yes|no|on|off)$/i.test(text)
    ? text
    : JSON.stringify(text);
