import { formatCount } from "../../count.ts";
import { findKnownPackage } from "../declared/packages.ts";
import { citeFileText, citeAsCode } from "../finding.ts";
import { type RatedFinding, selectFindings, type RepositorySurvey } from "../survey.ts";
import { splitEntityName, joinWithAnd } from "../words.ts";
import { type FolderComponent, groupFolderComponents } from "./components.ts";
import { formatDraftDocument, formatEvidence, formatDraftSection } from "./line.ts";
import { type DraftedRequirement, listGuardPackages, formatPackageLabel } from "./requirements.ts";

const MAX_COMPONENT_NAMES = 8;

/** Renders the design from the code. `requirements` are those of the requirements document. */
export function renderDesignDraft(
  survey: RepositorySurvey,
  requirements: readonly DraftedRequirement[],
  name: string,
  header: string,
): string {
  const parts = groupFolderComponents(survey, requirements);
  return formatDraftDocument("Design", header, [
    `## Architecture overview\n\n${formatArchitectureOverview(survey, name).join("\n")}`,
    formatDraftSection("## Tech stack", listTechStack(survey), "file endings, manifests and configuration"),
    formatDraftSection(
      "## Components",
      [parts.map((part) => formatDraftComponent(part)).join("\n\n")].filter((text) => text !== ""),
      "folders with routes, models, commands or exports",
    ),
    formatDraftSection("## Data model", listDataModel(survey), "SQL, Prisma and the models of common libraries"),
    formatDraftSection(
      "## API contracts",
      listApiContracts(survey, requirements),
      "routes of common frameworks and OpenAPI descriptions",
    ),
    formatDraftSection(
      "## Infrastructure",
      listInfrastructure(survey),
      "container, compose, CI and deployment files, and variables that the code reads",
    ),
    formatDraftSection(
      "## Security",
      listSecurityFacts(survey),
      "packages that guard, and variables named for secrets",
    ),
    `## Quality analysis\n\n${listQualityFacts(survey, parts).join("\n")}`,
  ]);
}

function formatArchitectureOverview(survey: RepositorySurvey, name: string): string[] {
  const [main] = survey.languages;
  const what = main
    ? ` is written mostly in ${main[0]} (${main[1]} of ${formatCount(survey.paths.length, "file")})`
    : ` has ${formatCount(survey.paths.length, "file")}`;
  return [
    `${citeFileText(name)}${what}.`,
    "",
    ...selectFindings(survey, "purpose").map(
      (found) => `- Its manifest says: "${citeFileText(found.name)}"${formatEvidence(found)}`,
    ),
    ...listServingFrameworks(survey),
    ...limitOverviewLines(
      selectFindings(survey, "entry").map(
        (found) =>
          `- ${citeAsCode(found.name)} is an entry point${found.says === undefined ? "" : `: ${citeFileText(found.says)}`}.${formatEvidence(found)}`,
      ),
      "entry points",
    ),
    ...survey.folders.map((folder) => {
      const languages = folder.languages.length > 0 ? `, in ${joinWithAnd(folder.languages.slice(0, 3))}` : "";
      return `- ${citeAsCode(`${folder.name}/`)} holds ${formatCount(folder.files, "file")}${languages}.`;
    }),
    ...limitOverviewLines(
      selectFindings(survey, "decision").map(
        (found) => `- Decided earlier: "${citeFileText(found.name)}"${formatEvidence(found)}`,
      ),
      "decisions",
    ),
    ...selectFindings(survey, "convention").map(
      (found) => `- Conventions are kept in ${citeAsCode(found.name)}.${formatEvidence(found)}`,
    ),
  ];
}

const MAX_OVERVIEW_LINES = 20;

const limitOverviewLines = (lines: readonly string[], what: string): string[] =>
  lines.length <= MAX_OVERVIEW_LINES
    ? [...lines]
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

function listTechStack(survey: RepositorySurvey): string[] {
  return [
    ...survey.languages.map(([language, files]) => `- ${language}: ${formatCount(files, "file")}.`),
    ...selectFindings(survey, "runtime").map(
      (found) => `- ${citeFileText(found.name)} ${citeAsCode(found.says ?? "")}.${formatEvidence(found)}`,
    ),
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
}

function formatDraftComponent({ name, files, findings, carries, tests }: FolderComponent): string {
  const shown = (kind: string, label: string, names: (found: RatedFinding) => string): string[] => {
    const own = findings.filter((found) => found.kind === kind);
    if (own.length === 0) return [];
    const more = own.length > MAX_COMPONENT_NAMES ? [`${own.length - MAX_COMPONENT_NAMES} more`] : [];
    const some = own.slice(0, MAX_COMPONENT_NAMES);
    return [
      `- ${label}: ${joinWithAnd([...some.map((found) => citeAsCode(names(found))), ...more])}.${formatEvidence(...some)}`,
    ];
  };
  return [
    `### ${citeFileText(name.replace(/[*`:(–—]/g, " "), 100)}`,
    "",
    `- ${formatCount(files, "source file")}; ${formatCount(tests, "test")} named for it.`,
    ...shown("entry", "Entry points", (found) => found.name),
    ...shown("command", "Commands", (found) => found.name),
    ...shown("route", "Routes", (found) => found.name),
    ...shown("entity", "Keeps", (found) => found.name),
    ...shown("symbol", "Exports", (found) => found.name),
    carries.length > 0 ? `- Carries: ${carries.join(", ")}.` : "- Carries no requirement that is known.",
  ].join("\n");
}

function listDataModel(survey: RepositorySurvey): string[] {
  const fields = selectFindings(survey, "field");
  return selectFindings(survey, "entity").flatMap((entity) => {
    const own = fields.filter(({ of }) => of === entity.name);
    return [
      `- **${citeFileText(entity.name.replace(/[*`]/g, ""))}** (${citeFileText(splitEntityName(entity.name))}).${formatEvidence(entity)}`,
      ...own.map(
        (field) =>
          `  - ${citeAsCode(field.name)}${field.says === undefined ? "" : `: ${citeAsCode(field.says)}`}${formatEvidence(field)}`,
      ),
    ];
  });
}

function listApiContracts(survey: RepositorySurvey, requirements: readonly DraftedRequirement[]): string[] {
  return selectFindings(survey, "route").map((route) => {
    const id = requirements.find(({ findings }) => findings.some((found) => found === route))?.id;
    const handler = route.says === undefined ? "" : `, handled by ${citeAsCode(route.says)}`;
    return `- ${citeAsCode(route.name)}${handler}${id === undefined ? "" : ` (${id})`}.${formatEvidence(route)}`;
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

function listInfrastructure(survey: RepositorySurvey): string[] {
  return [
    ...selectFindings(survey, "tool").flatMap((found) => {
      const label = DEPLOYMENT_LABELS[found.by];
      const image = found.says === undefined ? "" : ` from ${citeAsCode(found.says)}`;
      const place = /^(?:ci|deployment)$/.test(found.by) ? ` in ${citeAsCode(found.path)}` : "";
      return label === undefined
        ? []
        : [`- ${label} ${citeAsCode(found.name)}${image}${place}.${formatEvidence(found)}`];
    }),
    ...selectFindings(survey, "variable").map(
      (found) => `- Variable that the code reads: ${citeAsCode(found.name)}.${formatEvidence(found)}`,
    ),
  ];
}

const SECRET_VARIABLE = /(?:SECRET|TOKEN|PASSWORD|PASSWD|API_?KEY|PRIVATE|CREDENTIAL)/;

function listSecurityFacts(survey: RepositorySurvey): string[] {
  return [
    ...listGuardPackages(survey).map(
      ({ does, package: found }) => `- ${citeAsCode(found.name)} is there to ${does}.${formatEvidence(found)}`,
    ),
    ...selectFindings(survey, "variable")
      .filter(({ name }) => SECRET_VARIABLE.test(name))
      .map(
        (found) =>
          `- ${citeAsCode(found.name)} looks like a secret that comes from the environment.${formatEvidence(found)}`,
      ),
  ];
}

/** Kinds of findings that should have a test. */
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
          return `- ${formatCount(own.length, "test")} in ${files} (${citeFileText(by)}), the first "${citeFileText(own[0]?.name ?? "")}".${formatEvidence(...own.slice(0, 1))}`;
        })
      : ["- No test was found. Looked at: files and functions that are named as tests."]),
    ...bare.map(({ name }) => `- No test is named for ${citeAsCode(name)}.`),
    ...checks.map(
      (found) =>
        `- ${citeFileText(found.name)} checks ${found.by === "lint" ? "style" : "types"}, by ${citeAsCode(found.path)}.${formatEvidence(found)}`,
    ),
  ];
}
