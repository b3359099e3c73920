import { formatCount, joinWithAnd } from "#kernel/model/text-format.ts";
import { findKnownPackage } from "#code/model/survey/known-packages.ts";
import { citeFileText, citeAsCode } from "#code/model/survey/code-finding.ts";
import { type RatedFinding, selectFindings, type RepositorySurvey } from "#code/model/survey/repository-survey.ts";
import { splitEntityName } from "#code/model/survey/entity-names.ts";
import {
  formatDraftDocument,
  formatEvidence,
  formatDraftSection,
  type DraftedRequirement,
  listGuardPackages,
  formatPackageLabel,
  joinFirstNames,
  listFindingLines,
} from "./requirements-draft.ts";
import { classifyFileRole } from "#code/model/survey/file-roles.ts";
import { isTestPath } from "#code/model/scan/test-files.ts";
import { getTestSubject } from "#code/model/survey/code-patterns.ts";
import { getParentFolder, detectFileLanguage } from "#code/model/survey/file-selection.ts";

const MAX_COMPONENT_NAMES = 8;

export function renderDesignDraft(
  survey: RepositorySurvey,
  requirements: readonly DraftedRequirement[],
  name: string,
  header: string,
): string {
  const parts = groupFolderComponents(survey, requirements);
  const components = parts.length === 0 ? [] : [parts.map(formatDraftComponent).join("\n\n")];
  const contracts = listFindingLines(survey, "route", (route) => {
    const id = requirements.find(({ findings }) => findings.some((found) => found === route))?.id;
    const handler = route.says === undefined ? "" : `, handled by ${citeAsCode(route.says)}`;
    return `${citeAsCode(route.name)}${handler}${id === undefined ? "" : ` (${id})`}.`;
  });
  return formatDraftDocument("Design", header, [
    `## Architecture overview\n\n${formatArchitectureOverview(survey, name).join("\n")}`,
    formatDraftSection("## Tech stack", listTechStack(survey)),
    formatDraftSection("## Components", components),
    formatDraftSection("## Data model", listDataModel(survey)),
    formatDraftSection("## API contracts", contracts),
    formatDraftSection("## Infrastructure", listInfrastructure(survey)),
    formatDraftSection("## Security", listSecurityFacts(survey)),
    `## Quality analysis\n\n${listQualityFacts(survey, parts).join("\n")}`,
  ]);
}

function formatArchitectureOverview(survey: RepositorySurvey, project: string): string[] {
  const [main] = survey.languages;
  const what = main
    ? ` is written mostly in ${main[0]} (${main[1]} of ${formatCount(survey.paths.length, "file")})`
    : ` has ${formatCount(survey.paths.length, "file")}`;
  const entries = listFindingLines(survey, "entry", ({ name, says }) => {
    const more = says === undefined ? "" : `: ${citeFileText(says)}`;
    return `${citeAsCode(name)} is an entry point${more}.`;
  });
  const decisions = listFindingLines(survey, "decision", ({ name }) => `Decided earlier: "${citeFileText(name)}"`);
  return [
    `${citeFileText(project)}${what}.`,
    "",
    ...listFindingLines(survey, "purpose", ({ name }) => `Its manifest says: "${citeFileText(name)}"`),
    ...listServingFrameworks(survey),
    ...limitOverviewLines(entries, "entry points"),
    ...survey.folders.map((folder) => {
      const languages = folder.languages.length > 0 ? `, in ${joinWithAnd(folder.languages.slice(0, 3))}` : "";
      return `- ${citeAsCode(`${folder.name}/`)} holds ${formatCount(folder.files, "file")}${languages}.`;
    }),
    ...limitOverviewLines(decisions, "decisions"),
    ...listFindingLines(survey, "convention", ({ name }) => `Conventions are kept in ${citeAsCode(name)}.`),
  ];
}

const MAX_OVERVIEW_LINES = 20;

const limitOverviewLines = (lines: string[], what: string): string[] =>
  lines.length <= MAX_OVERVIEW_LINES
    ? lines
    : [...lines.slice(0, MAX_OVERVIEW_LINES), `- ${lines.length - MAX_OVERVIEW_LINES} more ${what}.`];

function listServingFrameworks(survey: RepositorySurvey): string[] {
  const packages = selectFindings(survey, "dependency");
  const routes = selectFindings(survey, "route").filter(({ by }) => by !== "openapi");
  return [...Map.groupBy(routes, ({ by }) => by)].map(([by, [first]]) => {
    const found = packages.find(({ name }) => findKnownPackage(name)?.label.toLowerCase() === by);
    if (found) return `- Requests are served with ${findKnownPackage(found.name)?.label}.${formatEvidence(found)}`;
    return first ? `- Requests such as ${citeAsCode(first.name)} are served with ${by}.${formatEvidence(first)}` : "";
  });
}

const listTechStack = (survey: RepositorySurvey): string[] => [
  ...survey.languages.map(([language, files]) => `- ${language}: ${formatCount(files, "file")}.`),
  ...listFindingLines(survey, "runtime", ({ name, says = "" }) => `${citeFileText(name)} ${citeAsCode(says)}.`),
  ...selectFindings(survey, "dependency").flatMap((found) => {
    const known = findKnownPackage(found.name);
    return known ? [`- ${formatPackageLabel(found, known.label)}: ${known.role}.${formatEvidence(found)}`] : [];
  }),
  ...selectFindings(survey, "tool")
    .filter(({ by }) => /^(?:types|lint|format|build)$/.test(by))
    .map(
      (found) => `- ${citeFileText(found.name)}: ${found.by}, by ${citeAsCode(found.path)}.${formatEvidence(found)}`,
    ),
];

function formatDraftComponent({ name, files, findings, carries, tests }: FolderComponent): string {
  const shown = (kind: string, label: string): string[] => {
    const own = findings.filter((found) => found.kind === kind);
    if (own.length === 0) return [];
    const names = own.map((found) => citeAsCode(found.name));
    const evidence = formatEvidence(...own.slice(0, MAX_COMPONENT_NAMES));
    return [`- ${label}: ${joinFirstNames(names, MAX_COMPONENT_NAMES)}.${evidence}`];
  };
  return [
    `### ${citeFileText(name.replace(/[*`:(–—]/g, " "), 100)}`,
    "",
    `- ${formatCount(files, "source file")}; ${formatCount(tests, "test")} named for it.`,
    ...shown("entry", "Entry points"),
    ...shown("command", "Commands"),
    ...shown("route", "Routes"),
    ...shown("entity", "Keeps"),
    ...shown("symbol", "Exports"),
    carries.length > 0 ? `- Carries: ${carries.join(", ")}.` : "- No known requirement.",
  ].join("\n");
}

function listDataModel(survey: RepositorySurvey): string[] {
  const fields = selectFindings(survey, "field");
  return selectFindings(survey, "entity").flatMap((entity) => {
    const own = fields.filter(({ of }) => of === entity.name);
    const [name, words] = [entity.name.replace(/[*`]/g, ""), splitEntityName(entity.name)].map((text) =>
      citeFileText(text),
    );
    return [
      `- **${name}** (${words}).${formatEvidence(entity)}`,
      ...own.map((field) => {
        const type = field.says === undefined ? "" : `: ${citeAsCode(field.says)}`;
        return `  - ${citeAsCode(field.name)}${type}${formatEvidence(field)}`;
      }),
    ];
  });
}

const DEPLOYMENT_LABELS: Readonly<Record<string, string>> = {
  "container image": "Container built on",
  port: "Port that the container opens:",
  "compose service": "Service of the compose file:",
  ci: "Pipeline:",
  "ci step": "Step of the pipeline:",
  deployment: "Deployment:",
};

const listInfrastructure = (survey: RepositorySurvey): string[] => [
  ...selectFindings(survey, "tool").flatMap((found) => {
    const label = DEPLOYMENT_LABELS[found.by];
    const image = found.says === undefined ? "" : ` from ${citeAsCode(found.says)}`;
    const place = /^(?:ci|deployment)$/.test(found.by) ? ` in ${citeAsCode(found.path)}` : "";
    return label === undefined ? [] : [`- ${label} ${citeAsCode(found.name)}${image}${place}.${formatEvidence(found)}`];
  }),
  ...listFindingLines(survey, "variable", ({ name }) => `Variable that the code reads: ${citeAsCode(name)}.`),
];

const SECRET_VARIABLE = /(?:SECRET|TOKEN|PASSWORD|PASSWD|API_?KEY|PRIVATE|CREDENTIAL)/;

const listSecurityFacts = (survey: RepositorySurvey): string[] => [
  ...listGuardPackages(survey).map(
    ({ does, package: found }) => `- ${citeAsCode(found.name)} is used to ${does}.${formatEvidence(found)}`,
  ),
  ...selectFindings(survey, "variable")
    .filter(({ name }) => SECRET_VARIABLE.test(name))
    .map(
      (found) =>
        `- ${citeAsCode(found.name)} looks like a secret that comes from the environment.${formatEvidence(found)}`,
    ),
];

const TESTABLE_KINDS = new Set(["route", "command", "entry"]);

function listQualityFacts(survey: RepositorySurvey, parts: readonly FolderComponent[]): string[] {
  const tests = selectFindings(survey, "test");
  const runners = [...Map.groupBy(tests, ({ by }) => by)];
  const bare = parts.filter(
    ({ tests: n, files, findings }) => n === 0 && files > 0 && findings.some(({ kind }) => TESTABLE_KINDS.has(kind)),
  );
  const checks = selectFindings(survey, "tool").filter(({ by }) => by === "lint" || by === "types");
  return [
    ...(runners.length > 0
      ? runners.map(([by, own]) => {
          const files = formatCount(new Set(own.map(({ path }) => path)).size, "file");
          const first = `the first "${citeFileText(own[0]?.name ?? "")}".${formatEvidence(...own.slice(0, 1))}`;
          return `- ${formatCount(own.length, "test")} in ${files} (${citeFileText(by)}), ${first}`;
        })
      : [`- No test was recognized in ${formatCount(survey.tests.size, "test file")}.`]),
    ...bare.map(({ name }) => `- No test is named for ${citeAsCode(name)}.`),
    ...checks.map((found) => {
      const what = found.by === "lint" ? "style" : "types";
      return `- ${citeFileText(found.name)} checks ${what}, by ${citeAsCode(found.path)}.${formatEvidence(found)}`;
    }),
  ];
}

type FolderComponent = ReturnType<typeof groupFolderComponents>[number];

/** More would be a list of folders, not a design. */
const MAX_COMPONENTS = 20;
export const ROOT_COMPONENT = "Repository root";
/** Pipelines, scripts and settings. */
export const DELIVERY_COMPONENT = "Build and delivery";
const COMPONENT_FINDING_KINDS = new Set(["route", "command", "entity", "entry", "symbol"]);

/** The code's folders as components. Folders that are too deep join a parent. */
function groupFolderComponents(survey: RepositorySurvey, requirements: readonly DraftedRequirement[]) {
  const sources = survey.paths.filter(
    (path) => detectFileLanguage(path) !== undefined && classifyFileRole(path) === "product",
  );
  const subjects = new Map(sources.toReversed().map((path) => [getTestSubject(path).toLowerCase(), path]));
  const placeOf = (path: string): string =>
    isTestPath(path) ? (subjects.get(getTestSubject(path).toLowerCase()) ?? path) : path;
  const telling = survey.findings.filter(({ kind }) => COMPONENT_FINDING_KINDS.has(kind));
  const carried = requirements.map(({ id, findings }) => ({
    id,
    places: new Set(findings.map(({ path }) => placeOf(path))),
    also: new Set(findings.flatMap((found) => found.also ?? []).map(({ path }) => placeOf(path))),
  }));
  const places = [...telling.map(({ path }) => path), ...carried.flatMap((requirement) => [...requirement.places])];
  const isProduct = (path: string): boolean =>
    classifyFileRole(path) === "product" && detectFileLanguage(path) !== undefined;
  const depth = chooseFolderDepth(places.filter(isProduct));
  const folders = sources.map((path) => truncateFolder(getParentFolder(path), depth));
  const home = folders.includes(ROOT_COMPONENT) ? ROOT_COMPONENT : findHomeComponent(telling, folders, depth);
  const nameOf = (path: string): string => {
    const name = truncateFolder(getParentFolder(path), depth);
    return !isProduct(path) ? DELIVERY_COMPONENT : name === ROOT_COMPONENT ? home : name;
  };
  const tests = selectFindings(survey, "test").map(({ path }) => nameOf(placeOf(path)));
  const listCarried = (name: string, by: "places" | "also"): string[] =>
    carried.filter((each) => [...each[by]].some((path) => nameOf(path) === name)).map(({ id }) => id);
  const all = [...new Set(places.map(nameOf))].toSorted().map((name) => ({
    name,
    files: sources.filter((path) => nameOf(path) === name).length,
    findings: telling.filter(({ path }) => nameOf(path) === name),
    carries: listCarried(name, "places").length > 0 ? listCarried(name, "places") : listCarried(name, "also"),
    tests: tests.filter((each) => each === name).length,
  }));
  const carrying = all.filter(({ carries }) => carries.length > 0);
  return carrying.length > 0 ? carrying : all;
}

/** Manifests are not a component. Their findings belong to the folder of the entry point, or to the largest folder. */
function findHomeComponent(telling: readonly RatedFinding[], folders: readonly string[], depth: number): string {
  const sizes = new Map([...Map.groupBy(folders, (folder) => folder)].map(([name, own]) => [name, own.length]));
  const beginnings = telling.flatMap(({ kind, path }) =>
    kind === "entry" ? [truncateFolder(getParentFolder(path), depth)] : [],
  );
  const known = telling.map(({ path }) => truncateFolder(getParentFolder(path), depth));
  for (const names of [beginnings, known]) {
    const [best] = [...new Set(names)]
      .filter((name) => sizes.has(name))
      .toSorted((one, other) => (sizes.get(other) ?? 0) - (sizes.get(one) ?? 0) || (one < other ? -1 : 1));
    if (best !== undefined) return best;
  }
  return ROOT_COMPONENT;
}

function chooseFolderDepth(places: readonly string[]): number {
  const folders = new Set(places.map(getParentFolder));
  for (let depth = 12; depth > 1; depth--) {
    if (new Set([...folders].map((folder) => truncateFolder(folder, depth))).size <= MAX_COMPONENTS) return depth;
  }
  return 1;
}

const truncateFolder = (folder: string, depth: number): string =>
  folder === "" ? ROOT_COMPONENT : folder.split("/").slice(0, depth).join("/");
