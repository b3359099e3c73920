import type { Located, Plain } from "./located.ts";

/** How far a spec has to be: enough to begin with, or ready to be built. */
export type Depth = "draft" | "complete";

export interface Field {
  readonly shape: Shape;
  /** From when on it has to be there; left out, it may always be missing. */
  readonly need?: Depth;
  /** Names that it had. The same with hyphens is always understood. */
  readonly older?: readonly string[];
  /** Places at which it stood: `investigation.reproduction`. */
  readonly stood?: readonly string[];
  /** What it is when nobody says it. */
  readonly otherwise?: Plain;
}

/** Another form of the same, in this one; nothing where it has this one already, or cannot be told. */
type Form = (node: Located) => Plain | undefined;

export interface TextShape {
  readonly kind: "text";
  readonly least: number;
  readonly most: number;
  readonly pattern?: RegExp;
  /** What the pattern asks for, in words. */
  readonly says?: string;
  readonly form?: Form;
}

export interface WordShape {
  readonly kind: "word";
  readonly of: readonly string[];
  /** Words that were said instead. */
  readonly older?: Readonly<Record<string, string>>;
}

export interface NumberShape {
  readonly kind: "number";
  readonly least: number;
  readonly most: number;
  /** Numbers, as they are written, that were said instead. */
  readonly older?: Readonly<Record<string, number>>;
}

export interface ListShape {
  readonly kind: "list";
  readonly of: Shape;
  readonly most: number;
}

export interface RecordShape {
  readonly kind: "record";
  readonly fields: Readonly<Record<string, Field>>;
  /** Its items have numbers of their own: `AC-1`. */
  readonly numbered?: string;
  readonly form?: Form;
}

/** Keys that the author chooses. */
export interface TableShape {
  readonly kind: "table";
  readonly of: Shape;
}

export interface EitherShape {
  readonly kind: "either";
  readonly of: readonly Shape[];
}

export type Shape =
  | TextShape
  | WordShape
  | NumberShape
  | ListShape
  | RecordShape
  | TableShape
  | EitherShape
  /** Whatever the author likes. */
  | { readonly kind: "free" };

/** Characters of a sentence, and of a text that explains. */
const SENTENCE = 2_000;
const EXPLANATION = 20_000;
const ITEMS = 200;

export const FREE: Shape = { kind: "free" };
export const SENTENCE_TEXT: TextShape = { kind: "text", least: 1, most: SENTENCE };
export const LONG_TEXT: TextShape = { kind: "text", least: 1, most: EXPLANATION };
export const TITLE_TEXT: TextShape = { kind: "text", least: 1, most: 200 };
export const textOfAtLeast = (least: number): TextShape => ({ kind: "text", least, most: SENTENCE });
export const matching = (pattern: RegExp, says: string): TextShape => ({ ...TITLE_TEXT, pattern, says });
export const words = (of: readonly string[], older: Readonly<Record<string, string>> = {}): WordShape => ({
  kind: "word",
  of,
  older,
});
export const numbers = (least: number, most: number): NumberShape => ({ kind: "number", least, most });
export const list = (of: Shape, most = ITEMS): ListShape => ({ kind: "list", of, most });
export const record = (
  fields: Readonly<Record<string, Field>>,
  more: Pick<RecordShape, "form" | "numbered"> = {},
): RecordShape => ({ kind: "record", fields, ...more });
export const table = (of: Shape): TableShape => ({ kind: "table", of });
export const either = (...of: readonly Shape[]): EitherShape => ({ kind: "either", of });

/** The kind of node that a shape is written as. */
export function nodeKind(shape: Shape): Located["kind"] | undefined {
  switch (shape.kind) {
    case "text":
    case "word":
    case "number":
      return "scalar";
    case "list":
      return "sequence";
    case "record":
    case "table":
      return "mapping";
    case "either":
    case "free":
      return undefined;
  }
}

/** Of several shapes, the one that is written as this node is; the first where none is. */
export function shapeFor(shape: Shape, node: Located): Shape {
  if (shape.kind !== "either") return shape;
  return shape.of.find((each) => nodeKind(each) === node.kind) ?? shape.of[0] ?? FREE;
}
