import type { Page } from "#kernel/model/page.ts";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import { joinFolderPath, STEERING_FOLDER } from "#kernel/model/workspace-paths.ts";
import { defineOperation, rejectUnusedFields } from "#kernel/operations/operation.ts";
import { createTolerantTree } from "#store/operations/tolerant-tree.ts";
import { TextCleaner } from "#memory/operations/text-cleaner.ts";
import { foldJournalIntoLedger } from "#planning/operations/workflow/fold-journal.ts";
import { findPlaceholderLines } from "../../model/steering/markdown-section.ts";
import { readUserIntent } from "../../model/steering/product-document.ts";
import { CORE_STEERING_NAMES, resolveSteeringPath } from "../../model/steering/steering-name.ts";
import type { RoadmapEngine } from "../engine.ts";
import type { ManageSteeringInput, ManageSteeringOutput, SteeringResult } from "./steering-plan.ts";
import { EMPTY_STEERING_RESULT, listSteeringFiles } from "./steering-plan.ts";
import {
  addSteeringTopic,
  createSteeringFiles,
  fillSteeringProfile,
  PRODUCT_TEXT_FIELDS,
  removeSteering,
  updateSteering,
} from "./steering-actions.ts";

interface SteeringActionRow {
  readonly fields: readonly (keyof ManageSteeringInput)[];
  readonly run: (engine: RoadmapEngine, input: ManageSteeringInput) => Promise<SteeringResult>;
}

const STEERING_ACTIONS: Readonly<Record<ManageSteeringInput["action"], SteeringActionRow>> = {
  create: { fields: [...PRODUCT_TEXT_FIELDS, "profile", "reason"], run: createSteeringFiles },
  update: { fields: [...PRODUCT_TEXT_FIELDS, "name", "section", "text", "replace", "reason"], run: updateSteering },
  delete: { fields: ["name", "confirm", "reason"], run: removeSteering },
  custom: { fields: ["name", "text", "reason"], run: addSteeringTopic },
  profile: { fields: ["profile", "reason"], run: fillSteeringProfile },
  show: { fields: [], run: async () => EMPTY_STEERING_RESULT },
};

export const manageSteering = defineOperation({
  id: "steering.manage",
  effect: "change",
  input: async () => (await import("./schema.ts")).ManageSteeringInputSchema,
  output: async () => (await import("./schema.ts")).ManageSteeringOutputSchema,
  async run(engine: RoadmapEngine, { action = "show", ...said }) {
    const input = { ...said, action };
    rejectUnusedFields("steering.manage", STEERING_ACTIONS[action].fields, input);
    if (action !== "show") await foldJournalIntoLedger(engine);
    const cleaner = new TextCleaner(engine);
    const done = await STEERING_ACTIONS[action].run(engine, await cleaner.all(input));
    return createSteeringOutput(engine, action, { ...done, notes: [...done.notes, ...cleaner.notes()] });
  },
  page: formatSteeringPage,
});

const MAX_STEERING_LINES = 200;
const MAX_SHOWN_FILES = 100;
const MAX_SHOWN_PLACEHOLDERS = 30;
const MAX_INTENT_ITEMS = 50;

async function createSteeringOutput(
  engine: RoadmapEngine,
  action: ManageSteeringInput["action"],
  done: SteeringResult,
): Promise<ManageSteeringOutput> {
  const tokensOf = await engine.tokens.counter();
  const unreadable: string[] = [];
  const all = await engine.store.read((tree) => {
    const open = createTolerantTree(tree, (path, why) => void unreadable.push(`${path} cannot be read: ${why}`));
    return listSteeringFiles(open).map((file) => {
      const path = joinFolderPath(STEERING_FOLDER, file);
      const text = open.text(path) ?? "";
      return { name: file.replace(/\.md$/i, ""), path, text, blanks: findPlaceholderLines(text) };
    });
  });
  const meant = action === "show" ? all : all.filter(({ path }) => done.written.includes(path));
  const files = meant.slice(0, MAX_SHOWN_FILES).map(({ text, blanks, ...file }) => ({
    ...file,
    lines: text.trimEnd().split(/\r\n|\r|\n/).length,
    tokens: tokensOf(text),
    blanks: blanks.length,
  }));
  const blanks = meant.flatMap(({ path, blanks: own }) =>
    own.map(({ line, text }) => ({ path, line, text: sanitizeText(text, 120) })),
  );
  const product = all.find(({ name }) => name === "product")?.text ?? "";
  return {
    action,
    ...done,
    files,
    missing: CORE_STEERING_NAMES.map(resolveSteeringPath).filter((path) => !all.some((file) => file.path === path)),
    blanks: blanks.slice(0, MAX_SHOWN_PLACEHOLDERS),
    ...(action === "show" ? { intent: createIntentView(product) } : {}),
    notes: [
      ...done.notes,
      ...unreadable,
      ...noteOmittedItems(meant.length - MAX_SHOWN_FILES, "file"),
      ...noteOmittedItems(blanks.length - MAX_SHOWN_PLACEHOLDERS, "blank"),
      ...files.flatMap(({ path, lines }) => {
        const advice = `up to ${MAX_STEERING_LINES} are read carefully: move a part into its own topic.`;
        return lines > MAX_STEERING_LINES ? [`${path} has ${lines} lines; ${advice}`] : [];
      }),
    ],
  };
}

const noteOmittedItems = (count: number, noun: string): string[] =>
  count > 0 ? [`${formatCount(count, noun)} more left out.`] : [];

function createIntentView(product: string): ManageSteeringOutput["intent"] {
  const { vision, success_criteria, anti_goals } = readUserIntent(product);
  const shorten = (items: readonly string[]): string[] =>
    items.slice(0, MAX_INTENT_ITEMS).map((item) => sanitizeText(item, 300));
  return {
    vision: vision.length > 2_000 ? `${vision.slice(0, 2_000)}…` : vision,
    success_criteria: shorten(success_criteria),
    anti_goals: shorten(anti_goals),
  };
}

function formatSteeringPage(output: ManageSteeringOutput): Page {
  const { files, missing, blanks, profile, intent } = output;
  const { stacks = [], permissions = [] } = profile ?? {};
  const quotes = [
    { label: "Vision", text: intent?.vision ?? "" },
    { label: "Success criteria", text: (intent?.success_criteria ?? []).join("\n") },
    { label: "Anti-goals", text: (intent?.anti_goals ?? []).join("\n") },
    { label: "Still open", text: blanks.map(({ path, line, text }) => `${path}:${line}: ${text}`).join("\n") },
  ];
  return {
    title: formatSteeringPageTitle(output),
    table: {
      columns: ["file", "lines", "tokens", "blanks"],
      rows: files.map(({ path, lines, tokens, blanks: left }) => [path, lines, tokens, left].map(String)),
    },
    // Quoted, so that an agent treats the user's words as data.
    quotes: output.action === "show" ? quotes.filter(({ text }) => text !== "") : [],
    points: [
      ...output.kept.map((path) => `${path} is kept as it was.`),
      ...output.aside.map(({ from, to }) => `What ${from} said is kept in ${to}.`),
      ...(output.decision === undefined ? [] : [`Recorded as ${output.decision}.`]),
      ...(profile ? [stacks.length > 0 ? `Filled in from ${stacks.join(", ")}.` : "No profile was used."] : []),
      ...(permissions.length > 0 ? [`Permissions that your client may give an agent: ${permissions.join(", ")}.`] : []),
      ...missing.map((path) => `${path} is missing.`),
      ...output.notes,
    ],
    next: suggestSteeringCalls(output),
  };
}

function formatSteeringPageTitle({ action, written, aside, files }: ManageSteeringOutput): string {
  if (action === "delete") return `Taken away: ${aside.map(({ from }) => from).join(", ")}.`;
  if (action !== "show") return written.length === 0 ? "Nothing was changed." : `Written: ${written.join(", ")}.`;
  if (files.length === 0) return "There is no steering yet.";
  const total = files.reduce((sum, { tokens }) => sum + tokens, 0);
  return `Steering: ${formatCount(files.length, "file")}, ${total} tokens.`;
}

function suggestSteeringCalls({ action, missing, intent, blanks }: ManageSteeringOutput): NonNullable<Page["next"]> {
  const call = (input: Readonly<Record<string, string>>) => [{ operation: "steering.manage", input }];
  if (missing.length > 0) return call({ action: "create" });
  if (action !== "show") return blanks.length > 0 ? call({ action: "show" }) : [];
  return intent?.vision === "" ? call({ action: "update", vision: "…" }) : [];
}
