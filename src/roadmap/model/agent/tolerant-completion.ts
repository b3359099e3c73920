import { isPlainObject } from "#kernel/model/plain-object.ts";
import { findJsonValue, plainTypography } from "../review/report-text.ts";

export interface ReportedWork {
  readonly feature: string;
  readonly tasks?: readonly string[];
  readonly mode?: string;
}

/** A report in its exact form. `isSure` is false if something was filled in that the text does not say. */
export interface TidyCompletion {
  readonly text: string;
  readonly isSure: boolean;
}

const LABELS: readonly (readonly [RegExp, string])[] = [
  [/^feature$/, "Feature"],
  [/^(?:completed )?tasks?(?: completed| done| affected| finished)?$/, "Tasks"],
  [/^(?:changed |modified |created |new )?files?(?: \w+)*$/, "Files"],
  [/^tests?(?: results?| status| run)?$/, "Tests"],
  [/^(?:blocker|blocked by|reason)$/, "Blocker"],
  [/^(?:attempted|attempts|tried)$/, "Attempted"],
  [/^(?:status|report|result)$/, "Status"],
  [/^(?:mode|artifacts|discovery|key findings|parallel tasks|specs covered|execution)$/, ""],
];
const TAG = /^\W*\[(?:PATTERN|INCIDENT|REFERENCE)\]/i;
const FAILURE =
  /\b(?:block(?:ed|er)|cannot|can't|could not|couldn't|unable|not able|incomplete|partial(?:ly)?|failed to)\b/i;

/** Reads a report as a careful person would, with the facts of its action. Undefined if it may mean something else. */
export function tidyCompletionText(
  sent: string,
  ends: readonly string[],
  fieldsOf: (keyword: string) => readonly string[],
  work: ReportedWork,
): TidyCompletion | undefined {
  const text = plainTypography(sent);
  const said = new Set(
    (text.match(/\b[A-Z]+[_ -](?:COMPLETE|BLOCKED)\b/g) ?? []).map((word) => word.replace(/[ -]/, "_")),
  );
  const fields = readFields(text);
  const status = (fields.get("Status") ?? []).join(" ");
  const isBlocked = fields.has("Blocker") || /blocked/i.test(status);
  const named = [...said];
  // Prose alone cannot be confirmed, unless the files and tests of tasks show it.
  if (named.length === 0 && fields.size === 0 && !work.tasks?.length) return undefined;
  if (named.length > 1 || named.some((keyword) => !ends.includes(keyword))) return undefined;
  const [complete = "", blocked] = ends;
  const keyword = named[0] ?? (isBlocked ? blocked : complete);
  if (keyword === undefined || (isBlocked && keyword !== blocked)) return undefined;
  if (keyword === complete && named.length === 0 && FAILURE.test(text)) return undefined;
  let isSure = named.length > 0 || /\b(?:completed?|done|success(?:ful)?)\b/i.test(status);
  const lines = fieldsOf(keyword).map((label) => {
    const given = readField(label, fields, work);
    if (given === undefined) isSure = false;
    return `${label}: ${given ?? fillField(label, work)}`;
  });
  const tags = text.split("\n").filter((line) => TAG.test(line));
  return { text: [keyword, ...lines, ...tags.map((line) => line.replace(/^[^[]+/, ""))].join("\n"), isSure };
}

function readFields(text: string): Map<string, string[]> {
  const fields = new Map<string, string[]>();
  const json = findJsonValue(text);
  let open: string[] | undefined;
  const take = (name: string, values: readonly string[]): string[] | undefined => {
    const word = name
      .toLowerCase()
      .replace(/[\s_-]+/g, " ")
      .trim();
    const label = LABELS.find(([pattern]) => pattern.test(word));
    if (!label) return undefined;
    const key = label[1] === "" ? `${word.slice(0, 1).toUpperCase()}${word.slice(1)}` : label[1];
    const known = fields.get(key) ?? [];
    fields.set(key, known);
    known.push(...values.filter((value) => value !== ""));
    return known;
  };
  if (isPlainObject(json?.value))
    for (const [name, value] of Object.entries(json.value)) {
      const isCount = isPlainObject(value) && "passed" in value;
      const values: readonly unknown[] = Array.isArray(value)
        ? value
        : [isCount ? `${String(value["passed"])}/${String(value["total"])}` : value];
      if (values.every((one) => typeof one === "string" || Number.isSafeInteger(one))) take(name, values.map(String));
    }
  for (const raw of (json ? text.replace(json.source, "") : text).split(/\r\n|\n|\r/)) {
    if (TAG.test(raw) || /^\s*[`~]{3,}/.test(raw)) continue;
    const line = raw.replace(/^\s*\|\s*([^|]+?)\s*\|\s*(.*?)\s*\|?\s*$/, "$1: $2").replace(/[*]{2}|__/g, "");
    const [, label, value = ""] =
      /^[^\p{L}`]*([A-Za-z][A-Za-z _/-]{2,30}?)\s*(?:\(\d+\))?\s*[:：]\s*(.*)$/u.exec(line) ?? [];
    const found = label === undefined ? undefined : take(label, [value.trim()]);
    const item = /^\s*(?:[-*+•ℹ]|\d+[.)]|#(?=\s+\w+ \d+$))\s+(.*)$/.exec(line)?.[1];
    if (found) open = value.trim() === "" ? found : undefined;
    else if (open && item !== undefined) open.push(item.trim());
    else if (line.trim() !== "") open = undefined;
  }
  return fields;
}

/** The path in `created src/a.ts (new)`. */
export const trimFileRemark = (item: string): string =>
  plainTypography(item)
    .replace(/^(?:created|modified|changed|updated|added|deleted|removed|new):? /i, "")
    .replace(/(?:: | \(| [-–—←] ).*$/, "")
    .replace(/^[`"'](.+)[`"']$/, "$1")
    .replace(/^\.\//, "");

function readField(label: string, fields: ReadonlyMap<string, string[]>, work: ReportedWork): string | undefined {
  const values = fields.get(label.startsWith("Tasks ") ? "Tasks" : label);
  if (label === "Tests") return values && readTests(values.join(", "));
  if (label === "Tasks completed" || label === "Tasks affected") return values && readTasks(values, work.tasks ?? []);
  if (label === "Feature" && values === undefined) return work.feature;
  if (label !== "Files" || !values) return values && (values.join(" ") || undefined);
  return (values.length > 1 ? values.map(trimFileRemark) : values).join(", ") || undefined;
}

const fillField = (label: string, { tasks = [], mode = "new" }: ReportedWork): string => {
  if (label === "Tasks completed" || label === "Tasks affected") return tasks.join(", ") || "none";
  if (label === "Mode") return mode;
  if (label === "Discovery") return "light";
  return label === "Files" || label === "Tests" ? "none" : "not given";
};

/** `all`, `1.1-1.3` and ids with words around them. */
function readTasks(values: readonly string[], known: readonly string[]): string | undefined {
  const ids = values
    .flatMap((value) => value.replace(/\([^)]*\)/g, "").split(/[,;]|\band\b|&/))
    .map((item) => item.replace(/[`*✅✓[\]]/g, "").trim())
    .filter((item) => item !== "")
    .flatMap((item): readonly (string | undefined)[] => {
      if (/^(?:all|everything)\b/i.test(item)) return known.length > 0 ? known : [undefined];
      const [, from, to] =
        /^(?:tasks? )?(\d+(?:\.\d+)*)\s*(?:-|–|—|to|through|\.\.)\s*(\d+(?:\.\d+)*)$/i.exec(item) ?? [];
      if (from !== undefined && to !== undefined) {
        const [start, end] = [known.indexOf(from), known.indexOf(to)];
        return start < 0 || end < start ? [undefined] : known.slice(start, end + 1);
      }
      if (/^(?:none|nothing|-)$/i.test(item)) return [];
      return [/^(?:tasks? |#)?(\d+(?:\.\d+)*)(?![\d.]*\d)/i.exec(item)?.[1]];
    });
  return ids.includes(undefined) ? undefined : [...new Set(ids)].join(", ") || "none";
}

/** `12/12`, `12 passed, 0 failed`, `all 12 pass`. Without a number the engine's own run decides. */
function readTests(said: string): string | undefined {
  const [, part, whole] = /(\d+)\s*(?:\/|of|out of)\s*(\d+)/i.exec(said) ?? [];
  if (part !== undefined) return `${part}/${whole}`;
  const count = (words: string): number | undefined => {
    const found = new RegExp(`(\\d+)\\s*(?:tests?\\s+)?(?:${words})|(?:${words})\\s*[:=]?\\s*(\\d+)`, "i").exec(said);
    return found ? Number(found[1] ?? found[2]) : undefined;
  };
  const failed = count("fail(?:ed|ing|ures?|s)?|errors?") ?? 0;
  const passed = count("pass(?:ed|ing|es)?|green|ok|succeed(?:ed)?") ?? count("tests?");
  if (passed !== undefined) return `${passed}/${passed + failed}`;
  const isGood =
    /\b(?:all|everything|suite)\b.*\b(?:pass(?:ed|es|ing)?|green|ok)\b|^\W*(?:pass(?:ed|ing)?|green|ok)\W*$/i.test(
      said,
    );
  return (isGood && !/\b(?:not|except|but|fail)/i.test(said)) || /^(?:none|n\/a|-)$/i.test(said.trim())
    ? "none"
    : undefined;
}
