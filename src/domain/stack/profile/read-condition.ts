import { type FolderCondition, type FolderConditions, CONDITION_KEYS } from "./condition.ts";
import { ProfileFields } from "./fields.ts";

const DEEPEST_CONDITION = 4;

/** One condition or a list of alternatives. A missing value always holds. */
export function parseFolderConditions(value: unknown, place: string, problems: string[], depth = 0): FolderConditions {
  if (value === undefined) return [];
  if (depth > DEEPEST_CONDITION) {
    problems.push(`${place} is nested too deeply`);
    return [];
  }
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.length === 0) problems.push(`${place} must not be empty`);
  return list.map((item, i) => parseFolderCondition(item, list.length > 1 ? `${place}[${i}]` : place, problems, depth));
}

function parseFolderCondition(value: unknown, place: string, problems: string[], depth: number): FolderCondition {
  const fields = new ProfileFields(value, place, [...CONDITION_KEYS, "above", "not"], problems);
  const words = CONDITION_KEYS.flatMap((key) => {
    const list = fields.texts(key, 200);
    return list ? [[key, list] as const] : [];
  });
  for (const key of ["file", "config"] as const) {
    if (fields.texts(key)?.some((file) => !isNamePattern(file)))
      fields.problem(key, "may have a star only in its last name, and leads to nothing outside");
  }
  if (fields.texts("section")?.some((section) => !/^[^#/]+#[^#]+$/.test(section)))
    fields.problem("section", "must be a file and a key, as pyproject.toml#tool.ruff");
  const inner = (key: "above" | "not"): FolderConditions | undefined =>
    fields.has(key) ? parseFolderConditions(fields.raw(key), fields.place(key), problems, depth + 1) : undefined;
  const [above, not] = [inner("above"), inner("not")];
  if (words.length === 0 && !above && !not) problems.push(`${place} says nothing`);
  return { ...Object.fromEntries(words), ...(above ? { above } : {}), ...(not ? { not } : {}) };
}

/** A path below the folder, with stars only in its last name. */
export function isNamePattern(file: string): boolean {
  const parts = file.split("/");
  return (
    parts.every((part) => part !== "" && part !== "." && part !== ".." && !/[\\:]/.test(part)) &&
    parts.slice(0, -1).every((part) => !part.includes("*"))
  );
}
