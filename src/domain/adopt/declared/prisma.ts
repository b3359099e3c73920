import type { Finding } from "../finding.ts";
import { closing, type Sheet } from "../sheet.ts";

const told = { by: "prisma", basis: "declared" } as const;

export function prisma(sheet: Sheet): Finding[] {
  return sheet.hits(/^(model|enum)\s+(\w+)\s*\{/dgm).flatMap((hit, i, all) => {
    const name = hit.group(2);
    const first = sheet.lineAt(hit.to - 1);
    const last = sheet.lineAt(closing(sheet.text, hit.to - 1, all[i + 1]?.from));
    const inside = sheet.lines.slice(first, last - 1).map((text, n) => ({ text: text.trim(), line: first + 1 + n }));
    if (hit.group(1) === "enum") {
      const values = inside.map(({ text }) => text).filter((text) => /^\w+$/.test(text));
      return [sheet.found("enum", name, hit.lineOf(2), name, { ...told, says: values.join(", ") })];
    }
    return [
      sheet.found("entity", name, hit.lineOf(2), name, told),
      ...inside.flatMap(({ text, line }) => field(sheet, name, text, line)),
    ];
  });
}

function field(sheet: Sheet, of: string, text: string, line: number): Finding[] {
  const together = /^@@unique\(\[([^\]]+)\]/.exec(text)?.[1];
  if (together !== undefined)
    return [sheet.found("rule", together, line, together, { ...told, of, says: "is unique" })];
  const [, name, type = "", mark = "", rest = ""] = /^(\w+)\s+(\w+)(\?|\[\])?(.*)$/.exec(text) ?? [];
  if (name === undefined) return [];
  const keys = /@relation\([^)]*fields:\s*\[([^\]]+)\]/.exec(rest)?.[1];
  if (keys !== undefined) return [sheet.found("relation", keys.trim(), line, keys, { ...told, of, says: type })];
  if (mark === "[]" && /^[A-Z]/.test(type) && !SCALARS.has(type)) return [];
  return [
    sheet.found("field", name, line, name, { ...told, of, says: `${type}${mark}` }),
    ...(mark === "" && !/@id\b/.test(rest)
      ? [sheet.found("rule", name, line, name, { ...told, of, says: "has a value" })]
      : []),
    ...(/@unique\b/.test(rest) ? [sheet.found("rule", name, line, name, { ...told, of, says: "is unique" })] : []),
  ];
}

const SCALARS = new Set(["String", "Boolean", "Int", "BigInt", "Float", "Decimal", "DateTime", "Json", "Bytes"]);
