/** The facts of a syntax tree that gates need. Lines count from 1, offsets from 0. */
export interface CodeScan {
  /** The name of the grammar: `typescript`, `python`. */
  readonly language: string;
  /** `comments`: read without a grammar, so calls and definitions are empty. */
  readonly by: "grammar" | "comments";
  /** False if some code does not parse; then only the parsed part is here. */
  readonly isWhole: boolean;
  /** Includes docstrings, but no other strings. */
  readonly comments: readonly ScanSpan[];
  readonly calls: readonly ScannedCall[];
  readonly definitions: readonly ScannedDefinition[];
  readonly signs: readonly ScannedSign[];
}

export interface ScanSpan {
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly lastLine: number;
  readonly text: string;
}

/** `text` is the called expression as written: `console.log`, `print`, `t.Skip`, `dbg!`, `it.each()`. */
export interface ScannedCall extends ScanSpan {
  /** The first argument as written, if it is short. */
  readonly argument?: string;
  /** The second argument, if it is an object. */
  readonly options?: string;
  /** Whether its function may skip it: it is in a loop, or in an `if` that is not always true. */
  readonly isConditional: boolean;
}

/** `text` is the name. The span starts at the first annotation. */
export interface ScannedDefinition extends ScanSpan {
  readonly kind: "function" | "class" | "module";
  /** Decorators and attributes as written: `@pytest.mark.skip`, `#[test]`. */
  readonly marks: readonly string[];
}

/** `any` as a type, a debugger statement, a thrown error, or an assignment that test runners read. */
export interface ScannedSign extends ScanSpan {
  readonly kind: "any" | "debugger" | "throw" | "assignment";
}
