import type { KnowledgeEntry } from "./document.ts";
import { findFreeKnowledgeFile, deriveLessonName } from "./file-name.ts";
import { type LessonSignature, createLessonSignature, LessonIndex } from "./gist.ts";
import { type Lesson, addLessonSource } from "./lesson.ts";

export interface LessonPlacement {
  readonly lesson: Lesson;
  readonly file: string;
  readonly isNew: boolean;
}

/** Existing files are extended, never overwritten. `taken` lists all names in the folder. */
export function placeLessons(
  lessons: readonly Lesson[],
  known: readonly KnowledgeEntry[],
  taken: readonly string[],
): LessonPlacement[] {
  const files = new LessonIndex<KnowledgeEntry>();
  if (lessons.length > 0) for (const each of known) for (const gist of listEntrySignatures(each)) files.add(gist, each);
  const names = new Set(taken.map((file) => file.toLowerCase()));
  return lessons.map((lesson) => {
    const same = files.find(createLessonSignature(lesson.text), ({ type }) => type === lesson.type);
    if (same) return { lesson, file: same.file, isNew: false };
    const file = findFreeKnowledgeFile({ ...lesson, name: deriveLessonName(lesson.text) }, names);
    names.add(file);
    return { lesson, file, isNew: true };
  });
}

const listEntrySignatures = ({ summary, sources }: KnowledgeEntry): LessonSignature[] =>
  [summary, ...sources.map(({ said }) => said)].filter((text) => text !== "").map(createLessonSignature);

export function applyLessonPlacements(
  known: readonly KnowledgeEntry[],
  places: readonly LessonPlacement[],
): KnowledgeEntry[] {
  const files = new Map(known.map((each) => [each.file, each]));
  for (const { lesson, file } of places) {
    const { type, category, text, phases } = lesson;
    const before = files.get(file) ?? {
      file,
      type,
      category,
      phases,
      title: text,
      summary: text,
      keywords: [],
      verified: "",
      sources: [],
      skill: "",
    };
    files.set(file, { ...before, sources: lesson.sources.reduce(addLessonSource, before.sources) });
  }
  return [...files.values()];
}
