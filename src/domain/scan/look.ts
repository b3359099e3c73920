/** What a syntax tree shows of a file, as far as gates ask. Lines count from 1, offsets from 0 in the text. */
export interface Look {
  /** As its grammar is called: `typescript`, `python`. */
  readonly language: string;
  /** How it was read: by a grammar, or by its comments alone. Then there are no calls and no definitions. */
  readonly by: "grammar" | "comments";
  /** Whether all of it could be understood; of broken code only what could be is here. */
  readonly isWhole: boolean;
  /** Docstrings are among them, other strings never. */
  readonly comments: readonly Span[];
  readonly calls: readonly Call[];
  readonly definitions: readonly Definition[];
  readonly signs: readonly Sign[];
}

export interface Span {
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly lastLine: number;
  readonly text: string;
}

/** The text is what is called, as in the code: `console.log`, `print`, `t.Skip`, `dbg!`, `it.each()`. */
export interface Call extends Span {
  /** The first argument as it is written, where it is short. */
  readonly argument?: string;
  /** The second, where it is an object. */
  readonly options?: string;
  /** Whether something in its function decides that it is reached: an `if` that is not always true, a loop. */
  readonly isConditional: boolean;
}

/** The text is the name. It begins where what is marked on it begins. */
export interface Definition extends Span {
  readonly kind: "function" | "class" | "module";
  /** Decorators and attributes as they are written: `@pytest.mark.skip`, `#[test]`. */
  readonly marks: readonly string[];
}

/** Something else that tells: an `any` for a type, a stop for a debugger, an error thrown, a name that runners read. */
export interface Sign extends Span {
  readonly kind: "any" | "debugger" | "throw" | "assignment";
}
