import { type Knowledge, readKnowledge } from "#domain/knowledge/document.ts";
import { bufferPage, notesIn, saysTheSame, type Waiting } from "#domain/knowledge/buffer.ts";
import { lessonsOf } from "#domain/knowledge/lesson.ts";
import { placesFor, withLessons } from "#domain/knowledge/placing.ts";
import { candidatesIn, type SkillCandidate } from "#domain/knowledge/skill.ts";
import type { KeptTag } from "#domain/knowledge/tag.ts";
import {
  LESSON_BUFFER_PATH,
  KNOWLEDGE_FOLDER,
  KNOWLEDGE_INDEX_PATH,
  getKnowledgePath,
} from "#domain/workspace/path.ts";
import type { Engine } from "../engine.ts";
import { createTolerantTree } from "../forgiving-tree.ts";
import type { StoreStep, StoreTree } from "../ports/store.ts";
import { loadCheckoutEntries, TAG_SPACE } from "../roadmap/spaces.ts";

export interface KnowledgeShelf {
  readonly known: readonly Knowledge[];
  readonly others: readonly string[];
  readonly taken: readonly string[];
}

export function knowledgeIn(tree: StoreTree): KnowledgeShelf {
  const open = createTolerantTree(tree, () => undefined);
  const taken = open.names(KNOWLEDGE_FOLDER);
  const files = taken.filter((file) => /\.md$/i.test(file) && getKnowledgePath(file) !== KNOWLEDGE_INDEX_PATH);
  const read = files.map((file) => ({ file, known: knowledgeOf(open, file) }));
  return {
    known: read.flatMap(({ known }) => (known ? [known] : [])),
    others: read.flatMap(({ file, known }) => (known ? [] : [file])),
    taken,
  };
}

function knowledgeOf(tree: StoreTree, file: string): Knowledge | undefined {
  const text = tree.text(getKnowledgePath(file));
  return text === undefined ? undefined : readKnowledge(file, text);
}

export const tagsIn = (tree: StoreTree, { checkout }: Pick<Engine, "checkout">): ReadonlyMap<string, KeptTag> =>
  loadCheckoutEntries(tree, TAG_SPACE, checkout);

export function waitingOf(tags: ReadonlyMap<string, KeptTag>, { known, taken }: KnowledgeShelf): Waiting {
  const lessons = lessonsOf(tags);
  return { lessons, candidates: candidatesIn(withLessons(known, placesFor(lessons, known, taken))) };
}

export function bufferIn(
  tree: StoreTree,
  engine: Pick<Engine, "checkout">,
): { readonly tags: readonly KeptTag[]; readonly candidates: readonly SkillCandidate[] } {
  const tags = tagsIn(tree, engine);
  return { tags: [...tags.values()], candidates: waitingOf(tags, knowledgeIn(tree)).candidates };
}

export function bufferSteps(tree: StoreTree, before: Waiting, after: Waiting, at: string): StoreStep[] {
  const present = createTolerantTree(tree, () => undefined).text(LESSON_BUFFER_PATH);
  const isNothing = after.lessons.length + after.candidates.length === 0;
  if (present === undefined && (isNothing || tree.has(LESSON_BUFFER_PATH))) return [];
  const text = bufferPage(after, at, present === undefined ? "" : notesIn(present, before));
  return present !== undefined && saysTheSame(present, text)
    ? []
    : [{ kind: "document", path: LESSON_BUFFER_PATH, text }];
}
