import type { Knowledge } from "./document.ts";
import { freeFile, nameFor } from "./file-name.ts";
import { type Gist, gistOf, Gists } from "./gist.ts";
import { type Lesson, withTold } from "./lesson.ts";

export interface Placement {
  readonly lesson: Lesson;
  readonly file: string;
  readonly isNew: boolean;
}

/** Existing files are extended, never overwritten. `taken` lists all names in the folder. */
export function placesFor(
  lessons: readonly Lesson[],
  known: readonly Knowledge[],
  taken: readonly string[],
): Placement[] {
  const files = new Gists<Knowledge>();
  if (lessons.length > 0) for (const each of known) for (const gist of gistsOf(each)) files.add(gist, each);
  const names = new Set(taken.map((file) => file.toLowerCase()));
  return lessons.map((lesson) => {
    const same = files.find(gistOf(lesson.text), ({ type }) => type === lesson.type);
    if (same) return { lesson, file: same.file, isNew: false };
    const file = freeFile({ ...lesson, name: nameFor(lesson.text) }, names);
    names.add(file);
    return { lesson, file, isNew: true };
  });
}

const gistsOf = ({ summary, sources }: Knowledge): Gist[] =>
  [summary, ...sources.map(({ said }) => said)].filter((text) => text !== "").map(gistOf);

export function withLessons(known: readonly Knowledge[], places: readonly Placement[]): Knowledge[] {
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
    files.set(file, { ...before, sources: lesson.sources.reduce(withTold, before.sources) });
  }
  return [...files.values()];
}
