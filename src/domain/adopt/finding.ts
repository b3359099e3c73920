import { escapeUnprintable } from "../quote.ts";

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

type Basis =
  /** A file made for machines declares it: a manifest, a migration, a schema, an API description. */
  | "declared"
  /** Code of a form that a framework gives meaning to. */
  | "coded"
  | "tested"
  /** Only a name, of a dependency or of an exported symbol. */
  | "named";

export type Confidence = "high" | "medium" | "low";

export interface Link {
  readonly path: string;
  readonly line: number;
}

export interface Finding extends Link {
  readonly kind: Kind;
  readonly name: string;
  /** Its owner: the entity of a field, the group of a test. */
  readonly of?: string;
  /** Details: the type of a field, the handler of a route. */
  readonly says?: string;
  /** The framework or the form that identified it. */
  readonly by: string;
  readonly basis: Basis;
  /** The words in the line that prove it. */
  readonly words: string;
  readonly also?: readonly Link[];
}

/**
 * High: declared, or coded for a framework that the project depends on. Medium: coded for a framework that no manifest
 * names, or named by a test. Low: only a name.
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

/** Quotes text of a file safely in our documents: one line, no active markup, no text that could pass for an id. */
export function cite(text: string, longest = LONGEST): string {
  const line = escapeUnprintable(text.replace(/\s+/g, " ").trim())
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
