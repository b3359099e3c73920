import { sanitizeText } from "#kernel/model/text-format.ts";
import { countMatchedSegments, findDefaultValues, parseSourceQuestion } from "../../model/query/source-facts.ts";
import type { QueryFact } from "../../model/query/query-answer.ts";
import { isTestPath } from "../../model/scan/test-files.ts";
import { findFileRoutes } from "../../model/survey/source-routes.ts";
import type { CodeEngine } from "../engine.ts";
import type { CodeIndex, CodeIndexEntry } from "../ports/code-index.ts";

const MAX_SEARCHED_FILES = 400;
const MAX_FACT_LINES = 4;

/** Defaults of settings and handlers of routes, read from the files. Files of candidates come first. */
export async function loadSourceFacts(
  engine: CodeEngine,
  index: CodeIndex,
  asked: string,
  entries: readonly CodeIndexEntry[],
): Promise<QueryFact[]> {
  const question = parseSourceQuestion(asked);
  if (question === undefined) return [];
  const rows = (await index.files()).filter((file) => file.language !== "" && !file.isTest && !isTestPath(file.path));
  const known = new Set(rows.map(({ path }) => path));
  const near = entries.map(({ path }) => path).filter((path) => known.has(path));
  const paths = [...new Set([...near, ...known])].slice(0, MAX_SEARCHED_FILES);
  const found: { score: number; said: string }[] = [];
  for (const path of paths) {
    const text = await engine.source.text(path);
    if (text === undefined) continue;
    if (question.about === "default")
      for (const { line, name, value, score } of findDefaultValues(text, question.terms))
        found.push({ score, said: `${path}:${line} ${name} = ${await explainConstant(index, value)}` });
    else
      for (const { name, line, says } of findFileRoutes(path, text)) {
        const score = countMatchedSegments(question, name);
        if (score > 0) found.push({ score, said: `${path}:${line} ${name}${says ? ` → ${says}` : ""}` });
      }
  }
  const best = Math.max(...found.map(({ score }) => score));
  // Of routes only the longest match is meant.
  const meant = question.about === "route" ? found.filter(({ score }) => score === best) : found;
  const values = meant.toSorted((one, other) => other.score - one.score).map(({ said }) => sanitizeText(said, 200));
  if (values.length === 0) return [];
  const what = question.about === "route" ? "handled by" : "default";
  return [{ what, values: values.slice(0, MAX_FACT_LINES), more: Math.max(0, values.length - MAX_FACT_LINES) }];
}

/** `DEFAULT_POOLSIZE (10)`: a named constant with its value. */
async function explainConstant(index: CodeIndex, value: string): Promise<string> {
  if (!/^[A-Z][A-Z0-9_]{2,}$/.test(value)) return value;
  const [row] = await index.components({ name: value, most: 1 });
  const told = row === undefined ? undefined : /=\s*(.{1,60})$/.exec(row.signature)?.[1];
  return told === undefined ? value : `${value} (${told})`;
}
