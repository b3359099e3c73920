import type * as z from "zod";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import type { CodeEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { CodeIndex } from "../ports/code-index.ts";
import type { IndexUpdateInput, IndexUpdateOutput } from "./schema.ts";
import { refreshCodeIndex } from "./refresh-index.ts";

type IndexUpdateResult = z.infer<typeof IndexUpdateOutput>;

const MAX_SHOWN_PROBLEMS = 20;
const PARTIAL_PARSE_REASON = "Parts of it could not be parsed.";

export const updateCodeIndex = defineOperation<z.infer<typeof IndexUpdateInput>, IndexUpdateResult, CodeEngine>({
  id: "indexing.update",
  effect: "change",
  isLong: true,
  input: async () => (await import("./schema.ts")).IndexUpdateInput,
  output: async () => (await import("./schema.ts")).IndexUpdateOutput,
  async run(engine: CodeEngine, { full = false, docs = false, dry_run = false }) {
    const { index, ...done } = await refreshCodeIndex(engine, { isAfresh: full, isAskedFor: true });
    const filled = docs ? await fillIndexedDocs(engine, index, dry_run) : undefined;
    await (await import("./export-index.ts")).exportCodeIndex(engine, index);
    const { problems: all, ...counts } = await index.counts();
    const problems = await index.problems(MAX_SHOWN_PROBLEMS);
    return {
      ...counts,
      ...done,
      problems: problems.map(({ path, problem = PARTIAL_PARSE_REASON }) => ({ path, why: problem })),
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
      ...(docs ? [["documents", formatDocsLine(docs)] as const] : []),
    ],
    points: [
      ...problems.map(({ path, why }) => `${sanitizeText(path, 200)}: ${why}`),
      ...(omitted > 0 ? [`${formatCount(omitted, "more file")} of that kind.`] : []),
      ...(docs ? formatDocsPoints(docs) : []),
    ],
  }),
});

type DocsUpdateSummary = NonNullable<IndexUpdateResult["docs"]>;

async function fillIndexedDocs(engine: CodeEngine, index: CodeIndex, dry_run: boolean): Promise<DocsUpdateSummary> {
  const { updateAutoDocs } = await import("./update-docs.ts");
  const { written, created, unchanged, unknown } = await updateAutoDocs(engine, index, { dryRun: dry_run });
  if (!dry_run && written.length + created.length > 0) await refreshCodeIndex(engine);
  return { written: [...written], created: [...created], unchanged, unknown: [...unknown], dry_run };
}

const formatDocsLine = ({ written, created, unchanged, dry_run }: DocsUpdateSummary): string =>
  `${written.length} ${dry_run ? "would be written" : "written"}, ${created.length} ${dry_run ? "would be begun" : "begun"}, ${unchanged} unchanged`;

const formatDocsPoints = ({ written, created, unknown, dry_run }: DocsUpdateSummary): string[] => [
  ...written.map((path) => `${sanitizeText(path, 200)}${dry_run ? " would be written" : " was written"}.`),
  ...created.map((path) => `${sanitizeText(path, 200)}${dry_run ? " would be begun" : " was begun"}.`),
  ...unknown.map((name) => `${sanitizeText(name, 200)}: no section is called so, and it was left as it is.`),
];
