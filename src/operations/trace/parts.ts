import type * as z from "zod";
import { cutTextStart } from "#domain/memory/snippet.ts";
import { formatComponentKey } from "#domain/indexing/outline.ts";
import { formatTagName } from "#domain/scan/tags.ts";
import type { TraceLocation } from "#domain/trace/carrier.ts";
import type { TraceProblem } from "#domain/trace/problems.ts";
import type { CodeIndex } from "../ports/code-index.ts";
import type { TraceLocationSchema, TraceShowOutput } from "./schema.ts";

export type TraceAnswer = z.infer<typeof TraceShowOutput>;
export type TraceLocationEntry = z.infer<typeof TraceLocationSchema>;

interface TraceLists {
  readonly problems: readonly TraceProblem[];
  readonly criteria: NonNullable<TraceAnswer["criteria"]>;
  readonly code: readonly TraceLocationEntry[];
  readonly tests: readonly TraceLocationEntry[];
  readonly docs: NonNullable<TraceAnswer["docs"]>;
  readonly decisions: NonNullable<TraceAnswer["decisions"]>;
  readonly commits: NonNullable<TraceAnswer["commits"]>;
  readonly receipts: NonNullable<TraceAnswer["receipts"]>;
  readonly workflows: NonNullable<TraceAnswer["workflows"]>;
  readonly serves: NonNullable<TraceAnswer["serves"]>;
  readonly specs: NonNullable<TraceAnswer["specs"]>;
  readonly aimless: NonNullable<TraceAnswer["aimless"]>;
}

type TraceListName = keyof TraceLists;

/** Left out last if the answer must shrink. */
type TraceAnswerHead = Pick<TraceAnswer, "id" | "path" | "symbol" | "subject" | "older_commits" | "totals">;

export type TraceAnswerItem =
  | { [Name in TraceListName]: { readonly in: Name; readonly item: TraceLists[Name][number] } }[TraceListName]
  | { readonly in: "head"; readonly item: TraceAnswerHead };

export const createTraceItems = <Name extends TraceListName>(name: Name, list: TraceLists[Name]): TraceAnswerItem[] =>
  list.map((item) => ({ in: name, item }) as TraceAnswerItem);

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
      ...(test === undefined ? {} : { test }),
    });
  }
  return found;
}
