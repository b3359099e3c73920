import { printable } from "../quote.ts";

/** What was found, by the section of an answer in which it stands. */
export const SECTIONS = {
  project: "manifests",
  purpose: "manifests",
  dependency: "manifests",
  script: "manifests",
  runtime: "manifests",
  tool: "tech stack",
  entry: "entry points",
  command: "entry points",
  symbol: "exports",
  route: "routes",
  entity: "data model",
  field: "data model",
  relation: "data model",
  rule: "data model",
  enum: "data model",
  derivation: "data model",
  variable: "environment",
  test: "tests",
  decision: "decisions",
  convention: "conventions",
} as const;

export type Kind = keyof typeof SECTIONS;
export type Section = (typeof SECTIONS)[Kind];
export const SECTION_NAMES: readonly Section[] = [...new Set(Object.values(SECTIONS))];

/** What a finding rests on; its confidence follows from that. */
type Basis =
  /** A file says so that a machine reads for that purpose: a manifest, a migration, a schema, an API description. */
  | "declared"
  /** Code of a form that a framework gives meaning to. */
  | "coded"
  /** The name of a test. */
  | "tested"
  /** Nothing but a name: of a dependency's purpose, of an exported symbol. */
  | "named";

export type Confidence = "high" | "medium" | "low";

export interface Link {
  readonly path: string;
  readonly line: number;
}

export interface Finding extends Link {
  readonly kind: Kind;
  readonly name: string;
  /** What it belongs to: the entity of a field, the group of a test. */
  readonly of?: string;
  /** More about it: the type of a field, the handler of a route. */
  readonly says?: string;
  /** The framework or the form that it was known by. */
  readonly by: string;
  readonly basis: Basis;
  /** What stands in the line and bears it out. */
  readonly words: string;
  /** Where else it stands. */
  readonly also?: readonly Link[];
}

/**
 * High: declared, or coded for a framework that the project depends on. Medium: coded for a framework that no manifest
 * names, or said by a test. Low: only a name says so.
 */
export function confidenceOf(
  { basis, by }: Pick<Finding, "basis" | "by">,
  frameworks: ReadonlySet<string>,
): Confidence {
  if (basis === "declared") return "high";
  if (basis === "coded") return frameworks.has(by) ? "high" : "medium";
  return basis === "tested" ? "medium" : "low";
}

const LONGEST = 160;

/** Text from a file as a document of ours may quote it: one line, no markup that acts, no id that would be taken for one. */
export function cite(text: string, longest = LONGEST): string {
  const line = printable(text.replace(/\s+/g, " ").trim())
    .replaceAll("`", "'")
    .replaceAll("<!--", "<!-")
    .replace(/\b(N?FR|BR|TASK|ADR)-(?=\d)/g, "$1 ");
  return line.length > longest ? `${line.slice(0, longest).toWellFormed()}…` : line;
}

export const code = (text: string): string => `\`${cite(text)}\``;

export const showLink = ({ path, line }: Link): string => `${cite(path, 400)}:${line}`;

export const linksOf = (finding: Finding): Link[] => [
  { path: finding.path, line: finding.line },
  ...(finding.also ?? []),
];
