import { Fault } from "#domain/fault.ts";
import { categoryOf } from "#domain/knowledge/category.ts";
import { fileOf, nameFor, nameGiven } from "#domain/knowledge/file-name.ts";
import type { Lesson } from "#domain/knowledge/lesson.ts";
import { placesFor } from "#domain/knowledge/placing.ts";
import { titleFrom } from "#domain/memory/observation.ts";
import { SUMMARY } from "#domain/knowledge/document.ts";
import { safeLine } from "#domain/knowledge/safe-line.ts";
import type { KnowledgeType } from "#domain/knowledge/tag.ts";
import { sayUnder } from "#domain/steering/say.ts";
import { asItem, bodyProblem } from "#domain/steering/section.ts";
import { getKnowledgePath } from "#domain/workspace/path.ts";
import { commitStoreWrite, type Engine } from "../../engine.ts";
import type { StorePlan } from "../../ports/store.ts";
import { type Done, type Input, needed, NOTHING } from "../done.ts";
import { KnowledgeDraft, templatesOf } from "../draft.ts";
import { bufferAfter } from "../learning.ts";

/** The heading for `why`: the cause, the occasion or the source. */
const WHY: Readonly<Record<KnowledgeType, string>> = {
  incident: "What Happened",
  pattern: "When to Apply",
  reference: "Sources",
};

export async function add(engine: Engine, input: Input): Promise<Done> {
  needed(input, ["type", "text"]);
  const { type = "pattern", text = "", why = "" } = input;
  refuseBreaking("text", text, 2);
  refuseBreaking("why", why, 3);
  const category = input.category ?? categoryOf(text);
  const file = fileOf({ type, category, name: input.name === undefined ? nameFor(text) : nameGiven(input.name) });
  const templates = await templatesOf(engine);
  return commitStoreWrite(engine, (tree): StorePlan<Done> => {
    const at = engine.clock.now();
    const draft = new KnowledgeDraft(tree, templates, at);
    refuseTaken(draft, file);
    const phases = input.phases ?? (type === "incident" ? (["impl"] as const) : (["design", "impl"] as const));
    const alike = placesFor([asLesson(type, category, text)], draft.shelf.known, [])[0];
    const source = type === "reference" ? titleFrom(why) : "";
    draft.write(file, { type, category, summary: text.trim(), phases, sources: [], at, source });
    const said = type === "reference" && !why.includes("\n") ? asItem(safeLine(why)) : why;
    if (why !== "") draft.edit(file, sayUnder(draft.text(file), WHY[type], said, "adding"));
    const buffer = bufferAfter(tree, engine, draft, at);
    return {
      steps: [...draft.steps(), ...buffer.steps],
      occurrences: draft.occurrences(),
      result: {
        ...NOTHING,
        written: [getKnowledgePath(file)],
        notes: [
          ...(input.category ? [] : [`Taken for ${category}, by its words.`]),
          ...(alike && !alike.isNew ? [`${getKnowledgePath(alike.file)} says much the same.`] : []),
        ],
      },
    };
  });
}

const asLesson = (type: KnowledgeType, category: Lesson["category"], text: string): Lesson => ({
  id: "",
  type,
  category,
  text,
  phases: [],
  sources: [],
  keys: [],
});

export function refuseBreaking(name: string, text: string, level: number): void {
  const problem = bodyProblem(text, level);
  if (problem === undefined) return;
  throw new Fault("knowledge.bad-text", {
    what: "Nothing was written.",
    why: `The ${name} would break the file: ${problem}.`,
    fix: `Say it otherwise: it stands under a heading of its own, such as "${SUMMARY.pattern}".`,
  });
}

function refuseTaken({ shelf }: KnowledgeDraft, file: string): void {
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
