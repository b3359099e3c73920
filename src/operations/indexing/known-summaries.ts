import type { KeptSummary } from "#domain/indexing/summary.ts";
import { summaryText } from "#domain/indexing/summary/one-line.ts";
import { textOf } from "#domain/spec/yaml/located.ts";
import { SUMMARIES } from "#domain/workspace/path.ts";
import type { Engine } from "../engine.ts";
import type { CodeIndex } from "../ports/code-index.ts";
import type { Yaml } from "../ports/yaml.ts";

/**
 * What was said of things in words of somebody's own, by key; ask `summaryOf` whether it still holds. Those by hand are in
 * a document of the repository, so that an index that is made anew has them too, and come before all others.
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
  const text = await engine.store.read((tree) => tree.text(SUMMARIES));
  if (text === undefined) return new Map();
  const read = readHandwritten(await engine.yaml(), text);
  if ("problem" in read) engine.notice(`${SUMMARIES} is not read. ${read.problem}`);
  return "problem" in read ? new Map() : read.summaries;
}

/** `key: text`, one a line; whoever wrote it, each is one line of at most 200 characters. */
export function readHandwritten(
  yaml: Yaml,
  text: string,
): { readonly summaries: ReadonlyMap<string, string> } | { readonly problem: string } {
  if (saysNothing(text)) return { summaries: new Map() };
  const { tree, problems } = yaml.read(text);
  const [first] = problems;
  if (first) return { problem: `Line ${first.line}: ${first.problem}` };
  if (tree?.kind !== "mapping") return { problem: "It is no mapping from keys to texts." };
  const said = tree.entries.map(({ key, value }): [string, string] => [key, summaryText(textOf(value) ?? "")]);
  return { summaries: new Map(said.filter(([, summary]) => summary !== "")) };
}

/** Comments at most. */
const saysNothing = (text: string): boolean => text.split("\n").every((line) => /^\s*(?:#|$)/.test(line));
