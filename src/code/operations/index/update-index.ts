import type * as z from "zod";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import type { CodeEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { IndexUpdateInput, IndexUpdateOutput } from "./schema.ts";
import { refreshCodeIndex } from "./refresh-index.ts";

type IndexUpdateResult = z.infer<typeof IndexUpdateOutput>;

const MAX_SHOWN_PROBLEMS = 20;
const PARTIAL_PARSE_REASON = "Parts of it could not be parsed.";

/** Because the next stage queries it soon. A failure is only reported: the next query makes up for it. */
export const refreshIndexAfterStage = (engine: CodeEngine): Promise<void> =>
  reportIndexFailure(engine, "The stage has ended, but the index of the code is not up to date", async () => {
    if (!(await engine.codeIndex()).isThere) return;
    const { index } = await refreshCodeIndex(engine);
    await (await import("./export-index.ts")).exportCodeIndex(engine, index);
  });

/** Fills AUTO sections before a gate, so that its receipt covers the documents as they are committed. */
export const fillDocsBeforeGate = (engine: CodeEngine): Promise<void> =>
  reportIndexFailure(engine, "The AUTO sections of the documents are not up to date", async () => {
    const { hasAutoDocs, updateAutoDocs } = await import("./update-docs.ts");
    if (!(await engine.codeIndex()).isThere || !(await hasAutoDocs(engine))) return;
    const { index } = await refreshCodeIndex(engine);
    await updateAutoDocs(engine, index, { isDryRun: false, createsPages: false });
  });

async function reportIndexFailure(engine: CodeEngine, what: string, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    engine.notice(`${what}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

export const updateCodeIndex = defineOperation<z.infer<typeof IndexUpdateInput>, IndexUpdateResult, CodeEngine>({
  id: "indexing.update",
  effect: "change",
  isLong: true,
  input: async () => (await import("./schema.ts")).IndexUpdateInput,
  output: async () => (await import("./schema.ts")).IndexUpdateOutput,
  async run(engine: CodeEngine, { full = false, docs: fillsDocs = false, dry_run = false }) {
    const { index, ...done } = await refreshCodeIndex(engine, { isAfresh: full, isAskedFor: true });
    let docs: IndexUpdateResult["docs"];
    if (fillsDocs) {
      const { updateAutoDocs } = await import("./update-docs.ts");
      docs = { ...(await updateAutoDocs(engine, index, { isDryRun: dry_run, createsPages: true })), dry_run };
      if (!dry_run && docs.written.length + docs.created.length > 0) await refreshCodeIndex(engine);
    }
    await (await import("./export-index.ts")).exportCodeIndex(engine, index);
    const { problems: all, ...counts } = await index.counts();
    const problems = await index.problems(MAX_SHOWN_PROBLEMS);
    return {
      ...counts,
      ...done,
      problems: problems.map(({ path, problem = PARTIAL_PARSE_REASON }) => ({ path, why: problem })),
      omitted: all - problems.length,
      kept: index.isKept,
      ...(docs ? { docs } : {}),
    };
  },
  page: ({ files, components, tags, tests, texts, read, unchanged, gone, problems, omitted, docs }) => ({
    title: `The index is up to date: ${formatCount(files, "file")}, ${formatCount(components, "component")}.`,
    facts: [
      ["tags", String(tags)],
      ["tests", String(tests)],
      ["texts", String(texts)],
      ["this time", `${read} read, ${unchanged} unchanged, ${gone} gone`],
      ...(docs ? [["documents", formatDocsCounts(docs)] as const] : []),
    ],
    points: [
      ...problems.map(({ path, why }) => `${sanitizeText(path, 200)}: ${why}`),
      ...(omitted > 0 ? [`${formatCount(omitted, "more file")} of that kind.`] : []),
      ...(docs ? formatDocsPoints(docs) : []),
    ],
  }),
});

type DocsUpdateSummary = NonNullable<IndexUpdateResult["docs"]>;

function formatDocsCounts({ written, created, unchanged, dry_run }: DocsUpdateSummary): string {
  const would = dry_run ? "would be " : "";
  return `${written.length} ${would}written, ${created.length} ${would}begun, ${unchanged} unchanged`;
}

const formatDocsPoints = ({ written, created, unknown, dry_run }: DocsUpdateSummary): string[] => [
  ...written.map((path) => `${sanitizeText(path, 200)}${dry_run ? " would be written" : " was written"}.`),
  ...created.map((path) => `${sanitizeText(path, 200)}${dry_run ? " would be created" : " was created"}.`),
  ...unknown.map((name) => `${sanitizeText(name, 200)}: unknown section, left unchanged.`),
];
