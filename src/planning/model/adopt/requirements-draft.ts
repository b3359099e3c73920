import { formatCount, joinWithAnd } from "#kernel/model/text-format.ts";
import { GUARD_REQUIREMENTS, findKnownPackage } from "#code/model/survey/known-packages.ts";
import { type Capability, UNNAMED_OWNER } from "#code/model/survey/capabilities.ts";
import { COMPUTED_DEPENDENCIES } from "#code/model/survey/language-manifests.ts";
import type { CodeFindingKind } from "#code/model/survey/code-finding.ts";
import { citeFileText, citeAsCode, listFindingLinks, formatFindingLink } from "#code/model/survey/code-finding.ts";
import { type RatedFinding, selectFindings, type RepositorySurvey } from "#code/model/survey/repository-survey.ts";
import { splitEntityName, toPlural, isPluralWord, toSingular } from "#code/model/survey/entity-names.ts";

export interface DraftedRequirement {
  readonly id: string;
  readonly text: string;
  /** The evidence at the end of the text. A later draft finds the requirement by it. */
  readonly evidence: string;
  readonly findings: readonly (Pick<RatedFinding, "path"> & Partial<Pick<RatedFinding, "also">>)[];
}

type RequirementsDraft = ReturnType<typeof draftCodeRequirements>;
type UnnumberedRequirement = Omit<DraftedRequirement, "id">;

/** A longer list is not read. Beyond it, routes, commands and entities are grouped. */
const MAX_REQUIREMENTS = 30;
const MAX_QUOTED_FIELDS = 12;
const MAX_QUOTED_NAMES = 8;
/** With fewer, a route is part of a library and not the product. */
const MIN_APPLICATION_ROUTES = 3;

/** `given` are numbers that requirements of the workspace have already. */
export function draftCodeRequirements(survey: RepositorySurvey, given: ReadonlySet<string> = new Set()) {
  const routes = selectFindings(survey, "route");
  const commands = selectFindings(survey, "command");
  const entities = selectFindings(survey, "entity");
  const capabilities =
    routes.length < MIN_APPLICATION_ROUTES ? survey.capabilities.map((each) => draftCapability(survey, each)) : [];
  const room = Math.max(6, MAX_REQUIREMENTS - capabilities.length);
  const isGrouped = commands.length + routes.length + entities.length > room;
  const shares = isGrouped
    ? [commands.length, routes.length, entities.length].map((n) =>
        Math.ceil((n * room) / (commands.length + routes.length + entities.length)),
      )
    : [];
  const group = <T>(list: readonly T[], share: number | undefined, key: (one: T) => string): T[][] =>
    share === undefined || list.length <= share
      ? list.map((one) => [one])
      : mergeSmallest([...Map.groupBy(list, key).values()], share);
  const must = [
    ...group(commands, shares[0], ({ path }) => path).map((own) => draftCommands(survey, own)),
    ...group(routes, shares[1], ({ name }) => getRouteResource(name)).map((own) => draftRoutes(survey, own)),
    ...group(entities, shares[2], ({ path }) => path).map((own) => draftEntities(survey, own)),
    ...capabilities,
  ];
  const number = (prefix: string, items: readonly UnnumberedRequirement[]): DraftedRequirement[] => {
    let n = 0;
    const next = (): string => {
      do n++;
      while (given.has(`${prefix}-${String(n).padStart(3, "0")}`));
      return `${prefix}-${String(n).padStart(3, "0")}`;
    };
    return items.map((item) => ({ id: next(), ...item }));
  };
  return { must: number("FR", must), qualities: number("NFR", draftQualityRequirements(survey)) };
}

function mergeSmallest<T>(groups: T[][], most: number): T[][] {
  const open = groups.toSorted((one, other) => other.length - one.length);
  while (open.length > most) {
    const last = open.pop() ?? [];
    open.at(-1)?.push(...last);
  }
  return open;
}

const createDraftedRequirement = (
  text: string,
  evidence: string,
  findings: DraftedRequirement["findings"],
): UnnumberedRequirement => ({
  text: `${text}${evidence}`,
  evidence: evidence.trim(),
  findings,
});

const listNames = (names: readonly string[]): string => joinFirstNames(names.map(citeAsCode), MAX_QUOTED_NAMES);

function draftCommands(survey: RepositorySurvey, own: readonly RatedFinding[]): UnnumberedRequirement {
  const [first] = own;
  const does = own.length === 1 && first?.says !== undefined ? `run ${citeAsCode(first.says)}` : "carry it out";
  const what = own.length === 1 ? "the command" : "one of the commands";
  const text = `When a user runs ${what} ${listNames(own.map(({ name }) => name))}, the system shall ${does}.`;
  return createDraftedRequirement(
    text,
    formatTestedEvidence(
      survey,
      own,
      own.flatMap(({ name, says = "" }) => [name, says]),
    ),
    own,
  );
}

function draftRoutes(survey: RepositorySurvey, own: readonly RatedFinding[]): UnnumberedRequirement {
  const words = own.flatMap(({ name, says = "" }) => [says, name.replace(/^\w+ /, "").replace(/\/[:{<].*$/, "")]);
  const evidence = formatTestedEvidence(survey, own, words);
  const [route] = own;
  if (own.length > 1 || !route) {
    const text = `The system shall serve ${getRouteResource(route?.name ?? "")}: ${listNames(own.map(({ name }) => name))}.`;
    return createDraftedRequirement(text, evidence, own);
  }
  const [method, path = ""] = route.name.split(" ");
  const how = method === "ANY" ? `calls ${citeAsCode(path)}` : `sends ${citeAsCode(route.name)}`;
  const through = route.says === undefined ? "" : ` through ${citeAsCode(route.says)}`;
  const does = `${describeRoute(route.name) ?? "answer it"}${through}`;
  return createDraftedRequirement(`When a client ${how}, the system shall ${does}.`, evidence, own);
}

/** `orders` for `GET /api/v1/orders/:id/items`. */
const getRouteResource = (name: string): string =>
  citeFileText(
    (name.split(" ")[1] ?? "").split("/").find((part) => /^[a-z]/i.test(part) && !API_PREFIX.test(part)) ?? "the root",
  );

function draftEntities(survey: RepositorySurvey, own: readonly RatedFinding[]): UnnumberedRequirement {
  const evidence = formatTestedEvidence(
    survey,
    own,
    own.map(({ name }) => name),
  );
  const [entity] = own;
  const items = own.map(({ name }) => citeFileText(toPlural(splitEntityName(name))));
  const fields = own.length === 1 && entity ? joinEntityFields(survey, entity) : "";
  const what = fields === "" ? "" : `, each with ${fields}`;
  return createDraftedRequirement(
    `The system shall keep ${joinFirstNames(items, MAX_QUOTED_NAMES)}${what}.`,
    evidence,
    own,
  );
}

export function joinEntityFields(survey: RepositorySurvey, entity: RatedFinding): string {
  const fields = selectFindings(survey, "field").filter(({ of }) => of === entity.name);
  const names = fields.map(({ name }) => citeAsCode(name));
  return joinFirstNames(names, MAX_QUOTED_FIELDS);
}

/** `Response: cookie. The system shall offer …`, with the first sentence of its most important doc. */
function draftCapability(survey: RepositorySurvey, { title, symbols, tests }: Capability): UnnumberedRequirement {
  const names = symbols.map(({ owner, name }) =>
    owner === "" || UNNAMED_OWNER.test(owner) ? name : `${owner}.${name}`,
  );
  const said = symbols.map(({ doc }) => getFirstSentence(doc)).find((text) => text !== "") ?? "";
  const quoted = said === "" ? "." : `: "${citeFileText(said, 200)}".`;
  const text = `${citeFileText(title)}. The system shall offer ${listNames(names)}${quoted}`;
  const confidence = tests.length > 0 && said !== "" ? "high" : tests.length > 0 || said !== "" ? "medium" : "low";
  const links = symbols.map(({ path, ref }) => citeFileText(`${path}#${ref}`, 400));
  return createDraftedRequirement(text, formatEvidenceLinks(links, confidence, tests), symbols);
}

function getFirstSentence(doc: string): string {
  const text = doc.replace(/```[\s\S]*?(?:```|$)|<[^>]*>/g, " ").trim();
  const first =
    text
      .split(/\n\s*\n|\n\s*[@:]|(?<=[\w)`][.!?])\s/, 1)[0]
      ?.replace(/[*_`"]+/g, "")
      .replace(/\s+/g, " ")
      .trim() ?? "";
  return first.length < 12 || /^@|^[A-Z]\w*\(|^(?:to ?do|fixme|note|see|short-?hand for$)\b/i.test(first)
    ? ""
    : first.replace(/[.:]$/, "");
}

function formatTestedEvidence(
  survey: RepositorySurvey,
  own: readonly RatedFinding[],
  words: readonly string[],
): string {
  const wanted = words.filter((word) => word.length > 3);
  const tests = [...survey.tests]
    .filter(([, text]) => wanted.some((word) => text.includes(word)))
    .map(([path]) => path);
  return formatEvidence(...own).replace(/; confidence: /, () => `${formatTestLinks(tests)}; confidence: `);
}

const MAX_TEST_LINKS = 3;
const formatTestLinks = (tests: readonly string[]): string =>
  tests.length === 0
    ? ""
    : `; tests: ${tests
        .slice(0, MAX_TEST_LINKS)
        .map((path) => citeFileText(path, 400))
        .join(", ")}`;

const formatEvidenceLinks = (links: readonly string[], confidence: string, tests: readonly string[]): string =>
  ` (evidence: ${[...new Set(links)].slice(0, MAX_EVIDENCE_LINKS).join(", ")}${formatTestLinks(tests)}; confidence: ${confidence})`;

const CI_CHECK_COMMAND = /\b(?:test|lint|check|typecheck|tsc|clippy|fmt|vet|mypy|ruff|pytest|verify|build|audit|e2e)\b/;

function draftQualityRequirements(survey: RepositorySurvey): UnnumberedRequirement[] {
  const tools = selectFindings(survey, "tool");
  const steps = tools.filter(({ by, name }) => by === "ci step" && CI_CHECK_COMMAND.test(name));
  const images = tools.filter(({ by }) => by === "container image").slice(-1);
  return [
    ...[...Map.groupBy(steps, ({ name }) => name)].map(([name, same]) => {
      const place = citeFileText(same[0]?.of ?? "CI");
      return createDraftedRequirement(
        `A change shall pass ${citeAsCode(name)} in ${place}.`,
        formatEvidence(...same),
        same,
      );
    }),
    ...images.map((image) => {
      const text = `The system shall be delivered as a container built on ${citeAsCode(image.name)}.`;
      return createDraftedRequirement(text, formatEvidence(image), [image]);
    }),
    ...listGuardPackages(survey).map(({ does, package: finding }) =>
      createDraftedRequirement(`The system shall ${does} (${citeAsCode(finding.name)}).`, formatEvidence(finding), [
        finding,
      ]),
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
    const what = known ? `: ${known.role}` : "";
    return finding.of === undefined
      ? [
          `- ${formatPackageLabel(finding, known?.label ?? citeFileText(finding.name))}${what}.${formatEvidence(finding)}`,
        ]
      : [];
  });
  const runtimes = listFindingLines(survey, "runtime", ({ name, says = "" }) => {
    return `It needs ${citeFileText(name)} ${citeAsCode(says)}.`;
  });
  const list = (drafts: readonly DraftedRequirement[]): string[] =>
    drafts.map(({ id, text }) => `- **${id}**: ${text}`);
  const manifests = [...new Set(selectFindings(survey, "project", "dependency").map(({ path }) => path))];
  const isComputed = survey.skipped.some(({ why }) => why === COMPUTED_DEPENDENCIES);
  const looked = manifests.length === 0 || isComputed ? undefined : joinFirstNames(manifests.map(citeAsCode), 3);
  return formatDraftDocument("Requirements", header, [
    "## Functional requirements",
    formatDraftSection("### Must have", list(draft.must)),
    "### Should have\n\nNot drafted: code does not show what is less important.",
    formatDraftSection("## Non-functional requirements", list(draft.qualities)),
    ...(runtimes.length > 0 ? [formatDraftSection("## Constraints", runtimes)] : []),
    `## Assumptions\n\n${listDraftAssumptions(survey).join("\n")}`,
    formatDraftSection(
      "## Dependencies",
      packages,
      looked === undefined ? undefined : `${looked} names no package that the product needs at run time`,
    ),
  ]);
}

/** Reasons to skip a file that may have held findings. */
const LOSSY_SKIP_REASONS = new Set(["over the cap", "too large", "not JSON", "not text", COMPUTED_DEPENDENCIES]);

const listDraftAssumptions = ({ skipped }: RepositorySurvey): string[] => [
  "- The code does what its users want.",
  "- A route does what its method and path usually mean; no handler was read.",
  ...skipped
    .filter(({ why }) => LOSSY_SKIP_REASONS.has(why))
    .map(
      ({ why, files, path }) =>
        `- Not read, so nothing was drafted from it: ${formatCount(files, "file")} ${why}, first ${citeAsCode(path)}.`,
    ),
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

export const joinFirstNames = (names: readonly string[], most: number): string =>
  joinWithAnd([...names.slice(0, most), ...(names.length > most ? [`${names.length - most} more`] : [])]);

/** Lines of one section; the scan lists the rest. */
const MAX_SECTION_LINES = 400;

/** `none` is the finding that there is nothing. Without it, the section states only that nothing was drafted. */
export function formatDraftSection(heading: string, lines: readonly string[], none?: string): string {
  if (lines.length === 0) return `${heading}\n\n${none === undefined ? "Nothing drafted." : `None: ${none}.`}`;
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
