import { expect, test } from "vitest";
import { yaml } from "#adapters/yaml/yaml.ts";
import { readSpec } from "#domain/spec/yaml/read.ts";
import { parseWorkflowId } from "#domain/workflow/id.ts";
import { rewriting } from "#operations/spec/rewrite.ts";

/** The forms in which earlier tools wrote specs, and the one in which they are written back. */
function inOneForm(id: string, text: string) {
  const { tree, problems } = yaml.read(text);
  if (!tree) return { problems };
  const read = readSpec(tree, parseWorkflowId(id));
  const written = rewriting(yaml, { text, edits: read.edits });
  const again = written === undefined ? undefined : yaml.read(written).tree;
  return { problems: read.problems, written, left: again && readSpec(again, parseWorkflowId(id)).edits };
}

const TEMPLATE = `# Spec of the log in.
spec_id: AUTH-001
title: Log in
status: architected # by the board
created: 2025-11-01
owner: ann
description: Members log in with a passkey instead of a password.
requirements: # what is asked
  # who wants it
  user-stories:
    - "As a member, I want to log in with a passkey, so that I need no password" # first
    - Log out
  acceptance-criteria:
    - Given a passkey, When I log in, Then I see my name
    # tried by hand
    - criterion: Given no passkey, When I log in, Then I see an error
      testable: true
      notes: the exact words matter
    - It works
  non-functional: [fast]
completeness:
  - 95 % of log ins succeed
design:
  constraints: [No new tables]
  risks:
    - risk: Keys get lost
      mitigation: A second key
traces:
  code: [src/login.ts:1]
`;

test("the template of the first version", () => {
  expect(inOneForm("AUTH-001", TEMPLATE)).toMatchInlineSnapshot(`
    {
      "left": [],
      "problems": [],
      "written": "# Spec of the log in.
    schema_version: 2
    id: AUTH-001
    title: Log in
    status: specified # by the board
    owner: ann
    summary: Members log in with a passkey instead of a password.
    # what is asked
    success_criteria:
      - 95 % of log ins succeed
    trace:
      code: [src/login.ts:1]
    # who wants it
    user_stories:
      - id: US-1
        as_a: member
        i_want: to log in with a passkey
        so_that: I need no password # first
      - id: US-2
        i_want: Log out
    acceptance_criteria:
      - id: AC-1
        given: a passkey
        when: I log in
        then: I see my name
      # tried by hand
      - id: AC-2
        testable: true
        notes: the exact words matter
        given: no passkey
        when: I log in
        then: I see an error
      - id: AC-3
        then: It works
    non_functional: [fast]
    constraints: [No new tables]
    risks:
      - risk: Keys get lost
        mitigation: A second key
    metadata:
      created: 2025-11-01
    type: feature
    ",
    }
  `);
});

const BUG = `id: BUG-042
type: bugfix
status: investigating
severity: critical
title: Log in fails
symptom: Users see an error 500 when their token has expired. # told by support
investigation:
  root_cause: The exception is not caught
  # seen on two machines
  reproduction:
    - Log in
    - Wait
    - Ask again
  impact: [Everybody]
fix_approach:
  description: Catch it
  changes:
    - "src/auth.ts: catch the exception"
  regression_tests:
    - test_expired_token # new
  risks: []
acceptance_criteria:
  - given: an expired token
    when: I ask # for anything
    then: I see 401
`;

test("a bug of the second version's plan", () => {
  expect(inOneForm("BUG-042", BUG)).toMatchInlineSnapshot(`
    {
      "left": [],
      "problems": [],
      "written": "schema_version: 2
    id: BUG-042
    type: bug
    status: draft
    priority: critical
    title: Log in fails
    symptom:
      description: Users see an error 500 when their token has expired. # told by support
      # seen on two machines
      reproduction:
        - Log in
        - Wait
        - Ask again
    investigation:
      root_cause: The exception is not caught
      impact: [Everybody]
    fix_approach:
      summary: Catch it
      changes:
        - file: src/auth.ts
          action: catch the exception
      risks: []
      acceptance_criteria:
        # for anything
        - Given an expired token, When I ask, Then I see 401
    regression_prevention:
      - test_expired_token # new
    ",
    }
  `);
});
