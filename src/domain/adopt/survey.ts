import { type RouteMount, mergeRouteFindings, applyRouteMounts } from "./code/mount.ts";
import { findKnownPackage } from "./declared/packages.ts";
import {
  type FindingConfidence,
  rateFindingConfidence,
  type CodeFinding,
  type CodeFindingKind,
  listFindingLinks,
} from "./finding.ts";
import type { FileReading } from "./recognise.ts";
import { detectFileLanguage } from "./select.ts";
import { createEntityKey } from "./words.ts";

export interface RatedFinding extends CodeFinding {
  readonly confidence: FindingConfidence;
}

interface SurveyFolder {
  readonly name: string;
  readonly files: number;
  readonly languages: readonly string[];
}

interface SkippedFiles {
  readonly why: string;
  readonly files: number;
  /** Path of the first one. */
  readonly path: string;
}

export interface RepositorySurvey {
  readonly paths: readonly string[];
  readonly read: number;
  readonly languages: readonly (readonly [language: string, files: number])[];
  readonly folders: readonly SurveyFolder[];
  readonly findings: readonly RatedFinding[];
  readonly skipped: readonly SkippedFiles[];
}

/** Part of a language or its standard library, so no manifest names it. */
const BUILT_IN_FRAMEWORKS = ["code", "environment", "net/http", "argparse"];

/** `around` holds manifests above the scanned folder. They only add dependencies. */
export function createRepositorySurvey(
  paths: readonly string[],
  readings: readonly FileReading[],
  skipped: readonly { readonly path: string; readonly why: string }[],
  around: readonly FileReading[] = [],
): RepositorySurvey {
  const found = readings.flatMap((reading) => reading.findings);
  const named = [...found, ...around.flatMap((reading) => reading.findings)];
  const frameworks = new Set([
    ...BUILT_IN_FRAMEWORKS,
    ...named.flatMap(({ kind, name }) =>
      kind === "dependency" ? (findKnownPackage(name)?.label.toLowerCase() ?? name.toLowerCase()) : [],
    ),
  ]);
  const routes = resolveSurveyRoutes(
    found,
    readings.flatMap((reading) => reading.mounts ?? []),
  );
  const gone = new Set(readings.flatMap((reading) => reading.dropped ?? []).map(createEntityKey));
  const rest = found.filter(({ kind }) => kind !== "route");
  const findings = [
    ...keepFirstFindings(mergeModelFindings(rest, gone), "variable", "dependency", "runtime", "symbol"),
    ...routes,
  ];
  return {
    paths,
    read: readings.length,
    languages: countNameFrequency(paths.flatMap((path) => detectFileLanguage(path) ?? [])),
    folders: summarizeFolders(paths),
    findings: findings.map((finding) => ({ ...finding, confidence: rateFindingConfidence(finding, frameworks) })),
    skipped: [...Map.groupBy(skipped, ({ why }) => why)].map(([why, all]) => ({
      why,
      files: all.length,
      path: all[0]?.path ?? "",
    })),
  };
}

export const selectFindings = (survey: RepositorySurvey, ...kinds: readonly CodeFindingKind[]): RatedFinding[] =>
  survey.findings.filter(({ kind }) => kinds.includes(kind));

function resolveSurveyRoutes(found: readonly CodeFinding[], mounts: readonly RouteMount[]): CodeFinding[] {
  return mergeRouteFindings(
    applyRouteMounts(
      found.filter(({ kind }) => kind === "route"),
      mounts,
    ),
  );
}

/** Keeps each entity once. A migration outranks a class; among equals the first finding wins. */
function mergeModelFindings(found: readonly CodeFinding[], gone: ReadonlySet<string>): CodeFinding[] {
  const entities = found.filter(({ kind }) => kind === "entity");
  const first = new Map<string, CodeFinding>();
  for (const entity of [...entities.filter(({ basis }) => basis === "declared"), ...entities]) {
    const key = createEntityKey(entity.name);
    if (!first.has(key)) first.set(key, entity);
  }
  const isKept = ({ name, of = name, by, kind }: CodeFinding): boolean => {
    const key = createEntityKey(of);
    const own = first.get(key);
    if (kind === "rule" && !own) return true;
    return (
      !gone.has(key) &&
      (own === undefined || own.by === by || (kind === "rule" && !entities.some((entity) => entity.by === by)))
    );
  };
  const model = new Set<CodeFindingKind>(["field", "relation", "rule"]);
  return found.flatMap((finding): CodeFinding[] => {
    if (finding.kind === "entity") {
      const key = createEntityKey(finding.name);
      const others = entities.filter((other) => other !== finding && createEntityKey(other.name) === key);
      if (first.get(key) !== finding || gone.has(key)) return [];
      return [others.length > 0 ? { ...finding, also: others.flatMap(listFindingLinks) } : finding];
    }
    return model.has(finding.kind) && !isKept(finding) ? [] : [finding];
  });
}

function keepFirstFindings(found: readonly CodeFinding[], ...kinds: readonly CodeFindingKind[]): CodeFinding[] {
  const seen = new Set<string>();
  return found.filter(({ kind, name, says, path }) => {
    if (!kinds.includes(kind)) return true;
    const key = kind === "symbol" ? `${kind} ${path} ${name}` : `${kind} ${name} ${kind === "runtime" ? says : ""}`;
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

function summarizeFolders(paths: readonly string[]): SurveyFolder[] {
  const folders = Map.groupBy(
    paths.filter((path) => path.includes("/")),
    (path) => path.slice(0, path.indexOf("/")),
  );
  return [...folders].map(([name, own]) => ({
    name,
    files: own.length,
    languages: countNameFrequency(own.flatMap((path) => detectFileLanguage(path) ?? [])).map(([language]) => language),
  }));
}

/** Counts each name, the most frequent first. */
function countNameFrequency(names: readonly string[]): [string, number][] {
  return [...Map.groupBy(names, (name) => name)]
    .map(([name, all]): [string, number] => [name, all.length])
    .toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
}
