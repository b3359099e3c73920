type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What a JSON text says, if it is an object. */
export function jsonIn(text: string | undefined): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A text of it, if there is one. */
export function fieldOf(fields: Fields | undefined, name: string): string | undefined {
  const value = fields?.[name];
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}
