import { cite, code } from "../finding.ts";
import { type Known, ofKind, type Survey } from "../survey.ts";
import { capital, inWords, listed, sameThing } from "../words.ts";
import { document, evidence, section } from "./line.ts";

const MOST_FIELDS = 12;
/** Sources whose rules apply to input. All other rules apply to stored data. */
const ON_ENTRY = new Set(["zod", "pydantic", "validator", "bean validation"]);

export function renderRules(survey: Survey, header: string): string {
  return document("Business rules", header, [
    section("## Definitions", definitions(survey), "tables, models and structs that are kept"),
    section("## Facts", facts(survey), "foreign keys and relations of models"),
    section("## Constraints", constraints(survey), "NOT NULL, UNIQUE and CHECK, and validators of input"),
    section("## Derivations", derivations(survey), "views and generated columns"),
    section("## Glossary", glossary(survey), "enumerations"),
  ]);
}

function definitions(survey: Survey): string[] {
  return ofKind(survey, "entity").map((entity) => {
    const fields = ofKind(survey, "field").filter(({ of }) => of === entity.name);
    const shown = fields.slice(0, MOST_FIELDS).map(({ name }) => code(name));
    const more = fields.length > MOST_FIELDS ? [`${fields.length - MOST_FIELDS} more`] : [];
    const has = shown.length > 0 ? `; it has ${listed([...shown, ...more])}` : "";
    return `- **${term(entity.name)}**: what ${code(entity.name)} keeps${has}.${evidence(entity)}`;
  });
}

const term = (name: string): string => cite(capital(inWords(name)).replace(/[*_":|]/g, " "), 58);

function facts(survey: Survey): string[] {
  return ofKind(survey, "relation").map((relation) => {
    const [one, other] = [relation.of ?? "", relation.says ?? ""].map((name) => cite(inWords(name)));
    const how = sameThing(relation.of ?? "") === sameThing(relation.says ?? "") ? `another ${other}` : `one ${other}`;
    return `- Each ${one} refers to ${how} through ${code(relation.name)}.${evidence(relation)}`;
  });
}

/** Required fields of an entity share one line, because each alone means little. */
function constraints(survey: Survey): string[] {
  const rules = ofKind(survey, "rule");
  const isBare = ({ says, by }: Known): boolean => says === "has a value" && !ON_ENTRY.has(by);
  const together = [...Map.groupBy(rules.filter(isBare), ({ of }) => of ?? "").values()];
  const texts = [...together.map(present), ...rules.filter((rule) => !isBare(rule)).map(single)];
  return texts.map((text, i) => `- **BR-${String(i + 1).padStart(3, "0")}**: ${text}`);
}

function present(rules: readonly Known[]): string {
  const [first] = rules;
  if (!first) return "";
  const names = rules.map(({ name }) => code(name));
  const verb = names.length === 1 ? "has a value" : "each have a value";
  return `${when(first)} then ${listed(names)} ${verb}, ${otherwise(first)}${evidence(...rules)}`;
}

function single(rule: Known): string {
  const [, verb = "", condition] = /^(satisfies) ([\s\S]+)$/.exec(rule.says ?? "") ?? [];
  const subject = rule.name === "" ? "the whole" : code(rule.name);
  const isSeveral = rule.name.includes(",") && rule.says === "is unique";
  const holds =
    condition === undefined
      ? isSeveral
        ? "are unique together"
        : cite(rule.says ?? "")
      : `${verb} ${code(condition)}`;
  return `${when(rule)} then ${subject} ${holds}, ${otherwise(rule)}${evidence(rule)}`;
}

const when = ({ of = "", by }: Known): string =>
  `When ${ON_ENTRY.has(by) ? `${code(of)} is received` : `one ${cite(inWords(of))} is stored`},`;
const otherwise = ({ by }: Known): string => `otherwise it is refused${ON_ENTRY.has(by) ? " as input" : ""}.`;

function derivations(survey: Survey): string[] {
  return ofKind(survey, "derivation").map((found) => {
    const [, verb = "", formula] = /^(is computed as) (?!a view)([\s\S]+)$/.exec(found.says ?? "") ?? [];
    const of = found.of === undefined ? "" : ` of one ${cite(inWords(found.of))}`;
    return `- ${code(found.name)}${of} ${formula === undefined ? cite(found.says ?? "") : `${verb} ${code(formula)}`}.${evidence(found)}`;
  });
}

function glossary(survey: Survey): string[] {
  return ofKind(survey, "enum").map(
    (found) => `- **${term(found.name)}**: one of ${code(found.says ?? "")}.${evidence(found)}`,
  );
}
