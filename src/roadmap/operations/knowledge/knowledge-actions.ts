import type * as z from "zod";
import { Fault } from "#kernel/model/fault.ts";
import { formatCount, quote } from "#kernel/model/text-format.ts";
import { getKnowledgePath } from "#kernel/model/workspace-paths.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { deriveTextTitle } from "#memory/model/observation.ts";
import { setSkillDecision, SUMMARY_HEADINGS } from "../../model/knowledge/knowledge-document.ts";
import {
  deriveLessonName,
  detectKnowledgeCategory,
  formatKnowledgeFileName,
  type KnowledgeType,
  normalizeLessonName,
} from "../../model/knowledge/knowledge-kinds.ts";
import { placeLessons } from "../../model/knowledge/knowledge-match.ts";
import { escapeMarkdownLine, groupLessons, type Lesson } from "../../model/knowledge/lesson.ts";
import { findBodyProblem, formatSafeListItem } from "../../model/steering/markdown-section.ts";
import { writeSectionBody } from "../../model/steering/steering-edit.ts";
import type { RoadmapEngine } from "../engine.ts";
import {
  commitKnowledge,
  findPendingKnowledge,
  type KnowledgeDraft,
  loadKnowledgeFolder,
  loadPendingTags,
} from "./knowledge-folder.ts";
import type { ManageKnowledgeInputSchema, ManageKnowledgeOutputSchema } from "./schema.ts";

export type ManageKnowledgeOutput = z.infer<typeof ManageKnowledgeOutputSchema>;
export type ManageKnowledgeInput = z.infer<typeof ManageKnowledgeInputSchema> & Pick<ManageKnowledgeOutput, "action">;
export type KnowledgeResult = Pick<ManageKnowledgeOutput, "written" | "notes" | "done" | "text">;

export const EMPTY_KNOWLEDGE_RESULT: KnowledgeResult = { written: [], notes: [] };

/** The heading for `why`: the cause, the occasion or the source. */
const DETAIL_HEADINGS: Readonly<Record<KnowledgeType, string>> = {
  incident: "What Happened",
  pattern: "When to Apply",
  reference: "Sources",
};

export async function addKnowledge(engine: RoadmapEngine, input: ManageKnowledgeInput): Promise<KnowledgeResult> {
  const { type, text } = requireKnowledgeFields(input, ["type", "text"]);
  const { why = "", phases = type === "incident" ? ["impl"] : ["design", "impl"] } = input;
  rejectBreakingKnowledgeText("text", text, 2);
  rejectBreakingKnowledgeText("why", why, 3);
  const category = input.category ?? detectKnowledgeCategory(text);
  const name = input.name === undefined ? deriveLessonName(text) : normalizeLessonName(input.name);
  const file = formatKnowledgeFileName({ type, category, name });
  return commitKnowledge(engine, (draft) => {
    rejectTakenFile(draft, file);
    const lesson = { id: "", type, category, text, phases: [], sources: [], keys: [] };
    const [alike] = placeLessons([lesson], draft.shelf.known, []);
    const source = type === "reference" ? deriveTextTitle(why) : "";
    draft.write(file, { type, category, summary: text.trim(), phases, sources: [], at: draft.at, source });
    const said = type === "reference" && !why.includes("\n") ? formatSafeListItem(escapeMarkdownLine(why)) : why;
    if (why !== "") draft.edit(file, writeSectionBody(draft.text(file), DETAIL_HEADINGS[type], said, "adding"));
    return {
      occurrences: draft.occurrences(),
      result: {
        written: [getKnowledgePath(file)],
        notes: [
          ...(input.category ? [] : [`Taken for ${category}, by its words.`]),
          ...(alike && !alike.isNew ? [`${getKnowledgePath(alike.file)} says much the same.`] : []),
        ],
      },
    };
  });
}

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
  if (input.name === undefined && input.answer === undefined) return EMPTY_KNOWLEDGE_RESULT;
  if (input.answer === "reject") {
    throw new Fault("input.invalid", {
      what: "Nothing was done.",
      why: "A candidate for a skill is rejected; a lesson is let go with discard.",
      fix: { operation: "knowledge.manage", input: { action: "review", name: input.name ?? "…", answer: "discard" } },
    });
  }
  if (input.answer === "edit") requireKnowledgeFields(input, ["name", "answer", "text"]);
  const { name, answer } = requireKnowledgeFields(input, ["name", "answer"]);
  rejectBreakingKnowledgeText("text", input.text ?? "", 2);
  return commitKnowledge(engine, (draft, tree) => {
    const lessons = groupLessons(loadPendingTags(tree, engine));
    const ids = lessons.map(({ id }) => id);
    const lesson = lessons.find(({ id }) => id === name.toLowerCase());
    if (!lesson) throw createUnknownKnowledgeFault("lesson", name, ids, "review");
    const gone = new Set(lesson.keys);
    if (answer === "discard") {
      const tags = lesson.sources.map(({ feature, role, said }) => ({ feature, role, said }));
      return {
        gone,
        occurrences: [{ kind: "knowledge.discarded", subject: lesson.id, data: { type: lesson.type, tags } }],
        result: { ...EMPTY_KNOWLEDGE_RESULT, done: `Let go: ${formatCount(tags.length, "tag")} of ${lesson.id}.` },
      };
    }
    const file = storeReviewedLesson(draft, lesson, input);
    const written = draft.written().map(getKnowledgePath);
    return {
      gone,
      occurrences: [{ kind: "knowledge.accepted", subject: lesson.id, data: { file } }, ...draft.occurrences()],
      result: {
        written,
        done: `Taken in: ${lesson.id}.`,
        notes: written.length === 0 ? [`${getKnowledgePath(file)} says so already.`] : [],
      },
    };
  });
}

/** An unchanged lesson joins the file with the same lesson. An edited one gets its own file. */
function storeReviewedLesson(draft: KnowledgeDraft, lesson: Lesson, input: ManageKnowledgeInput): string {
  const { type = lesson.type, phases = lesson.phases, text } = input;
  if (text === undefined)
    return draft.takeAll([{ ...lesson, type, category: input.category ?? lesson.category }])[0] ?? "";
  const summary = text.trim();
  const category = input.category ?? detectKnowledgeCategory(summary);
  // An edited lesson does not quote its old words.
  const sources = lesson.sources.map((source) => ({ ...source, said: "" }));
  const file = draft.freeFile({ type, category, name: deriveLessonName(summary) });
  return draft.write(file, { type, category, summary, phases, sources, at: draft.at });
}

export async function showKnowledge(engine: RoadmapEngine, input: ManageKnowledgeInput): Promise<KnowledgeResult> {
  const { name } = requireKnowledgeFields(input, ["name"]);
  const said = name.trim().replace(/^(?:\.\/)?sdd\/knowledge\//, "");
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
  if (input.name === undefined && input.answer === undefined) return EMPTY_KNOWLEDGE_RESULT;
  const { name: said, answer } = requireKnowledgeFields(input, ["name", "answer"]);
  if (answer !== "reject") {
    throw new Fault("knowledge.users-alone", {
      what: `No skill was made of ${quote(said, 64)}.`,
      why: "Agents follow a skill in every session to come, so only the user says that there shall be one.",
      fix: { operation: "knowledge.approve", input: { candidate: said } },
    });
  }
  return commitKnowledge(engine, (draft, tree) => {
    const { name, file, gone } = chooseSkillCandidate(tree, engine, draft, said);
    const decision = input.why === undefined ? "rejected" : `rejected: ${input.why}`;
    draft.edit(file, setSkillDecision(draft.text(file), decision));
    const written = draft.written().map(getKnowledgePath);
    return {
      gone,
      occurrences: [...draft.occurrences(), { kind: "knowledge.skill-rejected", subject: name }],
      result: { ...EMPTY_KNOWLEDGE_RESULT, written, done: `Rejected: ${name}.` },
    };
  });
}

interface ChosenCandidate {
  readonly name: string;
  readonly file: string;
  /** Keys of tags that are no longer pending, because their lessons are stored before the decision. */
  readonly gone: ReadonlySet<string>;
}

export function chooseSkillCandidate(
  tree: StoreTree,
  engine: RoadmapEngine,
  draft: KnowledgeDraft,
  said: string,
): ChosenCandidate {
  const { known, taken } = draft.shelf;
  const { lessons, candidates } = findPendingKnowledge(loadPendingTags(tree, engine), draft.shelf);
  const names = candidates.map(({ name }) => name);
  const candidate = candidates.find(({ name }) => name === said.trim().toLowerCase());
  if (!candidate) throw createUnknownKnowledgeFault("candidate", said, names, "skills");
  const own = placeLessons(lessons, known, taken)
    .filter(({ file }) => file === candidate.file)
    .map(({ lesson }) => lesson);
  const [file = candidate.file] = draft.takeAll(own);
  return { name: candidate.name, file, gone: new Set(own.flatMap(({ keys }) => keys)) };
}

type GivenFields<K extends keyof ManageKnowledgeInput> = {
  readonly [N in K]: NonNullable<ManageKnowledgeInput[N]>;
};

function requireKnowledgeFields<K extends keyof ManageKnowledgeInput>(
  input: ManageKnowledgeInput,
  names: readonly K[],
): GivenFields<K> {
  const missing = names.filter((name) => input[name] === undefined);
  if (missing.length === 0) return input as GivenFields<K>;
  const given = (["action", "name", "answer", "type"] as const).filter((name) => input[name] !== undefined);
  throw new Fault("input.missing", {
    what: "Nothing was done.",
    why: `${[input.action, input.answer].filter((word) => word !== undefined).join(" ")} needs ${missing.join(" and ")}.`,
    fix: {
      operation: "knowledge.manage",
      input: Object.fromEntries([
        ...given.map((name) => [name, input[name]]),
        ...missing.map((name) => [name, "…"]),
      ]) as Record<string, unknown>,
    },
  });
}

function createUnknownKnowledgeFault(
  what: string,
  name: string,
  known: readonly string[],
  action: ManageKnowledgeInput["action"],
): Fault {
  const others = known.length === 0 ? "there is none" : `there are ${known.slice(0, 20).join(", ")}`;
  return new Fault("knowledge.unknown", {
    what: "Nothing was done.",
    why: `No ${what} is called ${quote(name, 100)}; ${others}.`,
    fix: { operation: "knowledge.manage", input: { action } },
  });
}
