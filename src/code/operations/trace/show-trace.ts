import type { CodeEngine } from "../engine.ts";
import type * as z from "zod";
import { Fault } from "#kernel/model/fault.ts";
import { DEFAULT_ANSWER_TOKENS, fitAnswer } from "#kernel/operations/answer-budget.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import {
  type TraceAnswerItem,
  groupTraceItems,
  type TraceAnswer,
  shortenTraceItem,
  formatTracePage,
} from "./trace-answer.ts";
import type { TraceShowInput } from "./schema.ts";

export const showTrace = defineOperation({
  id: "trace.show",
  effect: "read",
  isLong: true,
  input: async () => (await import("./schema.ts")).TraceShowInput,
  output: async () => (await import("./schema.ts")).TraceShowOutput,
  async run(engine: CodeEngine, { id, path, symbol, strict = false, max_tokens = DEFAULT_ANSWER_TOKENS }) {
    rejectMixedTraceInput({ id, path, symbol });
    const found =
      id !== undefined
        ? { id, ...(await (await import("./trace-by-id.ts")).traceSingleId(engine, id)) }
        : path !== undefined
          ? await (await import("./trace-by-path.ts")).traceFilePath(engine, path, symbol)
          : await (await import("./trace-overview.ts")).traceAllIds(engine);
    const { items, problems, ...head } = found;
    const due = problems.filter((each) => each.due).length;
    const asked = id !== undefined ? ID_TRACE_LISTS : path !== undefined ? PATH_TRACE_LISTS : OVERVIEW_LISTS;
    return fitAnswer<TraceAnswerItem, TraceAnswer>(engine, max_tokens, {
      items: [{ in: "head", item: head }, ...items],
      build: (shown, omitted) => ({
        due,
        refused: strict && due > 0,
        ...(shown.length > 0 ? groupTraceItems(shown, asked) : { problems: [] }),
        // The head does not count as an omitted item.
        omitted: shown.length > 0 ? omitted : items.length,
      }),
      page: formatTracePage,
      shorten: shortenTraceItem,
    });
  },
  page: formatTracePage,
  isRefusal: ({ refused }) => refused,
});

const ID_TRACE_LISTS = ["criteria", "code", "tests", "docs", "decisions", "commits", "receipts", "workflows"] as const;
const PATH_TRACE_LISTS = ["serves", "tests"] as const;
const OVERVIEW_LISTS = ["specs", "aimless"] as const;

function rejectMixedTraceInput({ id, path, symbol }: z.infer<typeof TraceShowInput>): void {
  if (id !== undefined && path !== undefined) {
    throw new Fault("input.invalid", {
      what: "Nothing was traced.",
      why: "An id and a path were given, and each is a question of its own.",
      fix: [
        { operation: "trace.show", input: { id } },
        { operation: "trace.show", input: { path } },
      ],
    });
  }
  if (symbol === undefined || path !== undefined) return;
  throw new Fault("input.missing", {
    what: "Nothing was traced.",
    why: "A symbol was given, and not the file that has it.",
    fix: { operation: "trace.show", input: { path: "…", symbol } },
  });
}
