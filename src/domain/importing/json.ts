import { isPlainObject } from "../flow/shape.ts";

type ForeignJsonFields = Readonly<Record<string, unknown>>;

export function parseForeignJson(text: string | undefined): ForeignJsonFields | undefined {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function readForeignField(fields: ForeignJsonFields | undefined, name: string): string | undefined {
  const value = fields?.[name];
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}
