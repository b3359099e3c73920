import { formatCount } from "../../count.ts";
import { knownPackage } from "../declared/packages.ts";
import { cite, code } from "../finding.ts";
import { type Known, ofKind, type Survey } from "../survey.ts";
import { inWords, listed } from "../words.ts";
import { type Part, partsOf } from "./components.ts";
import { document, evidence, section } from "./line.ts";
import { type Drafted, guards, packageLabel } from "./requirements.ts";

const MOST_SHOWN = 8;

/** Renders the design from the code. `requirements` are those of the requirements document. */
export function renderDesign(survey: Survey, requirements: readonly Drafted[], name: string, header: string): string {
  const parts = partsOf(survey, requirements);
  return document("Design", header, [
    `## Architecture overview\n\n${overview(survey, name).join("\n")}`,
    section("## Tech stack", stack(survey), "file endings, manifests and configuration"),
    section(
      "## Components",
      [parts.map((part) => component(part)).join("\n\n")].filter((text) => text !== ""),
      "folders with routes, models, commands or exports",
    ),
    section("## Data model", dataModel(survey), "SQL, Prisma and the models of common libraries"),
    section(
      "## API contracts",
      contracts(survey, requirements),
      "routes of common frameworks and OpenAPI descriptions",
    ),
    section(
      "## Infrastructure",
      infrastructure(survey),
      "container, compose, CI and deployment files, and variables that the code reads",
    ),
    section("## Security", security(survey), "packages that guard, and variables named for secrets"),
    `## Quality analysis\n\n${quality(survey, parts).join("\n")}`,
  ]);
}

function overview(survey: Survey, name: string): string[] {
  const [main] = survey.languages;
  const what = main
    ? ` is written mostly in ${main[0]} (${main[1]} of ${formatCount(survey.paths.length, "file")})`
    : ` has ${formatCount(survey.paths.length, "file")}`;
  return [
    `${cite(name)}${what}.`,
    "",
    ...ofKind(survey, "purpose").map((found) => `- Its manifest says: "${cite(found.name)}"${evidence(found)}`),
    ...serving(survey),
    ...firstOf(
      ofKind(survey, "entry").map(
        (found) =>
          `- ${code(found.name)} is an entry point${found.says === undefined ? "" : `: ${cite(found.says)}`}.${evidence(found)}`,
      ),
      "entry points",
    ),
    ...survey.folders.map((folder) => {
      const languages = folder.languages.length > 0 ? `, in ${listed(folder.languages.slice(0, 3))}` : "";
      return `- ${code(`${folder.name}/`)} holds ${formatCount(folder.files, "file")}${languages}.`;
    }),
    ...firstOf(
      ofKind(survey, "decision").map((found) => `- Decided earlier: "${cite(found.name)}"${evidence(found)}`),
      "decisions",
    ),
    ...ofKind(survey, "convention").map((found) => `- Conventions are kept in ${code(found.name)}.${evidence(found)}`),
  ];
}

const MOST_LISTED = 20;

const firstOf = (lines: readonly string[], what: string): string[] =>
  lines.length <= MOST_LISTED
    ? [...lines]
    : [...lines.slice(0, MOST_LISTED), `- ${lines.length - MOST_LISTED} more ${what}.`];

function serving(survey: Survey): string[] {
  const packages = ofKind(survey, "dependency");
  const routes = ofKind(survey, "route").filter(({ by }) => by !== "openapi");
  return [...Map.groupBy(routes, ({ by }) => by)].map(([by, [first]]) => {
    const found = packages.find(({ name }) => knownPackage(name)?.label.toLowerCase() === by);
    if (found) return `- Requests are served with ${knownPackage(found.name)?.label}.${evidence(found)}`;
    return first ? `- Requests such as ${code(first.name)} are served with ${by}.${evidence(first)}` : "";
  });
}

function stack(survey: Survey): string[] {
  return [
    ...survey.languages.map(([language, files]) => `- ${language}: ${formatCount(files, "file")}.`),
    ...ofKind(survey, "runtime").map((found) => `- ${cite(found.name)} ${code(found.says ?? "")}.${evidence(found)}`),
    ...ofKind(survey, "dependency").flatMap((found) => {
      const known = knownPackage(found.name);
      return known ? [`- ${packageLabel(found, known.label)}: ${known.role}.${evidence(found)}`] : [];
    }),
    ...ofKind(survey, "tool")
      .filter(({ by }) => /^(?:types|lint|format|build)$/.test(by))
      .map((found) => `- ${cite(found.name)}: ${found.by}, by ${code(found.path)}.${evidence(found)}`),
  ];
}

function component({ name, files, findings, carries, tests }: Part): string {
  const shown = (kind: string, label: string, names: (found: Known) => string): string[] => {
    const own = findings.filter((found) => found.kind === kind);
    if (own.length === 0) return [];
    const more = own.length > MOST_SHOWN ? [`${own.length - MOST_SHOWN} more`] : [];
    const some = own.slice(0, MOST_SHOWN);
    return [`- ${label}: ${listed([...some.map((found) => code(names(found))), ...more])}.${evidence(...some)}`];
  };
  return [
    `### ${cite(name.replace(/[*`:(–—]/g, " "), 100)}`,
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

function dataModel(survey: Survey): string[] {
  const fields = ofKind(survey, "field");
  return ofKind(survey, "entity").flatMap((entity) => {
    const own = fields.filter(({ of }) => of === entity.name);
    return [
      `- **${cite(entity.name.replace(/[*`]/g, ""))}** (${cite(inWords(entity.name))}).${evidence(entity)}`,
      ...own.map(
        (field) =>
          `  - ${code(field.name)}${field.says === undefined ? "" : `: ${code(field.says)}`}${evidence(field)}`,
      ),
    ];
  });
}

function contracts(survey: Survey, requirements: readonly Drafted[]): string[] {
  return ofKind(survey, "route").map((route) => {
    const id = requirements.find(({ findings }) => findings.some((found) => found === route))?.id;
    const handler = route.says === undefined ? "" : `, handled by ${code(route.says)}`;
    return `- ${code(route.name)}${handler}${id === undefined ? "" : ` (${id})`}.${evidence(route)}`;
  });
}

const DEPLOYED: Readonly<Record<string, string>> = {
  "container image": "Container built on",
  port: "Port that the container opens:",
  "compose service": "Service of the compose file:",
  ci: "Pipeline:",
  "ci step": "Step of the pipeline:",
  deployment: "Deployment:",
};

function infrastructure(survey: Survey): string[] {
  return [
    ...ofKind(survey, "tool").flatMap((found) => {
      const label = DEPLOYED[found.by];
      const image = found.says === undefined ? "" : ` from ${code(found.says)}`;
      const place = /^(?:ci|deployment)$/.test(found.by) ? ` in ${code(found.path)}` : "";
      return label === undefined ? [] : [`- ${label} ${code(found.name)}${image}${place}.${evidence(found)}`];
    }),
    ...ofKind(survey, "variable").map(
      (found) => `- Variable that the code reads: ${code(found.name)}.${evidence(found)}`,
    ),
  ];
}

const SECRET = /(?:SECRET|TOKEN|PASSWORD|PASSWD|API_?KEY|PRIVATE|CREDENTIAL)/;

function security(survey: Survey): string[] {
  return [
    ...guards(survey).map(({ does, package: found }) => `- ${code(found.name)} is there to ${does}.${evidence(found)}`),
    ...ofKind(survey, "variable")
      .filter(({ name }) => SECRET.test(name))
      .map((found) => `- ${code(found.name)} looks like a secret that comes from the environment.${evidence(found)}`),
  ];
}

/** Kinds of findings that should have a test. */
const OFFERS = new Set(["route", "command", "entry"]);

function quality(survey: Survey, parts: readonly Part[]): string[] {
  const tests = ofKind(survey, "test");
  const runners = [...Map.groupBy(tests, ({ by }) => by)];
  const bare = parts.filter(
    ({ tests: n, files, findings }) => n === 0 && files > 0 && findings.some(({ kind }) => OFFERS.has(kind)),
  );
  const checks = ofKind(survey, "tool").filter(({ by }) => by === "lint" || by === "types");
  return [
    ...(runners.length > 0
      ? runners.map(([by, own]) => {
          const files = formatCount(new Set(own.map(({ path }) => path)).size, "file");
          return `- ${formatCount(own.length, "test")} in ${files} (${cite(by)}), the first "${cite(own[0]?.name ?? "")}".${evidence(...own.slice(0, 1))}`;
        })
      : ["- No test was found. Looked at: files and functions that are named as tests."]),
    ...bare.map(({ name }) => `- No test is named for ${code(name)}.`),
    ...checks.map(
      (found) =>
        `- ${cite(found.name)} checks ${found.by === "lint" ? "style" : "types"}, by ${code(found.path)}.${evidence(found)}`,
    ),
  ];
}
