import { type KnowledgeEntry, parseKnowledgeDocument } from "#domain/knowledge/document.ts";
import {
  formatKnowledgeBuffer,
  extractBufferNotes,
  isSameBuffer,
  type PendingKnowledge,
} from "#domain/knowledge/buffer.ts";
import { groupLessons } from "#domain/knowledge/lesson.ts";
import { placeLessons, applyLessonPlacements } from "#domain/knowledge/placing.ts";
import { listSkillCandidates, type SkillCandidate } from "#domain/knowledge/skill.ts";
import type { KnowledgeTag } from "#domain/knowledge/tag.ts";
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

export interface KnowledgeFolder {
  readonly known: readonly KnowledgeEntry[];
  readonly others: readonly string[];
  readonly taken: readonly string[];
}

export function loadKnowledgeFolder(tree: StoreTree): KnowledgeFolder {
  const open = createTolerantTree(tree, () => undefined);
  const taken = open.names(KNOWLEDGE_FOLDER);
  const files = taken.filter((file) => /\.md$/i.test(file) && getKnowledgePath(file) !== KNOWLEDGE_INDEX_PATH);
  const read = files.map((file) => ({ file, known: loadKnowledgeEntry(open, file) }));
  return {
    known: read.flatMap(({ known }) => (known ? [known] : [])),
    others: read.flatMap(({ file, known }) => (known ? [] : [file])),
    taken,
  };
}

function loadKnowledgeEntry(tree: StoreTree, file: string): KnowledgeEntry | undefined {
  const text = tree.text(getKnowledgePath(file));
  return text === undefined ? undefined : parseKnowledgeDocument(file, text);
}

export const loadPendingTags = (
  tree: StoreTree,
  { checkout }: Pick<Engine, "checkout">,
): ReadonlyMap<string, KnowledgeTag> => loadCheckoutEntries(tree, TAG_SPACE, checkout);

export function findPendingKnowledge(
  tags: ReadonlyMap<string, KnowledgeTag>,
  { known, taken }: KnowledgeFolder,
): PendingKnowledge {
  const lessons = groupLessons(tags);
  return {
    lessons,
    candidates: listSkillCandidates(applyLessonPlacements(known, placeLessons(lessons, known, taken))),
  };
}

export function loadPendingBuffer(
  tree: StoreTree,
  engine: Pick<Engine, "checkout">,
): { readonly tags: readonly KnowledgeTag[]; readonly candidates: readonly SkillCandidate[] } {
  const tags = loadPendingTags(tree, engine);
  return { tags: [...tags.values()], candidates: findPendingKnowledge(tags, loadKnowledgeFolder(tree)).candidates };
}

export function createBufferSteps(
  tree: StoreTree,
  before: PendingKnowledge,
  after: PendingKnowledge,
  at: string,
): StoreStep[] {
  const present = createTolerantTree(tree, () => undefined).text(LESSON_BUFFER_PATH);
  const isNothing = after.lessons.length + after.candidates.length === 0;
  if (present === undefined && (isNothing || tree.has(LESSON_BUFFER_PATH))) return [];
  const text = formatKnowledgeBuffer(after, at, present === undefined ? "" : extractBufferNotes(present, before));
  return present !== undefined && isSameBuffer(present, text)
    ? []
    : [{ kind: "document", path: LESSON_BUFFER_PATH, text }];
}
