import type { CodeFinding } from "../finding.ts";
import { findBlockEnd, type ScannedFile } from "../sheet.ts";

const PRISMA_FINDING_SOURCE = { by: "prisma", basis: "declared" } as const;

export function findPrismaModels(sheet: ScannedFile): CodeFinding[] {
  return sheet.hits(/^(model|enum)\s+(\w+)\s*\{/dgm).flatMap((hit, i, all) => {
    const name = hit.group(2);
    const first = sheet.lineAt(hit.to - 1);
    const last = sheet.lineAt(findBlockEnd(sheet.text, hit.to - 1, all[i + 1]?.from));
    const inside = sheet.lines.slice(first, last - 1).map((text, n) => ({ text: text.trim(), line: first + 1 + n }));
    if (hit.group(1) === "enum") {
      const values = inside.map(({ text }) => text).filter((text) => /^\w+$/.test(text));
      return [sheet.found("enum", name, hit.lineOf(2), name, { ...PRISMA_FINDING_SOURCE, says: values.join(", ") })];
    }
    return [
      sheet.found("entity", name, hit.lineOf(2), name, PRISMA_FINDING_SOURCE),
      ...inside.flatMap(({ text, line }) => readPrismaField(sheet, name, text, line)),
    ];
  });
}

function readPrismaField(sheet: ScannedFile, of: string, text: string, line: number): CodeFinding[] {
  const together = /^@@unique\(\[([^\]]+)\]/.exec(text)?.[1];
  if (together !== undefined)
    return [sheet.found("rule", together, line, together, { ...PRISMA_FINDING_SOURCE, of, says: "is unique" })];
  const [, name, type = "", mark = "", rest = ""] = /^(\w+)\s+(\w+)(\?|\[\])?(.*)$/.exec(text) ?? [];
  if (name === undefined) return [];
  const keys = /@relation\([^)]*fields:\s*\[([^\]]+)\]/.exec(rest)?.[1];
  if (keys !== undefined)
    return [sheet.found("relation", keys.trim(), line, keys, { ...PRISMA_FINDING_SOURCE, of, says: type })];
  if (mark === "[]" && /^[A-Z]/.test(type) && !PRISMA_SCALARS.has(type)) return [];
  return [
    sheet.found("field", name, line, name, { ...PRISMA_FINDING_SOURCE, of, says: `${type}${mark}` }),
    ...(mark === "" && !/@id\b/.test(rest)
      ? [sheet.found("rule", name, line, name, { ...PRISMA_FINDING_SOURCE, of, says: "has a value" })]
      : []),
    ...(/@unique\b/.test(rest)
      ? [sheet.found("rule", name, line, name, { ...PRISMA_FINDING_SOURCE, of, says: "is unique" })]
      : []),
  ];
}

const PRISMA_SCALARS = new Set(["String", "Boolean", "Int", "BigInt", "Float", "Decimal", "DateTime", "Json", "Bytes"]);
