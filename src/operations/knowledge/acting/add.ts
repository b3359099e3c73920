import { Fault } from "#domain/fault.ts";
import { detectKnowledgeCategory } from "#domain/knowledge/category.ts";
import { formatKnowledgeFileName, deriveLessonName, normalizeLessonName } from "#domain/knowledge/file-name.ts";
import type { Lesson } from "#domain/knowledge/lesson.ts";
import { placeLessons } from "#domain/knowledge/placing.ts";
import { deriveTextTitle } from "#domain/memory/observation.ts";
import { SUMMARY_HEADINGS } from "#domain/knowledge/document.ts";
import { escapeMarkdownLine } from "#domain/knowledge/safe-line.ts";
import type { KnowledgeType } from "#domain/knowledge/tag.ts";
import { writeSectionBody } from "#domain/steering/say.ts";
import { formatSafeListItem, findBodyProblem } from "#domain/steering/section.ts";
import { getKnowledgePath } from "#domain/workspace/path.ts";
import { commitStoreWrite, type Engine } from "../../engine.ts";
import type { StorePlan } from "../../ports/store.ts";
import {
  type KnowledgeResult,
  type ManageKnowledgeInput,
  requireKnowledgeFields,
  EMPTY_KNOWLEDGE_RESULT,
} from "../done.ts";
import { KnowledgeDraft, loadKnowledgeTemplates } from "../draft.ts";
import { planBufferUpdate } from "../learning.ts";

/** The heading for `why`: the cause, the occasion or the source. */
const DETAIL_HEADINGS: Readonly<Record<KnowledgeType, string>> = {
  incident: "What Happened",
  pattern: "When to Apply",
  reference: "Sources",
};

export async function addKnowledge(engine: Engine, input: ManageKnowledgeInput): Promise<KnowledgeResult> {
  requireKnowledgeFields(input, ["type", "text"]);
  const { type = "pattern", text = "", why = "" } = input;
  rejectBreakingKnowledgeText("text", text, 2);
  rejectBreakingKnowledgeText("why", why, 3);
  const category = input.category ?? detectKnowledgeCategory(text);
  const file = formatKnowledgeFileName({
    type,
    category,
    name: input.name === undefined ? deriveLessonName(text) : normalizeLessonName(input.name),
  });
  const templates = await loadKnowledgeTemplates(engine);
  return commitStoreWrite(engine, (tree): StorePlan<KnowledgeResult> => {
    const at = engine.clock.now();
    const draft = new KnowledgeDraft(tree, templates, at);
    rejectTakenFile(draft, file);
    const phases = input.phases ?? (type === "incident" ? (["impl"] as const) : (["design", "impl"] as const));
    const alike = placeLessons([createManualLesson(type, category, text)], draft.shelf.known, [])[0];
    const source = type === "reference" ? deriveTextTitle(why) : "";
    draft.write(file, { type, category, summary: text.trim(), phases, sources: [], at, source });
    const said = type === "reference" && !why.includes("\n") ? formatSafeListItem(escapeMarkdownLine(why)) : why;
    if (why !== "") draft.edit(file, writeSectionBody(draft.text(file), DETAIL_HEADINGS[type], said, "adding"));
    const buffer = planBufferUpdate(tree, engine, draft, at);
    return {
      steps: [...draft.steps(), ...buffer.steps],
      occurrences: draft.occurrences(),
      result: {
        ...EMPTY_KNOWLEDGE_RESULT,
        written: [getKnowledgePath(file)],
        notes: [
          ...(input.category ? [] : [`Taken for ${category}, by its words.`]),
          ...(alike && !alike.isNew ? [`${getKnowledgePath(alike.file)} says much the same.`] : []),
        ],
      },
    };
  });
}

const createManualLesson = (type: KnowledgeType, category: Lesson["category"], text: string): Lesson => ({
  id: "",
  type,
  category,
  text,
  phases: [],
  sources: [],
  keys: [],
});

export function rejectBreakingKnowledgeText(name: string, text: string, level: number): void {
  const problem = findBodyProblem(text, level);
  if (problem === undefined) return;
  throw new Fault("knowledge.bad-text", {
    what: "Nothing was written.",
    why: `The ${name} would break the file: ${problem}.`,
    fix: `Say it otherwise: it stands under a heading of its own, such as "${SUMMARY_HEADINGS.pattern}".`,
  });
}

function rejectTakenFile({ shelf }: KnowledgeDraft, file: string): void {
  const taken = shelf.taken.find((each) => each.toLowerCase() === file.toLowerCase());
  if (taken === undefined) return;
  throw new Fault("knowledge.exists", {
    what: "Nothing was written.",
    why: `${getKnowledgePath(taken)} is there already, and is never written over.`,
    fix: [
      { operation: "knowledge.manage", input: { action: "show", name: taken } },
      "Edit that file, or give what was learned another name.",
    ],
  });
}
