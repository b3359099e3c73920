import type { SummaryRecord } from "../../model/summary/code-summary.ts";
import { truncateSummary } from "../../model/summary/summary-text.ts";
import { readYamlText, type YamlEdit } from "#kernel/model/yaml-tree.ts";
import { SUMMARIES_PATH } from "#kernel/model/workspace-paths.ts";
import type { CodeEngine } from "../engine.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { CodeIndex } from "../ports/code-index.ts";
import type { YamlEditor } from "#kernel/operations/ports/yaml.ts";
import { Fault } from "#kernel/model/fault.ts";
import { quote } from "#kernel/model/text-format.ts";

/**
 * `chooseSummary` decides whether a stored summary is still valid. Manual ones come from a document of the repository,
 * so they survive a rebuilt index, and win over all others.
 */
export async function loadStoredSummaries(
  engine: Pick<CodeEngine, "store" | "yaml" | "notice">,
  index: Pick<CodeIndex, "summaries">,
  keys?: readonly string[],
): Promise<ReadonlyMap<string, SummaryRecord>> {
  const known = new Map<string, SummaryRecord>(await index.summaries(keys));
  const document = await engine.store.read((tree) => tree.text(SUMMARIES_PATH));
  const { problem, summaries } = document === undefined ? NO_SUMMARIES : parseSummaries(await engine.yaml(), document);
  if (problem !== undefined) engine.notice(`${SUMMARIES_PATH} is not read. ${problem}`);
  for (const [key, text] of summaries)
    if (!keys || keys.includes(key)) known.set(key, { text, hash: "", source: "manual" });
  return known;
}

interface ManualSummaries {
  readonly summaries: ReadonlyMap<string, string>;
  readonly problem?: string;
}

const NO_SUMMARIES: ManualSummaries = { summaries: new Map() };

function parseSummaries(yaml: YamlEditor, text: string): ManualSummaries {
  if (text.split("\n").every((line) => /^\s*(?:#|$)/.test(line))) return NO_SUMMARIES;
  const { tree, problems } = yaml.read(text);
  const [first] = problems;
  if (first) return { ...NO_SUMMARIES, problem: `Line ${first.line}: ${first.problem}` };
  if (tree?.kind !== "mapping") return { ...NO_SUMMARIES, problem: "It is no mapping from keys to texts." };
  const said = tree.entries.map(({ key, value }): [string, string] => [
    key,
    truncateSummary(readYamlText(value) ?? ""),
  ]);
  return { summaries: new Map(said.filter(([, summary]) => summary !== "")) };
}

const SUMMARIES_HEADER = `# What people say of the code in their own words, by key: at most 200 characters each.
# Tenon shows these before all others, and no model writes over them.
`;

/** Stores a manual summary, or deletes it without a text. Keeps the comments of the document. */
export async function writeManualSummary(
  engine: Pick<CodeEngine, "store" | "observers" | "notice" | "yaml">,
  key: string,
  text: string | undefined,
): Promise<void> {
  const yaml = await engine.yaml();
  await commitStoreWrite(engine, (tree) => {
    const before = tree.text(SUMMARIES_PATH) ?? "";
    const known = requireManualSummaries(yaml, before);
    if (text === undefined && !known.has(key)) {
      throw new Fault("summary.none", {
        what: "Nothing was forgotten.",
        why: `Nobody wrote a summary of ${quote(key)} by hand.`,
        fix: { operation: "indexing.summarize", input: { key } },
      });
    }
    const after = editManualSummary(yaml, before, key, text, known.has(key));
    if (requireManualSummaries(yaml, after).get(key) !== text)
      throw createUnreadableSummariesFault("What is written there could not be kept beside it.");
    return {
      steps: [{ kind: "document", path: SUMMARIES_PATH, text: after }],
      occurrences: [{ kind: text === undefined ? "summary.forgotten" : "summary.kept", subject: key }],
      result: undefined,
    };
  });
}

function editManualSummary(
  yaml: YamlEditor,
  before: string,
  key: string,
  text: string | undefined,
  isKnown: boolean,
): string {
  const edit: YamlEdit =
    text === undefined
      ? { kind: "remove", at: [key] }
      : isKnown
        ? { kind: "replace", at: [key], value: text }
        : { kind: "insert", at: [], key, value: text };
  if (edit.kind === "insert" && yaml.read(before).tree?.kind !== "mapping") {
    const start = before.trim() === "" ? `${SUMMARIES_HEADER}\n` : before.replace(/\n?$/, "\n");
    return `${start}${/^[\w./#-]+$/.test(key) ? key : JSON.stringify(key)}: ${JSON.stringify(text)}\n`;
  }
  return yaml.edit(before, [edit]);
}

function requireManualSummaries(yaml: YamlEditor, text: string): ReadonlyMap<string, string> {
  const { problem, summaries } = parseSummaries(yaml, text);
  if (problem !== undefined) throw createUnreadableSummariesFault(problem);
  return summaries;
}

const createUnreadableSummariesFault = (why: string): Fault =>
  new Fault("summary.unreadable", {
    what: `${SUMMARIES_PATH} was not changed.`,
    why,
    fix: `Mend ${SUMMARIES_PATH}: it is a mapping from keys to texts, as src/auth.ts#login: Checks a passkey.`,
  });
