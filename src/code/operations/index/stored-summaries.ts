import type { SummaryRecord } from "../../model/summary/code-summary.ts";
import { truncateSummary } from "../../model/summary/summary-text.ts";
import { readYamlText } from "#kernel/model/yaml-tree.ts";
import { SUMMARIES_PATH } from "#kernel/model/workspace-paths.ts";
import type { CodeEngine } from "../engine.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { CodeIndex } from "../ports/code-index.ts";
import type { YamlEditor } from "#kernel/operations/ports/yaml.ts";
import { Fault } from "#kernel/model/fault.ts";
import { quote } from "#kernel/model/text-format.ts";

/** Manual ones come from a document of the repository, so they survive a rebuilt index and win over all others. */
export async function loadStoredSummaries(
  engine: Pick<CodeEngine, "store" | "yaml" | "notice">,
  index: Pick<CodeIndex, "summaries">,
  keys?: readonly string[],
): Promise<ReadonlyMap<string, SummaryRecord>> {
  const known = new Map<string, SummaryRecord>(await index.summaries(keys));
  const document = await engine.store.read((tree) => tree.text(SUMMARIES_PATH));
  const { problem, summaries } = document === undefined ? NO_SUMMARIES : parseSummaries(await engine.yaml(), document);
  if (problem !== undefined) engine.notice(`${SUMMARIES_PATH} is ignored. ${problem}`);
  for (const [key, text] of summaries)
    if (!keys || keys.includes(key)) known.set(key, { text, hash: "", source: "manual" });
  return known;
}

type ManualSummaries = Readonly<{ summaries: ReadonlyMap<string, string>; problem?: string }>;

const NO_SUMMARIES: ManualSummaries = { summaries: new Map() };

function parseSummaries(yaml: YamlEditor, text: string): ManualSummaries {
  if (text.split("\n").every((line) => /^\s*(?:#|$)/.test(line))) return NO_SUMMARIES;
  const { tree, problems } = yaml.read(text);
  const [first] = problems;
  if (first) return { ...NO_SUMMARIES, problem: `Line ${first.line}: ${first.problem}` };
  if (tree?.kind !== "mapping") return { ...NO_SUMMARIES, problem: "It is not a mapping from keys to texts." };
  const said = tree.entries.map(({ key, value }) => [key, truncateSummary(readYamlText(value) ?? "")] as const);
  return { summaries: new Map(said.filter(([, summary]) => summary !== "")) };
}

const SUMMARIES_HEADER = `# Summaries of the code that people wrote, by key: at most 200 characters each.
# Tenon shows these first, and no model overwrites them.
`;

/** Stores a manual summary, or deletes it without a text. Keeps the comments of the document. */
export async function writeManualSummary(
  engine: Pick<CodeEngine, "store" | "observers" | "notice" | "yaml">,
  key: string,
  text: string | undefined,
): Promise<void> {
  const yaml = await engine.yaml();
  const createFault = (why: string): Fault =>
    new Fault("summary.unreadable", {
      what: `${SUMMARIES_PATH} was not changed.`,
      why,
      fix: `Fix ${SUMMARIES_PATH}: it is a mapping from keys to texts, as src/auth.ts#login: Checks a passkey.`,
    });
  const requireSummaries = (document: string): ReadonlyMap<string, string> => {
    const { problem, summaries } = parseSummaries(yaml, document);
    if (problem !== undefined) throw createFault(problem);
    return summaries;
  };
  await commitStoreWrite(engine, (tree) => {
    const before = tree.text(SUMMARIES_PATH) ?? "";
    const isKnown = requireSummaries(before).has(key);
    if (text === undefined && !isKnown)
      throw new Fault("summary.none", {
        what: "Nothing was forgotten.",
        why: `${quote(key)} has no manual summary.`,
        fix: { operation: "indexing.summarize", input: { key } },
      });
    const after = editManualSummary(yaml, before, key, text, isKnown);
    if (requireSummaries(after).get(key) !== text) throw createFault("It cannot be rewritten without losing text.");
    return {
      steps: [{ kind: "document", path: SUMMARIES_PATH, text: after }],
      occurrences: [{ kind: text === undefined ? "summary.forgotten" : "summary.kept", subject: key }],
      result: undefined,
    };
  });
}

function editManualSummary(yaml: YamlEditor, before: string, key: string, text: string | undefined, isKnown: boolean) {
  if (text === undefined) return yaml.edit(before, [{ kind: "remove", at: [key] }]);
  if (isKnown) return yaml.edit(before, [{ kind: "replace", at: [key], value: text }]);
  if (yaml.read(before).tree?.kind === "mapping")
    return yaml.edit(before, [{ kind: "insert", at: [], key, value: text }]);
  const start = before.trim() === "" ? `${SUMMARIES_HEADER}\n` : before.replace(/\n?$/, "\n");
  return `${start}${/^[\w./#-]+$/.test(key) ? key : JSON.stringify(key)}: ${JSON.stringify(text)}\n`;
}
