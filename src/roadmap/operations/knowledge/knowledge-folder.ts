import {
  type KnowledgeEntry,
  parseKnowledgeDocument,
  type KnowledgeContent,
  addKnowledgeSource,
  formatKnowledgeDocument,
  formatKnowledgeIndex,
} from "../../model/knowledge/knowledge-document.ts";
import {
  formatKnowledgeBuffer,
  extractBufferNotes,
  isSameBuffer,
  type PendingKnowledge,
  listSkillCandidates,
  type SkillCandidate,
} from "../../model/knowledge/lesson-buffer.ts";
import { groupLessons, type Lesson, escapeMarkdownParagraph } from "../../model/knowledge/lesson.ts";
import { placeLessons, applyLessonPlacements, type LessonPlacement } from "../../model/knowledge/knowledge-match.ts";
import {
  type KnowledgeTag,
  findFreeKnowledgeFile,
  deriveLessonName,
  KNOWLEDGE_TYPES,
  type KnowledgeType,
} from "../../model/knowledge/knowledge-kinds.ts";
import {
  LESSON_BUFFER_PATH,
  KNOWLEDGE_FOLDER,
  KNOWLEDGE_INDEX_PATH,
  getKnowledgePath,
} from "#kernel/model/workspace-paths.ts";
import type { RoadmapEngine } from "../engine.ts";
import { createTolerantTree } from "#store/operations/tolerant-tree.ts";
import type { StoreStep, StoreTree, StoreOccurrence } from "#store/operations/ports/store.ts";
import { loadCheckoutEntries, TAG_SPACE } from "../lead/lead-store.ts";

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
  { checkout }: Pick<RoadmapEngine, "checkout">,
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
  engine: Pick<RoadmapEngine, "checkout">,
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

export type KnowledgeTemplates = Readonly<Record<KnowledgeType, string>>;

export async function loadKnowledgeTemplates({ assets }: Pick<RoadmapEngine, "assets">): Promise<KnowledgeTemplates> {
  const texts = await Promise.all(
    KNOWLEDGE_TYPES.map(async (type) => [type, await assets.text(`templates/knowledge/${type}`)] as const),
  );
  return Object.fromEntries(texts) as KnowledgeTemplates;
}

/** The folder after a write. Several lessons of one file become one step. */
export class KnowledgeDraft {
  readonly #tree: StoreTree;
  readonly #templates: KnowledgeTemplates;
  readonly #at: string;
  readonly #texts = new Map<string, string>();
  #shelf: KnowledgeFolder;

  constructor(tree: StoreTree, templates: KnowledgeTemplates, at: string) {
    this.#tree = tree;
    this.#templates = templates;
    this.#at = at;
    this.#shelf = loadKnowledgeFolder(tree);
  }

  get shelf(): KnowledgeFolder {
    return this.#shelf;
  }

  text(file: string): string {
    return this.#texts.get(file) ?? this.#tree.text(getKnowledgePath(file)) ?? "";
  }

  /** Adds each lesson to the file with the same lesson or to a new one. Returns the files in that order. */
  takeAll(lessons: readonly Lesson[]): string[] {
    return placeLessons(lessons, this.#shelf.known, this.#shelf.taken).map((place) => this.#take(place));
  }

  #take({ lesson, file, isNew }: LessonPlacement): string {
    const told = isNew ? undefined : this.#withSources(file, lesson);
    if (told !== undefined) return this.edit(file, told);
    // A file with an unclosed block cannot be extended.
    const own = isNew ? file : findFreeKnowledgeFile({ ...lesson, name: deriveLessonName(lesson.text) }, this.names());
    return this.write(own, { ...lesson, summary: escapeMarkdownParagraph(lesson.text), at: this.#at });
  }

  names(): ReadonlySet<string> {
    return new Set(this.#shelf.taken.map((file) => file.toLowerCase()));
  }

  #withSources(file: string, { sources }: Lesson): string | undefined {
    return sources.reduce<string | undefined>(
      (text, source) => (text === undefined ? undefined : addKnowledgeSource(text, source)),
      this.text(file),
    );
  }

  write(file: string, learned: KnowledgeContent): string {
    return this.edit(file, formatKnowledgeDocument(this.#templates[learned.type], learned));
  }

  edit(file: string, text: string): string {
    if (this.text(file) === text) return file;
    this.#texts.set(file, text);
    const read = parseKnowledgeDocument(file, text);
    const { known, others, taken } = this.#shelf;
    this.#shelf = {
      known: [...known.filter((each) => each.file !== file), ...(read ? [read] : [])],
      others,
      taken: taken.includes(file) ? taken : [...taken, file],
    };
    return file;
  }

  known(file: string): KnowledgeEntry | undefined {
    return this.#shelf.known.find((each) => each.file === file);
  }

  written(): string[] {
    return [...this.#texts.keys()];
  }

  steps(): StoreStep[] {
    if (this.#texts.size === 0) return [];
    const index = formatKnowledgeIndex(this.#shelf.known, this.#shelf.others);
    return [
      ...[...this.#texts].map(([file, text]): StoreStep => ({ kind: "document", path: getKnowledgePath(file), text })),
      ...(this.#tree.text(KNOWLEDGE_INDEX_PATH) === index
        ? []
        : [{ kind: "document", path: KNOWLEDGE_INDEX_PATH, text: index } as const]),
    ];
  }

  occurrences(): StoreOccurrence[] {
    return this.written().map((file) => ({ kind: "knowledge.written", subject: file }));
  }
}
