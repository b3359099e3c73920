import type { SpecTag } from "../scan/spec-tags.ts";
import type { TestCase } from "../scan/test-cases.ts";

export const COMPONENT_KINDS = [
  "function",
  "class",
  "method",
  "interface",
  "type",
  "constant",
  "module",
  "route",
] as const;
export type ComponentKind = (typeof COMPONENT_KINDS)[number];

export interface CodeComponent {
  readonly kind: ComponentKind;
  readonly name: string;
  /** Names around it, outermost first, joined by dots: `Session`. Empty at the top of a file. */
  readonly within: string;
  readonly signature: string;
  readonly doc: string;
  /** Starts at its doc comment, decorators or annotations. */
  readonly line: number;
  readonly lastLine: number;
  readonly start: number;
  readonly end: number;
  /** Whether other files can use it, as far as the language shows. */
  readonly isExported: boolean;
  /** Hash of the syntax tree without comments and layout, so reformatting keeps it. */
  readonly hash: string;
  readonly calls: readonly string[];
}

/** Names as the imported file calls them. Empty if it imports everything or nothing by name. */
export type CodeImport = Readonly<{ specifier: string; names: readonly string[]; line: number }>;

export interface CodeOutline {
  readonly language: string;
  /** `comments`: read without a grammar, so there are no components or imports. */
  readonly by: "grammar" | "comments";
  /** Whether the whole file parsed. For broken code, only the parsed parts are included. */
  readonly isWhole: boolean;
  readonly lines: number;
  readonly doc: string;
  readonly components: readonly CodeComponent[];
  readonly imports: readonly CodeImport[];
  readonly tags: readonly SpecTag[];
  readonly tests: readonly TestCase[];
  /** Test lines in a file that is not a test file, such as Rust's `#[cfg(test)]`. */
  readonly testParts?: readonly { readonly line: number; readonly lastLine: number }[];
}

/** Refs are unique within a file: `Session.login`, then `Session.login~2`. */
export function createComponentRefs(components: readonly Pick<CodeComponent, "name" | "within">[]): string[] {
  const met = new Map<string, number>();
  return components.map(({ name, within }) => {
    const full = within === "" ? name : `${within}.${name}`;
    const nth = (met.get(full) ?? 0) + 1;
    met.set(full, nth);
    return nth === 1 ? full : `${full}~${nth}`;
  });
}

/** `src/auth.ts#Session.login`. */
export const formatComponentKey = (path: string, ref: string): string => `${path}#${ref}`;

/** The innermost around the line, else the next one within a few lines below. */
export function findSpanForLine<T extends Pick<CodeComponent, "line" | "lastLine">>(spans: readonly T[], line: number) {
  const around = spans.findLast((each) => each.line <= line && each.lastLine >= line);
  return around ?? spans.find((each) => each.line > line && each.line - line <= MAX_TAG_DISTANCE);
}

const MAX_TAG_DISTANCE = 3;
