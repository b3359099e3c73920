import { expect, test } from "vitest";
import { DESIGN } from "../../../../test/kit/feature.ts";
import { listCriterionIds } from "./design-criteria.ts";
import { checkDesign, DESIGN_SECTIONS } from "./design-check.ts";

const lineOf = (text: string, said: string): number => text.split("\n").findIndex((line) => line.includes(said)) + 1;

/** What is told of the design after one edit, each with the text of its line. */
function told(was: string | RegExp, is: string): string[] {
  const text = DESIGN.replace(was, is);
  if (text === DESIGN) throw new Error("Nothing was edited.");
  const lines = text.split("\n");
  return checkDesign(text).problems.map(({ problem, line = 0 }) => `${lines[line - 1]?.trim()} » ${problem}`);
}

test("accepts a complete design and lists its parts", () => {
  const { problems, notes, specs, components, files } = checkDesign(DESIGN);
  expect([problems, notes]).toEqual([[], []]);
  expect(specs).toEqual([
    {
      number: 1,
      title: "Login",
      goal: "Users get in with what only they know.",
      line: lineOf(DESIGN, "### Spec 1"),
      criteria: [
        {
          id: "S1.AC1",
          cited: "1.1",
          text: "When a user gives a known name and the right password, the system answers with a session.",
          stability: "contract",
          line: lineOf(DESIGN, "1. [contract]"),
        },
        {
          id: "S1.AC2",
          cited: "1.2",
          text: 'When the password is wrong, the system answers "Name or password is wrong" and tells nothing else.',
          stability: null,
          line: lineOf(DESIGN, "2. When"),
        },
      ],
    },
    {
      number: 2,
      title: "Sessions",
      goal: "Nobody logs in twice a day.",
      line: lineOf(DESIGN, "### Spec 2"),
      criteria: [
        {
          id: "S2.AC1",
          cited: "2.1",
          text: "A session ends 24 hours after the login.",
          stability: "behavior",
          line: lineOf(DESIGN, "1. A session"),
        },
      ],
    },
  ]);
  expect(components).toEqual([
    {
      name: "LoginService",
      covers: ["S1.AC1", "S1.AC2"],
      files: ["src/login.ts", "src/login.test.ts"],
      line: lineOf(DESIGN, "| LoginService | Checks"),
    },
    {
      name: "Sessions",
      covers: ["S2.AC1"],
      files: ["src/sessions.ts", "src/sessions.test.ts"],
      line: lineOf(DESIGN, "| Sessions | Remembers"),
    },
  ]);
  expect(files).toEqual(["src/login.test.ts", "src/login.ts", "src/sessions.test.ts", "src/sessions.ts"]);
});

test.each(DESIGN_SECTIONS.filter(({ isOptional }) => !isOptional).map(({ name }) => name))(
  'requires the section "%s" with content',
  (name) => {
    const start = DESIGN.indexOf(`## ${name}\n`);
    const end = DESIGN.indexOf("\n## ", start);
    const section = DESIGN.slice(start, end < 0 ? undefined : end);
    expect(checkDesign(DESIGN.replace(section, "")).problems.map(({ problem }) => problem)).toContainEqual(
      expect.stringContaining(`The section "## ${name}" is missing: write it`),
    );
    expect(checkDesign(DESIGN.replace(section, `## ${name}\n`)).problems.map(({ problem }) => problem)).toContainEqual(
      `There is no text under "## ${name}": write what there is to say.`,
    );
  },
);

test.each<[string, string | RegExp, string, string[]]>([
  [
    "a section is missing",
    /## Error Handling\n.*\n/,
    "",
    ['## Testing Strategy » The section "## Error Handling" is missing: write it before "## Testing Strategy".'],
  ],
  [
    "sections have a different order",
    /(## Overview\n.*\n\n)(## Architecture\n[^]*?\n)(?=## Spec)/,
    "$2$1",
    ['## Architecture » "## Architecture" comes before "## Overview": move it after that section.'],
  ],
  [
    "a section is repeated",
    "## Error Handling",
    "## Overview\nAgain.\n\n## Error Handling",
    ['## Overview » There are two sections "## Overview": join them.'],
  ],
  [
    "the introduction is missing",
    /### Introduction\n.*\n/,
    "",
    ['## Specifications » "### Introduction" is missing: say in a few sentences what the feature is for.'],
  ],
  [
    "the introduction is empty",
    /(### Introduction\n).*\n/,
    "$1",
    ['### Introduction » There is no text under "### Introduction".'],
  ],
  [
    "non-goals are missing",
    /### Non-Goals\n.*\n/,
    "",
    ['### Spec 2: Sessions » "### Non-Goals" is missing: list what the feature leaves to others.'],
  ],
  [
    "non-goals are among the specs",
    /(### Spec 2[^]*?\n)(### Non-Goals\n.*\n\n)/,
    "$2$1",
    ['### Non-Goals » "### Non-Goals" comes behind the last spec: move it there.'],
  ],
  [
    "a spec has no number",
    "### Spec 2: Sessions",
    "### Spec B: Sessions",
    [
      '### Spec B: Sessions » "### Spec B: Sessions" is not a spec: write "### Spec 2: …", with a number, or put it under another section.',
      '| 2 | Sessions | Sessions | » "2" refers to nothing: there is no Spec 2.',
      '| Sessions | Remembers who it was | 2.1 | `src/sessions.ts`, `src/sessions.test.ts` | » Sessions: "2.1" refers to nothing: there is no Spec 2.',
    ],
  ],
  [
    "specs have a gap",
    "### Spec 2: Sessions",
    "### Spec 3: Sessions",
    ["### Spec 3: Sessions » Spec 3 should be Spec 2: number them from 1, without a gap."],
  ],
  [
    "a spec has no title",
    "### Spec 2: Sessions",
    "### Spec 2:",
    ["### Spec 2: » Spec 2 has no title: say what it is about."],
  ],
  [
    "a spec has no goal",
    /\*\*Goal:\*\* Nobody.*\n/,
    "",
    ['### Spec 2: Sessions » Spec 2 has no goal: write "**Goal:** …".'],
  ],
  [
    "criteria have no label",
    /\*\*Acceptance Criteria:\*\*\n1\. A session/,
    "1. A session",
    [
      '### Spec 2: Sessions » Spec 2 has no criteria: write "**Acceptance Criteria:**" and a numbered list below.',
      '| Sessions | Remembers who it was | 2.1 | `src/sessions.ts`, `src/sessions.test.ts` | » Sessions: "2.1" refers to nothing: Spec 2 has no criterion 1.',
    ],
  ],
  [
    "a criterion has no number",
    "1. A session ends",
    "- A session ends",
    [
      '**Acceptance Criteria:** » Spec 2 lists no criterion: number them, "1. …", "2. …".',
      '- A session ends 24 hours after the login. [behavior] » "- A session ends 24 hours after the login. [behavior]" has no number: write "1. …".',
      '| Sessions | Remembers who it was | 2.1 | `src/sessions.ts`, `src/sessions.test.ts` | » Sessions: "2.1" refers to nothing: Spec 2 has no criterion 1.',
    ],
  ],
  [
    "criteria have a gap",
    "2. When the password",
    "3. When the password",
    [
      '3. When the password is wrong, the system answers "Name or password is wrong" » Criterion 3 should be 2: number them from 1, without a gap.',
    ],
  ],
  [
    "a tag is not known",
    "[contract]",
    "[contrat]",
    [
      "1. [contrat] When a user gives a known name and the right password, the system answers with a session. » S1.AC1 has the tag [contrat]: one of [constraint], [contract], [behavior], or none.",
    ],
  ],
  [
    "a criterion is a tag alone",
    /2\. When[^]*?else\./,
    "2. [contract]",
    ["2. [contract] » S1.AC2 is empty: write the observable behaviour."],
  ],
  [
    "there is no table of components",
    /\| Component \|[^]*?(?=## Error)/,
    "Two.\n\n",
    [
      "## Components and Interfaces » There is no table of components: write one, | Component | Req Coverage | Files |.",
    ],
  ],
  [
    "the table has no files",
    "| Req Coverage | Files |",
    "| Req Coverage | Where |",
    [
      '| Component | Intent | Req Coverage | Where | » The table of components has no column "Files": it needs | Component | Req Coverage | Files |.',
    ],
  ],
  [
    "a component names no file",
    "`src/sessions.ts`, `src/sessions.test.ts`",
    "",
    [
      '| Sessions | Remembers who it was | 2.1 |  | » Sessions names no file: write at least one path in backticks under "Files", as `src/login.ts`.',
    ],
  ],
  [
    "paths have no backticks",
    "`src/sessions.ts`, `src/sessions.test.ts`",
    "src/sessions.ts",
    [
      '| Sessions | Remembers who it was | 2.1 | src/sessions.ts | » Sessions: put each path in backticks, and not "src/sessions.ts".',
    ],
  ],
  [
    "a path leads out of the repository",
    "`src/sessions.ts`,",
    "`../sessions.ts`,",
    [
      '| Sessions | Remembers who it was | 2.1 | `../sessions.ts`, `src/sessions.test.ts` | » Sessions: "../sessions.ts" leads out of its folder: name the file itself.',
    ],
  ],
  [
    "a component covers nothing",
    "| 2.1 | `src/sessions.ts`",
    "| — | `src/sessions.ts`",
    [
      '1. A session ends 24 hours after the login. [behavior] » No component carries S2.AC1: name 2.1 under "Req Coverage" of the one that does it.',
      '| Sessions | Remembers who it was | — | `src/sessions.ts`, `src/sessions.test.ts` | » Sessions carries no criterion: name those it is for under "Req Coverage", as 1.2, or leave it out.',
    ],
  ],
  [
    "an id has letters",
    "| 2.1 | `src/sessions.ts`",
    "| FR-001, 2.1 | `src/sessions.ts`",
    [
      '| Sessions | Remembers who it was | FR-001, 2.1 | `src/sessions.ts`, `src/sessions.test.ts` | » Sessions: "FR-001" is not the id of a spec or criterion: write 1.2 for criterion 2 of Spec 1, or 1 for all of it.',
    ],
  ],
  [
    "no component covers a criterion",
    "| 1.1, 1.2 | `src/login.ts`",
    "| 1.1 | `src/login.ts`",
    [
      '2. When the password is wrong, the system answers "Name or password is wrong" » No component carries S1.AC2: name 1.2 under "Req Coverage" of the one that does it.',
    ],
  ],
  [
    "a component is repeated",
    "| Sessions | Remembers",
    "| LoginService | Remembers",
    [
      '| 2 | Sessions | Sessions | » "Sessions" is not in the table of components: name it as it is there.',
      "| LoginService | Remembers who it was | 2.1 | `src/sessions.ts`, `src/sessions.test.ts` | » LoginService is there twice, first on line 48: join them.",
    ],
  ],
  [
    "the matrix lacks a criterion",
    "| 2 | Sessions | Sessions |\n",
    "",
    ["| Specification | Summary | Components | » S2.AC1 is not in the matrix: write a row for 2.1."],
  ],
  [
    "the matrix is not a table",
    /\| Specification \|[^]*?(?=## Components)/,
    "See below.\n\n",
    ["## Specifications Traceability » There is no matrix: write a table, | Specification | Summary | Components |."],
  ],
  [
    "a placeholder remains",
    "Users of the shop need an account.",
    "{{who needs it}}",
    ['**Purpose**: {{who needs it}} » "{{who needs it}}" is not filled in yet.'],
  ],
  [
    "a placeholder remains in a table",
    "`src/sessions.ts`,",
    "`{{path}}`,",
    [
      '| Sessions | Remembers who it was | 2.1 | `{{path}}`, `src/sessions.test.ts` | » "{{path}}" is not filled in yet.',
    ],
  ],
  [
    "a decision is left for later",
    "A service behind the router.",
    "TBD",
    ['TBD » It says "TBD": decide it, or make it a Non-Goal.'],
  ],
  [
    "a diagram has invalid labels",
    "Router --> Login\n",
    "Router --> Login[login(user)]\n",
    [
      'Router --> Login[login(user)] » The label "login(user" has brackets, quotes or a slash, which break diagrams: use plain words.',
    ],
  ],
  [
    "conflict marks remain",
    "## Overview",
    "<<<<<<< ours\n## Overview",
    ["<<<<<<< ours » A merge left conflict marks here: keep the right text, remove the marks, then check again."],
  ],
])("rejects a design in which %s", (_, was, is, problems) => {
  expect(told(was, is)).toEqual(problems);
});

const REVISED = DESIGN.replace("### Spec 2", "### Spec 4")
  .replace("2. When the password", "7. When the password")
  .replaceAll("1.2", "1.7")
  .replace("| 2 |", "| 4 |")
  .replace("| 2.1 |", "| 4.1 |")
  .concat("\n## Revision Notes\nTwo specs and five criteria are gone.\n");

test("accepts gaps in a revised design and keeps the remaining numbers", () => {
  const { problems, specs, components } = checkDesign(REVISED);
  expect([problems, listCriterionIds(specs)]).toEqual([[], ["S1.AC1", "S1.AC7", "S4.AC1"]]);
  expect(components.map(({ covers }) => covers)).toEqual([["S1.AC1", "S1.AC7"], ["S4.AC1"]]);
  expect(checkDesign(REVISED.replace("### Spec 4", "### Spec 1")).problems).toContainEqual(
    expect.objectContaining({ problem: "Spec 1 should be Spec 2: number them from 1, without a gap." }),
  );
});

test.each<[string, string]>([
  [
    "additional sections",
    DESIGN.replace("## Error", "## Data Models\nOne.\n\n## Error").concat("\n## Security\nSound.\n"),
  ],
  ["numbered headings", DESIGN.replace("## Overview", "## 2. Overview")],
  ["Windows line ends", DESIGN.replaceAll("\n", "\r\n")],
  ["a range of criteria", DESIGN.replace("| 1.1, 1.2 | `src", "| 1.1-1.2 | `src")],
  ["ids as tests write them", DESIGN.replace("| 1.1, 1.2 | `src", "| S1.AC1, S1.AC2 | `src")],
  ["code in its prose", DESIGN.replace("A service", "A service that fills `{{ name }}` and finds `TODO`")],
])("accepts a design with %s", (_, text) => {
  expect(checkDesign(text).problems).toEqual([]);
});

test.each<[string, string, string, string[]]>([
  [
    "vague words",
    "A session ends 24 hours after the login.",
    "A session usually ends 24 hours after the login.",
    ['S2.AC1 says "usually", which may be read in two ways: say what is seen.'],
  ],
  [
    "amounts without a number",
    "A session ends 24 hours after the login.",
    "A session lasts long.",
    ['S2.AC1 says "long", which may be read in two ways: say how much.'],
  ],
  ["amounts with a number", "24 hours after", "at most 24 hours, which is long, after", []],
  [
    "its own sections",
    "## Error Handling",
    "## Deployment\nOnce.\n\n## Error Handling",
    ['Unknown section "Deployment": move its text to a known section.'],
  ],
  [
    "too many lines",
    "A service behind the router.",
    "A service.\n\n".repeat(500),
    ["It has 1056 lines: a design of over 1000 is too complex for one feature; split it."],
  ],
])("accepts a design with %s and adds a note", (_, was, is, notes) => {
  const { problems, notes: found } = checkDesign(DESIGN.replace(was, is));
  expect([problems, found.map(({ problem }) => problem)]).toEqual([[], notes]);
});
