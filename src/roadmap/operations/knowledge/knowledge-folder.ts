import {
  getKnowledgePath,
  KNOWLEDGE_FOLDER,
  KNOWLEDGE_INDEX_PATH,
  LESSON_BUFFER_PATH,
} from "#kernel/model/workspace-paths.ts";
import type { Immutable } from "#kernel/model/record-schema.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { LedgerEntry, StoreOccurrence, StorePlan, StoreStep, StoreTree } from "#store/operations/ports/store.ts";
import { createTolerantTree } from "#store/operations/tolerant-tree.ts";
import * as knowledgeDocument from "../../model/knowledge/knowledge-document.ts";
import {
  deriveLessonName,
  findFreeKnowledgeFile,
  KNOWLEDGE_TYPES,
  type KnowledgeTag,
  type KnowledgeType,
  escapeMarkdownParagraph,
  groupLessons,
  type Lesson,
} from "../../model/knowledge/lesson.ts";
import {
  extractBufferNotes,
  formatKnowledgeBuffer,
  isSameBuffer,
  listSkillCandidates,
  type PendingKnowledge,
} from "../../model/knowledge/lesson-buffer.ts";
import type { RoadmapEngine } from "../engine.ts";
import { createCheckoutKey, loadCheckoutEntries, TAG_SPACE } from "../lead/lead-store.ts";

type KnowledgeFolder = Immutable<ReturnType<typeof loadKnowledgeFolder>>;
type Checkout = Pick<RoadmapEngine, "checkout">;
export type PendingTags = ReadonlyMap<string, KnowledgeTag>;

export function loadKnowledgeFolder(tree: StoreTree) {
  const open = createTolerantTree(tree, () => undefined);
  const taken = open.names(KNOWLEDGE_FOLDER);
  const files = taken.filter((file) => /\.md$/i.test(file) && getKnowledgePath(file) !== KNOWLEDGE_INDEX_PATH);
  const known = files.flatMap((file) => {
    const text = open.text(getKnowledgePath(file));
    return (text === undefined ? undefined : knowledgeDocument.parseKnowledgeDocument(file, text)) ?? [];
  });
  return { known, others: files.filter((file) => !known.some((each) => each.file === file)), taken };
}

export const loadPendingTags = (tree: StoreTree, { checkout }: Checkout): PendingTags =>
  loadCheckoutEntries(tree, TAG_SPACE, checkout);

export function findPendingKnowledge(tags: PendingTags, { known, taken }: KnowledgeFolder): PendingKnowledge {
  const lessons = groupLessons(tags);
  const placed = knowledgeDocument.applyLessonPlacements(known, knowledgeDocument.placeLessons(lessons, known, taken));
  return { lessons, candidates: listSkillCandidates(placed) };
}

export function loadPendingBuffer(tree: StoreTree, engine: Checkout) {
  const tags = loadPendingTags(tree, engine);
  return { tags: [...tags.values()], candidates: findPendingKnowledge(tags, loadKnowledgeFolder(tree)).candidates };
}

/** Without a value the tag is no longer pending. */
export const createTagEntry = ({ checkout }: Checkout, key: string, value?: KnowledgeTag): LedgerEntry => ({
  space: TAG_SPACE.name,
  key: createCheckoutKey(checkout, key),
  ...(value ? { value } : {}),
});

export type KnowledgeTemplates = Readonly<Record<KnowledgeType, string>>;

export async function loadKnowledgeTemplates({ assets }: Pick<RoadmapEngine, "assets">): Promise<KnowledgeTemplates> {
  const texts = await Promise.all(
    KNOWLEDGE_TYPES.map(async (type) => [type, await assets.text(`templates/knowledge/${type}`)] as const),
  );
  return Object.fromEntries(texts) as KnowledgeTemplates;
}

interface KnowledgeDecision<T> extends Pick<StorePlan<T>, "occurrences" | "result"> {
  readonly steps?: readonly StoreStep[];
  readonly gone?: ReadonlySet<string>;
}

/** Writes the files of a draft and brings the buffer up to date. */
export async function commitKnowledge<T>(
  engine: RoadmapEngine,
  decide: (draft: KnowledgeDraft, tree: StoreTree) => KnowledgeDecision<T>,
): Promise<T> {
  const templates = await loadKnowledgeTemplates(engine);
  return commitStoreWrite(engine, (tree): StorePlan<T> => {
    const draft = new KnowledgeDraft(tree, templates, engine.clock.now());
    const { steps = [], gone = new Set<string>(), occurrences, result } = decide(draft, tree);
    const before = loadPendingTags(tree, engine);
    const after = new Map([...before].filter(([key]) => !gone.has(key)));
    return {
      steps: [...steps, ...draft.steps(), ...draft.bufferSteps(before, after)],
      keeps: [...gone].map((key) => createTagEntry(engine, key)),
      occurrences,
      result,
    };
  });
}

/** The folder after a write. Several lessons of one file become one step. */
export class KnowledgeDraft {
  readonly at: string;
  readonly #tree: StoreTree;
  readonly #templates: KnowledgeTemplates;
  readonly #texts = new Map<string, string>();
  shelf: KnowledgeFolder;

  constructor(tree: StoreTree, templates: KnowledgeTemplates, at: string) {
    this.at = at;
    this.#tree = tree;
    this.#templates = templates;
    this.shelf = loadKnowledgeFolder(tree);
  }

  text(file: string): string {
    return this.#texts.get(file) ?? this.#tree.text(getKnowledgePath(file)) ?? "";
  }

  /** Adds each lesson to the file with the same lesson or to a new one. Returns the files in that order. */
  takeAll(lessons: readonly Lesson[]): string[] {
    return knowledgeDocument
      .placeLessons(lessons, this.shelf.known, this.shelf.taken)
      .map(({ lesson, file, isNew }) => {
        let extended = isNew ? undefined : this.text(file);
        for (const source of lesson.sources)
          extended = extended === undefined ? undefined : knowledgeDocument.addKnowledgeSource(extended, source);
        if (extended !== undefined) return this.edit(file, extended);
        // A file with an unclosed block cannot be extended.
        const own = isNew ? file : this.freeFile({ ...lesson, name: deriveLessonName(lesson.text) });
        const learned = { ...lesson, summary: escapeMarkdownParagraph(lesson.text), at: this.at };
        // Nobody fills the blanks of a collected lesson.
        return this.edit(own, knowledgeDocument.removePlaceholders(this.#format(learned)));
      });
  }

  freeFile(wanted: Parameters<typeof findFreeKnowledgeFile>[0]): string {
    return findFreeKnowledgeFile(wanted, new Set(this.shelf.taken.map((file) => file.toLowerCase())));
  }

  write(file: string, learned: knowledgeDocument.KnowledgeContent): string {
    return this.edit(file, this.#format(learned));
  }

  #format(learned: knowledgeDocument.KnowledgeContent): string {
    return knowledgeDocument.formatKnowledgeDocument(this.#templates[learned.type], learned);
  }

  edit(file: string, text: string): string {
    if (this.text(file) === text) return file;
    this.#texts.set(file, text);
    const entry = knowledgeDocument.parseKnowledgeDocument(file, text);
    const { known, others, taken } = this.shelf;
    this.shelf = {
      known: [...known.filter((each) => each.file !== file), ...(entry ? [entry] : [])],
      others,
      taken: taken.includes(file) ? taken : [...taken, file],
    };
    return file;
  }

  written(): string[] {
    return [...this.#texts.keys()];
  }

  steps(): StoreStep[] {
    if (this.#texts.size === 0) return [];
    const index = knowledgeDocument.formatKnowledgeIndex(this.shelf.known, this.shelf.others);
    return [
      ...[...this.#texts].map(([file, text]): StoreStep => ({ kind: "document", path: getKnowledgePath(file), text })),
      ...(this.#tree.text(KNOWLEDGE_INDEX_PATH) === index
        ? []
        : [{ kind: "document", path: KNOWLEDGE_INDEX_PATH, text: index } as const]),
    ];
  }

  /** `buffer.md` for the tags that are pending after the write. Text of others stays. */
  bufferSteps(tagsBefore: PendingTags, tagsAfter: PendingTags): StoreStep[] {
    const before = findPendingKnowledge(tagsBefore, loadKnowledgeFolder(this.#tree));
    const after = findPendingKnowledge(tagsAfter, this.shelf);
    const present = createTolerantTree(this.#tree, () => undefined).text(LESSON_BUFFER_PATH);
    const isNothing = after.lessons.length + after.candidates.length === 0;
    if (present === undefined && (isNothing || this.#tree.has(LESSON_BUFFER_PATH))) return [];
    const notes = present === undefined ? "" : extractBufferNotes(present, before);
    const text = formatKnowledgeBuffer(after, this.at, notes);
    if (present !== undefined && isSameBuffer(present, text)) return [];
    return [{ kind: "document", path: LESSON_BUFFER_PATH, text }];
  }

  occurrences(): StoreOccurrence[] {
    return this.written().map((file) => ({ kind: "knowledge.written", subject: file }));
  }
}
