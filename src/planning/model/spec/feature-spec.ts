import type * as z from "zod/mini";
import { type LocatedNode, readYamlText, type YamlValue } from "#kernel/model/yaml-tree.ts";
import { createFieldConverter, parseCriterionRecord, parseUserStory } from "./criterion-sentence.ts";
import {
  createAlternative,
  createList,
  createRecord,
  createTable,
  createText,
  createWord,
  fillableField,
  FREE_VALUE,
  LONG_TEXT,
  neededField,
  optionalField,
  SENTENCE,
  SPEC_HEAD_FIELDS,
  SPEC_PRIORITY,
  SPEC_STATUS_FIELDS,
  SPEC_TAIL_FIELDS,
  TITLE,
} from "./field-shapes.ts";

const createItemId = (prefix: string) =>
  createText({ most: 200, pattern: new RegExp(`^${prefix}-\\d{1,4}$`), says: `a number such as ${prefix}-1` });

const USER_STORY = createRecord(
  {
    id: createItemId("US"),
    as_a: optionalField(SENTENCE, { isNeeded: true, older: ["as", "as_an", "role"] }),
    i_want: optionalField(SENTENCE, { isNeeded: true, older: ["want", "i_want_to", "feature", "story"] }),
    so_that: optionalField(SENTENCE, { isNeeded: true, older: ["so", "benefit", "in_order_to"] }),
  },
  { numbered: "US", form: parseUserStory },
);

const createGivenWhenThen = (isNeeded: boolean) => ({
  given: optionalField(SENTENCE, { isNeeded }),
  when: optionalField(SENTENCE, { isNeeded }),
  // oxlint-disable-next-line unicorn/no-thenable -- a field of the document
  then: optionalField(SENTENCE, { isNeeded }),
});

const FEATURE_CRITERION = createRecord(
  {
    id: createItemId("AC"),
    ...createGivenWhenThen(true),
    story: optionalField(TITLE, { older: ["user_story", "us"] }),
    testable: optionalField(createWord(["true", "false"])),
    notes: optionalField(LONG_TEXT, { older: ["note", "description"] }),
  },
  { numbered: "AC", form: parseCriterionRecord },
);

const SUCCESS_METRIC = createRecord({
  metric: optionalField(SENTENCE, { isNeeded: true, older: ["name", "measure"] }),
  target: optionalField(SENTENCE, { isNeeded: true, older: ["value", "goal"] }),
});

const TEST_SCENARIO = createRecord(
  {
    id: createItemId("TS"),
    covers: fillableField(createList(TITLE), {
      isNeeded: true,
      older: ["criteria", "acceptance_criteria", "acs", "ac", "verifies"],
    }),
    description: optionalField(SENTENCE, { isNeeded: true, older: ["name", "title", "scenario"] }),
    ...createGivenWhenThen(false),
  },
  { numbered: "TS", form: createFieldConverter("description") },
);

const FEATURE_RISK = createRecord(
  {
    risk: optionalField(SENTENCE, { isNeeded: true, older: ["description", "name"] }),
    severity: optionalField(SPEC_PRIORITY, { older: ["impact", "level"] }),
    mitigation: optionalField(SENTENCE, { isNeeded: true }),
  },
  { form: createFieldConverter("risk") },
);

/** Parses "none: internal only", "None, because internal only" or "none". */
function parseNoContracts(node: LocatedNode): YamlValue | undefined {
  const text = readYamlText(node)?.trim();
  if (text === undefined || !/^(?:none|n\/a)\b/i.test(text)) return undefined;
  const reason = text.replace(/^(?:none|n\/a)[\s,;:(—–-]*/i, "");
  return { none: (reason.endsWith(")") && !reason.includes("(") ? reason.slice(0, -1) : reason) || null };
}

const NO_CONTRACTS = createRecord({ none: optionalField(SENTENCE, { older: ["reason"] }) }, { form: parseNoContracts });

const listWrappedLocations = (...keys: readonly string[]) =>
  keys.flatMap((key) => [`requirements.${key}`, `design.${key}`]);

/** `sdd/specs/AUTH-001.yaml`. */
export const FEATURE_SCHEMA = createRecord({
  ...SPEC_HEAD_FIELDS,
  type: neededField(createWord(["feature"], { spec: "feature", story: "feature" }), { otherwise: "feature" }),
  title: neededField(TITLE, { older: ["name"] }),
  ...SPEC_STATUS_FIELDS,
  summary: neededField(createText({ least: 20 }), { older: ["description", "overview"] }),
  user_stories: fillableField(createList(USER_STORY), {
    isNeeded: true,
    older: ["stories"],
    stood: listWrappedLocations("user-stories", "user_stories"),
  }),
  acceptance_criteria: fillableField(createList(FEATURE_CRITERION), {
    isNeeded: true,
    older: ["acs", "criteria"],
    stood: listWrappedLocations("acceptance-criteria", "acceptance_criteria"),
  }),
  success_criteria: fillableField(createList(createAlternative(SUCCESS_METRIC, SENTENCE)), {
    isNeeded: true,
    older: ["success_metrics", "completeness"],
    stood: listWrappedLocations("success-criteria", "success_criteria"),
  }),
  api_contracts: optionalField(createAlternative(createList(FREE_VALUE), NO_CONTRACTS), {
    isNeeded: true,
    older: ["contracts", "api", "interfaces"],
    stood: listWrappedLocations("api-contracts", "api_contracts", "interfaces"),
  }),
  test_scenarios: fillableField(createList(TEST_SCENARIO), {
    isNeeded: true,
    older: ["scenarios", "tests"],
    stood: listWrappedLocations("test-scenarios", "test_scenarios"),
  }),
  non_functional: optionalField(createAlternative(createList(FREE_VALUE), createTable(FREE_VALUE)), {
    older: ["non_functional_requirements", "nfr", "nfrs"],
    stood: listWrappedLocations("non-functional", "non_functional"),
  }),
  dependencies: fillableField(createList(SENTENCE), {
    older: ["depends_on"],
    stood: listWrappedLocations("dependencies"),
  }),
  constraints: fillableField(createList(SENTENCE), { stood: listWrappedLocations("constraints") }),
  risks: fillableField(createList(FEATURE_RISK), { stood: listWrappedLocations("risks") }),
  notes: optionalField(LONG_TEXT),
  tags: fillableField(createList(TITLE)),
  ...SPEC_TAIL_FIELDS,
});
export type FeatureSpec = z.infer<typeof FEATURE_SCHEMA>;
