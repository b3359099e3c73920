import { isObject } from "../flow/shape.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What a JSON text says, if it is an object. */
export function jsonIn(text: string | undefined): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A text of it, if there is one. */
export function fieldOf(fields: Fields | undefined, name: string): string | undefined {
  const value = fields?.[name];
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}
