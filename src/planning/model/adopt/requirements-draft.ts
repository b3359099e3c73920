import { formatCount, joinWithAnd } from "#kernel/model/text-format.ts";
import { GUARD_REQUIREMENTS, findKnownPackage } from "#code/model/survey/known-packages.ts";
import {
  citeFileText,
  citeAsCode,
  type CodeFindingKind,
  type FindingConfidence,
  listFindingLinks,
  formatFindingLink,
} from "#code/model/survey/code-finding.ts";
import { type RatedFinding, selectFindings, type RepositorySurvey } from "#code/model/survey/repository-survey.ts";
import { splitEntityName, toPlural, isPluralWord, toSingular } from "#code/model/survey/entity-names.ts";

export interface DraftedRequirement {
  readonly id: string;
  readonly text: string;
  /** The evidence at the end of the text. A later draft finds the requirement by it. */
  readonly evidence: string;
  readonly findings: readonly RatedFinding[];
}

export interface RequirementsDraft {
  readonly must: readonly DraftedRequirement[];
  readonly should: readonly DraftedRequirement[];
  readonly qualities: readonly DraftedRequirement[];
  readonly leftOut: number;
}

type UnnumberedRequirement = Omit<DraftedRequirement, "id">;

const MAX_REQUIREMENTS = 300;
const MAX_QUOTED_TESTS = 5;
const MAX_QUOTED_FIELDS = 12;

export function draftCodeRequirements(survey: RepositorySurvey): RequirementsDraft {
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

function draftCommandRequirements(survey: RepositorySurvey): UnnumberedRequirement[] {
  return selectFindings(survey, "command").map((command) => {
    const does = command.says === undefined ? "carry it out" : `run ${citeAsCode(command.says)}`;
    return createDraftedRequirement(
      `When a user runs the command ${citeAsCode(command.name)}, the system shall ${does}.`,
      command,
    );
  });
}

function draftRouteRequirements(survey: RepositorySurvey): UnnumberedRequirement[] {
  return selectFindings(survey, "route").map((route) => {
    const [method, path = ""] = route.name.split(" ");
    const how = method === "ANY" ? `calls ${citeAsCode(path)}` : `sends ${citeAsCode(route.name)}`;
    const through = route.says === undefined ? "" : ` through ${citeAsCode(route.says)}`;
    return createDraftedRequirement(
      `When a client ${how}, the system shall ${describeRoute(route.name) ?? "answer it"}${through}.`,
      route,
    );
  });
}

function draftEntityRequirements(survey: RepositorySurvey): UnnumberedRequirement[] {
  return selectFindings(survey, "entity").map((entity) => {
    const fields = joinEntityFields(survey, entity);
    const what = fields === "" ? "" : `, each with ${fields}`;
    return createDraftedRequirement(
      `The system shall keep ${citeFileText(toPlural(splitEntityName(entity.name)))}${what}.`,
      entity,
    );
  });
}

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
    return createDraftedRequirement(
      `The system shall hold to what the tests of ${citeAsCode(tests[0]?.of ?? "")} name: ${names}${more}.`,
      ...shown,
    );
  });
}

const CI_CHECK_COMMAND = /\b(?:test|lint|check|typecheck|tsc|clippy|fmt|vet|mypy|ruff|pytest|verify|build|audit|e2e)\b/;

function draftQualityRequirements(survey: RepositorySurvey): UnnumberedRequirement[] {
  const tools = selectFindings(survey, "tool");
  const steps = tools.filter(({ by, name }) => by === "ci step" && CI_CHECK_COMMAND.test(name));
  const images = tools.filter(({ by }) => by === "container image").slice(-1);
  return [
    ...[...Map.groupBy(steps, ({ name }) => name).values()].map((same) =>
      createDraftedRequirement(
        `A change shall pass ${citeAsCode(same[0]?.name ?? "")} in ${citeFileText(same[0]?.of ?? "CI")}.`,
        ...same,
      ),
    ),
    ...images.map((image) =>
      createDraftedRequirement(
        `The system shall be delivered as a container built on ${citeAsCode(image.name)}.`,
        image,
      ),
    ),
    ...listGuardPackages(survey).map(({ does, package: finding }) =>
      createDraftedRequirement(`The system shall ${does} (${citeAsCode(finding.name)}).`, finding),
    ),
  ];
}

/** A package shows its purpose, not its use, so the confidence is low. */
export function listGuardPackages(survey: RepositorySurvey): { does: string; package: RatedFinding }[] {
  return selectFindings(survey, "dependency").flatMap((finding) => {
    const does = GUARD_REQUIREMENTS[findKnownPackage(finding.name)?.label.toLowerCase() ?? ""];
    return does === undefined ? [] : [{ does, package: { ...finding, confidence: "low" as const } }];
  });
}

export function formatPackageLabel({ name, says }: RatedFinding, label: string): string {
  const own = name.toLowerCase() === label.toLowerCase() ? [] : [citeAsCode(name)];
  const details = [...own, ...(says === undefined ? [] : [citeAsCode(says)])].join(" ");
  return details === "" ? label : `${label} (${details})`;
}

const formatRequirementItems = (drafts: readonly DraftedRequirement[]): string[] =>
  drafts.map(({ id, text }) => `- **${id}**: ${text}`);

export function renderRequirementsDraft(survey: RepositorySurvey, draft: RequirementsDraft, header: string): string {
  const packages = selectFindings(survey, "dependency").flatMap((finding) => {
    const known = findKnownPackage(finding.name);
    return known && finding.of === undefined
      ? [`- ${formatPackageLabel(finding, known.label)}: ${known.role}.${formatEvidence(finding)}`]
      : [];
  });
  const runtimes = listFindingLines(
    survey,
    "runtime",
    ({ name, says = "" }) => `It needs ${citeFileText(name)} ${citeAsCode(says)}.`,
  );
  return formatDraftDocument("Requirements", header, [
    "## Functional requirements",
    formatDraftSection("### Must have", formatRequirementItems(draft.must), "routes, commands, tables and models"),
    formatDraftSection("### Should have", formatRequirementItems(draft.should), "the names of tests"),
    "### Could have\n\nNone found. Code does not say what is optional.",
    "### Won't have\n\nNone found. Code does not say what was ruled out.",
    formatDraftSection(
      "## Non-functional requirements",
      formatRequirementItems(draft.qualities),
      "CI pipelines, container files and packages that guard",
    ),
    formatDraftSection("## Constraints", runtimes, "the versions that manifests ask for"),
    `## Assumptions\n\n${listDraftAssumptions(survey, draft).join("\n")}`,
    formatDraftSection("## Dependencies", packages, "the packages that manifests name"),
  ]);
}

/** Reasons to skip a file that may have held findings. */
const LOSSY_SKIP_REASONS = new Set(["over the cap", "too large", "not JSON", "not text"]);

const listDraftAssumptions = ({ skipped }: RepositorySurvey, { leftOut }: RequirementsDraft): string[] => [
  "- What the code does is what is wanted.",
  "- A route does what its method and path usually mean; no handler was read.",
  "- What tests name is wanted, though nobody said how much.",
  ...skipped
    .filter(({ why }) => LOSSY_SKIP_REASONS.has(why))
    .map(
      ({ why, files, path }) =>
        `- What was not read adds nothing: ${formatCount(files, "file")} ${why}, first ${citeAsCode(path)}.`,
    ),
  ...(leftOut > 0
    ? [`- ${leftOut} more capabilities were found than are drafted here; \`tenon adopt scan\` lists them.`]
    : []),
];

const MAX_EVIDENCE_LINKS = 5;

/** ` (evidence: src/app.ts:12; confidence: high)`, the end of every drafted line. */
export function formatEvidence(...findings: readonly RatedFinding[]): string {
  const links = [...new Set(findings.flatMap(listFindingLinks).map(formatFindingLink))].slice(0, MAX_EVIDENCE_LINKS);
  return ` (evidence: ${links.join(", ")}; confidence: ${findLowestConfidence(findings)})`;
}

/** A line for each finding of a kind, with its evidence. */
export const listFindingLines = (
  survey: RepositorySurvey,
  kind: CodeFindingKind,
  format: (found: RatedFinding) => string,
): string[] => selectFindings(survey, kind).map((found) => `- ${format(found)}${formatEvidence(found)}`);

/** `a, b and 3 more`. */
export const joinFirstNames = (names: readonly string[], most: number): string =>
  joinWithAnd([...names.slice(0, most), ...(names.length > most ? [`${names.length - most} more`] : [])]);

/** A line has the lowest confidence of its findings. */
function findLowestConfidence(findings: readonly RatedFinding[]): FindingConfidence {
  const all = new Set(findings.map(({ confidence }) => confidence));
  return all.has("low") ? "low" : all.has("medium") ? "medium" : "high";
}

/** Lines of one section; the scan lists the rest. */
const MAX_SECTION_LINES = 400;

export function formatDraftSection(heading: string, lines: readonly string[], looked: string): string {
  if (lines.length === 0) return `${heading}\n\nNone found. Looked at: ${looked}.`;
  const rest = lines.length - MAX_SECTION_LINES;
  const more =
    rest > 0
      ? `\n\n${rest} more lines were left out; \`tenon adopt scan --detail-level full\` lists what they say.`
      : "";
  return `${heading}\n\n${lines.slice(0, MAX_SECTION_LINES).join("\n")}${more}`;
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
