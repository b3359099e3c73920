import { formatCount } from "../../count.ts";
import { GUARDS, knownPackage } from "../declared/packages.ts";
import { cite, code } from "../finding.ts";
import { type Known, ofKind, type Survey } from "../survey.ts";
import { inWords, listed, plural } from "../words.ts";
import { document, evidence, section } from "./line.ts";
import { routeWords } from "./route-words.ts";

export interface Drafted {
  readonly id: string;
  readonly text: string;
  /** The evidence at the end of the text. A later draft finds the requirement by it. */
  readonly evidence: string;
  readonly findings: readonly Known[];
}

export interface RequirementsDraft {
  readonly must: readonly Drafted[];
  readonly should: readonly Drafted[];
  readonly qualities: readonly Drafted[];
  readonly leftOut: number;
}

type Unnumbered = Omit<Drafted, "id">;

const MOST = 300;
const MOST_NAMES = 5;
const MOST_FIELDS = 12;

export function draftRequirements(survey: Survey): RequirementsDraft {
  const must = [...commands(survey), ...routes(survey), ...entities(survey)];
  const should = behaviours(survey);
  const number = (prefix: string, items: readonly Unnumbered[], first: number): Drafted[] =>
    items.map((item, i) => ({ id: `${prefix}-${String(first + i).padStart(3, "0")}`, ...item }));
  const kept = must.slice(0, MOST);
  const rest = should.slice(0, MOST - kept.length);
  return {
    must: number("FR", kept, 1),
    should: number("FR", rest, kept.length + 1),
    qualities: number("NFR", qualities(survey), 1),
    leftOut: must.length + should.length - kept.length - rest.length,
  };
}

const drafted = (text: string, ...findings: readonly Known[]): Unnumbered => {
  const rests = evidence(...findings);
  return { text: `${text}${rests}`, evidence: rests.trim(), findings };
};

function commands(survey: Survey): Unnumbered[] {
  return ofKind(survey, "command").map((command) => {
    const does = command.says === undefined ? "carry it out" : `run ${code(command.says)}`;
    return drafted(`When a user runs the command ${code(command.name)}, the system shall ${does}.`, command);
  });
}

function routes(survey: Survey): Unnumbered[] {
  return ofKind(survey, "route").map((route) => {
    const [method, path = ""] = route.name.split(" ");
    const how = method === "ANY" ? `calls ${code(path)}` : `sends ${code(route.name)}`;
    const through = route.says === undefined ? "" : ` through ${code(route.says)}`;
    return drafted(`When a client ${how}, the system shall ${routeWords(route.name) ?? "answer it"}${through}.`, route);
  });
}

function entities(survey: Survey): Unnumbered[] {
  return ofKind(survey, "entity").map((entity) => {
    const fields = ofKind(survey, "field").filter(({ of }) => of === entity.name);
    const shown = fields.slice(0, MOST_FIELDS).map(({ name }) => code(name));
    const more = fields.length > MOST_FIELDS ? [`${fields.length - MOST_FIELDS} more`] : [];
    const what = shown.length > 0 ? `, each with ${listed([...shown, ...more])}` : "";
    return drafted(`The system shall keep ${cite(plural(inWords(entity.name)))}${what}.`, entity);
  });
}

function behaviours(survey: Survey): Unnumbered[] {
  const groups = Map.groupBy(ofKind(survey, "test"), ({ path, of }) => `${path} ${of}`);
  return [...groups.values()].map((tests) => {
    const shown = tests.slice(0, MOST_NAMES);
    const more = tests.length > shown.length ? ` and ${tests.length - shown.length} more` : "";
    const names = shown.map(({ name }) => `"${cite(name)}"`).join("; ");
    return drafted(
      `The system shall hold to what the tests of ${code(tests[0]?.of ?? "")} name: ${names}${more}.`,
      ...shown,
    );
  });
}

const CHECKS = /\b(?:test|lint|check|typecheck|tsc|clippy|fmt|vet|mypy|ruff|pytest|verify|build|audit|e2e)\b/;

function qualities(survey: Survey): Unnumbered[] {
  const tools = ofKind(survey, "tool");
  const steps = tools.filter(({ by, name }) => by === "ci step" && CHECKS.test(name));
  const images = tools.filter(({ by }) => by === "container image").slice(-1);
  return [
    ...[...Map.groupBy(steps, ({ name }) => name).values()].map((same) =>
      drafted(`A change shall pass ${code(same[0]?.name ?? "")} in ${cite(same[0]?.of ?? "CI")}.`, ...same),
    ),
    ...images.map((image) =>
      drafted(`The system shall be delivered as a container built on ${code(image.name)}.`, image),
    ),
    ...guards(survey).map(({ does, package: finding }) =>
      drafted(`The system shall ${does} (${code(finding.name)}).`, finding),
    ),
  ];
}

/** A package shows its purpose, not its use, so the confidence is low. */
export function guards(survey: Survey): { does: string; package: Known }[] {
  return ofKind(survey, "dependency").flatMap((finding) => {
    const does = GUARDS[knownPackage(finding.name)?.label.toLowerCase() ?? ""];
    return does === undefined ? [] : [{ does, package: { ...finding, confidence: "low" as const } }];
  });
}

export function packageLabel({ name, says }: Known, label: string): string {
  const own = name.toLowerCase() === label.toLowerCase() ? [] : [code(name)];
  const details = [...own, ...(says === undefined ? [] : [code(says)])].join(" ");
  return details === "" ? label : `${label} (${details})`;
}

const items = (drafts: readonly Drafted[]): string[] => drafts.map(({ id, text }) => `- **${id}**: ${text}`);

export function renderRequirements(survey: Survey, draft: RequirementsDraft, header: string): string {
  const packages = ofKind(survey, "dependency").flatMap((finding) => {
    const known = knownPackage(finding.name);
    return known && finding.of === undefined
      ? [`- ${packageLabel(finding, known.label)}: ${known.role}.${evidence(finding)}`]
      : [];
  });
  const runtimes = ofKind(survey, "runtime").map(
    (found) => `- It needs ${cite(found.name)} ${code(found.says ?? "")}.${evidence(found)}`,
  );
  return document("Requirements", header, [
    "## Functional requirements",
    section("### Must have", items(draft.must), "routes, commands, tables and models"),
    section("### Should have", items(draft.should), "the names of tests"),
    "### Could have\n\nNone found. Code does not say what is optional.",
    "### Won't have\n\nNone found. Code does not say what was ruled out.",
    section(
      "## Non-functional requirements",
      items(draft.qualities),
      "CI pipelines, container files and packages that guard",
    ),
    section("## Constraints", runtimes, "the versions that manifests ask for"),
    `## Assumptions\n\n${assumptions(survey, draft).join("\n")}`,
    section("## Dependencies", packages, "the packages that manifests name"),
  ]);
}

/** Reasons to skip a file that may have held findings. */
const MISSED = new Set(["over the cap", "too large", "not JSON", "not text"]);

const assumptions = ({ skipped }: Survey, { leftOut }: RequirementsDraft): string[] => [
  "- What the code does is what is wanted.",
  "- A route does what its method and path usually mean; no handler was read.",
  "- What tests name is wanted, though nobody said how much.",
  ...skipped
    .filter(({ why }) => MISSED.has(why))
    .map(
      ({ why, files, path }) =>
        `- What was not read adds nothing: ${formatCount(files, "file")} ${why}, first ${code(path)}.`,
    ),
  ...(leftOut > 0
    ? [`- ${leftOut} more capabilities were found than are drafted here; \`tenon adopt scan\` lists them.`]
    : []),
];
