import type * as z from "zod";
import { formatCount } from "#domain/count.ts";
import { sanitizeText } from "#domain/quote.ts";
import type { Engine } from "../engine.ts";
import { defineOperation } from "../operation.ts";
import type { CodeIndex } from "../ports/code-index.ts";
import type { IndexUpdate, IndexUpdated } from "./schema.ts";
import { bringIndexUpToDate } from "./up-to-date.ts";

type Output = z.infer<typeof IndexUpdated>;

const MOST_PROBLEMS = 20;
const IN_PART = "Parts of it could not be parsed.";

export const updateIndex = defineOperation<z.infer<typeof IndexUpdate>, Output>({
  id: "indexing.update",
  effect: "change",
  isLong: true,
  input: async () => (await import("./schema.ts")).IndexUpdate,
  output: async () => (await import("./schema.ts")).IndexUpdated,
  async run(engine, { full = false, docs = false, dry_run = false }) {
    const { index, ...done } = await bringIndexUpToDate(engine, { isAfresh: full, isAskedFor: true });
    const filled = docs ? await fillDocs(engine, index, dry_run) : undefined;
    await (await import("./copies/export.ts")).exportIndex(engine, index);
    const { problems: all, ...counts } = await index.counts();
    const problems = await index.problems(MOST_PROBLEMS);
    return {
      ...counts,
      ...done,
      problems: problems.map(({ path, problem = IN_PART }) => ({ path, why: problem })),
      omitted: all - problems.length,
      kept: index.isKept,
      ...(filled ? { docs: filled } : {}),
    };
  },
  page: ({ files, components, tags, tests, texts, read, unchanged, gone, problems, omitted, docs }) => ({
    title: `The index is up to date: ${formatCount(files, "file")}, ${formatCount(components, "component")}.`,
    facts: [
      ["tags", String(tags)],
      ["tests", String(tests)],
      ["texts", String(texts)],
      ["this time", `${read} read, ${unchanged} unchanged, ${gone} gone`],
      ...(docs ? [["documents", docsLine(docs)] as const] : []),
    ],
    points: [
      ...problems.map(({ path, why }) => `${sanitizeText(path, 200)}: ${why}`),
      ...(omitted > 0 ? [`${formatCount(omitted, "more file")} of that kind.`] : []),
      ...(docs ? docsPoints(docs) : []),
    ],
  }),
});

type Docs = NonNullable<Output["docs"]>;

async function fillDocs(engine: Engine, index: CodeIndex, dry_run: boolean): Promise<Docs> {
  const { updateDocs } = await import("./copies/docs.ts");
  const { written, created, unchanged, unknown } = await updateDocs(engine, index, { dryRun: dry_run });
  if (!dry_run && written.length + created.length > 0) await bringIndexUpToDate(engine);
  return { written: [...written], created: [...created], unchanged, unknown: [...unknown], dry_run };
}

const docsLine = ({ written, created, unchanged, dry_run }: Docs): string =>
  `${written.length} ${dry_run ? "would be written" : "written"}, ${created.length} ${dry_run ? "would be begun" : "begun"}, ${unchanged} unchanged`;

const docsPoints = ({ written, created, unknown, dry_run }: Docs): string[] => [
  ...written.map((path) => `${sanitizeText(path, 200)}${dry_run ? " would be written" : " was written"}.`),
  ...created.map((path) => `${sanitizeText(path, 200)}${dry_run ? " would be begun" : " was begun"}.`),
  ...unknown.map((name) => `${sanitizeText(name, 200)}: no section is called so, and it was left as it is.`),
];
