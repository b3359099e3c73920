import {
  type KnowledgeEntry,
  type KnowledgeContent,
  parseKnowledgeDocument,
  addKnowledgeSource,
  formatKnowledgeDocument,
} from "#domain/knowledge/document.ts";
import { findFreeKnowledgeFile, deriveLessonName } from "#domain/knowledge/file-name.ts";
import { formatKnowledgeIndex } from "#domain/knowledge/index-page.ts";
import type { Lesson } from "#domain/knowledge/lesson.ts";
import { type LessonPlacement, placeLessons } from "#domain/knowledge/placing.ts";
import { escapeMarkdownParagraph } from "#domain/knowledge/safe-line.ts";
import { KNOWLEDGE_TYPES, type KnowledgeType } from "#domain/knowledge/tag.ts";
import { KNOWLEDGE_INDEX_PATH, getKnowledgePath } from "#domain/workspace/path.ts";
import type { Engine } from "../engine.ts";
import type { StoreOccurrence, StoreStep, StoreTree } from "../ports/store.ts";
import { loadKnowledgeFolder, type KnowledgeFolder } from "./shelf.ts";

export type KnowledgeTemplates = Readonly<Record<KnowledgeType, string>>;

export async function loadKnowledgeTemplates({ assets }: Pick<Engine, "assets">): Promise<KnowledgeTemplates> {
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
