import type { Tag } from "../scan/tags.ts";
import type { TestCase } from "../scan/tests/test-case.ts";

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

/** Something that code is made of and that has a name. Lines count from 1, offsets from 0 in the text. */
export interface Component {
  readonly kind: ComponentKind;
  readonly name: string;
  /** The names around it, outermost first, with dots: `Session`; empty at the top of a file. */
  readonly within: string;
  /** What it takes and gives, on one line and without its body, at most 300 characters. */
  readonly signature: string;
  /** The words of its doc comment without its marks, at most 2,000 characters; empty where there is none. */
  readonly doc: string;
  /** It begins where its doc comment or what is marked on it begins. */
  readonly line: number;
  readonly lastLine: number;
  readonly start: number;
  readonly end: number;
  /** Whether others than its file can use it, as far as its language says so. */
  readonly isExported: boolean;
  /** Of its tree without comments and layout: code that does the same as before, written otherwise, keeps it. */
  readonly hash: string;
  /** What it calls, as it is written there: `validate`, `this.store.read`; each once. */
  readonly calls: readonly string[];
}

/** What a file asks for of others. */
export interface Import {
  /** As it is written: `./session.ts`, `..models.user`, `fmt`. */
  readonly specifier: string;
  /** The names it takes from there, as they are called there; none where it takes all or nothing. */
  readonly names: readonly string[];
  readonly line: number;
}

/** What the index asks of a file, as its syntax tree shows it. */
export interface Outline {
  /** As its grammar is called. */
  readonly language: string;
  /** How it was read: by a grammar, or by its comments alone. Then there are no components and no imports. */
  readonly by: "grammar" | "comments";
  /** Whether all of it could be understood; of broken code only what could be is here. */
  readonly isWhole: boolean;
  readonly lines: number;
  /** What the file says of itself at its head, in plain words, at most 2,000 characters. */
  readonly doc: string;
  /** In the order of the file; what stands inside another comes after it. */
  readonly components: readonly Component[];
  readonly imports: readonly Import[];
  readonly tags: readonly Tag[];
  readonly tests: readonly TestCase[];
  /** The lines of a file that are tests although it is none, such as those of Rust's `#[cfg(test)]`. */
  readonly testParts?: readonly { readonly line: number; readonly lastLine: number }[];
}

/** A component as its file calls it: `Session.login`; the second of the same name is `Session.login~2`. */
export function refsOf(components: readonly Pick<Component, "name" | "within">[]): string[] {
  const met = new Map<string, number>();
  return components.map(({ name, within }) => {
    const full = within === "" ? name : `${within}.${name}`;
    const nth = (met.get(full) ?? 0) + 1;
    met.set(full, nth);
    return nth === 1 ? full : `${full}~${nth}`;
  });
}

/** How a component is named everywhere else: `src/auth.ts#Session.login`. */
export const keyOf = (path: string, ref: string): string => `${path}#${ref}`;

/** The component or the test that a line is about: the innermost around it, else the next that begins within a few lines below. */
export function aboutLine<T extends Pick<Component, "line" | "lastLine">>(
  spans: readonly T[],
  line: number,
): T | undefined {
  const around = spans.findLast((each) => each.line <= line && each.lastLine >= line);
  return around ?? spans.find((each) => each.line > line && each.line - line <= ABOVE);
}

/** A tag may stand so many lines above what it is about. */
const ABOVE = 3;
