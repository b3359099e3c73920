import { formatCount } from "#domain/count.ts";
import { sanitizeText } from "#domain/quote.ts";
import { findPlaceholderLines } from "#domain/steering/blank.ts";
import { CORE_STEERING_NAMES, getCoreSteeringName, resolveSteeringPath } from "#domain/steering/name.ts";
import { readUserIntent } from "#domain/steering/product.ts";
import { joinFolderPath, type WorkspacePath, STEERING_FOLDER } from "#domain/workspace/path.ts";
import type { Engine } from "../engine.ts";
import { createTolerantTree } from "../forgiving-tree.ts";
import type { StoreTree } from "../ports/store.ts";
import type { SteeringResult, ManageSteeringInput, ManageSteeringOutput } from "./done.ts";

const MAX_STEERING_LINES = 200;
const MAX_SHOWN_FILES = 100;
const MAX_SHOWN_PLACEHOLDERS = 30;
const MAX_INTENT_ITEMS = 50;

export const listSteeringFiles = (tree: Pick<StoreTree, "names">): string[] =>
  tree.names(STEERING_FOLDER).filter((name) => /\.md$/i.test(name) && !name.startsWith("."));

interface SteeringFileText {
  readonly name: string;
  readonly path: WorkspacePath;
  readonly text: string;
}

export async function createSteeringOutput(
  engine: Engine,
  action: ManageSteeringInput["action"],
  done: SteeringResult,
): Promise<ManageSteeringOutput> {
  const tokensOf = await engine.tokens.counter();
  const unreadable: string[] = [];
  const all = await engine.store.read((tree) =>
    readSteeringFiles(createTolerantTree(tree, (path, why) => void unreadable.push(`${path} cannot be read: ${why}`))),
  );
  const meant = action === "show" ? all : all.filter(({ path }) => done.written.includes(path));
  const files = meant.slice(0, MAX_SHOWN_FILES).map(({ name, path, text }) => ({
    name,
    path,
    lines: text.trimEnd().split(/\r\n|\r|\n/).length,
    tokens: tokensOf(text),
    blanks: findPlaceholderLines(text).length,
  }));
  const blanks = meant.flatMap(({ path, text }) =>
    findPlaceholderLines(text).map(({ line, text: said }) => ({ path, line, text: sanitizeText(said, 120) })),
  );
  return {
    action,
    ...done,
    files,
    missing: CORE_STEERING_NAMES.map((name) => resolveSteeringPath(getCoreSteeringName(name))).filter(
      (path) => !all.some((file) => file.path === path),
    ),
    blanks: blanks.slice(0, MAX_SHOWN_PLACEHOLDERS),
    ...(action === "show" ? { intent: readShownIntent(all) } : {}),
    notes: [
      ...done.notes,
      ...unreadable,
      ...(meant.length > MAX_SHOWN_FILES
        ? [`${formatCount(meant.length - MAX_SHOWN_FILES, "file")} more left out.`]
        : []),
      ...(blanks.length > MAX_SHOWN_PLACEHOLDERS
        ? [`${formatCount(blanks.length - MAX_SHOWN_PLACEHOLDERS, "blank")} more left out.`]
        : []),
      ...files.filter(({ lines }) => lines > MAX_STEERING_LINES).map(noteLongSteeringFile),
    ],
  };
}

const readSteeringFiles = (tree: StoreTree): SteeringFileText[] =>
  listSteeringFiles(tree).map((file) => {
    const path = joinFolderPath(STEERING_FOLDER, file);
    return { name: file.replace(/\.md$/i, ""), path, text: tree.text(path) ?? "" };
  });

function readShownIntent(all: readonly SteeringFileText[]): ManageSteeringOutput["intent"] {
  const { vision, success_criteria, anti_goals } = readUserIntent(
    all.find(({ name }) => name === "product")?.text ?? "",
  );
  const some = (items: readonly string[]): string[] =>
    items.slice(0, MAX_INTENT_ITEMS).map((item) => sanitizeText(item, 300));
  return {
    vision: vision.length > 2_000 ? `${vision.slice(0, 2_000)}…` : vision,
    success_criteria: some(success_criteria),
    anti_goals: some(anti_goals),
  };
}

const noteLongSteeringFile = ({ path, lines }: ManageSteeringOutput["files"][number]): string =>
  `${path} has ${lines} lines; up to ${MAX_STEERING_LINES} are read with care: move a part into a topic of its own.`;
