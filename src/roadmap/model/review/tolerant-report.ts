import type { ReportForm, ReportSection } from "./report-form.ts";

const SEVERITY_WORDS: Readonly<Record<string, string>> = { critical: "C", high: "H", medium: "M", low: "L" };
const EMPTY_WORD = /^[\s(*_-]*(?:none|nothing|n\/a)?(?: found)?[\s.)*_-]*$/i;

/**
 * The report in its exact form, as far as a careful reader would understand it: without greetings, fences, rules, bold
 * keys, bullets and empty sections. Undefined if a line would be lost that may say something. The strict reader decides
 * about the result.
 */
export function tidyReportText(text: string, form: ReportForm): string | undefined {
  const keys = new Map<string, ReportSection | "metadata">([
    ...form.metadata.map(({ keyword }) => [keyword, "metadata"] as const),
    ...form.sections.map((section) => [section.keyword, section] as const),
  ]);
  const lines: string[] = [];
  let open: ReportSection | undefined;
  let rows: string[] = [];
  const close = (): void => {
    if (open && rows.length > 0) lines.push(`${open.keyword}:`, ...rows);
    [open, rows] = [undefined, []];
  };
  const seen = new Set<string>();
  let fences = 0;
  for (const raw of text.split(/\r\n|\n|\r/)) {
    if (/^\s*(?:`{3,}|~{3,})/.test(raw)) {
      // After the fence around the report only a closing line follows.
      if ((fences += 1) === 2) close();
      continue;
    }
    const [, said = "", value = ""] = /^[\s#>*_`-]*([A-Za-z_]+)[*_`\s]*:[*_`]*\s*(.*)$/.exec(raw) ?? [];
    const keyword = said.toUpperCase();
    const kind = keys.get(keyword);
    if (kind && (seen.has(keyword) || fences > 1)) return undefined;
    if (kind) seen.add(keyword);
    if (kind === "metadata") {
      close();
      lines.push(`${keyword}:${tidyValue(value, form.metadata.find((each) => each.keyword === keyword)?.oneOf)}`);
    } else if (kind) {
      close();
      open = kind;
      if (!EMPTY_WORD.test(value)) rows.push(tidyRow(value, kind));
    } else if (open && !/^\s*(?:[-*_]\s*){3,}$/.test(raw) && !EMPTY_WORD.test(raw)) rows.push(tidyRow(raw, open));
    else if (!open && (raw.includes("|") || (seen.size > 0 && /^[\s#>*_`-]*[A-Z_]{3,}[*_`\s]*:/.test(raw))))
      return undefined;
  }
  close();
  return lines.length === 0 || fences % 2 === 1 ? undefined : `${lines.join("\n")}\n`;
}

function tidyValue(value: string, oneOf: readonly string[] | undefined): string {
  const plain = value.replace(/[*`]+/g, "").trim();
  const word = plain.replace(/\.$/, "").toUpperCase();
  return oneOf?.includes(word) ? word : plain;
}

/** A bar too many belongs to the last field. */
function tidyRow(row: string, { fields }: ReportSection): string {
  if (fields === "free") return row.trim();
  const parts = row
    .trim()
    .replace(/^(?:[-*+•]|\d+[.)])\s+/, "")
    .split(/(?<!\\)\|/)
    .map((part) => part.trim());
  const asked = fields.filter(({ isJsonOnly }) => !isJsonOnly);
  const fixed = asked.length - 1;
  const joined = parts.length > asked.length ? [...parts.slice(0, fixed), parts.slice(fixed).join(" \\| ")] : parts;
  return joined
    .map((part, i) => {
      const word = part.replace(/[*_`]/g, "").toLowerCase();
      if (asked[i]?.name === "severity") return SEVERITY_WORDS[word] ?? word.toUpperCase();
      return part;
    })
    .join("|");
}
