import { formatCount } from "#kernel/model/text-format.ts";
import { countUtf8Bytes } from "./query-answer.ts";
import { formatOneLine, truncateSummary } from "../summary/summary-text.ts";
import type { AnswerTopic } from "./question-intent.ts";

/** Without a question mark; `name` is that of an area. A different hash of the sources makes it stale. */
export type PreparedAnswer = Readonly<Record<"question" | "answer" | "hash" | "at", string>> &
  Readonly<{ topic: AnswerTopic; name?: string; sources: readonly string[] }>;

/** Located as `src/auth.ts:10-42`. */
type ComponentMention = Readonly<Record<"key" | "at" | "name" | "says", string>>;

export type AreaFacts = Pick<ProjectArea, "name" | "places" | "components"> &
  Readonly<
    { files: number; members: readonly ComponentMention[] } & Record<"usedBy" | "uses" | "specs", readonly string[]>
  >;

export interface PreparedAnswerFacts {
  readonly main: readonly (ComponentMention & { readonly users: number })[];
  readonly areas: readonly AreaFacts[];
  readonly commits: readonly Readonly<Record<"hash" | "at" | "subject" | "change", string>>[];
  readonly checks: readonly Readonly<Record<"directory" | "kind" | "command", string>>[];
  readonly specs: readonly Readonly<Record<"id" | "title" | "path" | "status", string>>[];
  /** Criteria and requirements that no test names. */
  readonly untested: readonly string[];
  readonly featureStages: readonly string[];
}

export const MAX_PREPARED_ANSWERS = 20;
/** Leaves room for the text around the answer. */
const MAX_PREPARED_BYTES = 800;

export function prepareAnswers(
  facts: PreparedAnswerFacts,
  before: readonly PreparedAnswer[],
  now: string,
  digest: (text: string) => string,
): PreparedAnswer[] {
  const drafts = [...draftAnswers(facts), ...facts.areas.map(draftAreaAnswer)];
  return drafts.slice(0, MAX_PREPARED_ANSWERS).map(({ lead, parts, of, ...draft }) => {
    const hash = digest(JSON.stringify(of)).slice(0, 32);
    const same = before.find((each) => each.question === draft.question && each.hash === hash);
    return { ...draft, answer: joinFittingParts(lead, parts), hash, at: same?.at ?? now };
  });
}

function draftAnswers(facts: PreparedAnswerFacts): AnswerDraft[] {
  const { main, areas, commits, checks, featureStages: stages, specs, untested } = facts;
  const places = areas.slice(0, 10).map(({ name }) => name);
  const folders = [...new Set(checks.map(({ directory }) => directory))];
  const specFolders = [...new Set(specs.map(({ path }) => path.replace(/[^/]*$/, "")))];
  const specIds = specs.map(({ id }) => id);
  const drafts: (AnswerDraft | false)[] = [
    main.length + areas.length > 0 && {
      topic: "components",
      question: "What are the main components",
      lead: places.length > 0 ? `Areas: ${places.join(", ")}. Most used:` : "Most used:",
      parts: main.map((each) => `${formatComponentMention(each)}${each.users > 1 ? ` [${each.users} users]` : ""}`),
      sources: main.map(({ key }) => key),
      of: { main, places },
    },
    commits.length > 0 && {
      topic: "changes",
      question: "What changed recently",
      lead: "Newest first:",
      parts: commits.map((each) => `${each.hash.slice(0, 7)} ${each.at.slice(0, 10)} ${each.subject} (${each.change})`),
      sources: commits.map(({ hash }) => hash),
      of: commits.map(({ hash }) => hash),
    },
    checks.length > 0 && {
      topic: "checks",
      question: "How do I run the checks",
      lead: "sdd_gate runs them all; sdd_stack explains the choice.",
      parts: checks.map(({ directory, kind, command }) => {
        const where = folders.length === 1 && directory === "." ? "" : `in ${directory}, `;
        return `${where}${kind}: ${command}`;
      }),
      sources: folders,
      of: checks,
    },
    {
      topic: "feature",
      question: "How do I add a feature",
      lead: "Start one with sdd_feature and a description.",
      parts: [
        `Its stages are ${stages.join(", ")}; sdd_workflow_advance ends each once its gate passes`,
        "tag code and tests with @spec <id>",
        "for a small change, use sdd_change",
      ],
      sources: ["workflow.feature"],
      of: stages,
    },
    specs.length > 0 && {
      topic: "specs",
      question: "Where are the specs",
      lead: `${formatCount(specs.length, "spec")} in ${specFolders.slice(0, 3).join(", ")}.`,
      parts: specs.map(({ id, title, status }) => {
        const name = title === "" ? "" : ` ${truncateSummary(title, 60)}`;
        return `${id}${name}${status === "" ? "" : ` (${status})`}`;
      }),
      sources: specIds,
      of: specs,
    },
    specs.length > 0 && {
      topic: "untested",
      question: "Which requirements lack tests",
      lead: untested.length === 0 ? "None: a test names each of them." : `${untested.length} that no test names:`,
      parts: [...untested],
      sources: specIds,
      of: untested,
    },
  ];
  return drafts.filter((draft) => draft !== false);
}

type AnswerDraft = Omit<PreparedAnswer, "answer" | "hash" | "at"> &
  Readonly<{ lead: string; parts: readonly string[]; of: unknown }>;

function draftAreaAnswer(area: AreaFacts): AnswerDraft {
  const { name, places, files, components, members, usedBy, uses, specs } = area;
  const around = Object.entries({ "used by": usedBy, uses, specs }).flatMap(([what, names]) =>
    names.length > 0 ? [`${what} ${names.join(", ")}`] : [],
  );
  const size = [...(files > 1 ? [formatCount(files, "file")] : []), formatCount(components, "component")].join(", ");
  return {
    topic: "area",
    name,
    question: `How does ${name} work`,
    lead: `${places.slice(0, 4).join(", ")} (${size}${around.length > 0 ? `; ${around.join("; ")}` : ""}).`,
    parts: members.map(formatComponentMention),
    sources: [...places, ...members.map(({ key }) => key), ...specs],
    of: area,
  };
}

const formatComponentMention = ({ at, name, says }: ComponentMention): string =>
  `${name} (${at})${says === "" ? "" : `: ${says}`}`;

function joinFittingParts(lead: string, parts: readonly string[]): string {
  const lines = parts.map((part) => truncateSummary(part, 220));
  const say = (n: number): string => {
    const more = lines.length - n;
    return formatOneLine(`${lead} ${lines.slice(0, n).join("; ")}${more > 0 ? `; ${more} more` : ""}`.trim());
  };
  for (let n = lines.length; n > 0; n--) if (countUtf8Bytes(say(n)) <= MAX_PREPARED_BYTES) return say(n);
  return truncateSummary(formatOneLine(lead), 200);
}

export type FileUsage = Readonly<{ path: string; components: number; importers: number }>;

/** Folders of one name, or a file if there are few folders: `src/auth`, `src/api/auth`; `src/auth.ts`. */
export type ProjectArea = Readonly<{
  name: string;
  places: readonly string[];
  files: readonly FileUsage[];
  components: number;
}>;

/** With fewer folders, single files become areas too. */
const MIN_AREA_FOLDERS = 3;
const MIN_AREA_COMPONENTS = 2;
const MAX_AREA_NAME = 40;
const GENERIC_AREA_NAME =
  /^(?:src|lib|libs|source|app|apps|packages|pkg|internal|cmd|main|java|kotlin|python|com|org|core|common|shared|index|__init__|mod|\W*)$/;

export function groupProjectAreas(files: readonly FileUsage[], most: number): ProjectArea[] {
  const folders = Map.groupBy(files, ({ path }) => chooseAreaName(stripFileName(path)));
  folders.delete("");
  const stems = Map.groupBy(files, ({ path }) => chooseAreaName(path.replace(/(?:\.[^./]*)+$/, "")));
  const groups = new Map([...(folders.size >= MIN_AREA_FOLDERS ? [] : stems), ...folders]);
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
  return [...groups]
    .map(([name, group]) => {
      const ordered = group.toSorted((a, b) => weighFileUsage(b) - weighFileUsage(a) || (a.path < b.path ? -1 : 1));
      const components = sum(group.map((file) => file.components));
      const places = ordered.map(({ path }) => (folders.has(name) ? stripFileName(path) : path));
      const weight = sum(group.map(weighFileUsage));
      return { area: { name, places: [...new Set(places)], files: ordered, components }, weight };
    })
    .filter(({ area }) => area.name !== "" && area.components >= MIN_AREA_COMPONENTS)
    .toSorted((a, b) => b.weight - a.weight || (a.area.name < b.area.name ? -1 : 1))
    .slice(0, most)
    .map(({ area }) => area);
}

function chooseAreaName(stem: string): string {
  const name = stem.split("/").findLast((part) => !GENERIC_AREA_NAME.test(part)) ?? "";
  return name.length > MAX_AREA_NAME ? "" : name;
}

const stripFileName = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

const weighFileUsage = ({ components, importers }: FileUsage): number => components + 3 * importers;
