import { type KnowledgeCategory, detectKnowledgeCategory } from "./category.ts";
import { createLessonSignature, LessonIndex } from "./gist.ts";
import { escapeMarkdownLine } from "./safe-line.ts";
import {
  isFeatureSource,
  type KnowledgeTag,
  KNOWLEDGE_PHASES,
  type KnowledgePhase,
  type KnowledgeType,
  deriveRolePhase,
  parseKnowledgeTag,
} from "./tag.ts";

export interface LessonSource {
  readonly feature: string;
  readonly role: string;
  readonly tasks: readonly string[];
  readonly at: string;
  readonly said: string;
}

/** Tags with the same meaning. */
export interface Lesson {
  /** Stable while the lesson is pending. */
  readonly id: string;
  readonly type: KnowledgeType;
  readonly category: KnowledgeCategory;
  readonly text: string;
  readonly phases: readonly KnowledgePhase[];
  readonly sources: readonly LessonSource[];
  readonly keys: readonly string[];
}

const SHORT_LESSON_ID = 6;

/**
 * Groups tags into lessons. Each tag is compared only with the first of a lesson, so that a chain of small differences
 * does not join two lessons.
 */
export function groupLessons(tags: ReadonlyMap<string, KnowledgeTag>): Lesson[] {
  const inOrder = [...tags].toSorted(
    ([a, one], [b, other]) => compareLessonKeys(one.at, other.at) || compareLessonKeys(a, b),
  );
  const begun: { lesson: Lesson }[] = [];
  const known = new LessonIndex<{ lesson: Lesson }>();
  for (const [key, tag] of inOrder) {
    const said = parseKnowledgeTag(tag.tag);
    if (!said) continue;
    const gist = createLessonSignature(said.text);
    const source = { feature: tag.feature, role: tag.role, tasks: tag.tasks ?? [], at: tag.at, said: said.text };
    const same = known.find(gist, ({ lesson }) => lesson.type === said.type);
    if (same) {
      const { sources, keys } = same.lesson;
      same.lesson = { ...same.lesson, sources: [...sources, source], keys: [...keys, key] };
      continue;
    }
    const lesson = {
      ...said,
      id: key,
      category: detectKnowledgeCategory(said.text),
      phases: [],
      sources: [source],
      keys: [key],
    };
    const first = { lesson };
    begun.push(first);
    known.add(gist, first);
  }
  return shortenLessonIds(begun.map(({ lesson }) => ({ ...lesson, phases: deriveLessonPhases(lesson) })));
}

const compareLessonKeys = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

function shortenLessonIds(lessons: readonly Lesson[]): Lesson[] {
  const heads = Map.groupBy(lessons, ({ id }) => id.slice(0, SHORT_LESSON_ID));
  return lessons.map((lesson) => {
    const head = lesson.id.slice(0, SHORT_LESSON_ID);
    return { ...lesson, id: heads.get(head)?.length === 1 ? head : lesson.id };
  });
}

/** Patterns help designers and builders. Incidents help the phase that could have noticed them. */
function deriveLessonPhases({ type, sources }: Lesson): KnowledgePhase[] {
  const learned = new Set(sources.map(({ role }) => deriveRolePhase(role)));
  if (type === "pattern") learned.add("design").add("impl");
  return KNOWLEDGE_PHASES.filter((phase) => learned.has(phase));
}

export const addLessonSource = (known: readonly LessonSource[], source: LessonSource): readonly LessonSource[] =>
  hasLessonSource(known, source) ? known : [...known, { ...source, said: escapeMarkdownLine(source.said) }];

export const hasLessonSource = (known: readonly LessonSource[], { feature, role, said }: LessonSource): boolean =>
  known.some((each) => each.feature === feature && each.role === role && each.said === escapeMarkdownLine(said));

export const listLessonFeatures = (sources: readonly Pick<LessonSource, "feature">[]): string[] =>
  [...new Set(sources.map(({ feature }) => feature).filter(isFeatureSource))].toSorted();
