import { joinWithAnd } from "#kernel/model/text-format.ts";
import { parseRequirementItems } from "../project/requirement-items.ts";
import { renderDesignDraft } from "./design-draft.ts";
import {
  type DraftedRequirement,
  draftCodeRequirements,
  renderRequirementsDraft,
  formatDraftDocument,
  formatEvidence,
  formatDraftSection,
  joinEntityFields,
  listFindingLines,
} from "./requirements-draft.ts";
import { type RepositorySurvey, type RatedFinding, selectFindings } from "#code/model/survey/repository-survey.ts";
import { citeFileText, citeAsCode } from "#code/model/survey/code-finding.ts";
import { capitalizeText, splitEntityName, createEntityKey } from "#code/model/survey/entity-names.ts";

export interface AdoptionDrafts {
  readonly requirements: string;
  readonly business_rules: string;
  readonly design: string;
}

export const DRAFT_HEADER =
  "> A draft that `tenon adopt` made from the code. Each line names its evidence and a confidence. Nothing counts before you accept it: `tenon adopt accept` with its id, or `tenon adopt accept --all`.";

/** Counts as the user's own text from then on. */
export const removeDraftMarks = (text: string): string =>
  text
    .replace(
      `${DRAFT_HEADER}

`,
      "",
    )
    .replaceAll(/; confidence: (?:high|medium|low)\)/g, ")");

/** With an existing requirements document the design uses its ids, and finds them by evidence even after edits. */
export function draftAdoptionDocuments(
  survey: RepositorySurvey,
  name: string,
  present: string | undefined,
  given?: ReadonlySet<string>,
): AdoptionDrafts {
  const draft = draftCodeRequirements(survey, given);
  const all = [...draft.must, ...draft.qualities];
  const known = present === undefined ? all : matchExistingRequirements(all, present);
  return {
    requirements: renderRequirementsDraft(survey, draft, DRAFT_HEADER),
    business_rules: renderBusinessRulesDraft(survey, DRAFT_HEADER),
    design: renderDesignDraft(survey, known, name, DRAFT_HEADER),
  };
}

function matchExistingRequirements(drafted: readonly DraftedRequirement[], present: string): DraftedRequirement[] {
  const standing = parseRequirementItems(present);
  return drafted.flatMap((draft) => {
    const links = /evidence: ([^;]+);/.exec(draft.evidence)?.[1] ?? draft.evidence;
    const same = standing.filter(({ text }) => text.includes(`evidence: ${links}`));
    // One line of code may prove several requirements; then the full text decides.
    const own = same.length > 1 ? same.filter(({ text }) => text === draft.text) : same;
    return own.map(({ id }) => ({ ...draft, id }));
  });
}

/** Sources whose rules apply to input. All other rules apply to stored data. */
const INPUT_RULE_SOURCES = new Set(["zod", "pydantic", "validator", "bean validation"]);

function renderBusinessRulesDraft(survey: RepositorySurvey, header: string): string {
  const definitions = listFindingLines(survey, "entity", (entity) => {
    const fields = joinEntityFields(survey, entity);
    const has = fields === "" ? "" : `; it has ${fields}`;
    return `**${formatGlossaryTerm(entity.name)}**: what ${citeAsCode(entity.name)} keeps${has}.`;
  });
  const facts = listFindingLines(survey, "relation", ({ name, of = "", says = "" }) => {
    const [one, other] = [of, says].map((entity) => citeFileText(splitEntityName(entity)));
    const how = createEntityKey(of) === createEntityKey(says) ? `another ${other}` : `one ${other}`;
    return `Each ${one} refers to ${how} through ${citeAsCode(name)}.`;
  });
  const constraints = listConstraintLines(survey);
  const derivations = listFindingLines(survey, "derivation", ({ name, of, says = "" }) => {
    const [, verb = "", formula] = /^(is computed as) (?!a view)([\s\S]+)$/.exec(says) ?? [];
    const owner = of === undefined ? "" : ` of one ${citeFileText(splitEntityName(of))}`;
    return `${citeAsCode(name)}${owner} ${formula === undefined ? citeFileText(says) : `${verb} ${citeAsCode(formula)}`}.`;
  });
  const terms = listFindingLines(survey, "enum", ({ name, says = "" }) => {
    return `**${formatGlossaryTerm(name)}**: one of ${citeAsCode(says)}.`;
  });
  return formatDraftDocument("Business rules", header, [
    formatDraftSection("## Definitions", definitions),
    formatDraftSection("## Facts", facts),
    formatDraftSection("## Constraints", constraints),
    ...(derivations.length > 0 ? [formatDraftSection("## Derivations", derivations)] : []),
    ...(terms.length > 0 ? [formatDraftSection("## Glossary", terms)] : []),
  ]);
}

const formatGlossaryTerm = (name: string): string =>
  citeFileText(capitalizeText(splitEntityName(name)).replace(/[*_":|]/g, " "), 58);

/** Required fields of an entity share one line, because each alone means little. */
function listConstraintLines(survey: RepositorySurvey): string[] {
  const rules = selectFindings(survey, "rule");
  const isBare = ({ says, by }: RatedFinding): boolean => says === "has a value" && !INPUT_RULE_SOURCES.has(by);
  const together = [...Map.groupBy(rules.filter(isBare), ({ of }) => of ?? "").values()];
  const texts = [...together.map(formatRequiredFields), ...rules.filter((rule) => !isBare(rule)).map(formatSingleRule)];
  return texts.map((text, i) => `- **BR-${String(i + 1).padStart(3, "0")}**: ${text}`);
}

function formatRequiredFields(rules: readonly RatedFinding[]): string {
  const [first] = rules;
  if (!first) return "";
  const names = rules.map(({ name }) => citeAsCode(name));
  const verb = names.length === 1 ? "has a value" : "each have a value";
  return `${formatRuleCondition(first)} then ${joinWithAnd(names)} ${verb}, ${formatRuleFailure(first)}${formatEvidence(...rules)}`;
}

function formatSingleRule(rule: RatedFinding): string {
  const [, verb = "", condition] = /^(satisfies) ([\s\S]+)$/.exec(rule.says ?? "") ?? [];
  const subject = rule.name === "" ? "the whole" : citeAsCode(rule.name);
  const isSeveral = rule.name.includes(",") && rule.says === "is unique";
  const holds =
    condition === undefined
      ? isSeveral
        ? "are unique together"
        : citeFileText(rule.says ?? "")
      : `${verb} ${citeAsCode(condition)}`;
  return `${formatRuleCondition(rule)} then ${subject} ${holds}, ${formatRuleFailure(rule)}${formatEvidence(rule)}`;
}

const formatRuleCondition = ({ of = "", by }: RatedFinding): string =>
  `When ${INPUT_RULE_SOURCES.has(by) ? `${citeAsCode(of)} is received` : `one ${citeFileText(splitEntityName(of))} is stored`},`;
const formatRuleFailure = ({ by }: RatedFinding): string =>
  `otherwise it is refused${INPUT_RULE_SOURCES.has(by) ? " as input" : ""}.`;
