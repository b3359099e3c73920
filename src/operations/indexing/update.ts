import type * as z from "zod";
import { count } from "#domain/count.ts";
import { plain } from "#domain/quote.ts";
import { operation } from "../operation.ts";
import type { IndexUpdate, IndexUpdated } from "./schema.ts";
import { bringIndexUpToDate } from "./up-to-date.ts";

type Output = z.infer<typeof IndexUpdated>;

/** More of them say nothing to anybody. */
const MOST_PROBLEMS = 20;
const IN_PART = "Parts of it could not be parsed.";

export const updateIndex = operation<z.infer<typeof IndexUpdate>, Output>({
  id: "indexing.update",
  effect: "append",
  isLong: true,
  input: async () => (await import("./schema.ts")).IndexUpdate,
  output: async () => (await import("./schema.ts")).IndexUpdated,
  async run(engine, { full = false }) {
    const { index, ...done } = await bringIndexUpToDate(engine, { isAfresh: full, isAskedFor: true });
    await (await import("./export.ts")).exportIndex(engine, index);
    const { problems: all, ...counts } = await index.counts();
    const problems = await index.problems(MOST_PROBLEMS);
    return {
      ...counts,
      ...done,
      problems: problems.map(({ path, problem = IN_PART }) => ({ path, why: problem })),
      omitted: all - problems.length,
      kept: index.isKept,
    };
  },
  page: ({ files, components, tags, tests, texts, read, unchanged, gone, problems, omitted }) => ({
    title: `The index is up to date: ${count(files, "file")}, ${count(components, "component")}.`,
    facts: [
      ["tags", String(tags)],
      ["tests", String(tests)],
      ["texts", String(texts)],
      ["this time", `${read} read, ${unchanged} unchanged, ${gone} gone`],
    ],
    points: [
      ...problems.map(({ path, why }) => `${plain(path, 200)}: ${why}`),
      ...(omitted > 0 ? [`${count(omitted, "more file")} of that kind.`] : []),
    ],
  }),
});
