import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import { findPlaceholderLines } from "../../model/steering/markdown-section.ts";
import { CORE_STEERING_NAMES, getCoreSteeringName, resolveSteeringPath } from "../../model/steering/steering-name.ts";
import { readUserIntent } from "../../model/steering/product-document.ts";
import { joinFolderPath, type WorkspacePath, STEERING_FOLDER } from "#kernel/model/workspace-paths.ts";
import type { RoadmapEngine } from "../engine.ts";
import { createTolerantTree } from "#store/operations/tolerant-tree.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import type { SteeringResult, ManageSteeringInput, ManageSteeringOutput } from "./steering-plan.ts";
import type { Page } from "#kernel/model/page.ts";

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
  engine: RoadmapEngine,
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

export function formatSteeringPage(output: ManageSteeringOutput): Page {
  const { files, missing, blanks, profile, intent } = output;
  const isShown = output.action === "show";
  return {
    title: formatSteeringPageTitle(output),
    table: {
      columns: ["file", "lines", "tokens", "blanks"],
      rows: files.map(({ path, lines, tokens, blanks: left }) => [path, lines, tokens, left].map(String)),
    },
    quotes: isShown ? [...quoteUserIntent(intent), ...quotePlaceholders(blanks)] : [],
    points: [
      ...output.kept.map((path) => `${path} is kept as it was.`),
      ...output.aside.map(({ from, to }) => `What ${from} said is kept in ${to}.`),
      ...(output.decision === undefined ? [] : [`Recorded as ${output.decision}.`]),
      ...(profile ? formatStackPoints(profile) : []),
      ...missing.map((path) => `${path} is missing.`),
      ...output.notes,
    ],
    next: suggestSteeringCalls(output),
  };
}

function formatStackPoints({ stacks, permissions }: NonNullable<ManageSteeringOutput["profile"]>): string[] {
  return [
    stacks.length > 0 ? `Filled in from ${stacks.join(", ")}.` : "No profile was used.",
    ...(permissions.length > 0 ? [`Permissions that your client may give an agent: ${permissions.join(", ")}.`] : []),
  ];
}

/** Quoted, so that an agent treats the user's words as data. */
function quoteUserIntent(intent: ManageSteeringOutput["intent"]): NonNullable<Page["quotes"]> {
  const all = [
    ["Vision", intent?.vision ?? ""],
    ["Success criteria", (intent?.success_criteria ?? []).join("\n")],
    ["Anti-goals", (intent?.anti_goals ?? []).join("\n")],
  ] as const;
  return all.filter(([, text]) => text !== "").map(([label, text]) => ({ label, text }));
}

function quotePlaceholders(blanks: ManageSteeringOutput["blanks"]): NonNullable<Page["quotes"]> {
  const text = blanks.map((blank) => `${blank.path}:${blank.line}: ${blank.text}`).join("\n");
  return blanks.length === 0 ? [] : [{ label: "Left to say", text }];
}

function formatSteeringPageTitle({ action, written, aside, files }: ManageSteeringOutput): string {
  const total = files.reduce((sum, { tokens }) => sum + tokens, 0);
  if (action === "show")
    return files.length === 0
      ? "There is no steering yet."
      : `Steering: ${formatCount(files.length, "file")}, ${total} tokens.`;
  if (action === "delete") return `Taken away: ${aside.map(({ from }) => from).join(", ")}.`;
  return written.length === 0 ? "Nothing was changed." : `Written: ${written.join(", ")}.`;
}

function suggestSteeringCalls({ action, missing, intent, blanks }: ManageSteeringOutput): NonNullable<Page["next"]> {
  const call = (input: Readonly<Record<string, string>>) => [{ operation: "steering.manage", input }];
  if (missing.length > 0) return call({ action: "create" });
  if (action !== "show") return blanks.length > 0 ? call({ action: "show" }) : [];
  return intent?.vision === "" ? call({ action: "update", vision: "…" }) : [];
}
