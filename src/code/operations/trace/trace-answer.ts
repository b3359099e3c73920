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

export interface TraceResult extends TraceAnswerHead {
  readonly problems: readonly TraceProblem[];
  readonly items: readonly TraceAnswerItem[];
}

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
export function groupTraceItems(
  shown: readonly TraceAnswerItem[],
  asked: readonly TraceListName[],
): Partial<TraceAnswer> & Pick<TraceAnswer, "problems"> {
  const found: Record<string, unknown[]> = Object.fromEntries(["problems", ...asked].map((name) => [name, []]));
  for (const { in: name, item } of shown) if (name !== "head") (found[name] ??= []).push(item);
  const head = shown.find((each) => each.in === "head")?.item;
  return { ...head, ...found } as unknown as ReturnType<typeof groupTraceItems>;
}

export function shortenTraceItem(shown: TraceAnswerItem, length: number): TraceAnswerItem | undefined {
  if (shown.in !== "criteria" || shown.item.text.length <= length) return undefined;
  return { in: "criteria", item: { ...shown.item, text: cutTextStart(shown.item.text, length) } };
}

export async function createLocationEntries(
  index: CodeIndex,
  carriers: readonly TraceLocation[],
): Promise<TraceLocationEntry[]> {
  const found: TraceLocationEntry[] = [];
  for (const carrier of carriers) {
    const { path, line, by, ref, test, isTest } = carrier;
    const [component] = ref === undefined || isTest ? [] : await index.components({ path, ref, most: 1 });
    found.push({
      id: formatTagName(carrier),
      path,
      line: component?.line ?? line,
      by,
      ...(component ? { key: formatComponentKey(path, component.ref), signature: component.signature } : {}),
      test,
    });
  }
  return found;
}

export function formatTracePage(output: TraceAnswer): Page {
  const { id, path, problems, omitted } = output;
  const page =
    id !== undefined
      ? formatIdTrace(output, id)
      : path !== undefined
        ? formatPathTrace(output, path)
        : formatTraceOverview(output);
  return {
    ...page,
    points: [
      ...problems.filter(({ due }) => due).map(({ problem }) => problem),
      ...(page.points ?? []),
      ...problems.filter(({ due }) => !due).map(({ problem }) => `Not yet: ${problem}`),
      ...(omitted > 0 ? [`${omitted} more left out for max_tokens.`] : []),
    ],
  };
}

const formatDueProblems = (output: TraceAnswer): string =>
  output.due === 0 ? "" : ` ${formatCount(output.due, "problem")}.`;

function formatIdTrace(output: TraceAnswer, id: string): Page {
  const { subject, criteria = [], code = [], tests = [], docs = [], decisions = [] } = output;
  const { commits = [], older_commits: older = 0, receipts = [], workflows = [] } = output;
  const state = subject ? ` (${[subject.kind, subject.status].filter((word) => word !== undefined).join(", ")})` : "";
  return {
    title: `${sanitizeText(id, 60)}${subject?.title ? ` ${sanitizeText(subject.title, 200)}` : ""}${state}.${formatDueProblems(output)}`,
    facts: [
      ...(subject?.path === undefined ? [] : [["defined in", formatPathAndLine(subject.path, subject.line)] as const]),
      ...workflows.map(
        ({ id: name, kind, stage, status }) => ["workflow", `${name}: ${kind}, ${stage}, ${status}`] as const,
      ),
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
      ...decisions.map(
        ({ ref, title }) =>
          `decision ${sanitizeText(ref, 60)}${title === undefined ? "" : `: ${sanitizeText(title, 200)}`}`,
      ),
      ...commits.map(
        ({ hash, date, subject: said }) =>
          `commit ${hash.slice(0, 12)} ${date.slice(0, 10)} ${sanitizeText(said, 120)}`,
      ),
      ...(older > 0 ? [`${formatCount(older, "older commit")} name it too.`] : []),
      ...receipts.map(
        ({ id: name, gate, at }) => `receipt ${sanitizeText(name, 60)}: ${sanitizeText(gate, 60)}, ${at.slice(0, 10)}`,
      ),
    ],
  };
}

const TAG_SOURCE_LABELS = { itself: "itself", around: "what it stands in", file: "its file" } as const;

function formatPathTrace(output: TraceAnswer, path: string): Page {
  const { symbol, serves = [], tests = [] } = output;
  const name =
    symbol === undefined ? sanitizeText(path, 300) : `${sanitizeText(path, 300)}#${sanitizeText(symbol, 200)}`;
  return {
    title:
      serves.length === 0 && output.omitted === 0
        ? `Nothing says what ${name} serves.`
        : `What ${name} serves.${formatDueProblems(output)}`,
    table: {
      columns: ["id", "title", "said by", "at"],
      rows: serves.map(({ id, title = "", from, line, key, test }) => [
        id,
        sanitizeText(title, 200),
        symbol === undefined
          ? sanitizeText(test ?? key?.replace(/^.*#/, "") ?? "the file", 200)
          : TAG_SOURCE_LABELS[from],
        String(line),
      ]),
    },
    points: tests.map((each) => `test ${formatLocationLine(each)}`),
  };
}

function formatTraceOverview(output: TraceAnswer): Page {
  const { specs = [], aimless = [], totals } = output;
  const nothing = specs.length === 0 && output.omitted === 0;
  return {
    title: nothing
      ? `Nothing is defined that code could belong to.${formatDueProblems(output)}`
      : `Trace of ${formatCount(specs.length, "id")}.${formatDueProblems(output)}`,
    table: {
      columns: ["id", "title", "status", "criteria", "code", "tests", "docs"],
      rows: specs.map(({ id, title, status = "", criteria, covered, code, tests, docs }) => [
        id,
        sanitizeText(title, 80),
        status,
        criteria === 0 ? "" : `${covered} of ${criteria}`,
        ...[code, tests, docs].map(String),
      ]),
    },
    points: [
      ...aimless.map(({ path, tests }) => `${sanitizeText(path, 200)}: ${formatCount(tests, "test")} for no id.`),
      ...(totals === undefined || totals.aimless_tests === 0
        ? []
        : [`In files that serve no id: ${formatCount(totals.aimless_tests, "test")} in all.`]),
      ...(totals === undefined || totals.untagged_files === 0
        ? []
        : [
            `${totals.untagged_files} of ${formatCount(totals.code_files, "file")} of code say nothing of what they belong to.`,
          ]),
    ],
  };
}

/** `src/auth.ts:12 AUTH-001.AC-1 Session.login — login(code: string): Session`. */
function formatLocationLine({ id, path, line, key, signature, test, by }: TraceLocationEntry): string {
  const name = test ?? key?.replace(/^.*#/, "");
  const said = signature === undefined ? "" : ` — ${sanitizeText(signature, 160)}`;
  return `${formatPathAndLine(path, line)} ${id}${by === "name" ? " by its name" : ""}${name === undefined ? "" : `: ${sanitizeText(name, 200)}`}${said}`;
}

const formatPathAndLine = (path: string, line: number | undefined): string =>
  line === undefined ? sanitizeText(path, 200) : `${sanitizeText(path, 200)}:${line}`;
