import { findClosestWord } from "#domain/closest.ts";
import { Fault } from "#domain/fault.ts";
import { sanitizeText, quote } from "#domain/quote.ts";
import { coreFile, isCore, parseSteeringName, pathOf, type SteeringName } from "#domain/steering/name.ts";
import { DECISION_LOG, userIntent } from "#domain/steering/product.ts";
import { losesWords, type Saying, sayUnder } from "#domain/steering/say.ts";
import { findSection, sameWords, sectionsIn } from "#domain/steering/section.ts";
import type { Engine } from "../engine.ts";
import type { StorePlan, StoreTree } from "../ports/store.ts";
import { type Done, type Input, planned, unchanged } from "./done.ts";
import { SteeringDraft } from "./draft.ts";
import { fieldsGiven, givenTexts, refuseBreaking, withTexts } from "./texts.ts";
import { writeSteering } from "./writing.ts";

const PRODUCT = coreFile("product");

/** Adds to a section or to a product field. Replaced text is archived. */
export async function update(engine: Engine, input: Input): Promise<Done> {
  const texts = givenTexts(input);
  const how: Saying = input.replace ? "replacing" : "adding";
  return writeSteering(engine, (tree): StorePlan<Done> => {
    const draft = new SteeringDraft(tree, engine.clock.now());
    const name = parseSteeringName(input.name ?? PRODUCT);
    refuseMissing(tree, name);
    if (fieldsGiven(input).length > 0) {
      refuseMissing(tree, PRODUCT);
      draft.editProduct((text) => withTexts(text, texts, how));
    }
    if (isAboutSection(input, name)) {
      const { section, text } = wholeOf(tree, name, input);
      if (name === PRODUCT && sameWords(section, DECISION_LOG)) return decided(draft, text, input);
      draft.edit(name, (before) => sayUnder(before, section, text, how));
    }
    for (const path of draft.changed())
      if (losesWords(tree.text(path) ?? "", draft.text(path) ?? "")) draft.keepAside(path);
    return told(tree, draft, input, name);
  });
}

const isAboutSection = (input: Input, name: SteeringName): boolean =>
  input.section !== undefined || input.text !== undefined || fieldsGiven(input).length === 0 || name !== PRODUCT;

function told(tree: StoreTree, draft: SteeringDraft, input: Input, name: SteeringName): StorePlan<Done> {
  if (draft.changed().length === 0) return unchanged({ notes: ["All of that stands there already."] });
  const { vision: before } = userIntent(tree.text(pathOf(PRODUCT)) ?? "");
  const isOtherVision = before !== "" && input.vision !== undefined && !sameWords(before, input.vision);
  const fields = fieldsGiven(input);
  const parts = [...(fields.length > 0 ? [`product.md: ${fields.join(", ")}`] : []), ...sectionSaid(input, name)];
  return planned(draft, "update", {
    ...(isOtherVision ? { type: "DIRECTION_CHANGE" as const } : {}),
    summary: isOtherVision ? `Another vision: ${sanitizeText(input.vision ?? "", 200)}` : parts.join("; "),
    decision: [input.text, ...fields.map((field) => input[field])].filter((said) => said !== undefined).join("\n"),
    reason: input.reason,
  });
}

const sectionSaid = ({ section }: Input, name: SteeringName): string[] =>
  section === undefined ? [] : [`${name}.md: ${sanitizeText(section, 100)}`];

/** Text for the product's decision log is a user decision and gets a number. */
function decided(draft: SteeringDraft, text: string, { reason }: Input): StorePlan<Done> {
  return planned(draft, "update", {
    type: "USER_DECISION",
    summary: sanitizeText(text.trim().replace(/\s+/g, " "), 200),
    decision: text,
    reason,
  });
}

interface Whole {
  readonly section: string;
  readonly text: string;
}

function wholeOf(tree: StoreTree, name: SteeringName, { section: said, text }: Input): Whole {
  const section = said
    ?.replace(/\s+/g, " ")
    .replace(/^#{1,6} /, "")
    .trim();
  const present = tree.text(pathOf(name)) ?? "";
  const headings = sectionsIn(present)
    .filter(({ heading }) => heading.level > 1)
    .map(({ heading }) => heading.text);
  if (section === undefined || text === undefined)
    throw new Fault("input.missing", {
      what: "Nothing was updated.",
      why:
        section === undefined
          ? `No section was named; ${pathOf(name)} has ${sanitizeText(headings.join(", "), 400)}.`
          : "There is no text for the section.",
      fix: {
        operation: "steering.manage",
        input: { action: "update", name, section: section ?? headings[0] ?? "…", text: "…" },
      },
    });
  const found = findSection(present, section);
  refuseBreaking("text", text, found?.heading.level ?? 2);
  const near = found ? undefined : findClosestWord(section, headings);
  if (near === undefined) return { section, text };
  throw new Fault("steering.unknown-section", {
    what: `${pathOf(name)} has no section ${quote(section, 60)}.`,
    why: `${quote(near, 60)} is near it.`,
    fix: { operation: "steering.manage", input: { action: "update", name, section: near, text: "…" } },
  });
}

export function refuseMissing(tree: StoreTree, name: SteeringName): void {
  if (tree.has(pathOf(name))) return;
  const make = isCore(name) ? { action: "create" } : { action: "custom", name };
  throw new Fault("steering.missing", {
    what: `There is no ${pathOf(name)}.`,
    why: "Nobody has written it yet.",
    fix: [
      { operation: "steering.manage", input: make },
      { operation: "steering.manage", input: { action: "show" } },
    ],
  });
}
