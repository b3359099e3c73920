import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { countUtf8Bytes } from "./query-answer.ts";
import { MAX_PREPARED_ANSWERS, type PreparedAnswerFacts, prepareAnswers } from "./prepared-answers.ts";

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
const featureStages = ["discover", "specify", "implement", "verify"];
const NOTHING: PreparedAnswerFacts = {
  main: [],
  areas: [],
  commits: [],
  checks: [],
  specs: [],
  untested: [],
  featureStages,
};
const LOGIN = { key: "src/auth.ts#login", at: "src/auth.ts:3", name: "login", says: "Logs in." };
const AUTH = {
  name: "auth",
  places: ["src/auth"],
  files: 2,
  components: 5,
  members: [LOGIN],
  usedBy: ["src/api"],
  uses: [],
  specs: ["AUTH-001"],
};
const SOME: PreparedAnswerFacts = {
  main: [{ ...LOGIN, users: 4 }],
  areas: [AUTH],
  commits: [
    {
      hash: "a3f5c7e0",
      at: "2026-01-31T12:00:00Z",
      subject: "feat(AUTH-001): Add login",
      change: "+45 -2, src/auth.ts",
    },
  ],
  checks: [{ directory: ".", kind: "test", command: "npx vitest run" }],
  specs: [{ id: "AUTH-001", title: "Login", path: "sdd/specs/AUTH-001.yaml", status: "draft" }],
  untested: ["AUTH-001.AC-1"],
  featureStages,
};
const word = (
  facts: PreparedAnswerFacts,
  before: ReturnType<typeof prepareAnswers> = [],
  now = "2026-02-01T00:00:00Z",
) => prepareAnswers(facts, before, now, digest);

test("prepares answers from the index", () => {
  expect(word(SOME).map(({ question, answer, sources }) => [question, answer, sources])).toEqual([
    [
      "What are the main components",
      "Areas: auth. Most used: login (src/auth.ts:3): Logs in. [4 users]",
      ["src/auth.ts#login"],
    ],
    [
      "What changed recently",
      "Newest first: a3f5c7e 2026-01-31 feat(AUTH-001): Add login (+45 -2, src/auth.ts)",
      ["a3f5c7e0"],
    ],
    ["How do I run the checks", "sdd_gate runs them all; sdd_stack explains the choice. test: npx vitest run", ["."]],
    ["How do I add a feature", expect.stringContaining("discover, specify, implement, verify"), ["workflow.feature"]],
    ["Where are the specs", "1 spec in sdd/specs/. AUTH-001 Login (draft)", ["AUTH-001"]],
    ["Which requirements lack tests", "1 that no test names: AUTH-001.AC-1", ["AUTH-001"]],
    [
      "How does auth work",
      "src/auth (2 files, 5 components; used by src/api; specs AUTH-001). login (src/auth.ts:3): Logs in.",
      ["src/auth", "src/auth.ts#login", "AUTH-001"],
    ],
  ]);
});

test("prepares no answer without content", () => {
  expect(word(NOTHING).map(({ question }) => question)).toEqual(["How do I add a feature"]);
});

test("changes the hash and time of changed answers only", () => {
  const before = word(SOME);
  const after = word({ ...SOME, areas: [{ ...AUTH, components: 61 }] }, before, "2026-03-01T00:00:00Z");
  const changed = after.filter(({ at }) => at !== "2026-02-01T00:00:00Z").map(({ question }) => question);
  expect(changed).toEqual(["How does auth work"]);
});

test("prepares at most 20 answers, each less than a kilobyte on one line", () => {
  const text = fc.oneof(fc.string({ unit: "grapheme", maxLength: 400 }), fc.constant("é\n".repeat(700)));
  const told = fc.record({ key: text, at: text, name: text, says: text });
  const facts: fc.Arbitrary<PreparedAnswerFacts> = fc.record({
    main: fc.array(fc.record({ key: text, at: text, name: text, says: text, users: fc.nat(99) })),
    areas: fc.array(
      fc.record({
        name: text,
        places: fc.array(text, { minLength: 1 }),
        files: fc.nat(99),
        components: fc.nat(99),
        members: fc.array(told),
        usedBy: fc.array(text),
        uses: fc.array(text),
        specs: fc.array(text),
      }),
      { maxLength: 40 },
    ),
    commits: fc.array(fc.record({ hash: text, at: text, subject: text, change: text })),
    checks: fc.array(fc.record({ directory: text, kind: text, command: text })),
    specs: fc.array(fc.record({ id: text, title: text, path: text, status: text })),
    untested: fc.array(text),
    featureStages: fc.array(text),
  });
  fc.assert(
    fc.property(facts, (given) => {
      const answers = word(given);
      expect(answers.length).toBeLessThanOrEqual(MAX_PREPARED_ANSWERS);
      for (const { answer } of answers) {
        expect(countUtf8Bytes(answer)).toBeLessThanOrEqual(1_000);
        expect(answer).not.toMatch(/[\n\r]/);
      }
    }),
    { numRuns: 15 },
  );
});
