import { type Mount, mergedRoutes, mounted } from "./code/mount.ts";
import { knownPackage } from "./declared/packages.ts";
import { type Confidence, confidenceOf, type Finding, type Kind, linksOf } from "./finding.ts";
import type { Reading } from "./recognise.ts";
import { languageOf } from "./select.ts";
import { sameThing } from "./words.ts";

export interface Known extends Finding {
  readonly confidence: Confidence;
}

interface Folder {
  readonly name: string;
  readonly files: number;
  readonly languages: readonly string[];
}

interface Skipped {
  readonly why: string;
  readonly files: number;
  /** Path of the first one. */
  readonly path: string;
}

export interface Survey {
  readonly paths: readonly string[];
  readonly read: number;
  readonly languages: readonly (readonly [language: string, files: number])[];
  readonly folders: readonly Folder[];
  readonly findings: readonly Known[];
  readonly skipped: readonly Skipped[];
}

/** Part of a language or its standard library, so no manifest names it. */
const ALWAYS = ["code", "environment", "net/http", "argparse"];

/** `around` holds manifests above the scanned folder. They only add dependencies. */
export function surveyOf(
  paths: readonly string[],
  readings: readonly Reading[],
  skipped: readonly { readonly path: string; readonly why: string }[],
  around: readonly Reading[] = [],
): Survey {
  const found = readings.flatMap((reading) => reading.findings);
  const named = [...found, ...around.flatMap((reading) => reading.findings)];
  const frameworks = new Set([
    ...ALWAYS,
    ...named.flatMap(({ kind, name }) =>
      kind === "dependency" ? (knownPackage(name)?.label.toLowerCase() ?? name.toLowerCase()) : [],
    ),
  ]);
  const routes = mountedRoutes(
    found,
    readings.flatMap((reading) => reading.mounts ?? []),
  );
  const gone = new Set(readings.flatMap((reading) => reading.dropped ?? []).map(sameThing));
  const rest = found.filter(({ kind }) => kind !== "route");
  const findings = [...oneEach(mergedModel(rest, gone), "variable", "dependency", "runtime", "symbol"), ...routes];
  return {
    paths,
    read: readings.length,
    languages: tally(paths.flatMap((path) => languageOf(path) ?? [])),
    folders: foldersOf(paths),
    findings: findings.map((finding) => ({ ...finding, confidence: confidenceOf(finding, frameworks) })),
    skipped: [...Map.groupBy(skipped, ({ why }) => why)].map(([why, all]) => ({
      why,
      files: all.length,
      path: all[0]?.path ?? "",
    })),
  };
}

export const ofKind = (survey: Survey, ...kinds: readonly Kind[]): Known[] =>
  survey.findings.filter(({ kind }) => kinds.includes(kind));

function mountedRoutes(found: readonly Finding[], mounts: readonly Mount[]): Finding[] {
  return mergedRoutes(
    mounted(
      found.filter(({ kind }) => kind === "route"),
      mounts,
    ),
  );
}

/** Keeps each entity once. A migration outranks a class; among equals the first finding wins. */
function mergedModel(found: readonly Finding[], gone: ReadonlySet<string>): Finding[] {
  const entities = found.filter(({ kind }) => kind === "entity");
  const first = new Map<string, Finding>();
  for (const entity of [...entities.filter(({ basis }) => basis === "declared"), ...entities]) {
    const key = sameThing(entity.name);
    if (!first.has(key)) first.set(key, entity);
  }
  const isKept = ({ name, of = name, by, kind }: Finding): boolean => {
    const key = sameThing(of);
    const own = first.get(key);
    if (kind === "rule" && !own) return true;
    return (
      !gone.has(key) &&
      (own === undefined || own.by === by || (kind === "rule" && !entities.some((entity) => entity.by === by)))
    );
  };
  const model = new Set<Kind>(["field", "relation", "rule"]);
  return found.flatMap((finding): Finding[] => {
    if (finding.kind === "entity") {
      const key = sameThing(finding.name);
      const others = entities.filter((other) => other !== finding && sameThing(other.name) === key);
      if (first.get(key) !== finding || gone.has(key)) return [];
      return [others.length > 0 ? { ...finding, also: others.flatMap(linksOf) } : finding];
    }
    return model.has(finding.kind) && !isKept(finding) ? [] : [finding];
  });
}

function oneEach(found: readonly Finding[], ...kinds: readonly Kind[]): Finding[] {
  const seen = new Set<string>();
  return found.filter(({ kind, name, says, path }) => {
    if (!kinds.includes(kind)) return true;
    const key = kind === "symbol" ? `${kind} ${path} ${name}` : `${kind} ${name} ${kind === "runtime" ? says : ""}`;
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

function foldersOf(paths: readonly string[]): Folder[] {
  const folders = Map.groupBy(
    paths.filter((path) => path.includes("/")),
    (path) => path.slice(0, path.indexOf("/")),
  );
  return [...folders].map(([name, own]) => ({
    name,
    files: own.length,
    languages: tally(own.flatMap((path) => languageOf(path) ?? [])).map(([language]) => language),
  }));
}

/** Counts each name, the most frequent first. */
function tally(names: readonly string[]): [string, number][] {
  return [...Map.groupBy(names, (name) => name)]
    .map(([name, all]): [string, number] => [name, all.length])
    .toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
}
