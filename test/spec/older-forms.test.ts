import { expect, test } from "vitest";
import { yamlAdapter } from "#kernel/adapters/yaml-reader.ts";
import { checkSpecDocument } from "#planning/model/spec/spec-checks.ts";
import { readSpecTree } from "#planning/model/spec/spec-reader.ts";
import { parseWorkflowId } from "#kernel/model/workflow-id.ts";
import { rewriteSpecText } from "#planning/operations/spec/spec-files.ts";

/** The forms in which earlier tools wrote specs, and the one in which they are written back. */
function inOneForm(id: string, text: string) {
  const { tree, problems } = yamlAdapter.read(text);
  if (!tree) return { problems };
  const read = readSpecTree(tree, parseWorkflowId(id));
  const written = rewriteSpecText(yamlAdapter, { text, edits: read.edits });
  const again = written === undefined ? undefined : yamlAdapter.read(written).tree;
  return { problems: read.problems, written, left: again && readSpecTree(again, parseWorkflowId(id)).edits };
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

test("reads the template of the first version", () => {
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

test("reads a bug of the second version's plan", () => {
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

/** The bug of the second version's design, whose form is the one form but for its version. */
const DESIGNED = `id: BUG-042
title: "Auth fails with expired token"
type: bug
status: specified
priority: critical

symptom:
  description: "Users see 500 error when token expires instead of 401 Unauthorized"
  reproduction:
    - "Log in to get valid token"
    - "Wait for token to expire (10 minutes)"
    - "Make authenticated request"
    - "Observe: 500 error instead of 401"

  observed_behavior: "500 Internal Server Error"
  expected_behavior: "401 Unauthorized with clear error message"

  affected_users: "All users with expired tokens"
  frequency: "Common (happens every 10 minutes per user)"

investigation:
  root_cause: "Token validation throws uncaught exception on expired token"
  affected_components:
    - src/auth/validate-token.ts:25
    - src/middleware/auth-middleware.ts:15

  analysis: |
    validate-token.ts raises exception when token expired, but auth-middleware.ts
    doesn't catch it. Exception bubbles to Express error handler → 500.

    Fix: Catch TokenExpiredException in middleware, return 401 with message.

fix_approach:
  summary: "Add try-catch in auth-middleware, return 401 for expired tokens"
  changes:
    - file: src/middleware/auth-middleware.ts
      action: "Add try-catch around validateToken(), handle TokenExpiredException"
    - file: tests/middleware/auth-middleware.test.ts
      action: "Add regression test for expired token scenario"

  acceptance_criteria:
    - "Given expired token, When authenticated request, Then 401 Unauthorized returned"
    - "Given expired token, When authenticated request, Then error message clear ('Token expired')"
    - "Given valid token, When authenticated request, Then request succeeds (no regression)"

regression_prevention:
  - "Add test: test_expired_token_returns_401()"
  - "Add test: test_expired_token_clear_message()"
  - "Document token expiration handling in ARCHITECTURE.md"

trace:
  code: [src/middleware/auth-middleware.ts:15]
  tests: [tests/middleware/auth-middleware.test.ts:42]
  docs: [docs/10-architecture/ARCHITECTURE.md:150]

metadata:
  created: "2025-11-01T11:00:00Z"
  updated: "2025-11-01T14:00:00Z"
  resolved: null  # Set when status: done
`;

test("accepts a bug of the second version's design as complete", () => {
  const { tree } = yamlAdapter.read(DESIGNED);
  const read = tree && readSpecTree(tree, parseWorkflowId("BUG-042"));
  const open = read?.document && checkSpecDocument(read.document, "complete", new Set());
  expect([read?.problems, read?.aliases, open]).toEqual([[], [{ line: 1, from: "no schema_version", to: "2" }], []]);
  expect(inOneForm("BUG-042", DESIGNED)).toEqual({ problems: [], written: `schema_version: 2\n${DESIGNED}`, left: [] });
});
