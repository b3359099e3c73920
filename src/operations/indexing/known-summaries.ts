import type { SummaryRecord } from "#domain/indexing/summary.ts";
import { truncateSummary } from "#domain/indexing/summary/one-line.ts";
import { readYamlText } from "#domain/spec/yaml/located.ts";
import { SUMMARIES_PATH } from "#domain/workspace/path.ts";
import type { Engine } from "../engine.ts";
import type { CodeIndex } from "../ports/code-index.ts";
import type { YamlEditor } from "../ports/yaml.ts";

/**
 * `chooseSummary` decides whether a stored summary is still valid. Manual ones come from a document of the repository,
 * so they survive a rebuilt index, and win over all others.
 */
export async function loadStoredSummaries(
  engine: Pick<Engine, "store" | "yaml" | "notice">,
  index: Pick<CodeIndex, "summaries">,
  keys?: readonly string[],
): Promise<ReadonlyMap<string, SummaryRecord>> {
  const known = new Map<string, SummaryRecord>(await index.summaries(keys));
  const byHand = await loadManualSummaries(engine);
  for (const [key, text] of byHand)
    if (!keys || keys.includes(key)) known.set(key, { text, hash: "", source: "manual" });
  return known;
}

async function loadManualSummaries(
  engine: Pick<Engine, "store" | "yaml" | "notice">,
): Promise<ReadonlyMap<string, string>> {
  const text = await engine.store.read((tree) => tree.text(SUMMARIES_PATH));
  if (text === undefined) return new Map();
  const read = parseManualSummaries(await engine.yaml(), text);
  if ("problem" in read) engine.notice(`${SUMMARIES_PATH} is not read. ${read.problem}`);
  return "problem" in read ? new Map() : read.summaries;
}

export function parseManualSummaries(
  yaml: YamlEditor,
  text: string,
): { readonly summaries: ReadonlyMap<string, string> } | { readonly problem: string } {
  if (hasOnlyComments(text)) return { summaries: new Map() };
  const { tree, problems } = yaml.read(text);
  const [first] = problems;
  if (first) return { problem: `Line ${first.line}: ${first.problem}` };
  if (tree?.kind !== "mapping") return { problem: "It is no mapping from keys to texts." };
  const said = tree.entries.map(({ key, value }): [string, string] => [
    key,
    truncateSummary(readYamlText(value) ?? ""),
  ]);
  return { summaries: new Map(said.filter(([, summary]) => summary !== "")) };
}

const hasOnlyComments = (text: string): boolean => text.split("\n").every((line) => /^\s*(?:#|$)/.test(line));
