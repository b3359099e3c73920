import { stringify } from "yaml";
import type { YamlValue } from "#domain/spec/yaml/located.ts";

/** Never wraps lines or uses block scalars, because a comment may follow the value. */
const YAML_STYLE = { lineWidth: 0, blockQuote: false } as const;

export function formatInlineValue(value: YamlValue, isQuoted = false): string {
  if (typeof value === "object" && value !== null) return JSON.stringify(value);
  if (typeof value === "string" && isQuoted) return JSON.stringify(value);
  const written = stringify(value, YAML_STYLE).trimEnd();
  return written.includes("\n") ? JSON.stringify(value) : written;
}

/** Like `formatInlineValue`, but quotes characters with a meaning inside brackets. */
export function formatBracketedValue(value: YamlValue): string {
  const written = formatInlineValue(value);
  return /^[\w .%/-]+$/.test(written) || /^["[{]/.test(written) ? written : JSON.stringify(value);
}

export const formatBlockValue = (value: YamlValue, indent: number): string =>
  stringify(value, YAML_STYLE)
    .trimEnd()
    .replaceAll("\n", `\n${" ".repeat(indent)}`);

export function reindentLines(text: string, from: number, to: number): string {
  const spaces = " ".repeat(Math.max(0, to - from));
  const surplus = new RegExp(`^ {0,${Math.max(0, from - to)}}`);
  return text
    .split("\n")
    .map((line) => (line.trim() === "" ? line : `${spaces}${line.replace(surplus, "")}`))
    .join("\n");
}
