import { type Category, categoryOf } from "./category.ts";
import { gistOf, Gists } from "./gist.ts";
import { safeLine } from "./safe-line.ts";
import {
  isOfFeature,
  type KeptTag,
  KNOWLEDGE_PHASES,
  type KnowledgePhase,
  type KnowledgeType,
  phaseOf,
  saidBy,
} from "./tag.ts";

export interface Source {
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
  readonly category: Category;
  readonly text: string;
  readonly phases: readonly KnowledgePhase[];
  readonly sources: readonly Source[];
  readonly keys: readonly string[];
}

const SHORT = 6;

/**
 * Groups tags into lessons. Each tag is compared only with the first of a lesson, so that a chain of small differences
 * does not join two lessons.
 */
export function lessonsOf(tags: ReadonlyMap<string, KeptTag>): Lesson[] {
  const inOrder = [...tags].toSorted(([a, one], [b, other]) => compare(one.at, other.at) || compare(a, b));
  const begun: { lesson: Lesson }[] = [];
  const known = new Gists<{ lesson: Lesson }>();
  for (const [key, tag] of inOrder) {
    const said = saidBy(tag.tag);
    if (!said) continue;
    const gist = gistOf(said.text);
    const source = { feature: tag.feature, role: tag.role, tasks: tag.tasks ?? [], at: tag.at, said: said.text };
    const same = known.find(gist, ({ lesson }) => lesson.type === said.type);
    if (same) {
      const { sources, keys } = same.lesson;
      same.lesson = { ...same.lesson, sources: [...sources, source], keys: [...keys, key] };
      continue;
    }
    const lesson = { ...said, id: key, category: categoryOf(said.text), phases: [], sources: [source], keys: [key] };
    const first = { lesson };
    begun.push(first);
    known.add(gist, first);
  }
  return withShortIds(begun.map(({ lesson }) => ({ ...lesson, phases: phasesOf(lesson) })));
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

function withShortIds(lessons: readonly Lesson[]): Lesson[] {
  const heads = Map.groupBy(lessons, ({ id }) => id.slice(0, SHORT));
  return lessons.map((lesson) => {
    const head = lesson.id.slice(0, SHORT);
    return { ...lesson, id: heads.get(head)?.length === 1 ? head : lesson.id };
  });
}

/** Patterns help designers and builders. Incidents help the phase that could have noticed them. */
function phasesOf({ type, sources }: Lesson): KnowledgePhase[] {
  const learned = new Set(sources.map(({ role }) => phaseOf(role)));
  if (type === "pattern") learned.add("design").add("impl");
  return KNOWLEDGE_PHASES.filter((phase) => learned.has(phase));
}

export const withTold = (known: readonly Source[], source: Source): readonly Source[] =>
  isTold(known, source) ? known : [...known, { ...source, said: safeLine(source.said) }];

export const isTold = (known: readonly Source[], { feature, role, said }: Source): boolean =>
  known.some((each) => each.feature === feature && each.role === role && each.said === safeLine(said));

export const featuresOf = (sources: readonly Pick<Source, "feature">[]): string[] =>
  [...new Set(sources.map(({ feature }) => feature).filter(isOfFeature))].toSorted();
