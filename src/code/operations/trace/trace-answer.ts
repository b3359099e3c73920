import type * as z from "zod";
import { cutTextStart } from "#kernel/model/search/text-snippet.ts";
import { formatComponentKey } from "../../model/index/code-outline.ts";
import { formatTagName } from "../../model/scan/spec-tags.ts";
import type { TraceLocation } from "../../model/trace/trace-locations.ts";
import type { TraceProblem } from "../../model/trace/trace-matrix.ts";
import type { CodeIndex } from "../ports/code-index.ts";
import type { TraceLocationSchema, TraceShowOutput } from "./schema.ts";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import type { Page } from "#kernel/model/page.ts";

export type TraceAnswer = z.infer<typeof TraceShowOutput>;
export type TraceLocationEntry = z.infer<typeof TraceLocationSchema>;

type TraceListName = {
  [Name in keyof TraceAnswer]-?: NonNullable<TraceAnswer[Name]> extends readonly unknown[] ? Name : never;
}[keyof TraceAnswer];
type TraceListItem<Name extends TraceListName> = NonNullable<TraceAnswer[Name]>[number];

/** Left out last if the answer must shrink. */
type TraceAnswerHead = Pick<TraceAnswer, "id" | "path" | "symbol" | "subject" | "older_commits" | "totals">;

export type TraceAnswerItem =
  | { [Name in TraceListName]: { readonly in: Name; readonly item: TraceListItem<Name> } }[TraceListName]
  | { readonly in: "head"; readonly item: TraceAnswerHead };

export type TraceResult = TraceAnswerHead &
  Readonly<{ problems: readonly TraceProblem[]; items: readonly TraceAnswerItem[] }>;

export const createTraceItems = <Name extends TraceListName>(
  name: Name,
  list: readonly TraceListItem<Name>[],
): TraceAnswerItem[] => list.map((item) => ({ in: name, item }) as TraceAnswerItem);

/** Problems that must be fixed come before the lists, others after them. */
export const createProblemItems = (problems: readonly TraceProblem[], isDue: boolean): TraceAnswerItem[] =>
  createTraceItems(
    "problems",
    problems.filter(({ due }) => due === isDue),
  );

/** Requested lists exist even if they are empty. */
export function groupTraceItems(shown: readonly TraceAnswerItem[], asked: readonly TraceListName[]) {
  const found: Record<string, unknown[]> = Object.fromEntries(["problems", ...asked].map((name) => [name, []]));
  for (const { in: name, item } of shown) if (name !== "head") (found[name] ??= []).push(item);
  const head = shown.find((each) => each.in === "head")?.item;
  return { ...head, ...found } as unknown as Partial<TraceAnswer> & Pick<TraceAnswer, "problems">;
}

export function shortenTraceItem(shown: TraceAnswerItem, length: number): TraceAnswerItem | undefined {
  if (shown.in !== "criteria" || shown.item.text.length <= length) return undefined;
  return { in: "criteria", item: { ...shown.item, text: cutTextStart(shown.item.text, length) } };
}

export async function createLocationEntry(index: CodeIndex, carrier: TraceLocation): Promise<TraceLocationEntry> {
  const { path, line, by, ref, test, isTest } = carrier;
  const [component] = ref === undefined || isTest ? [] : await index.components({ path, ref, most: 1 });
  const found = component && { key: formatComponentKey(path, component.ref), signature: component.signature };
  return { id: formatTagName(carrier), path, line: component?.line ?? line, by, ...found, test };
}

export function formatTracePage(output: TraceAnswer): Page {
  const { id, path, problems, omitted, due } = output;
  const dueText = due === 0 ? "" : ` ${formatCount(due, "problem")}.`;
  const page =
    id !== undefined
      ? formatIdTrace(output, id, dueText)
      : path !== undefined
        ? formatPathTrace(output, path, dueText)
        : formatTraceOverview(output, dueText);
  return {
    ...page,
    points: [
      ...problems.filter((each) => each.due).map(({ problem }) => problem),
      ...(page.points ?? []),
      ...problems.filter((each) => !each.due).map(({ problem }) => `Not yet: ${problem}`),
      ...(omitted > 0 ? [`${omitted} more left out for max_tokens.`] : []),
    ],
  };
}

function formatIdTrace(output: TraceAnswer, id: string, due: string): Page {
  const { subject, criteria = [], code = [], tests = [], docs = [], decisions = [] } = output;
  const { commits = [], older_commits: older = 0, receipts = [], workflows = [] } = output;
  const title = subject?.title ? ` ${sanitizeText(subject.title, 200)}` : "";
  const state = subject ? ` (${[subject.kind, subject.status].filter((word) => word !== undefined).join(", ")})` : "";
  return {
    title: `${sanitizeText(id, 60)}${title}${state}.${due}`,
    facts: [
      ...(subject?.path === undefined ? [] : [["defined in", formatPathAndLine(subject.path, subject.line)] as const]),
      ...workflows.map((each) => ["workflow", `${each.id}: ${each.kind}, ${each.stage}, ${each.status}`] as const),
    ],
    table: {
      columns: ["criterion", "says", "tests"],
      rows: criteria.map((each) => [
        each.id,
        sanitizeText(each.text, 300),
        each.tests.map((test) => sanitizeText(test, 200)).join("; ") || "none",
      ]),
    },
    points: [
      ...code.map((each) => `code ${formatLocationLine(each)}`),
      ...tests.map((each) => `test ${formatLocationLine(each)}`),
      ...docs.map((each) => `document ${formatPathAndLine(each.path, each.line)}`),
      ...decisions.map((each) => {
        const name = each.title === undefined ? "" : `: ${sanitizeText(each.title, 200)}`;
        return `decision ${sanitizeText(each.ref, 60)}${name}`;
      }),
      ...commits.map(({ hash, date, subject: said }) => {
        return `commit ${hash.slice(0, 12)} ${date.slice(0, 10)} ${sanitizeText(said, 120)}`;
      }),
      ...(older > 0 ? [`${formatCount(older, "older commit")} name it too.`] : []),
      ...receipts.map((each) => {
        return `receipt ${sanitizeText(each.id, 60)}: ${sanitizeText(each.gate, 60)}, ${each.at.slice(0, 10)}`;
      }),
    ],
  };
}

const TAG_SOURCE_LABELS = { itself: "itself", around: "its enclosing code", file: "its file" } as const;

function formatPathTrace({ symbol, serves = [], tests = [], omitted }: TraceAnswer, path: string, due: string): Page {
  const name = `${sanitizeText(path, 300)}${symbol === undefined ? "" : `#${sanitizeText(symbol, 200)}`}`;
  return {
    title: serves.length + omitted === 0 ? `${name} has no @spec tag.` : `Ids that ${name} implements.${due}`,
    table: {
      columns: ["id", "title", "tagged by", "line"],
      rows: serves.map(({ id, title = "", from, line, key, test }) => {
        const holder = sanitizeText(test ?? key?.replace(/^.*#/, "") ?? "the file", 200);
        const source = symbol === undefined ? holder : TAG_SOURCE_LABELS[from];
        return [id, sanitizeText(title, 200), source, String(line)];
      }),
    },
    points: tests.map((each) => `test ${formatLocationLine(each)}`),
    ...(serves.length > 0 ? {} : { next: [{ operation: "trace.impact", input: { of: path } }] }),
  };
}

function formatTraceOverview({ specs = [], aimless = [], totals, omitted }: TraceAnswer, due: string): Page {
  const { aimless_tests, untagged_files, code_files } = totals ?? {
    aimless_tests: 0,
    untagged_files: 0,
    code_files: 0,
  };
  const nothing = specs.length + omitted === 0;
  return {
    title: `${nothing ? "No spec, requirement or rule is defined yet" : `Trace of ${formatCount(specs.length, "id")}`}.${due}`,
    table: {
      columns: ["id", "title", "status", "criteria", "code", "tests", "docs"],
      rows: specs.map(({ id, title, status = "", criteria, covered, code, tests, docs }) => {
        const tested = criteria === 0 ? "" : `${covered} of ${criteria}`;
        return [id, sanitizeText(title, 80), status, tested, ...[code, tests, docs].map(String)];
      }),
    },
    points: [
      ...aimless.map(
        ({ path, tests }) => `${sanitizeText(path, 200)}: ${formatCount(tests, "test")} without an @spec tag.`,
      ),
      ...(aimless_tests > 0 ? [`${formatCount(aimless_tests, "test")} in files without an @spec tag.`] : []),
      ...(untagged_files > 0
        ? [
            untagged_files === code_files
              ? `No source file has an @spec tag yet (${formatCount(code_files, "file")}).`
              : `${untagged_files} of ${formatCount(code_files, "source file")} have no @spec tag.`,
          ]
        : []),
    ],
  };
}

/** `src/auth.ts:12 AUTH-001.AC-1 Session.login — login(code: string): Session`. */
function formatLocationLine({ id, path, line, key, signature, test, by }: TraceLocationEntry): string {
  const name = test ?? key?.replace(/^.*#/, "");
  const shown = `${by === "name" ? " by its name" : by === "evidence" ? " as evidence" : ""}${name === undefined ? "" : `: ${sanitizeText(name, 200)}`}`;
  const said = signature === undefined ? "" : ` — ${sanitizeText(signature, 160)}`;
  return `${formatPathAndLine(path, line)} ${id}${shown}${said}`;
}

const formatPathAndLine = (path: string, line: number | undefined): string =>
  line === undefined ? sanitizeText(path, 200) : `${sanitizeText(path, 200)}:${line}`;
