import { readHandwrittenText } from "#code/model/docs/auto-sections.ts";
import type { PlanningEngine } from "../engine.ts";

export const DOCUMENT_PATH = /\.(?:md|mdx|rst|adoc|txt)$/i;

/** Changed documents in which only AUTO sections differ from the commit. Tenon itself fills those, and begins pages. */
export async function findFilledDocuments(
  { source }: Pick<PlanningEngine, "source">,
  commit: string,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  const filled = new Set<string>();
  const documents = paths.filter((path) => DOCUMENT_PATH.test(path));
  const old = documents.length === 0 ? undefined : await (await source.at(commit))?.read(documents);
  for (const path of documents) {
    const [before, after] = [old?.get(path), await source.text(path)];
    const text = before?.kind === "text" ? before.text : "";
    if (after !== undefined && /AUTO:/i.test(after) && readWords(text) === readWords(after)) filled.add(path);
  }
  return filled;
}

const readWords = (text: string): string => readHandwrittenText(text).replaceAll(/\s+/g, " ").trim();
