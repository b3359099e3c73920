import { formatCount } from "#domain/count.ts";
import { Fault } from "#domain/fault.ts";
import { freeFile, nameFor } from "#domain/knowledge/file-name.ts";
import { categoryOf } from "#domain/knowledge/category.ts";
import type { Lesson } from "#domain/knowledge/lesson.ts";
import { lessonsOf } from "#domain/knowledge/lesson.ts";
import { getKnowledgePath } from "#domain/workspace/path.ts";
import { commitStoreWrite, type Engine } from "../../engine.ts";
import type { StorePlan } from "../../ports/store.ts";
import { type Done, type Input, needed, NOTHING, unknown } from "../done.ts";
import { KnowledgeDraft, templatesOf } from "../draft.ts";
import { bufferAfter } from "../learning.ts";
import { tagsIn } from "../shelf.ts";
import { refuseBreaking } from "./add.ts";

/** Accepts a pending lesson before its wave ends, as it is or edited, or discards it. */
export async function review(engine: Engine, input: Input): Promise<Done> {
  const { name, answer } = input;
  if (name === undefined && answer === undefined) return NOTHING;
  if (answer === "reject") throw notHere(name);
  needed(input, answer === "edit" ? ["name", "answer", "text"] : ["name", "answer"]);
  refuseBreaking("text", input.text ?? "", 2);
  const templates = await templatesOf(engine);
  return commitStoreWrite(engine, (tree): StorePlan<Done> => {
    const lessons = lessonsOf(tagsIn(tree, engine));
    const lesson = lessons.find(({ id }) => id === name?.toLowerCase());
    if (!lesson)
      throw unknown(
        "lesson",
        name ?? "",
        lessons.map(({ id }) => id),
        "review",
      );
    const draft = new KnowledgeDraft(tree, templates, engine.clock.now());
    const file = answer === "discard" ? undefined : taken(draft, lesson, input, engine.clock.now());
    const buffer = bufferAfter(tree, engine, draft, engine.clock.now(), new Set(lesson.keys));
    const tags = lesson.sources.map(({ feature, role, said }) => ({ feature, role, said }));
    return {
      steps: [...draft.steps(), ...buffer.steps],
      keeps: buffer.keeps,
      occurrences:
        file === undefined
          ? [{ kind: "knowledge.discarded", subject: lesson.id, data: { type: lesson.type, tags } }]
          : [{ kind: "knowledge.accepted", subject: lesson.id, data: { file } }, ...draft.occurrences()],
      result: {
        ...NOTHING,
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
const notHere = (name: string | undefined): Fault =>
  new Fault("input.invalid", {
    what: "Nothing was done.",
    why: "A candidate for a skill is rejected; a lesson is let go with discard.",
    fix: { operation: "knowledge.manage", input: { action: "review", name: name ?? "…", answer: "discard" } },
  });

/** An unchanged lesson joins the file with the same lesson. An edited one gets its own file. */
function taken(draft: KnowledgeDraft, lesson: Lesson, input: Input, at: string): string {
  const { type = lesson.type, phases = lesson.phases, text } = input;
  if (text === undefined)
    return draft.takeAll([{ ...lesson, type, category: input.category ?? lesson.category }])[0] ?? "";
  const said = text.trim();
  const category = input.category ?? categoryOf(said);
  // An edited lesson does not quote its old words.
  const sources = lesson.sources.map((source) => ({ ...source, said: "" }));
  const file = freeFile({ type, category, name: nameFor(said) }, draft.names());
  return draft.write(file, { type, category, summary: said, phases, sources, at });
}
