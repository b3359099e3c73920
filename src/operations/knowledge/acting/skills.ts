import { Fault } from "#domain/fault.ts";
import { withSkill } from "#domain/knowledge/document.ts";
import { placesFor } from "#domain/knowledge/placing.ts";
import { quote } from "#domain/quote.ts";
import { getKnowledgePath } from "#domain/workspace/path.ts";
import { commitStoreWrite, type Engine } from "../../engine.ts";
import type { StorePlan, StoreTree } from "../../ports/store.ts";
import { type Done, type Input, needed, NOTHING, unknown } from "../done.ts";
import { KnowledgeDraft, type Templates, templatesOf } from "../draft.ts";
import { bufferAfter } from "../learning.ts";
import { tagsIn, waitingOf } from "../shelf.ts";

/** Shows the candidates or records a rejection. Only the user can approve one, with `knowledge.approve`. */
export async function skills(engine: Engine, input: Input): Promise<Done> {
  const { name, answer, why } = input;
  if (name === undefined && answer === undefined) return NOTHING;
  needed(input, ["name", "answer"]);
  if (answer !== "reject") throw usersAlone(name ?? "");
  const templates = await templatesOf(engine);
  return commitStoreWrite(engine, (tree): StorePlan<Done> => {
    const at = engine.clock.now();
    const { draft, gone, ...candidate } = chosen(tree, engine, templates, name ?? "", at);
    draft.edit(
      candidate.file,
      withSkill(draft.text(candidate.file), why === undefined ? "rejected" : `rejected: ${why}`),
    );
    const buffer = bufferAfter(tree, engine, draft, at, gone);
    return {
      steps: [...draft.steps(), ...buffer.steps],
      keeps: buffer.keeps,
      occurrences: [...draft.occurrences(), { kind: "knowledge.skill-rejected", subject: candidate.name }],
      result: { ...NOTHING, written: draft.written().map(getKnowledgePath), done: `Rejected: ${candidate.name}.` },
    };
  });
}

interface Chosen {
  readonly draft: KnowledgeDraft;
  readonly name: string;
  readonly file: string;
  /** Keys of tags that are no longer pending, because their lessons are stored before the decision. */
  readonly gone: ReadonlySet<string>;
}

export function chosen(tree: StoreTree, engine: Engine, templates: Templates, said: string, at: string): Chosen {
  const draft = new KnowledgeDraft(tree, templates, at);
  const { known, taken } = draft.shelf;
  const { lessons, candidates } = waitingOf(tagsIn(tree, engine), draft.shelf);
  const names = candidates.map(({ name }) => name);
  const candidate = candidates.find(({ name }) => name === said.trim().toLowerCase());
  if (!candidate) throw unknown("candidate", said, names, "skills");
  const own = placesFor(lessons, known, taken)
    .filter(({ file }) => file === candidate.file)
    .map(({ lesson }) => lesson);
  const [file = candidate.file] = draft.takeAll(own);
  return { draft, name: candidate.name, file, gone: new Set(own.flatMap(({ keys }) => keys)) };
}

const usersAlone = (name: string): Fault =>
  new Fault("knowledge.users-alone", {
    what: `No skill was made of ${quote(name, 64)}.`,
    why: "Agents follow a skill in every session to come, so only the user says that there shall be one.",
    fix: { operation: "knowledge.approve", input: { candidate: name } },
  });
