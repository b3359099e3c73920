import type { Located, Plain } from "./located.ts";

/** A draft may begin. A complete spec is ready to build. */
export type Depth = "draft" | "complete";

export interface Field {
  readonly shape: Shape;
  /** The depth from which on the field is required. Optional if missing. */
  readonly need?: Depth;
  /** Former names. Hyphens instead of underscores are always accepted. */
  readonly older?: readonly string[];
  /** Former locations: `investigation.reproduction`. */
  readonly stood?: readonly string[];
  readonly otherwise?: Plain;
}

/** Converts an older form. Undefined if the node already has the current form or the conversion is uncertain. */
type Form = (node: Located) => Plain | undefined;

export interface TextShape {
  readonly kind: "text";
  readonly least: number;
  readonly most: number;
  readonly pattern?: RegExp;
  /** Describes the pattern in messages. */
  readonly says?: string;
  readonly form?: Form;
}

export interface WordShape {
  readonly kind: "word";
  readonly of: readonly string[];
  /** Current words by former words. */
  readonly older?: Readonly<Record<string, string>>;
}

export interface NumberShape {
  readonly kind: "number";
  readonly least: number;
  readonly most: number;
  /** Former spellings of the number. */
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
  /** Prefix of item ids: `AC` for `AC-1`. */
  readonly numbered?: string;
  readonly form?: Form;
}

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
  | { readonly kind: "free" };

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

export function shapeFor(shape: Shape, node: Located): Shape {
  if (shape.kind !== "either") return shape;
  return shape.of.find((each) => nodeKind(each) === node.kind) ?? shape.of[0] ?? FREE;
}
