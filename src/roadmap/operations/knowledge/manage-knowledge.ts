import type * as z from "zod";
import type { FaultCode } from "#kernel/model/fault-codes.ts";
import { Fault } from "#kernel/model/fault.ts";
import { formatCount, quote, sanitizeText } from "#kernel/model/text-format.ts";
import {
  getKnowledgePath,
  AGENTS_FOLDER,
  CLAUDE_FOLDER,
  getSkillPath,
  joinFolderPath,
} from "#kernel/model/workspace-paths.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { deriveTextTitle } from "#memory/model/observation.ts";
import { setSkillDecision, SUMMARY_HEADINGS, placeLessons } from "../../model/knowledge/knowledge-document.ts";
import {
  deriveLessonName,
  detectKnowledgeCategory,
  formatKnowledgeFileName,
  type KnowledgeType,
  normalizeLessonName,
  escapeMarkdownLine,
  groupLessons,
  type Lesson,
} from "../../model/knowledge/lesson.ts";
import { findBodyProblem, formatSafeListItem, writeSectionBody } from "../../model/steering/markdown-section.ts";
import type { RoadmapEngine } from "../engine.ts";
import type { KnowledgeDraft } from "./knowledge-folder.ts";
import { commitKnowledge, findPendingKnowledge, loadKnowledgeFolder, loadPendingTags } from "./knowledge-folder.ts";
import type { ManageKnowledgeInputSchema, ManageKnowledgeOutputSchema } from "./schema.ts";
import type { Page } from "#kernel/model/page.ts";
import { defineOperation, rejectUnusedFields } from "#kernel/operations/operation.ts";
import { formatApprover } from "#planning/model/approval/approval-proof.ts";
import { requirePerson } from "#planning/operations/approval/require-person.ts";
import { TextCleaner } from "#memory/operations/text-cleaner.ts";
import { formatSkillFile, parseSkillName } from "../../model/knowledge/lesson-buffer.ts";

type ManageKnowledgeOutput = z.infer<typeof ManageKnowledgeOutputSchema>;
type ManageKnowledgeInput = z.infer<typeof ManageKnowledgeInputSchema> & Pick<ManageKnowledgeOutput, "action">;
type KnowledgeResult = Pick<ManageKnowledgeOutput, "written" | "notes" | "done" | "text">;

const EMPTY_KNOWLEDGE_RESULT: KnowledgeResult = { written: [], notes: [] };

/** The heading for `why`: the cause, the occasion or the source. */
const DETAIL_HEADINGS: Readonly<Record<KnowledgeType, string>> = {
  incident: "What Happened",
  pattern: "When to Apply",
  reference: "Sources",
};

async function addKnowledge(engine: RoadmapEngine, input: ManageKnowledgeInput): Promise<KnowledgeResult> {
  const { type, text } = requireKnowledgeFields(input, ["type", "text"]);
  const { why = "", phases = type === "incident" ? ["impl"] : ["design", "impl"] } = input;
  rejectBreakingKnowledgeText("text", text, 2);
  rejectBreakingKnowledgeText("why", why, 3);
  const category = input.category ?? detectKnowledgeCategory(text);
  const name = input.name === undefined ? deriveLessonName(text) : normalizeLessonName(input.name);
  const file = formatKnowledgeFileName({ type, category, name });
  return commitKnowledge(engine, (draft) => {
    const taken = draft.shelf.taken.find((each) => each.toLowerCase() === file.toLowerCase());
    if (taken !== undefined)
      throw new Fault("knowledge.exists", {
        what: "Nothing was written.",
        why: `${getKnowledgePath(taken)} exists, and Tenon does not overwrite it.`,
        fix: [
          { operation: "knowledge.manage", input: { action: "show", name: taken } },
          "Edit that file, or choose another name.",
        ],
      });
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
          ...(input.category ? [] : [`Category ${category}, chosen by its words.`]),
          ...(alike && !alike.isNew ? [`${getKnowledgePath(alike.file)} has a similar text.`] : []),
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
    fix: `Rewrite it: the text gets its own heading, such as "${SUMMARY_HEADINGS.pattern}".`,
  });
}

/** Accepts a pending lesson before its wave ends, as it is or edited, or discards it. */
async function reviewLesson(engine: RoadmapEngine, input: ManageKnowledgeInput): Promise<KnowledgeResult> {
  if (input.name === undefined && input.answer === undefined) return EMPTY_KNOWLEDGE_RESULT;
  if (input.answer === "reject") {
    const why = "Reject is for skill candidates. To drop a lesson, use discard.";
    throw createKnowledgeFault("input.invalid", why, { action: "review", name: input.name ?? "…", answer: "discard" });
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
        result: { ...EMPTY_KNOWLEDGE_RESULT, done: `Discarded: ${formatCount(tags.length, "tag")} of ${lesson.id}.` },
      };
    }
    const file = storeReviewedLesson(draft, lesson, input);
    const written = draft.written().map(getKnowledgePath);
    return {
      gone,
      occurrences: [{ kind: "knowledge.accepted", subject: lesson.id, data: { file } }, ...draft.occurrences()],
      result: {
        written,
        done: `Kept: ${lesson.id}.`,
        notes: written.length === 0 ? [`${getKnowledgePath(file)} has it already.`] : [],
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

async function showKnowledge(engine: RoadmapEngine, input: ManageKnowledgeInput): Promise<KnowledgeResult> {
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
async function reviewSkill(engine: RoadmapEngine, input: ManageKnowledgeInput): Promise<KnowledgeResult> {
  if (input.name === undefined && input.answer === undefined) return EMPTY_KNOWLEDGE_RESULT;
  const { name: said, answer } = requireKnowledgeFields(input, ["name", "answer"]);
  if (answer !== "reject") {
    throw new Fault("knowledge.users-alone", {
      what: `No skill was created from ${quote(said, 64)}.`,
      why: "Agents follow a skill in every session, so only the user can create one.",
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

function chooseSkillCandidate(tree: StoreTree, engine: RoadmapEngine, draft: KnowledgeDraft, said: string) {
  const { known, taken } = draft.shelf;
  const { lessons, candidates } = findPendingKnowledge(loadPendingTags(tree, engine), draft.shelf);
  const names = candidates.map(({ name }) => name);
  const candidate = candidates.find(({ name }) => name === said.trim().toLowerCase());
  if (!candidate) throw createUnknownKnowledgeFault("candidate", said, names, "skills");
  const own = placeLessons(lessons, known, taken)
    .filter(({ file }) => file === candidate.file)
    .map(({ lesson }) => lesson);
  const [file = candidate.file] = draft.takeAll(own);
  // These tags are no longer pending, because their lessons are stored before the decision.
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
  const entries = [
    ...given.map((name) => [name, input[name]] as const),
    ...missing.map((name) => [name, "…"] as const),
  ];
  const what = [input.action, input.answer].filter((word) => word !== undefined).join(" ");
  throw createKnowledgeFault("input.missing", `${what} needs ${missing.join(" and ")}.`, Object.fromEntries(entries));
}

function createUnknownKnowledgeFault(
  what: string,
  name: string,
  known: readonly string[],
  action: ManageKnowledgeInput["action"],
): Fault {
  const others = known.length === 0 ? `There are no ${what}s yet` : `Known: ${known.slice(0, 20).join(", ")}`;
  return createKnowledgeFault("knowledge.unknown", `Unknown ${what} ${quote(name, 100)}. ${others}.`, { action });
}

const createKnowledgeFault = (code: FaultCode, why: string, input: Readonly<Record<string, unknown>>): Fault =>
  new Fault(code, { what: "Nothing was done.", why, fix: { operation: "knowledge.manage", input } });

interface KnowledgeActionRow {
  readonly fields: readonly (keyof ManageKnowledgeInput)[];
  readonly run: (engine: RoadmapEngine, input: ManageKnowledgeInput) => Promise<KnowledgeResult>;
}

const KNOWLEDGE_ACTIONS: Readonly<Record<ManageKnowledgeInput["action"], KnowledgeActionRow>> = {
  list: { fields: ["type", "category"], run: async () => EMPTY_KNOWLEDGE_RESULT },
  show: { fields: ["name"], run: showKnowledge },
  add: { fields: ["name", "type", "category", "text", "why", "phases"], run: addKnowledge },
  review: { fields: ["name", "answer", "type", "category", "text", "phases"], run: reviewLesson },
  skills: { fields: ["name", "answer", "why"], run: reviewSkill },
};

export const manageKnowledge = defineOperation({
  id: "knowledge.manage",
  effect: "change",
  input: async () => (await import("./schema.ts")).ManageKnowledgeInputSchema,
  mayBePlain: true,
  output: async () => (await import("./schema.ts")).ManageKnowledgeOutputSchema,
  async run(engine: RoadmapEngine, { action = "list", ...said }) {
    const input = { ...said, action };
    rejectUnusedFields("knowledge.manage", KNOWLEDGE_ACTIONS[action].fields, input);
    const cleaner = new TextCleaner(engine);
    const done = await KNOWLEDGE_ACTIONS[action].run(engine, await cleaner.all(input));
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
    const entries = shelf.known.filter(
      ({ type, category }) => isListed && type === (wanted.type ?? type) && category === (wanted.category ?? category),
    );
    const waiting = isListed || action === "review" ? pending.lessons : [];
    const candidates = isListed || action === "skills" ? pending.candidates : [];
    const more = [entries, waiting, candidates].map(({ length }) => length - MAX_SHOWN_KNOWLEDGE);
    return {
      action,
      ...done,
      entries: entries.slice(0, MAX_SHOWN_KNOWLEDGE).map(({ file, type, category, title, phases, sources }) => {
        return { file, type, category, title: sanitizeText(title, 120), phases: [...phases], sources: sources.length };
      }),
      waiting: waiting.slice(0, MAX_SHOWN_KNOWLEDGE).map(({ id, type, category, text, sources }) => {
        const told = new Set(sources.map(({ feature, role }) => `${feature} ${role}`));
        return { id, type, category, text: sanitizeText(text, 1_000), sources: [...told] };
      }),
      candidates: candidates
        .slice(0, MAX_SHOWN_KNOWLEDGE)
        .map((each) => ({ ...each, text: sanitizeText(each.text, 1_000), features: [...each.features] })),
      notes: [
        ...done.notes,
        ...more.flatMap((count) => (count > 0 ? [`${count} more left out.`] : [])),
        ...(isListed ? shelf.others.slice(0, 10).map((file) => `${file} is not a {type}-{category}-{name}.md.`) : []),
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
      ...waiting.map(({ id, type, category, sources, text: said }) => {
        return { label: `${id}: ${type}, ${category}, by ${sources.join(", ")}`, text: said };
      }),
      ...candidates.map(({ name, features, text: said }) => {
        return { label: `Candidate ${name}, in ${features.join(", ")}`, text: said };
      }),
    ],
    points: [...(action === "add" ? [] : output.written.map((path) => `${path} is updated.`)), ...output.notes],
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
  const known = entries.length === 0 ? "No knowledge yet" : `Known: ${formatCount(entries.length, "file")}`;
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

/** Only the user may call it: an agent that could approve a skill would write the instructions of later sessions. */
export const approveSkill = defineOperation({
  id: "knowledge.approve",
  effect: "append",
  input: async () => (await import("./schema.ts")).ApproveSkillInputSchema,
  output: async () => (await import("./schema.ts")).ApproveSkillOutputSchema,
  async run(engine: RoadmapEngine, said) {
    const command = `tenon knowledge approve ${said.candidate}`;
    const person = await requirePerson(engine, { what: "No skill was written.", command });
    const { description, ...input } = await new TextCleaner(engine).all(said);
    const template = await engine.assets.text("templates/knowledge/skill");
    return commitKnowledge(engine, (draft, tree) => {
      const { file, gone, ...candidate } = chooseSkillCandidate(tree, engine, draft, input.candidate);
      const name = parseSkillName(input.name?.trim() ?? candidate.name);
      const known = draft.shelf.known.find((each) => each.file === file);
      if (!known) throw new RangeError(`${file} is no knowledge.`);
      const path = getKnowledgePath(file);
      const text = formatSkillFile(template, known, draft.text(file), { name, description, path });
      const clients = [CLAUDE_FOLDER, AGENTS_FOLDER].filter((client) => tree.names(client).length > 0);
      const skills = (clients.length > 0 ? clients : [AGENTS_FOLDER]).map((client) => {
        const taken = tree.names(joinFolderPath(client, "skills"));
        if (!taken.some((each) => each.toLowerCase() === name)) return getSkillPath(client, name);
        throw new Fault("knowledge.exists", {
          what: "No skill was written.",
          why: `${joinFolderPath(client, `skills/${name}`)} exists, and Tenon does not overwrite it.`,
          fix: { operation: "knowledge.approve", input: { candidate: candidate.name, name: `${name}-2` } },
        });
      });
      const decision = `approved as ${name} by ${formatApprover(person)}`;
      draft.edit(file, setSkillDecision(draft.text(file), decision));
      return {
        gone,
        steps: skills.map((skill) => ({ kind: "document", path: skill, text }) as const),
        occurrences: [
          ...draft.occurrences(),
          { kind: "knowledge.skill-approved", subject: name, data: { file, by: person.by } },
        ],
        result: { name, written: [...skills, ...draft.written().map(getKnowledgePath)], text },
      };
    });
  },
  page: ({ name, written, text }) => ({
    title: `Skill ${name} is written: ${written[0]}.`,
    quotes: [{ label: "What it says", text: text.trimEnd() }],
    points: written.slice(1).map((path) => `${path} says so.`),
    next: ["Read it and edit it as you like: Tenon does not write it again."],
  }),
});
