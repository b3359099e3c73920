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

export interface DriftEvidence {
  readonly title: string;
  /** A line diff; empty if the text is unknown. */
  readonly diff: string;
}

const MAX_EVIDENCE_LINES = 40;

export function draftRequirementText(
  requirement: TracedRequirement | undefined,
  evidence: readonly DriftEvidence[],
): string | undefined {
  if (requirement?.path === undefined) return undefined;
  const { id, path, text, form } = requirement;
  if (form.kind === "item") return formatRequirementDelta(id, text, evidence);
  if (form.kind === "criterion") return formatCriterionDraft(path, { id: form.criterion, said: form.said }, evidence);
  return form.kind === "spec" ? formatSummaryDraft(path, form.key, text, evidence) : undefined;
}

/** A delta for the spec stage of a change: the current text to edit, with the code changes as a comment. */
function formatRequirementDelta(id: string, text: string, evidence: readonly DriftEvidence[]): string {
  const noted = listEvidenceLines(evidence).map((line) => line.replaceAll("--", "- -"));
  return [
    "## Requirements",
    "",
    "### MODIFIED",
    `- **${id}**: ${collapseEvidenceText(text)}`,
    "",
    "<!--",
    ...noted,
    "-->",
    "",
  ].join("\n");
}

function formatCriterionDraft(
  file: string,
  { id, said }: { readonly id: string; readonly said: CriterionContent },
  evidence: readonly DriftEvidence[],
): string {
  const noted = listEvidenceLines(evidence).map((line) => `    # ${line}`.trimEnd());
  const lines =
    typeof said === "string"
      ? ["fix_approach:", "  acceptance_criteria:", `    - ${formatDraftScalar(said)} # ${id}`]
      : [
          "acceptance_criteria:",
          `  - id: ${id}`,
          ...Object.entries(said).flatMap(([name, value]) => formatCriterionField(name, value)),
        ];
  return [`# ${file}`, ...lines, ...noted, ""].join("\n");
}

const formatCriterionField = (name: string, value: unknown): string[] =>
  typeof value === "string" ? [`    ${name}: ${formatDraftScalar(value)}`] : [];

/** For a change that concerns no single criterion. */
function formatSummaryDraft(file: string, key: string, text: string, evidence: readonly DriftEvidence[]): string {
  const noted = listEvidenceLines(evidence).map((line) => `# ${line}`.trimEnd());
  return [`# ${file}`, `${key}: ${formatDraftScalar(text)}`, ...noted, ""].join("\n");
}

/** Quotes as JSON, which is valid YAML, unless the text is plain words. */
const formatDraftScalar = (text: string): string =>
  /^[\p{L}][\p{L}\p{N} ,.()/+-]*[\p{L}\p{N}.)]$/u.test(text) && !/^(?:true|false|null|yes|no|on|off)$/i.test(text)
    ? text
    : JSON.stringify(text);

const collapseEvidenceText = (text: string): string => text.replace(/\s+/g, " ").trim();

function listEvidenceLines(evidence: readonly DriftEvidence[]): string[] {
  return evidence.flatMap(({ title, diff }) => {
    const lines = diff === "" ? [] : diff.split("\n");
    const shown = lines.slice(0, MAX_EVIDENCE_LINES).map((line) => escapeUnprintable(line.replace(/\t/g, "  ")));
    return [
      escapeUnprintable(collapseEvidenceText(title)),
      ...shown,
      ...(lines.length > MAX_EVIDENCE_LINES ? ["…"] : []),
    ];
  });
}
