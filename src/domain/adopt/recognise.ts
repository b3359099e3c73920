import { isTestPath } from "../scan/test-path.ts";
import { modelsGo, modelsJava, modelsRust } from "./code/models-other.ts";
import { modelsJs } from "./code/models-js.ts";
import { modelsPython } from "./code/models-python.ts";
import type { Mount } from "./code/mount.ts";
import { plainly } from "./code/plain.ts";
import { mountsJs } from "./code/routes-js.ts";
import { mountsPython } from "./code/routes-python.ts";
import { testsIn } from "./code/tests.ts";
import { jsonManifest } from "./declared/json-manifest.ts";
import { isOpenApi, openapi } from "./declared/openapi.ts";
import { otherManifest } from "./declared/other-manifests.ts";
import { prisma } from "./declared/prisma.ts";
import { dropped, sql } from "./declared/sql.ts";
import { tomlManifest } from "./declared/toml-manifest.ts";
import { papers, tools } from "./declared/tools.ts";
import type { Finding } from "./finding.ts";
import { routesOn } from "./routes.ts";
import { nameOf } from "./select.ts";
import { Sheet, withoutComments } from "./sheet.ts";

export interface Reading {
  readonly findings: readonly Finding[];
  readonly mounts?: readonly Mount[];
  readonly dropped?: readonly string[];
  readonly problem?: string;
}

type Recogniser = (sheet: Sheet) => Reading;
const only =
  (...recognisers: readonly ((sheet: Sheet) => Finding[])[]): Recogniser =>
  (sheet) => ({ findings: recognisers.flatMap((recogniser) => recogniser(sheet)) });

type Row = readonly [name: RegExp, recogniser: Recogniser];

const MANIFESTS: readonly Row[] = [
  [
    /^(?:package|composer|deno)\.jsonc?$/,
    (sheet) => {
      const findings = jsonManifest(sheet);
      return findings ? { findings } : { findings: [], problem: "not JSON" };
    },
  ],
  [/^(?:pyproject|Cargo)\.toml$/, only(tomlManifest)],
  [
    /^(?:go\.mod|requirements[\w.-]*\.txt|setup\.cfg|Gemfile|pom\.xml|mix\.exs)$|\.gradle(?:\.kts)?$|\.csproj$/,
    only((sheet) => otherManifest(sheet) ?? []),
  ],
];

const BY_NAME: readonly Row[] = [
  ...MANIFESTS,
  [/\.sql$/, (sheet) => ({ findings: sql(sheet), dropped: dropped(sheet) })],
  [/\.prisma$/, only(prisma)],
];

const BY_LANGUAGE: readonly (readonly [ending: RegExp, recogniser: Recogniser])[] = [
  [/\.[cm]?[jt]sx?$/, (sheet) => ({ ...only(routesOn, modelsJs)(sheet), mounts: mountsJs(sheet) })],
  [/\.py$/, (sheet) => ({ ...only(routesOn, modelsPython)(sheet), mounts: mountsPython(sheet) })],
  [/\.go$/, only(routesOn, modelsGo)],
  [/\.rs$/, only(routesOn, modelsRust)],
  [/\.(?:java|kt)$/, only(routesOn, modelsJava)],
  [/\.(?:rb|php|exs?|cs)$/, only(routesOn)],
];

export const isManifest = (path: string): boolean => MANIFESTS.some(([name]) => name.test(nameOf(path)));

/** Finds everything in a file by patterns alone: it runs no code and parses no full grammar. */
export function recognise(path: string, text: string): Reading {
  const lines = text.replaceAll("\r\n", "\n");
  // A manifest may be one long line, but a parser reads it, not a pattern.
  const sheet = new Sheet(path, path.endsWith(".json") ? lines : withoutComments(path, lines));
  const named = BY_NAME.find(([name]) => name.test(nameOf(path)))?.[1];
  if (named) return named(sheet);
  const spoken = isTestPath(path) ? undefined : BY_LANGUAGE.find(([ending]) => ending.test(path))?.[1](sheet);
  const others = only(tools, papers, testsIn, plainly)(sheet).findings;
  const described = isOpenApi(path) ? openapi(sheet) : [];
  return { ...spoken, findings: [...described, ...(spoken?.findings ?? []), ...others] };
}
