import { Fault } from "#domain/fault.ts";
import { setSkillDecision } from "#domain/knowledge/document.ts";
import { placeLessons } from "#domain/knowledge/placing.ts";
import { quote } from "#domain/quote.ts";
import { getKnowledgePath } from "#domain/workspace/path.ts";
import { commitStoreWrite, type Engine } from "../../engine.ts";
import type { StorePlan, StoreTree } from "../../ports/store.ts";
import {
  type KnowledgeResult,
  type ManageKnowledgeInput,
  requireKnowledgeFields,
  EMPTY_KNOWLEDGE_RESULT,
  createUnknownKnowledgeFault,
} from "../done.ts";
import { KnowledgeDraft, type KnowledgeTemplates, loadKnowledgeTemplates } from "../draft.ts";
import { planBufferUpdate } from "../learning.ts";
import { loadPendingTags, findPendingKnowledge } from "../shelf.ts";

/** Shows the candidates or records a rejection. Only the user can approve one, with `knowledge.approve`. */
export async function reviewSkillCandidate(engine: Engine, input: ManageKnowledgeInput): Promise<KnowledgeResult> {
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
  engine: Engine,
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
