import type { CodeEngine } from "../engine.ts";
import type * as z from "zod";
import { Fault } from "#kernel/model/fault.ts";
import { DEFAULT_ANSWER_TOKENS, fitAnswer } from "#kernel/operations/answer-budget.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { TraceAnswerItem, TraceAnswer } from "./trace-answer.ts";
import { groupTraceItems, shortenTraceItem, formatTracePage } from "./trace-answer.ts";
import type { TraceShowInput } from "./schema.ts";

export const showTrace = defineOperation({
  id: "trace.show",
  effect: "read",
  isLong: true,
  input: async () => (await import("./schema.ts")).TraceShowInput,
  output: async () => (await import("./schema.ts")).TraceShowOutput,
  async run(engine: CodeEngine, { id, path, symbol, strict = false, max_tokens = DEFAULT_ANSWER_TOKENS }) {
    rejectMixedTraceInput({ id, path, symbol });
    const { lists, items, problems, ...head } = await traceRequest(engine, { id, path, symbol });
    const due = problems.filter((each) => each.due).length;
    return fitAnswer<TraceAnswerItem, TraceAnswer>(engine, max_tokens, {
      items: [{ in: "head", item: head }, ...items],
      build: (shown, omitted) => ({
        due,
        refused: strict && due > 0,
        ...(shown.length > 0 ? groupTraceItems(shown, lists) : { problems: [] }),
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

/** `lists` are part of the answer even if they are empty. */
async function traceRequest(engine: CodeEngine, { id, path, symbol }: z.infer<typeof TraceShowInput>) {
  const { traceSingleId, traceFilePath, traceAllIds, isPathReference, isSymbolName } =
    await import("./trace-results.ts");
  if (id !== undefined && isPathReference(id)) return traceRequest(engine, { path: id, symbol });
  if (id !== undefined && isSymbolName(id)) {
    const found = await findTracedSymbol(engine, id);
    return traceRequest(engine, { path: found.path, symbol: found.ref });
  }
  if (id !== undefined) {
    const lists = ["criteria", "code", "tests", "docs", "decisions", "commits", "receipts", "workflows"] as const;
    return { id, lists, ...(await traceSingleId(engine, id)) };
  }
  if (path !== undefined)
    return { lists: ["serves", "tests"] as const, ...(await traceFilePath(engine, path, symbol)) };
  return { lists: ["specs", "aimless"] as const, ...(await traceAllIds(engine)) };
}

async function findTracedSymbol(engine: CodeEngine, name: string) {
  const { findUniqueSymbol, gatherTraceData } = await import("./trace-data.ts");
  const { index } = await gatherTraceData(engine);
  return findUniqueSymbol(index, name, {
    of: name,
    createCall: (key) => ({ operation: "trace.show", input: { path: key } }),
  });
}

function rejectMixedTraceInput({ id, path, symbol }: z.infer<typeof TraceShowInput>): void {
  if (id !== undefined && path !== undefined) {
    throw new Fault("input.invalid", {
      what: "Pass an id or a path, not both.",
      why: "Each is a separate trace.",
      fix: [
        { operation: "trace.show", input: { id } },
        { operation: "trace.show", input: { path } },
      ],
    });
  }
  if (symbol === undefined || path !== undefined) return;
  throw new Fault("input.missing", {
    what: "Missing argument `path`.",
    why: "A symbol needs the file that defines it.",
    fix: { operation: "trace.show", input: { path: "…", symbol } },
  });
}
