import { formatCount } from "#domain/count.ts";
import { Fault } from "#domain/fault.ts";
import { findFreeKnowledgeFile, deriveLessonName } from "#domain/knowledge/file-name.ts";
import { detectKnowledgeCategory } from "#domain/knowledge/category.ts";
import type { Lesson } from "#domain/knowledge/lesson.ts";
import { groupLessons } from "#domain/knowledge/lesson.ts";
import { getKnowledgePath } from "#domain/workspace/path.ts";
import { commitStoreWrite, type Engine } from "../../engine.ts";
import type { StorePlan } from "../../ports/store.ts";
import {
  type KnowledgeResult,
  type ManageKnowledgeInput,
  requireKnowledgeFields,
  EMPTY_KNOWLEDGE_RESULT,
  createUnknownKnowledgeFault,
} from "../done.ts";
import { KnowledgeDraft, loadKnowledgeTemplates } from "../draft.ts";
import { planBufferUpdate } from "../learning.ts";
import { loadPendingTags } from "../shelf.ts";
import { rejectBreakingKnowledgeText } from "./add.ts";

/** Accepts a pending lesson before its wave ends, as it is or edited, or discards it. */
export async function reviewPendingLesson(engine: Engine, input: ManageKnowledgeInput): Promise<KnowledgeResult> {
  const { name, answer } = input;
  if (name === undefined && answer === undefined) return EMPTY_KNOWLEDGE_RESULT;
  if (answer === "reject") throw createRejectLessonFault(name);
  requireKnowledgeFields(input, answer === "edit" ? ["name", "answer", "text"] : ["name", "answer"]);
  rejectBreakingKnowledgeText("text", input.text ?? "", 2);
  const templates = await loadKnowledgeTemplates(engine);
  return commitStoreWrite(engine, (tree): StorePlan<KnowledgeResult> => {
    const lessons = groupLessons(loadPendingTags(tree, engine));
    const lesson = lessons.find(({ id }) => id === name?.toLowerCase());
    if (!lesson)
      throw createUnknownKnowledgeFault(
        "lesson",
        name ?? "",
        lessons.map(({ id }) => id),
        "review",
      );
    const draft = new KnowledgeDraft(tree, templates, engine.clock.now());
    const file = answer === "discard" ? undefined : storeReviewedLesson(draft, lesson, input, engine.clock.now());
    const buffer = planBufferUpdate(tree, engine, draft, engine.clock.now(), new Set(lesson.keys));
    const tags = lesson.sources.map(({ feature, role, said }) => ({ feature, role, said }));
    return {
      steps: [...draft.steps(), ...buffer.steps],
      keeps: buffer.keeps,
      occurrences:
        file === undefined
          ? [{ kind: "knowledge.discarded", subject: lesson.id, data: { type: lesson.type, tags } }]
          : [{ kind: "knowledge.accepted", subject: lesson.id, data: { file } }, ...draft.occurrences()],
      result: {
        ...EMPTY_KNOWLEDGE_RESULT,
        written: draft.written().map(getKnowledgePath),
        done:
          file === undefined
            ? `Let go: ${formatCount(tags.length, "tag")} of ${lesson.id}.`
            : `Taken in: ${lesson.id}.`,
        notes: file !== undefined && draft.written().length === 0 ? [`${getKnowledgePath(file)} says so already.`] : [],
      },
    };
  });
}

/** `reject` is for skill candidates. A lesson is discarded. */
const createRejectLessonFault = (name: string | undefined): Fault =>
  new Fault("input.invalid", {
    what: "Nothing was done.",
    why: "A candidate for a skill is rejected; a lesson is let go with discard.",
    fix: { operation: "knowledge.manage", input: { action: "review", name: name ?? "…", answer: "discard" } },
  });

/** An unchanged lesson joins the file with the same lesson. An edited one gets its own file. */
function storeReviewedLesson(draft: KnowledgeDraft, lesson: Lesson, input: ManageKnowledgeInput, at: string): string {
  const { type = lesson.type, phases = lesson.phases, text } = input;
  if (text === undefined)
    return draft.takeAll([{ ...lesson, type, category: input.category ?? lesson.category }])[0] ?? "";
  const said = text.trim();
  const category = input.category ?? detectKnowledgeCategory(said);
  // An edited lesson does not quote its old words.
  const sources = lesson.sources.map((source) => ({ ...source, said: "" }));
  const file = findFreeKnowledgeFile({ type, category, name: deriveLessonName(said) }, draft.names());
  return draft.write(file, { type, category, summary: said, phases, sources, at });
}
