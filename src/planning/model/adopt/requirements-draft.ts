import { formatCount, joinWithAnd } from "#kernel/model/text-format.ts";
import { GUARD_REQUIREMENTS, findKnownPackage } from "#code/model/survey/known-packages.ts";
import type { CodeFindingKind } from "#code/model/survey/code-finding.ts";
import { citeFileText, citeAsCode, listFindingLinks, formatFindingLink } from "#code/model/survey/code-finding.ts";
import { type RatedFinding, selectFindings, type RepositorySurvey } from "#code/model/survey/repository-survey.ts";
import { splitEntityName, toPlural, isPluralWord, toSingular } from "#code/model/survey/entity-names.ts";

export interface DraftedRequirement {
  readonly id: string;
  readonly text: string;
  /** The evidence at the end of the text. A later draft finds the requirement by it. */
  readonly evidence: string;
  readonly findings: readonly RatedFinding[];
}

type RequirementsDraft = ReturnType<typeof draftCodeRequirements>;
type UnnumberedRequirement = Omit<DraftedRequirement, "id">;

const MAX_REQUIREMENTS = 300;
const MAX_QUOTED_TESTS = 5;
const MAX_QUOTED_FIELDS = 12;

export function draftCodeRequirements(survey: RepositorySurvey) {
  const must = [
    ...draftCommandRequirements(survey),
    ...draftRouteRequirements(survey),
    ...draftEntityRequirements(survey),
  ];
  const should = draftTestRequirements(survey);
  const number = (prefix: string, items: readonly UnnumberedRequirement[], first: number): DraftedRequirement[] =>
    items.map((item, i) => ({ id: `${prefix}-${String(first + i).padStart(3, "0")}`, ...item }));
  const kept = must.slice(0, MAX_REQUIREMENTS);
  const rest = should.slice(0, MAX_REQUIREMENTS - kept.length);
  return {
    must: number("FR", kept, 1),
    should: number("FR", rest, kept.length + 1),
    qualities: number("NFR", draftQualityRequirements(survey), 1),
    leftOut: must.length + should.length - kept.length - rest.length,
  };
}

const createDraftedRequirement = (text: string, ...findings: readonly RatedFinding[]): UnnumberedRequirement => {
  const rests = formatEvidence(...findings);
  return { text: `${text}${rests}`, evidence: rests.trim(), findings };
};

const draftCommandRequirements = (survey: RepositorySurvey): UnnumberedRequirement[] =>
  selectFindings(survey, "command").map((command) => {
    const does = command.says === undefined ? "carry it out" : `run ${citeAsCode(command.says)}`;
    const text = `When a user runs the command ${citeAsCode(command.name)}, the system shall ${does}.`;
    return createDraftedRequirement(text, command);
  });

const draftRouteRequirements = (survey: RepositorySurvey): UnnumberedRequirement[] =>
  selectFindings(survey, "route").map((route) => {
    const [method, path = ""] = route.name.split(" ");
    const how = method === "ANY" ? `calls ${citeAsCode(path)}` : `sends ${citeAsCode(route.name)}`;
    const through = route.says === undefined ? "" : ` through ${citeAsCode(route.says)}`;
    const does = `${describeRoute(route.name) ?? "answer it"}${through}`;
    return createDraftedRequirement(`When a client ${how}, the system shall ${does}.`, route);
  });

const draftEntityRequirements = (survey: RepositorySurvey): UnnumberedRequirement[] =>
  selectFindings(survey, "entity").map((entity) => {
    const fields = joinEntityFields(survey, entity);
    const what = fields === "" ? "" : `, each with ${fields}`;
    const items = citeFileText(toPlural(splitEntityName(entity.name)));
    return createDraftedRequirement(`The system shall keep ${items}${what}.`, entity);
  });

export function joinEntityFields(survey: RepositorySurvey, entity: RatedFinding): string {
  const fields = selectFindings(survey, "field").filter(({ of }) => of === entity.name);
  const names = fields.map(({ name }) => citeAsCode(name));
  return joinFirstNames(names, MAX_QUOTED_FIELDS);
}

function draftTestRequirements(survey: RepositorySurvey): UnnumberedRequirement[] {
  const groups = Map.groupBy(selectFindings(survey, "test"), ({ path, of }) => `${path} ${of}`);
  return [...groups.values()].map((tests) => {
    const shown = tests.slice(0, MAX_QUOTED_TESTS);
    const more = tests.length > shown.length ? ` and ${tests.length - shown.length} more` : "";
    const names = shown.map(({ name }) => `"${citeFileText(name)}"`).join("; ");
    const subject = citeAsCode(tests[0]?.of ?? "");
    const text = `The system shall keep the behaviour that the ${subject} tests cover: ${names}${more}.`;
    return createDraftedRequirement(text, ...shown);
  });
}

const CI_CHECK_COMMAND = /\b(?:test|lint|check|typecheck|tsc|clippy|fmt|vet|mypy|ruff|pytest|verify|build|audit|e2e)\b/;

function draftQualityRequirements(survey: RepositorySurvey): UnnumberedRequirement[] {
  const tools = selectFindings(survey, "tool");
  const steps = tools.filter(({ by, name }) => by === "ci step" && CI_CHECK_COMMAND.test(name));
  const images = tools.filter(({ by }) => by === "container image").slice(-1);
  return [
    ...[...Map.groupBy(steps, ({ name }) => name)].map(([name, same]) => {
      const place = citeFileText(same[0]?.of ?? "CI");
      return createDraftedRequirement(`A change shall pass ${citeAsCode(name)} in ${place}.`, ...same);
    }),
    ...images.map((image) => {
      const text = `The system shall be delivered as a container built on ${citeAsCode(image.name)}.`;
      return createDraftedRequirement(text, image);
    }),
    ...listGuardPackages(survey).map(({ does, package: finding }) =>
      createDraftedRequirement(`The system shall ${does} (${citeAsCode(finding.name)}).`, finding),
    ),
  ];
}

/** A package shows its purpose, not its use, so the confidence is low. */
export const listGuardPackages = (survey: RepositorySurvey): { does: string; package: RatedFinding }[] =>
  selectFindings(survey, "dependency").flatMap((finding) => {
    const does = GUARD_REQUIREMENTS[findKnownPackage(finding.name)?.label.toLowerCase() ?? ""];
    return does === undefined ? [] : [{ does, package: { ...finding, confidence: "low" as const } }];
  });

export function formatPackageLabel({ name, says }: RatedFinding, label: string): string {
  const own = name.toLowerCase() === label.toLowerCase() ? [] : [citeAsCode(name)];
  const details = [...own, ...(says === undefined ? [] : [citeAsCode(says)])].join(" ");
  return details === "" ? label : `${label} (${details})`;
}

export function renderRequirementsDraft(survey: RepositorySurvey, draft: RequirementsDraft, header: string): string {
  const packages = selectFindings(survey, "dependency").flatMap((finding) => {
    const known = findKnownPackage(finding.name);
    return known && finding.of === undefined
      ? [`- ${formatPackageLabel(finding, known.label)}: ${known.role}.${formatEvidence(finding)}`]
      : [];
  });
  const runtimes = listFindingLines(survey, "runtime", ({ name, says = "" }) => {
    return `It needs ${citeFileText(name)} ${citeAsCode(says)}.`;
  });
  const list = (drafts: readonly DraftedRequirement[]): string[] =>
    drafts.map(({ id, text }) => `- **${id}**: ${text}`);
  const guards = "CI pipelines, container files and packages that guard";
  return formatDraftDocument("Requirements", header, [
    "## Functional requirements",
    formatDraftSection("### Must have", list(draft.must), "routes, commands, tables and models"),
    formatDraftSection("### Should have", list(draft.should), "the names of tests"),
    "### Could have\n\nNone found. Code does not show what is optional.",
    "### Won't have\n\nNone found. Code does not show what was ruled out.",
    formatDraftSection("## Non-functional requirements", list(draft.qualities), guards),
    formatDraftSection("## Constraints", runtimes, "the versions that manifests ask for"),
    `## Assumptions\n\n${listDraftAssumptions(survey, draft).join("\n")}`,
    formatDraftSection("## Dependencies", packages, "the packages that manifests name"),
  ]);
}

/** Reasons to skip a file that may have held findings. */
const LOSSY_SKIP_REASONS = new Set(["over the cap", "too large", "not JSON", "not text"]);

const listDraftAssumptions = ({ skipped }: RepositorySurvey, { leftOut }: RequirementsDraft): string[] => [
  "- The code does what its users want.",
  "- A route does what its method and path usually mean; no handler was read.",
  "- Behaviour that tests cover is a requirement; its priority is a guess.",
  ...skipped
    .filter(({ why }) => LOSSY_SKIP_REASONS.has(why))
    .map(
      ({ why, files, path }) =>
        `- Not read, so nothing was drafted from it: ${formatCount(files, "file")} ${why}, first ${citeAsCode(path)}.`,
    ),
  ...(leftOut > 0
    ? [`- ${leftOut} more capabilities were found than are drafted here; \`tenon adopt scan\` lists them.`]
    : []),
];

const MAX_EVIDENCE_LINKS = 5;

/** ` (evidence: src/app.ts:12; confidence: high)`, the end of every drafted line. */
export function formatEvidence(...findings: readonly RatedFinding[]): string {
  const links = [...new Set(findings.flatMap(listFindingLinks).map(formatFindingLink))].slice(0, MAX_EVIDENCE_LINKS);
  const ratings = new Set(findings.map(({ confidence }) => confidence));
  const lowest = (["low", "medium"] as const).find((rating) => ratings.has(rating)) ?? "high";
  return ` (evidence: ${links.join(", ")}; confidence: ${lowest})`;
}

export const listFindingLines = (
  survey: RepositorySurvey,
  kind: CodeFindingKind,
  format: (found: RatedFinding) => string,
): string[] => selectFindings(survey, kind).map((found) => `- ${format(found)}${formatEvidence(found)}`);

/** `a, b and 3 more`. */
export const joinFirstNames = (names: readonly string[], most: number): string =>
  joinWithAnd([...names.slice(0, most), ...(names.length > most ? [`${names.length - most} more`] : [])]);

/** Lines of one section; the scan lists the rest. */
const MAX_SECTION_LINES = 400;

export function formatDraftSection(heading: string, lines: readonly string[], looked: string): string {
  if (lines.length === 0) return `${heading}\n\nNone found. Looked at: ${looked}.`;
  const rest = lines.length - MAX_SECTION_LINES;
  const more = `${rest} more lines were left out; \`tenon adopt scan --detail-level full\` lists what they say.`;
  return [heading, lines.slice(0, MAX_SECTION_LINES).join("\n"), ...(rest > 0 ? [more] : [])].join("\n\n");
}

export const formatDraftDocument = (title: string, header: string, sections: readonly string[]): string =>
  `${[`# ${title}`, header, ...sections].join("\n\n")}\n`;

const ROUTE_PARAMETER = /^(?::|\{|<|\[|\*|\$)/;
const API_PREFIX = /^(?:api|rest|v\d+)$/i;
const METHOD_VERBS: Readonly<Record<string, string>> = {
  GET: "return",
  PUT: "replace",
  PATCH: "change",
  DELETE: "delete",
};

/** The usual meaning of a route's method and path; undefined where they are not enough. */
export function describeRoute(name: string): string | undefined {
  const [method = "", path = ""] = name.split(" ");
  const parts = path.split("/").filter((part) => part !== "" && !API_PREFIX.test(part));
  const [last = "", before = "", above = ""] = parts.toReversed();
  const isWord = (part: string): boolean => /^[a-z][\w-]*$/i.test(part);
  if (ROUTE_PARAMETER.test(last)) {
    const verb = METHOD_VERBS[method];
    return verb !== undefined && isWord(before) ? `${verb} one ${formatResourceName(before)}` : undefined;
  }
  if (!isWord(last)) return undefined;
  const owner = ROUTE_PARAMETER.test(before) && isWord(above) ? ` of one ${formatResourceName(above)}` : "";
  if (isPluralWord(last)) {
    if (method === "GET") return `list the ${last.replaceAll(/[-_]/g, " ")}${owner}`;
    return method === "POST" ? `create one ${formatResourceName(last)}${owner}` : undefined;
  }
  if (method === "POST" && owner !== "") return `${last.replaceAll(/[-_]/g, " ")} one ${formatResourceName(above)}`;
  return undefined;
}

const formatResourceName = (part: string): string => toSingular(part.replaceAll(/[-_]/g, " "));
