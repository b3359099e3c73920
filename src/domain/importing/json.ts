import { isPlainObject } from "../flow/shape.ts";

type Fields = Readonly<Record<string, unknown>>;

export function jsonIn(text: string | undefined): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function fieldOf(fields: Fields | undefined, name: string): string | undefined {
  const value = fields?.[name];
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}
