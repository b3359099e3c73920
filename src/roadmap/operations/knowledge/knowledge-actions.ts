import { Fault } from "#kernel/model/fault.ts";
import {
  detectKnowledgeCategory,
  formatKnowledgeFileName,
  deriveLessonName,
  normalizeLessonName,
  type KnowledgeType,
  findFreeKnowledgeFile,
} from "../../model/knowledge/knowledge-kinds.ts";
import { type Lesson, escapeMarkdownLine, groupLessons } from "../../model/knowledge/lesson.ts";
import { placeLessons } from "../../model/knowledge/knowledge-match.ts";
import { deriveTextTitle } from "#memory/model/observation.ts";
import { SUMMARY_HEADINGS, setSkillDecision } from "../../model/knowledge/knowledge-document.ts";
import { writeSectionBody } from "../../model/steering/steering-edit.ts";
import { formatSafeListItem, findBodyProblem } from "../../model/steering/markdown-section.ts";
import { getKnowledgePath } from "#kernel/model/workspace-paths.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { RoadmapEngine } from "../engine.ts";
import type { StorePlan, StoreTree } from "#store/operations/ports/store.ts";
import {
  type KnowledgeResult,
  type ManageKnowledgeInput,
  requireKnowledgeFields,
  EMPTY_KNOWLEDGE_RESULT,
  createUnknownKnowledgeFault,
} from "./knowledge-answer.ts";
import {
  KnowledgeDraft,
  loadKnowledgeTemplates,
  loadPendingTags,
  loadKnowledgeFolder,
  type KnowledgeTemplates,
  findPendingKnowledge,
} from "./knowledge-folder.ts";
import { planBufferUpdate } from "./collect-lessons.ts";
import { formatCount, quote } from "#kernel/model/text-format.ts";

/** The heading for `why`: the cause, the occasion or the source. */
const DETAIL_HEADINGS: Readonly<Record<KnowledgeType, string>> = {
  incident: "What Happened",
  pattern: "When to Apply",
  reference: "Sources",
};

export async function addKnowledge(engine: RoadmapEngine, input: ManageKnowledgeInput): Promise<KnowledgeResult> {
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

function rejectBreakingKnowledgeText(name: string, text: string, level: number): void {
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

/** Accepts a pending lesson before its wave ends, as it is or edited, or discards it. */
export async function reviewPendingLesson(
  engine: RoadmapEngine,
  input: ManageKnowledgeInput,
): Promise<KnowledgeResult> {
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

export async function showKnowledge(engine: RoadmapEngine, input: ManageKnowledgeInput): Promise<KnowledgeResult> {
  requireKnowledgeFields(input, ["name"]);
  const said = (input.name ?? "").trim().replace(/^(?:\.\/)?sdd\/knowledge\//, "");
  return engine.store.read((tree) => {
    const files = loadKnowledgeFolder(tree).known.map(({ file }) => file);
    const found =
      files.find((file) => file === said || file === `${said}.md`) ??
      files.find((file) => file.endsWith(`-${normalizeLessonName(said)}.md`));
    if (found === undefined) throw createUnknownKnowledgeFault("file", said, files, "list");
    return { ...EMPTY_KNOWLEDGE_RESULT, done: getKnowledgePath(found), text: tree.text(getKnowledgePath(found)) ?? "" };
  });
}

/** Shows the candidates or records a rejection. Only the user can approve one, with `knowledge.approve`. */
export async function reviewSkillCandidate(
  engine: RoadmapEngine,
  input: ManageKnowledgeInput,
): Promise<KnowledgeResult> {
  const { name, answer, why } = input;
  if (name === undefined && answer === undefined) return EMPTY_KNOWLEDGE_RESULT;
  requireKnowledgeFields(input, ["name", "answer"]);
  if (answer !== "reject") throw createUserOnlyFault(name ?? "");
  const templates = await loadKnowledgeTemplates(engine);
  return commitStoreWrite(engine, (tree): StorePlan<KnowledgeResult> => {
    const at = engine.clock.now();
    const { draft, gone, ...candidate } = chooseSkillCandidate(tree, engine, templates, name ?? "", at);
    draft.edit(
      candidate.file,
      setSkillDecision(draft.text(candidate.file), why === undefined ? "rejected" : `rejected: ${why}`),
    );
    const buffer = planBufferUpdate(tree, engine, draft, at, gone);
    return {
      steps: [...draft.steps(), ...buffer.steps],
      keeps: buffer.keeps,
      occurrences: [...draft.occurrences(), { kind: "knowledge.skill-rejected", subject: candidate.name }],
      result: {
        ...EMPTY_KNOWLEDGE_RESULT,
        written: draft.written().map(getKnowledgePath),
        done: `Rejected: ${candidate.name}.`,
      },
    };
  });
}

interface ChosenCandidate {
  readonly draft: KnowledgeDraft;
  readonly name: string;
  readonly file: string;
  /** Keys of tags that are no longer pending, because their lessons are stored before the decision. */
  readonly gone: ReadonlySet<string>;
}

export function chooseSkillCandidate(
  tree: StoreTree,
  engine: RoadmapEngine,
  templates: KnowledgeTemplates,
  said: string,
  at: string,
): ChosenCandidate {
  const draft = new KnowledgeDraft(tree, templates, at);
  const { known, taken } = draft.shelf;
  const { lessons, candidates } = findPendingKnowledge(loadPendingTags(tree, engine), draft.shelf);
  const names = candidates.map(({ name }) => name);
  const candidate = candidates.find(({ name }) => name === said.trim().toLowerCase());
  if (!candidate) throw createUnknownKnowledgeFault("candidate", said, names, "skills");
  const own = placeLessons(lessons, known, taken)
    .filter(({ file }) => file === candidate.file)
    .map(({ lesson }) => lesson);
  const [file = candidate.file] = draft.takeAll(own);
  return { draft, name: candidate.name, file, gone: new Set(own.flatMap(({ keys }) => keys)) };
}

const createUserOnlyFault = (name: string): Fault =>
  new Fault("knowledge.users-alone", {
    what: `No skill was made of ${quote(name, 64)}.`,
    why: "Agents follow a skill in every session to come, so only the user says that there shall be one.",
    fix: { operation: "knowledge.approve", input: { candidate: name } },
  });
