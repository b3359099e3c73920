import { isPlainObject } from "./plain-object.ts";

/** The part of JSON Schema that `npm run generate` writes for records. An empty shape fits everything. */
export interface JsonShape {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: JsonShape;
  readonly properties?: Readonly<Record<string, JsonShape>>;
  readonly required?: readonly string[];
}

const shapePatterns = new Map<string, RegExp>();

/** A field that the shape does not know does not fit: a full schema has to judge it. */
export function matchesJsonShape(value: unknown, shape: JsonShape): boolean {
  if (shape.enum && !shape.enum.includes(value)) return false;
  if (shape.const !== undefined && shape.const !== value) return false;
  switch (shape.type ?? "") {
    case "string":
      return typeof value === "string" && matchesTextShape(value, shape);
    case "integer":
      return Number.isSafeInteger(value) && isWithin(value as number, shape.minimum, shape.maximum);
    case "array":
      return Array.isArray(value) && matchesListShape(value, shape);
    case "object":
      return isPlainObject(value) && matchesFieldShapes(value, shape);
    case undefined:
    default:
      return Object.keys(shape).length === 0 || shape.const !== undefined;
  }
}

function matchesTextShape(text: string, { pattern, maxLength }: JsonShape): boolean {
  if (!isWithin(text.length, 0, maxLength)) return false;
  if (pattern === undefined) return true;
  const known = shapePatterns.get(pattern) ?? new RegExp(pattern);
  shapePatterns.set(pattern, known);
  return known.test(text);
}

const matchesListShape = (list: readonly unknown[], { minItems, maxItems, items = {} }: JsonShape): boolean =>
  isWithin(list.length, minItems, maxItems) && list.every((item) => matchesJsonShape(item, items));

const matchesFieldShapes = (
  value: Readonly<Record<string, unknown>>,
  { properties = {}, required = [] }: JsonShape,
): boolean =>
  required.every((name) => Object.hasOwn(value, name)) &&
  Object.entries(value).every(([name, field]) => {
    const shape = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return shape !== undefined && matchesJsonShape(field, shape);
  });

const isWithin = (n: number, least = -Infinity, most = Infinity): boolean => n >= least && n <= most;
