import type * as z from "zod";
import { Fault } from "#domain/fault.ts";
import { DEFAULT_ANSWER_TOKENS, fitAnswer } from "../fit.ts";
import { defineOperation } from "../operation.ts";
import { type Item, lists, type Output, shorten } from "./parts.ts";
import { tracePage } from "./page.ts";
import type { TraceQuery } from "./schema.ts";

type Input = z.infer<typeof TraceQuery>;

export const show = defineOperation<Input, Output>({
  id: "trace.show",
  effect: "read",
  isLong: true,
  input: async () => (await import("./schema.ts")).TraceQuery,
  output: async () => (await import("./schema.ts")).Traced,
  async run(engine, { id, path, symbol, strict = false, max_tokens = DEFAULT_ANSWER_TOKENS }) {
    refuseMixed({ id, path, symbol });
    const found =
      id !== undefined
        ? { id, ...(await (await import("./of-id.ts")).traceOfId(engine, id)) }
        : path !== undefined
          ? await (await import("./of-path.ts")).traceOfPath(engine, path, symbol)
          : await (await import("./of-all.ts")).traceOfAll(engine);
    const { items, problems, ...head } = found;
    const due = problems.filter((each) => each.due).length;
    const asked = id !== undefined ? OF_ID : path !== undefined ? OF_PATH : OF_ALL;
    return fitAnswer<Item, Output>(engine, max_tokens, {
      items: [{ in: "head", item: head }, ...items],
      build: (shown, omitted) => ({
        due,
        refused: strict && due > 0,
        ...(shown.length > 0 ? lists(shown, asked) : { problems: [] }),
        // The head does not count as an omitted item.
        omitted: shown.length > 0 ? omitted : items.length,
      }),
      page: tracePage,
      shorten,
    });
  },
  page: tracePage,
  isRefusal: ({ refused }) => refused,
});

const OF_ID = ["criteria", "code", "tests", "docs", "decisions", "commits", "receipts", "workflows"] as const;
const OF_PATH = ["serves", "tests"] as const;
const OF_ALL = ["specs", "aimless"] as const;

function refuseMixed({ id, path, symbol }: Pick<Input, "id" | "path" | "symbol">): void {
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
