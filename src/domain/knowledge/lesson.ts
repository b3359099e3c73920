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

/** Who learned it, and in which words. */
export interface Source {
  readonly feature: string;
  readonly role: string;
  readonly tasks: readonly string[];
  readonly at: string;
  readonly said: string;
}

/** What tags that say the same come to. */
export interface Lesson {
  /** Stays while the lesson waits, whatever comes or goes beside it. */
  readonly id: string;
  readonly type: KnowledgeType;
  readonly category: Category;
  /** In the words of who said it first. */
  readonly text: string;
  readonly phases: readonly KnowledgePhase[];
  readonly sources: readonly Source[];
  /** The names under which its tags are kept. */
  readonly keys: readonly string[];
}

const SHORT = 6;

/**
 * Tags by the names they are kept under, as lessons: what is said twice, by whomever, is one. Each tag is compared with
 * the first of a lesson alone, so that a chain of small differences does not make one lesson of two.
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

/** What works well is of use to who designs and to who builds; what went wrong, to who could have seen it. */
function phasesOf({ type, sources }: Lesson): KnowledgePhase[] {
  const learned = new Set(sources.map(({ role }) => phaseOf(role)));
  if (type === "pattern") learned.add("design").add("impl");
  return KNOWLEDGE_PHASES.filter((phase) => learned.has(phase));
}

/** With one more who learned it; the same words of the same agent are told once. */
export const withTold = (known: readonly Source[], source: Source): readonly Source[] =>
  isTold(known, source) ? known : [...known, { ...source, said: safeLine(source.said) }];

/** Whether a file says so already. It has the words as they can stand in one. */
export const isTold = (known: readonly Source[], { feature, role, said }: Source): boolean =>
  known.some((each) => each.feature === feature && each.role === role && each.said === safeLine(said));

/** The features that learned it, each once. */
export const featuresOf = (sources: readonly Pick<Source, "feature">[]): string[] =>
  [...new Set(sources.map(({ feature }) => feature).filter(isOfFeature))].toSorted();
