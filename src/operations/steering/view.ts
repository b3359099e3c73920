import { formatCount } from "#domain/count.ts";
import { sanitizeText } from "#domain/quote.ts";
import { blanksIn } from "#domain/steering/blank.ts";
import { CORE_FILES, coreFile, pathOf } from "#domain/steering/name.ts";
import { userIntent } from "#domain/steering/product.ts";
import { joinFolderPath, type WorkspacePath, STEERING_FOLDER } from "#domain/workspace/path.ts";
import type { Engine } from "../engine.ts";
import { createTolerantTree } from "../forgiving-tree.ts";
import type { StoreTree } from "../ports/store.ts";
import type { Done, Input, Output } from "./done.ts";

const MOST_LINES = 200;
const MOST_FILES = 100;
const MOST_BLANKS = 30;
const MOST_ITEMS = 50;

export const filesIn = (tree: Pick<StoreTree, "names">): string[] =>
  tree.names(STEERING_FOLDER).filter((name) => /\.md$/i.test(name) && !name.startsWith("."));

interface Found {
  readonly name: string;
  readonly path: WorkspacePath;
  readonly text: string;
}

export async function viewOf(engine: Engine, action: Input["action"], done: Done): Promise<Output> {
  const tokensOf = await engine.tokens.counter();
  const unreadable: string[] = [];
  const all = await engine.store.read((tree) =>
    everything(createTolerantTree(tree, (path, why) => void unreadable.push(`${path} cannot be read: ${why}`))),
  );
  const meant = action === "show" ? all : all.filter(({ path }) => done.written.includes(path));
  const files = meant.slice(0, MOST_FILES).map(({ name, path, text }) => ({
    name,
    path,
    lines: text.trimEnd().split(/\r\n|\r|\n/).length,
    tokens: tokensOf(text),
    blanks: blanksIn(text).length,
  }));
  const blanks = meant.flatMap(({ path, text }) =>
    blanksIn(text).map(({ line, text: said }) => ({ path, line, text: sanitizeText(said, 120) })),
  );
  return {
    action,
    ...done,
    files,
    missing: CORE_FILES.map((name) => pathOf(coreFile(name))).filter((path) => !all.some((file) => file.path === path)),
    blanks: blanks.slice(0, MOST_BLANKS),
    ...(action === "show" ? { intent: intentIn(all) } : {}),
    notes: [
      ...done.notes,
      ...unreadable,
      ...(meant.length > MOST_FILES ? [`${formatCount(meant.length - MOST_FILES, "file")} more left out.`] : []),
      ...(blanks.length > MOST_BLANKS ? [`${formatCount(blanks.length - MOST_BLANKS, "blank")} more left out.`] : []),
      ...files.filter(({ lines }) => lines > MOST_LINES).map(tooLong),
    ],
  };
}

const everything = (tree: StoreTree): Found[] =>
  filesIn(tree).map((file) => {
    const path = joinFolderPath(STEERING_FOLDER, file);
    return { name: file.replace(/\.md$/i, ""), path, text: tree.text(path) ?? "" };
  });

function intentIn(all: readonly Found[]): Output["intent"] {
  const { vision, success_criteria, anti_goals } = userIntent(all.find(({ name }) => name === "product")?.text ?? "");
  const some = (items: readonly string[]): string[] =>
    items.slice(0, MOST_ITEMS).map((item) => sanitizeText(item, 300));
  return {
    vision: vision.length > 2_000 ? `${vision.slice(0, 2_000)}…` : vision,
    success_criteria: some(success_criteria),
    anti_goals: some(anti_goals),
  };
}

const tooLong = ({ path, lines }: Output["files"][number]): string =>
  `${path} has ${lines} lines; up to ${MOST_LINES} are read with care: move a part into a topic of its own.`;
