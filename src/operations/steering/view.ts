import { count } from "#domain/count.ts";
import type { Page } from "#domain/page.ts";
import { plain } from "#domain/quote.ts";
import { blanksIn } from "#domain/steering/blank.ts";
import { CORE_FILES, coreFile, pathOf } from "#domain/steering/name.ts";
import { userIntent } from "#domain/steering/product.ts";
import { inFolder, STEERING_FOLDER } from "#domain/workspace/path.ts";
import type { Engine } from "../engine.ts";
import { forgivingTree } from "../forgiving-tree.ts";
import type { Tree } from "../ports/store.ts";
import type { Done, Input, Output } from "./done.ts";

/** Longer ones are hardly read whole. */
const MOST_LINES = 200;
const MOST_FILES = 100;
const MOST_BLANKS = 30;
const MOST_ITEMS = 50;

/** What there is, by the names of the files. */
export const filesIn = (tree: Pick<Tree, "names">): string[] =>
  tree.names(STEERING_FOLDER).filter((name) => /\.md$/i.test(name) && !name.startsWith("."));

/** The answer: what was done, and what there is now. */
export async function viewOf(engine: Engine, action: Input["action"], done: Done): Promise<Output> {
  const tokensOf = await engine.tokens.counter();
  const unreadable: string[] = [];
  const { texts, names } = await engine.store.read((tree) => {
    const forgiving = forgivingTree(tree, (path, why) => void unreadable.push(`${path} cannot be read: ${why}`));
    const found = filesIn(forgiving);
    const shown = found.slice(0, MOST_FILES).map((name) => {
      const path = inFolder(STEERING_FOLDER, name);
      return { name: name.replace(/\.md$/i, ""), path, text: forgiving.text(path) ?? "" };
    });
    return { texts: shown, names: found };
  });
  const files = texts.map(({ name, path, text }) => ({
    name,
    path,
    lines: text.trimEnd().split(/\r\n|\r|\n/).length,
    tokens: tokensOf(text),
    blanks: blanksIn(text).length,
  }));
  const blanks = texts.flatMap(({ path, text }) =>
    blanksIn(text).map(({ line, text: said }) => ({ path, line, text: plain(said, 120) })),
  );
  const intent = userIntent(texts.find(({ name }) => name === "product")?.text ?? "");
  return {
    action,
    ...done,
    files,
    missing: CORE_FILES.map((name) => pathOf(coreFile(name))).filter(
      (path) => !files.some((file) => file.path === path),
    ),
    blanks: blanks.slice(0, MOST_BLANKS),
    intent: {
      vision: plain(intent.vision, 2_000),
      success_criteria: intent.success_criteria.slice(0, MOST_ITEMS).map((item) => plain(item, 300)),
      anti_goals: intent.anti_goals.slice(0, MOST_ITEMS).map((item) => plain(item, 300)),
    },
    notes: [
      ...done.notes,
      ...unreadable,
      ...(names.length > MOST_FILES ? [`${names.length - MOST_FILES} more files are not shown.`] : []),
      ...files.filter(({ lines }) => lines > MOST_LINES).map(tooLong),
    ],
  };
}

const tooLong = ({ path, lines }: Output["files"][number]): string =>
  `${path} has ${lines} lines; up to ${MOST_LINES} are read with care: move a part into a topic of its own.`;

export function pageOf(output: Output): Page {
  const { files, missing, blanks, intent, profile } = output;
  const open = blanks.length === 0 ? [] : [`${count(blanks.length, "blank")} to fill in, first ${place(blanks[0])}`];
  return {
    title: titleOf(output),
    table: {
      columns: ["file", "lines", "tokens", "blanks"],
      rows: files.map(({ path, lines, tokens, blanks: left }) => [path, lines, tokens, left].map(String)),
    },
    ...(output.action === "show" ? { quotes: intentQuotes(intent) } : {}),
    points: [
      ...output.kept.map((path) => `${path} is kept as it was.`),
      ...output.aside.map(({ from, to }) => `What ${from} said is kept in ${to}.`),
      ...(output.decision === undefined ? [] : [`Recorded as ${output.decision}.`]),
      ...(profile ? stackPoints(profile) : []),
      ...missing.map((path) => `${path} is missing.`),
      ...open,
      ...output.notes,
    ],
    next: nextCalls(output),
  };
}

const place = (blank: Output["blanks"][number] | undefined): string =>
  blank ? `${blank.path}, line ${blank.line}: ${blank.text}` : "";

function stackPoints({ stacks, permissions }: NonNullable<Output["profile"]>): string[] {
  return [
    stacks.length > 0 ? `Filled in from ${stacks.join(", ")}.` : "No profile was used.",
    ...(permissions.length > 0 ? [`Permissions that your client may give an agent: ${permissions.join(", ")}.`] : []),
  ];
}

/** The user's words are quoted: they are read, and not followed. */
function intentQuotes({ vision, success_criteria, anti_goals }: Output["intent"]): NonNullable<Page["quotes"]> {
  const all = [
    ["Vision", vision],
    ["Success criteria", success_criteria.join("\n")],
    ["Anti-goals", anti_goals.join("\n")],
  ] as const;
  return all.filter(([, text]) => text !== "").map(([label, text]) => ({ label, text }));
}

function titleOf({ action, written, aside, files }: Output): string {
  const total = files.reduce((sum, { tokens }) => sum + tokens, 0);
  if (action === "show")
    return files.length === 0
      ? "There is no steering yet."
      : `Steering: ${count(files.length, "file")}, ${total} tokens.`;
  if (action === "delete") return `${aside.map(({ from }) => from).join(", ")} is gone.`;
  return written.length === 0 ? "Nothing was changed." : `Written: ${written.join(", ")}.`;
}

function nextCalls({ missing, intent }: Output): NonNullable<Page["next"]> {
  const call = (input: Readonly<Record<string, string>>) => ({ operation: "steering.manage", input });
  if (missing.length > 0) return [call({ action: "create" })];
  return intent.vision === "" ? [call({ action: "update", vision: "…" })] : [];
}
