import { Fault } from "#domain/fault.ts";
import { quote } from "#domain/quote.ts";
import type { YamlEdit } from "#domain/spec/yaml/edit.ts";
import { SUMMARIES_PATH } from "#domain/workspace/path.ts";
import { commitStoreWrite, type Engine } from "../../engine.ts";
import type { StorePlan, StoreTree } from "../../ports/store.ts";
import type { YamlEditor } from "../../ports/yaml.ts";
import { parseManualSummaries } from "../known-summaries.ts";

const SUMMARIES_HEADER = `# What people say of the code in their own words, by key: at most 200 characters each.
# Tenon shows these before all others, and no model writes over them.
`;

/** Stores a manual summary, or deletes it without a text. Keeps the comments of the document. */
export async function writeManualSummary(
  engine: Pick<Engine, "store" | "observers" | "notice" | "yaml">,
  key: string,
  text: string | undefined,
): Promise<void> {
  const yaml = await engine.yaml();
  await commitStoreWrite(engine, (tree) => planManualSummary(yaml, tree, key, text));
}

function planManualSummary(
  yaml: YamlEditor,
  tree: StoreTree,
  key: string,
  text: string | undefined,
): StorePlan<undefined> {
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
  const read = parseManualSummaries(yaml, text);
  if ("problem" in read) throw createUnreadableSummariesFault(read.problem);
  return read.summaries;
}

const createUnreadableSummariesFault = (why: string): Fault =>
  new Fault("summary.unreadable", {
    what: `${SUMMARIES_PATH} was not changed.`,
    why,
    fix: `Mend ${SUMMARIES_PATH}: it is a mapping from keys to texts, as src/auth.ts#login: Checks a passkey.`,
  });
