import type { Page } from "#kernel/model/page.ts";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import { defineOperation, rejectUnusedFields } from "#kernel/operations/operation.ts";
import { TextCleaner } from "#memory/operations/text-cleaner.ts";
import type { RoadmapEngine } from "../engine.ts";
import {
  addKnowledge,
  EMPTY_KNOWLEDGE_RESULT,
  type KnowledgeResult,
  type ManageKnowledgeInput,
  type ManageKnowledgeOutput,
  reviewPendingLesson,
  reviewSkillCandidate,
  showKnowledge,
} from "./knowledge-actions.ts";
import { findPendingKnowledge, loadKnowledgeFolder, loadPendingTags } from "./knowledge-folder.ts";

type KnowledgeAction = ManageKnowledgeInput["action"];

const KNOWLEDGE_ACTION_FIELDS: Readonly<Record<KnowledgeAction, readonly (keyof ManageKnowledgeInput)[]>> = {
  list: ["type", "category"],
  show: ["name"],
  add: ["name", "type", "category", "text", "why", "phases"],
  review: ["name", "answer", "type", "category", "text", "phases"],
  skills: ["name", "answer", "why"],
};

const KNOWLEDGE_ACTIONS: Readonly<
  Record<KnowledgeAction, (engine: RoadmapEngine, input: ManageKnowledgeInput) => Promise<KnowledgeResult>>
> = {
  list: async () => EMPTY_KNOWLEDGE_RESULT,
  show: showKnowledge,
  add: addKnowledge,
  review: reviewPendingLesson,
  skills: reviewSkillCandidate,
};

export const manageKnowledge = defineOperation({
  id: "knowledge.manage",
  effect: "change",
  input: async () => (await import("./schema.ts")).ManageKnowledgeInputSchema,
  mayBePlain: true,
  output: async () => (await import("./schema.ts")).ManageKnowledgeOutputSchema,
  async run(engine: RoadmapEngine, { action = "list", ...said }) {
    const input = { ...said, action };
    rejectUnusedFields("knowledge.manage", KNOWLEDGE_ACTION_FIELDS[action], input);
    const cleaner = new TextCleaner(engine);
    const done = await KNOWLEDGE_ACTIONS[action](engine, await cleaner.all(input));
    return createKnowledgeOutput(engine, input, { ...done, notes: [...done.notes, ...cleaner.notes()] });
  },
  page: formatKnowledgePage,
});

const MAX_SHOWN_KNOWLEDGE = 50;

async function createKnowledgeOutput(
  engine: RoadmapEngine,
  { action, ...wanted }: ManageKnowledgeInput,
  done: KnowledgeResult,
): Promise<ManageKnowledgeOutput> {
  const isListed = action === "list";
  return engine.store.read((tree) => {
    const shelf = loadKnowledgeFolder(tree);
    const pending = findPendingKnowledge(loadPendingTags(tree, engine), shelf);
    const isWanted = ({ type, category }: Pick<ManageKnowledgeOutput["entries"][number], "type" | "category">) =>
      type === (wanted.type ?? type) && category === (wanted.category ?? category);
    const entries = isListed ? shelf.known.filter(isWanted) : [];
    const waiting = isListed || action === "review" ? pending.lessons : [];
    const candidates = isListed || action === "skills" ? pending.candidates : [];
    const more = [entries, waiting, candidates].map(({ length }) => length - MAX_SHOWN_KNOWLEDGE);
    return {
      action,
      ...done,
      entries: entries.slice(0, MAX_SHOWN_KNOWLEDGE).map(({ file, type, category, title, phases, sources }) => ({
        file,
        type,
        category,
        title: sanitizeText(title, 120),
        phases: [...phases],
        sources: sources.length,
      })),
      waiting: waiting.slice(0, MAX_SHOWN_KNOWLEDGE).map(({ id, type, category, text, sources }) => ({
        id,
        type,
        category,
        text: sanitizeText(text, 1_000),
        sources: [...new Set(sources.map(({ feature, role }) => `${feature} ${role}`))],
      })),
      candidates: candidates
        .slice(0, MAX_SHOWN_KNOWLEDGE)
        .map((each) => ({ ...each, text: sanitizeText(each.text, 1_000), features: [...each.features] })),
      notes: [
        ...done.notes,
        ...more.flatMap((count) => (count > 0 ? [`${count} more left out.`] : [])),
        ...(isListed ? shelf.others.slice(0, 10).map((file) => `${file} is not named as knowledge is.`) : []),
      ],
    };
  });
}

/** Foreign text is quoted, so that agents treat it as data. */
function formatKnowledgePage(output: ManageKnowledgeOutput): Page {
  const { action, entries, waiting, candidates, text = "" } = output;
  const rows = entries.map(({ file, phases, sources }) => [file, phases.join(", "), String(sources)]);
  return {
    title: formatKnowledgePageTitle(output),
    ...(rows.length === 0 ? {} : { table: { columns: ["file", "helps at", "seen"], rows } }),
    quotes: [
      ...(action === "show" ? [{ label: "What it says", text: text.trimEnd() }] : []),
      ...waiting.map((lesson) => ({
        label: `${lesson.id}: ${lesson.type}, ${lesson.category}, by ${lesson.sources.join(", ")}`,
        text: lesson.text,
      })),
      ...candidates.map((candidate) => ({
        label: `Candidate ${candidate.name}, in ${candidate.features.join(", ")}`,
        text: candidate.text,
      })),
    ],
    points: [...(action === "add" ? [] : output.written.map((path) => `${path} says more now.`)), ...output.notes],
    next: suggestKnowledgeCalls(output),
  };
}

function formatKnowledgePageTitle(output: ManageKnowledgeOutput): string {
  const { action, done, written, entries, waiting, candidates } = output;
  if (action === "show") return `${done ?? ""} is known.`;
  if (action === "add") return `Written: ${written.join(", ")}.`;
  if (done !== undefined) return done;
  if (action === "review")
    return waiting.length === 0
      ? "No auto-accumulated knowledge to review."
      : `To review: ${formatCount(waiting.length, "lesson")}.`;
  if (action === "skills")
    return candidates.length === 0
      ? "No Skill candidates detected yet."
      : `Patterns that might be skills: ${candidates.length}.`;
  const known = entries.length === 0 ? "Nothing is known yet" : `Known: ${formatCount(entries.length, "file")}`;
  return `${known}; ${waiting.length} waiting, ${formatCount(candidates.length, "candidate")} for a skill.`;
}

function suggestKnowledgeCalls({ action, waiting, candidates }: ManageKnowledgeOutput): NonNullable<Page["next"]> {
  const call = (input: Readonly<Record<string, string>>) => ({ operation: "knowledge.manage", input });
  const [lesson] = waiting;
  const [candidate] = candidates;
  if (action === "review" && lesson) return [call({ action: "review", name: lesson.id, answer: "…" })];
  if (action === "skills" && candidate)
    return [
      { operation: "knowledge.approve", input: { candidate: candidate.name } },
      call({ action: "skills", name: candidate.name, answer: "reject" }),
    ];
  if (action !== "list") return [];
  return [...(lesson ? [call({ action: "review" })] : []), ...(candidate ? [call({ action: "skills" })] : [])];
}
