import fc from "fast-check";
import { expect, test } from "vitest";
import { assessClarity, type ClarityAssessment, type ClarityClaim, CLARITY_THRESHOLDS } from "./clarity-gate.ts";
import {
  type ClarityDimension,
  CLARITY_DIMENSION_NAMES,
  CLARITY_DIMENSIONS,
  PROJECT_MODES,
} from "#kernel/model/stages/project-stages.ts";

/** A sentence of its own for each dimension. */
const said = (dimension: ClarityDimension): string => `The words about ${dimension} are these ones.`;
const SOURCES = [
  { name: "proposal", text: CLARITY_DIMENSION_NAMES.slice(0, 4).map(said).join("\n\n") },
  { name: "answers", text: CLARITY_DIMENSION_NAMES.slice(4).map(said).join("\n\n") },
];
const claims = (score: number): ClarityClaim[] =>
  CLARITY_DIMENSION_NAMES.map((dimension) => ({ dimension, score, evidence: said(dimension) }));
const told = ({ problems }: ClarityAssessment) => problems.map(({ problem }) => problem);
const one = (claim: Partial<ClarityClaim>, text = "It shows the tides of two days."): ClarityAssessment =>
  assessClarity([{ dimension: "security", score: 90, ...claim }], [{ name: "s", text }], "expert");
const security = (assessment: ClarityAssessment) =>
  assessment.dimensions.find(({ dimension }) => dimension === "security");

test("uses the weights of the design, which add up to sixty", () => {
  expect(Object.values(CLARITY_DIMENSIONS).map(({ weight }) => weight)).toEqual([8, 10, 7, 6, 8, 7, 5, 9]);
  expect(CLARITY_THRESHOLDS).toEqual({ guided: 70, expert: 50 });
});

test("passes when everything is clear and quoted", () => {
  const { passed, score, problems, dimensions } = assessClarity(claims(70), SOURCES, "guided");
  expect({ passed, score, problems, found: dimensions.map(({ found_in }) => found_in) }).toEqual({
    passed: true,
    score: 70,
    problems: [],
    found: [...Array(4).fill("proposal"), ...Array(4).fill("answers")],
  });
});

test("rejects one point less and reports it", () => {
  const assessment = assessClarity(claims(69), SOURCES, "guided");
  expect([assessment.passed, told(assessment)]).toEqual([false, ["The score is 69, and guided mode needs 70."]]);
});

test("reports eight gaps for an empty assessment", () => {
  const { passed, score, problems } = assessClarity([], SOURCES, "expert");
  expect([passed, score, problems.length]).toEqual([false, 0, 9]);
});

test.each([
  ["literally", "shows the tides of two days"],
  ["in other letters and marks", "**Shows** the TIDES — of “two” days!"],
  ["across lines", "shows\nthe\n> tides of"],
])("counts evidence that is quoted %s", (_, evidence) => {
  expect(security(one({ evidence }))).toEqual({
    dimension: "security",
    score: 90,
    evidence,
    counted: 90,
    found_in: "s",
  });
});

test.each([
  [undefined, "security has no evidence, so it counts 0: quote a document or an answer."],
  ["…", "security has no evidence, so it counts 0: quote a document or an answer."],
  ["the tides", 'The evidence for security is too short: "the tides"; quote at least three words.'],
  ["a b c", 'The evidence for security is too short: "a b c"; quote at least three words.'],
  ["a a a a a a a a", 'The evidence for security is too short: "a a a a a a a a"; quote at least three words.'],
  ["the owner is TBD still", 'The evidence for security leaves it open: "the owner is TBD still".'],
  [
    "Who may do what, and what must stay hidden?",
    'The evidence for security is a question of the gate, not an answer: "Who may do what, and what must stay hidden?".',
  ],
  ["ides of two da", 'The evidence for security is not in a document or an answer: "ides of two da".'],
  ["shows the moon", 'The evidence for security is not in a document or an answer: "shows the moon".'],
  ["shows tides of two", 'The evidence for security is not in a document or an answer: "shows tides of two".'],
])("does not count the evidence %j", (evidence, problem) => {
  const assessment = one({ evidence });
  expect([security(assessment)?.counted, security(assessment)?.found_in]).toEqual([0, undefined]);
  expect(told(assessment)).toContain(problem);
});

test.each([
  ["возможно для всех гостей", "Это невозможно для всех гостей.", 0],
  ["возможно для всех гостей", "Это возможно для всех гостей.", 90],
  ["χωρίς κωδικό για όλους", "όχι ξχωρίς κωδικό για όλους", 0],
  ["誰でも表を見られる", "港の誰でも表を見られるが変更できない", 90],
  ["表を見る", "港の誰でも表を見る", 0],
])("does not count a part of a word as evidence: %s", (evidence, text, counted) => {
  expect(security(one({ evidence }, text))?.counted).toBe(counted);
});

test("counts one passage for at most two dimensions", () => {
  const text = "Harbour masters see the tides of two days in one table.";
  const evidence = ["Harbour masters see the tides", "see the tides of two days", "the tides of two days in"];
  const some = CLARITY_DIMENSION_NAMES.slice(0, 3).map((dimension, i) => ({
    dimension,
    score: 90,
    evidence: evidence[i],
  }));
  const assessment = assessClarity(some, [{ name: "s", text }], "expert");
  expect(assessment.dimensions.slice(0, 3).map(({ counted }) => counted)).toEqual([90, 90, 0]);
  expect(told(assessment)[0]).toBe("One passage counts for 2 dimensions at most; data_model needs its own.");
});

test.each([
  ["It talks to no other system", false],
  ["n/a", true],
  ["n/a n/a n/a, n/a", true],
  ["- - - - - - -", true],
  ["       ", true],
  [undefined, true],
])("reports a gap with the waiver %j: %s", (waiver, isTold) => {
  const rest = claims(90).filter(({ dimension }) => dimension !== "integrations");
  const assessment = assessClarity([...rest, { dimension: "integrations", score: 0, waiver }], SOURCES, "guided");
  expect([assessment.passed, told(assessment).length]).toEqual([!isTold, isTold ? 1 : 0]);
});

test.each([
  [29, ["security is at 29: Who may do what, and what must stay hidden? Answer it, or waive it with a reason."]],
  [30, []],
])("judges a dimension at %i alone, however clear the others are", (score, problems) => {
  const all = claims(100).map((each) => (each.dimension === "security" ? { ...each, score } : each));
  expect(told(assessClarity(all, SOURCES, "guided"))).toEqual(problems);
});

test("checks the evidence of earlier rounds again", () => {
  const before = assessClarity(claims(90), SOURCES, "guided").dimensions;
  const [proposal] = SOURCES;
  const after = assessClarity(before, proposal ? [proposal] : [], "guided");
  expect(after.dimensions.map(({ counted, found_in }) => [counted, found_in])).toEqual([
    ...Array(4).fill([90, "proposal"]),
    ...Array(4).fill([0, undefined]),
  ]);
});

test("uses the latest answer for each dimension", () => {
  const assessment = assessClarity([...claims(90), { dimension: "security", score: 10 }], SOURCES, "guided");
  expect(security(assessment)).toEqual({ dimension: "security", score: 10, counted: 0 });
});

/** True and false quotations, of every length. */
const WORDS = "harbour masters see tides of two days and nobody may change a table at night unless asked".split(" ");
const source = fc.array(fc.constantFrom(...WORDS), { minLength: 3, maxLength: 40 }).map((words) => words.join(" "));
const quotation = fc.oneof(
  fc.tuple(fc.nat(), fc.nat(60)).map(
    ([from, length]) =>
      (text: string) =>
        text.slice(from % text.length).slice(0, length),
  ),
  source.map((text) => () => text),
  fc.constantFrom("", "…", "tides of the moon").map((text) => () => text),
);
const claim = fc.record({
  dimension: fc.constantFrom(...CLARITY_DIMENSION_NAMES),
  score: fc.integer({ min: 0, max: 100 }),
  quotation: fc.option(quotation, { nil: undefined }),
  waiver: fc.constantFrom(undefined, "", "n/a", "It is public by law"),
});
const plainWords = (text: string): string =>
  ` ${text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, " ")
    .trim()} `;

test("a passed gate has no gap without a waiver, counts only quotes, and scores their weighted mean", () => {
  fc.assert(
    fc.property(
      fc.array(claim, { maxLength: 10 }),
      fc.nat(100),
      source,
      fc.constantFrom(...PROJECT_MODES),
      (some, base, text, mode) => {
        const sources = [...SOURCES, { name: "notes", text }];
        const random = some.map(({ quotation: quoting, ...rest }) => ({ ...rest, evidence: quoting?.(text) }));
        const { dimensions, score, passed, threshold } = assessClarity([...claims(base), ...random], sources, mode);
        const weighed = dimensions.reduce(
          (sum, each) => sum + each.counted * CLARITY_DIMENSIONS[each.dimension].weight,
          0,
        );
        const standsIn = (name?: string): string => plainWords(sources.find((each) => each.name === name)?.text ?? "");
        const isWaived = ({ waiver }: ClarityClaim): boolean => waiver === "It is public by law";
        const wrong = dimensions.filter(
          (each) =>
            (each.counted !== 0 && each.counted !== each.score) ||
            (each.counted > 0 && !standsIn(each.found_in).includes(plainWords(each.evidence ?? "?"))) ||
            (passed && each.counted < 30 && !isWaived(each)),
        );
        expect(dimensions.map(({ dimension }) => dimension)).toEqual(CLARITY_DIMENSION_NAMES);
        expect([score, wrong, passed && score < threshold]).toEqual([Math.floor(weighed / 60), [], false]);
      },
    ),
    { numRuns: 500 },
  );
});

test("counts every score as given when all quotations are real", () => {
  const scores = fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 8, maxLength: 8 });
  fc.assert(
    fc.property(scores, (all) => {
      const given = claims(0).map((each, i) => ({ ...each, score: all[i] ?? 0 }));
      const sum = given.reduce(
        (total, { dimension, score }) => total + score * CLARITY_DIMENSIONS[dimension].weight,
        0,
      );
      expect(assessClarity(given, SOURCES, "guided").score).toBe(Math.floor(sum / 60));
      const without = given.map(({ dimension, score }) => ({ dimension, score }));
      expect(assessClarity(without, SOURCES, "guided").score).toBe(0);
    }),
  );
});

test.each([
  "Everything is perfectly clear to the whole team.",
  "All requirements are clear and well defined.",
  "The scope is fully understood, and nothing is left open.",
  "No further clarification is needed, everything is fine.",
])("does not count an answer that only claims clarity: %s", (evidence) => {
  const assessment = one({ evidence }, `${evidence} It shows the tides of two days.`);
  expect(security(assessment)?.counted).toBe(0);
  expect(told(assessment).join()).toContain("only claims that it is clear");
});

test.each(["It is clear that only harbour masters may edit a table.", "Known users: harbour masters and sailors."])(
  "counts an answer with facts although it uses the word clear or known: %s",
  (evidence) => {
    expect(security(one({ evidence }, evidence))?.counted).toBe(90);
  },
);

test("counts one answer that is repeated for every dimension for two of them", () => {
  const evidence = "Harbour masters edit the tables.";
  const repeated = CLARITY_DIMENSION_NAMES.map((dimension) => ({ dimension, score: 90, evidence }));
  const { dimensions } = assessClarity(repeated, [{ name: "s", text: Array(8).fill(evidence).join("\n") }], "expert");
  expect(dimensions.filter(({ counted }) => counted > 0)).toHaveLength(2);
});
