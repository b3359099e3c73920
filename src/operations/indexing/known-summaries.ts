import type { KeptSummary } from "#domain/indexing/summary.ts";
import { summaryText } from "#domain/indexing/summary/one-line.ts";
import { readYamlText } from "#domain/spec/yaml/located.ts";
import { SUMMARIES_PATH } from "#domain/workspace/path.ts";
import type { Engine } from "../engine.ts";
import type { CodeIndex } from "../ports/code-index.ts";
import type { YamlEditor } from "../ports/yaml.ts";

/**
 * `chooseSummary` decides whether a stored summary is still valid. Manual ones come from a document of the repository,
 * so they survive a rebuilt index, and win over all others.
 */
export async function knownSummaries(
  engine: Pick<Engine, "store" | "yaml" | "notice">,
  index: Pick<CodeIndex, "summaries">,
  keys?: readonly string[],
): Promise<ReadonlyMap<string, KeptSummary>> {
  const known = new Map<string, KeptSummary>(await index.summaries(keys));
  const byHand = await handwritten(engine);
  for (const [key, text] of byHand)
    if (!keys || keys.includes(key)) known.set(key, { text, hash: "", source: "manual" });
  return known;
}

async function handwritten(engine: Pick<Engine, "store" | "yaml" | "notice">): Promise<ReadonlyMap<string, string>> {
  const text = await engine.store.read((tree) => tree.text(SUMMARIES_PATH));
  if (text === undefined) return new Map();
  const read = readHandwritten(await engine.yaml(), text);
  if ("problem" in read) engine.notice(`${SUMMARIES_PATH} is not read. ${read.problem}`);
  return "problem" in read ? new Map() : read.summaries;
}

export function readHandwritten(
  yaml: YamlEditor,
  text: string,
): { readonly summaries: ReadonlyMap<string, string> } | { readonly problem: string } {
  if (saysNothing(text)) return { summaries: new Map() };
  const { tree, problems } = yaml.read(text);
  const [first] = problems;
  if (first) return { problem: `Line ${first.line}: ${first.problem}` };
  if (tree?.kind !== "mapping") return { problem: "It is no mapping from keys to texts." };
  const said = tree.entries.map(({ key, value }): [string, string] => [key, summaryText(readYamlText(value) ?? "")]);
  return { summaries: new Map(said.filter(([, summary]) => summary !== "")) };
}

const saysNothing = (text: string): boolean => text.split("\n").every((line) => /^\s*(?:#|$)/.test(line));
