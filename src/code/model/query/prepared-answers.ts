import { formatCount } from "#kernel/model/text-format.ts";
import { countUtf8Bytes } from "./query-answer.ts";
import { formatOneLine, truncateSummary } from "../summary/summary-text.ts";
import type { AnswerTopic } from "./question-intent.ts";

export interface PreparedAnswer {
  readonly topic: AnswerTopic;
  /** Without a question mark. `name` is the name of an area. */
  readonly question: string;
  readonly name?: string;
  readonly answer: string;
  readonly sources: readonly string[];
  /** Hash of the sources. A different hash makes the answer stale. */
  readonly hash: string;
  readonly at: string;
}

export interface ComponentMention {
  readonly key: string;
  /** `src/auth.ts:10-42`. */
  readonly at: string;
  readonly name: string;
  readonly says: string;
}

export interface AreaFacts {
  readonly name: string;
  readonly places: readonly string[];
  readonly files: number;
  readonly components: number;
  readonly members: readonly ComponentMention[];
  readonly usedBy: readonly string[];
  readonly uses: readonly string[];
  readonly specs: readonly string[];
}

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
  const drafts = [
    draftMainComponents(facts),
    draftRecentChanges(facts),
    draftCheckCommands(facts),
    draftFeatureSteps(facts),
    draftSpecList(facts),
    draftUntestedList(facts),
    ...facts.areas.map(draftAreaAnswer),
  ].filter((draft) => draft !== undefined);
  return drafts.slice(0, MAX_PREPARED_ANSWERS).map(({ lead, parts, of, ...draft }) => {
    const hash = digest(JSON.stringify(of)).slice(0, 32);
    const same = before.find((each) => each.question === draft.question && each.hash === hash);
    return { ...draft, answer: joinFittingParts(lead, parts), hash, at: same?.at ?? now };
  });
}

interface AnswerDraft extends Omit<PreparedAnswer, "answer" | "hash" | "at"> {
  readonly lead: string;
  readonly parts: readonly string[];
  readonly of: unknown;
}

function draftMainComponents({ main, areas }: PreparedAnswerFacts): AnswerDraft | undefined {
  if (main.length === 0 && areas.length === 0) return undefined;
  const places = areas.slice(0, 10).map(({ name }) => name);
  return {
    topic: "components",
    question: "What are the main components",
    lead: places.length > 0 ? `Areas: ${places.join(", ")}. Most used:` : "Most used:",
    parts: main.map((each) => `${formatComponentMention(each)}${each.users > 1 ? ` [${each.users} users]` : ""}`),
    sources: main.map(({ key }) => key),
    of: { main, places },
  };
}

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

function draftRecentChanges({ commits }: PreparedAnswerFacts): AnswerDraft | undefined {
  if (commits.length === 0) return undefined;
  return {
    topic: "changes",
    question: "What changed recently",
    lead: "Newest first:",
    parts: commits.map(
      ({ hash, at, subject, change }) => `${hash.slice(0, 7)} ${at.slice(0, 10)} ${subject} (${change})`,
    ),
    sources: commits.map(({ hash }) => hash),
    of: commits.map(({ hash }) => hash),
  };
}

function draftCheckCommands({ checks }: PreparedAnswerFacts): AnswerDraft | undefined {
  if (checks.length === 0) return undefined;
  const isOne = new Set(checks.map(({ directory }) => directory)).size === 1 && checks[0]?.directory === ".";
  return {
    topic: "checks",
    question: "How do I run the checks",
    lead: "tenon gate runs them all; sdd_stack tells why these.",
    parts: checks.map(({ directory, kind, command }) => `${isOne ? "" : `in ${directory}, `}${kind}: ${command}`),
    sources: [...new Set(checks.map(({ directory }) => directory))],
    of: checks,
  };
}

function draftFeatureSteps({ featureStages: stages }: PreparedAnswerFacts): AnswerDraft {
  return {
    topic: "feature",
    question: "How do I add a feature",
    lead: 'tenon feature "<title>" --id <AUTH-001> (sdd_feature) begins one.',
    parts: [
      `Its stages: ${stages.join(", ")}; tenon workflow advance ends each once its gate passes`,
      "tag code and tests with @spec <id>",
      "a small change: tenon change start (sdd_change)",
    ],
    sources: ["workflow.feature"],
    of: stages,
  };
}

function draftSpecList({ specs }: PreparedAnswerFacts): AnswerDraft | undefined {
  if (specs.length === 0) return undefined;
  const folders = [...new Set(specs.map(({ path }) => path.replace(/[^/]*$/, "")))];
  return {
    topic: "specs",
    question: "Where are the specs",
    lead: `${formatCount(specs.length, "spec")} in ${folders.slice(0, 3).join(", ")}.`,
    parts: specs.map(
      ({ id, title, status }) =>
        `${id}${title === "" ? "" : ` ${truncateSummary(title, 60)}`}${status === "" ? "" : ` (${status})`}`,
    ),
    sources: specs.map(({ id }) => id),
    of: specs,
  };
}

function draftUntestedList({ specs, untested }: PreparedAnswerFacts): AnswerDraft | undefined {
  if (specs.length === 0) return undefined;
  return {
    topic: "untested",
    question: "Which requirements lack tests",
    lead: untested.length === 0 ? "None: a test names each of them." : `${untested.length} that no test names:`,
    parts: [...untested],
    sources: specs.map(({ id }) => id),
    of: untested,
  };
}

function joinFittingParts(lead: string, parts: readonly string[]): string {
  const lines = parts.map((part) => truncateSummary(part, 220));
  const say = (n: number): string => {
    const more = lines.length - n;
    return formatOneLine(`${lead} ${lines.slice(0, n).join("; ")}${more > 0 ? `; ${more} more` : ""}`.trim());
  };
  for (let n = lines.length; n > 0; n--) if (countUtf8Bytes(say(n)) <= MAX_PREPARED_BYTES) return say(n);
  return truncateSummary(formatOneLine(lead), 200);
}

export interface FileUsage {
  readonly path: string;
  readonly components: number;
  readonly importers: number;
}

/** A part of the project with its own name: folders of one name, or a file if there are few folders. */
export interface ProjectArea {
  readonly name: string;
  /** Folders or files, most important first: `src/auth`, `src/api/auth`; `src/auth.ts`. */
  readonly places: readonly string[];
  readonly files: readonly FileUsage[];
  readonly components: number;
}

/** With fewer folders, single files become areas too. */
const MIN_AREA_FOLDERS = 3;
const MIN_AREA_COMPONENTS = 2;
const MAX_AREA_NAME = 40;
const GENERIC_AREA_NAME =
  /^(?:src|lib|libs|source|app|apps|packages|pkg|internal|cmd|main|java|kotlin|python|com|org|core|common|shared|index|__init__|mod|\W*)$/;

export function groupProjectAreas(files: readonly FileUsage[], most: number): ProjectArea[] {
  const folders = Map.groupBy(files, ({ path }) => chooseAreaName(stripFileName(path)));
  folders.delete("");
  const groups = new Map(
    folders.size >= MIN_AREA_FOLDERS ? [] : Map.groupBy(files, ({ path }) => chooseAreaName(stripFileEnding(path))),
  );
  for (const [name, group] of folders) groups.set(name, group);
  return [...groups]
    .map(([name, group]): ProjectArea => {
      const ordered = group.toSorted((a, b) => weighFileUsage(b) - weighFileUsage(a) || (a.path < b.path ? -1 : 1));
      const components = sumAreaNumbers(group.map((file) => file.components));
      const places = ordered.map(({ path }) => (folders.has(name) ? stripFileName(path) : path));
      return { name, places: [...new Set(places)], files: ordered, components };
    })
    .filter(({ name, components }) => name !== "" && components >= MIN_AREA_COMPONENTS)
    .toSorted(
      (a, b) =>
        sumAreaNumbers(b.files.map(weighFileUsage)) - sumAreaNumbers(a.files.map(weighFileUsage)) ||
        (a.name < b.name ? -1 : 1),
    )
    .slice(0, most);
}

function chooseAreaName(stem: string): string {
  const name = stem.split("/").findLast((part) => !GENERIC_AREA_NAME.test(part)) ?? "";
  return name.length > MAX_AREA_NAME ? "" : name;
}

const stripFileName = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));
const stripFileEnding = (path: string): string => path.replace(/(?:\.[^./]*)+$/, "");
const weighFileUsage = ({ components, importers }: FileUsage): number => components + 3 * importers;
const sumAreaNumbers = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
