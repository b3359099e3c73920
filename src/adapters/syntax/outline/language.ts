import type { ComponentKind, Import } from "#domain/indexing/outline.ts";
import type { Code, Place } from "../code.ts";

/**
 * What the index has to know of a language, as tables by the type of a node; `outlineOf` does the rest. `components`
 * says of a node what it is: a component, a `Scope` that only names what is inside of it (Rust's `impl`), or nothing.
 * A node is a `Place` in the rows of `Code`; ask with `child(node, "name")`, `childOf(node, "static")`, `said(node)`,
 * `parent(node)`; -1 (`NONE`) is no node, and may be asked too. `imports` gives what a node asks for of other files.
 * `calls` adds to the calls that every look knows what else uses a name, such as `new Session()`. `marks` are the types
 * of siblings that belong to what follows them, such as attributes. `exports` gives the names that the file hands out
 * by a list of its own. `normal` says which differences of writing count for nothing in the hash. Doc comments, spans,
 * signatures, nesting, order and hashes are the engine's: a language adds only what is its own, such as docstrings.
 * A new language is one file in `languages/` and one line in `known.ts`; its grammar is one in `grammars.ts`.
 */
export interface LanguageOutline {
  readonly components: ByType<
    (code: Code, node: Place, around: Around) => Found | readonly Found[] | Scope | undefined
  >;
  readonly imports: ByType<(code: Code, node: Place) => readonly Omit<Import, "line">[]>;
  /** What is used by its name, as it is written; empty for nothing. */
  readonly calls?: ByType<(code: Code, node: Place) => string>;
  readonly marks?: readonly string[];
  /** Types that begin with the first of what they hold: a comment above that one stands before them. */
  readonly bodies?: readonly string[];
  /** Whether a sibling belongs to the component after it, such as an earlier overload. Said of `whole` nodes. */
  readonly belongs?: (code: Code, sibling: Place, whole: Place) => boolean;
  /** The names that the file hands out by a list; a component of that name at the top is exported. */
  readonly exports?: (code: Code) => ReadonlySet<string>;
  /** Whether such a list, where there is one, is all that is exported. */
  readonly isListAll?: boolean;
  /** Types of statements that may stand between the doc of a file and its code: imports, a package clause. */
  readonly heads?: readonly string[];
  /** The words of a doc comment without the markup that its language puts into them. */
  readonly doc?: (words: string) => string;
  readonly normal: NormalForm;
}

export type ByType<T> = Readonly<Partial<Record<string, T>>>;

export interface Found {
  readonly kind: ComponentKind;
  readonly name: string;
  /** Whether its own words let others use it. What is inside a function or a component that is not exported never is. */
  readonly isExported: boolean;
  /** All of it, where that is more than the node: an export statement, a decorated definition. */
  readonly whole?: Place;
  /**
   * Of one of several in a declaration, such as `a` in `export const a = 1, b = 2`: the words that they share, here
   * `export const`. They begin its signature and count in its hash; of the rest only the node does.
   */
  readonly shared?: string;
  /** What its hash is of, where what counts is more than itself: a constant that is numbered by those before it. */
  readonly hashed?: Place;
  /** What its signature leaves out; by default its child `body`. */
  readonly body?: Place;
  /** Where its signature begins, if not at the first word after doc and marks. */
  readonly from?: Place;
  /** Its place among names where the tree does not say: the receiver of a Go method, `A::b` of C++. */
  readonly within?: string;
  /** Its docstring, which stands inside of it. */
  readonly docstring?: Place;
}

/** It names what is inside of it, and is no component itself. */
export interface Scope {
  readonly scope: string;
  /** What those inside take it for; by default what is around it. */
  readonly kind?: ComponentKind;
}

/** The component or scope around a node. */
export interface Around {
  readonly kind: ComponentKind | undefined;
  /** With dots; empty at the top. */
  readonly name: string;
}

/** What makes two ways to write the same code the same. Structure always counts, comments and layout never do. */
export interface NormalForm {
  /** Nodes that only hold others together; they and their brackets count for nothing: `(a)`. */
  readonly through?: readonly string[];
  /** Tokens that count for nothing, such as `;`, except directly inside of these types. */
  readonly loose?: readonly string[];
  readonly keepsLoose?: readonly string[];
  /** Types whose brackets alone count for nothing: `(a, b)` of Python is `a, b`. */
  readonly bare?: readonly string[];
  /** Types whose members may be parted by a comma or by anything else. */
  readonly parted?: readonly string[];
  /** Types in which a comma after the only one counts: `(a,)` is not `(a)`. A last comma counts nowhere else. */
  readonly keepsComma?: readonly string[];
  /** Types that are the same: `{ expression_list: "tuple" }`. */
  readonly same?: ByType<string>;
  /** Nodes that are taken by what they say, in one form: strings, numbers. Without an answer it is taken as any other. */
  readonly as?: ByType<(code: Code, node: Place) => string | undefined>;
  /** What has to be looked at: to `skip` it, to go `through` it, or to take it as any other. */
  readonly special?: ByType<(code: Code, node: Place) => "skip" | "through" | undefined>;
}
