import { readHandwrittenText } from "#code/model/docs/auto-sections.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import type { AttributedWork } from "#planning/operations/workflow/attributed-work.ts";
import type { GateCheckResult } from "#planning/model/workflow/workflow-record.ts";
import { createProblemResult, createUnknownResult } from "../../model/gate/check-outcome.ts";
import type { CheckingEngine } from "../engine.ts";

type DocumentEngine = Pick<CheckingEngine, "source">;

export interface DocumentationResult {
  readonly result: GateCheckResult;
  readonly docs: readonly string[];
}

/** Needs handwritten text: Tenon writes the rest. Each document that the spec names must change or name the spec. */
export async function checkDocumentation(
  engine: DocumentEngine,
  id: string,
  work: AttributedWork | undefined,
  named: readonly string[],
): Promise<DocumentationResult> {
  const check = "documentation";
  const changed = work ? await findChangedDocuments(engine, work) : [];
  if (named.length === 0 && changed.length === 0) {
    const reason = `No document of the work tells users about ${id}. Update one, such as README.md, or name one in trace.docs of the spec.`;
    return { result: createUnknownResult(check, reason), docs: [] };
  }
  const isNamed = new RegExp(`(?<![\\w-])${id}(?![\\w-])`);
  const problems: string[] = [];
  for (const doc of named) {
    const path = doc.replace(/[:#].*$/, "");
    const text = await engine.source.text(path);
    if (text === undefined) problems.push(`trace.docs names ${sanitizeText(path, 120)}, which does not exist.`);
    else if (readHandwrittenText(text) === "")
      problems.push(`${path} has only generated text. Write below it how to use ${id}.`);
    else if (!changed.includes(path) && !isNamed.test(readHandwrittenText(text)))
      problems.push(`${path} was not changed with the work, and does not name ${id}.`);
  }
  const result = createProblemResult(
    check,
    problems.map((problem) => ({ problem })),
  );
  return { result, docs: named.length > 0 ? named : changed };
}

const isDocumentPath = (path: string): boolean =>
  /\.(?:md|mdx|markdown|rst|adoc)$/i.test(path) && !/^\.?sdd\//.test(path);

async function findChangedDocuments({ source }: DocumentEngine, { base, files }: AttributedWork): Promise<string[]> {
  const paths = files.filter(({ path, to }) => to !== undefined && isDocumentPath(path)).map(({ path }) => path);
  if (paths.length === 0) return [];
  const before = await (await source.at(base))?.read(paths);
  const found: string[] = [];
  for (const path of paths) {
    const old = before?.get(path);
    const text = readHandwrittenText((await source.text(path)) ?? "").trim();
    if (text !== "" && text !== readHandwrittenText(old?.kind === "text" ? old.text : "").trim()) found.push(path);
  }
  return found.toSorted();
}
