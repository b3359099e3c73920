/** The documents of a feature as its agents write them, so that every check lets them pass. */
export const DESIGN = `# Design Document

## Specifications

### Introduction
Users log in with a name and a password, and stay logged in for a day.

### Spec 1: Login
**Goal:** Users get in with what only they know.

**Acceptance Criteria:**
1. [contract] When a user gives a known name and the right password, the system answers with a session.
2. When the password is wrong, the system answers "Name or password is wrong"
   and tells nothing else.

### Spec 2: Sessions
**Goal:** Nobody logs in twice a day.

**Acceptance Criteria:**
1. A session ends 24 hours after the login. [behavior]

### Non-Goals
- Single sign-on.

## Overview
**Purpose**: Users of the shop need an account.

## Architecture
A service behind the router.

\`\`\`mermaid
graph TD
  Router --> Login
  Login --> Sessions
\`\`\`

## Specifications Traceability

| Specification | Summary | Components |
|---|---|---|
| 1.1, 1.2 | Login | LoginService |
| 2 | Sessions | Sessions |

## Components and Interfaces

| Component | Intent | Req Coverage | Files |
|---|---|---|---|
| LoginService | Checks who it is | 1.1, 1.2 | \`src/login.ts\`, \`src/login.test.ts\` |
| Sessions | Remembers who it was | 2.1 | \`src/sessions.ts\`, \`src/sessions.test.ts\` |

## Error Handling
A wrong password is an answer, not an error.

## Testing Strategy
Each criterion has a test that names it.
`;

export const RESEARCH = `# Research & Design Decisions

## Summary
- **Feature**: user-login
- **Discovery Scope**: New Feature

## Research Log
### How others keep sessions
They keep a token.

## Architecture Pattern Evaluation
None.

## Design Decisions
### Keep sessions in memory
One process is enough.

## Risks & Mitigations
- A restart logs everybody out: they log in again.

## References
None.
`;

export const TASKS = `# Made from the design.
tasks:
  - id: "1"
    summary: Login
    status: pending
    subtasks:
      - id: "1.1"
        summary: Check names and passwords
        details:
          - A known name and the right password give a session
          - Anything else gives the one answer
          - Both are tested
        specs: ["1"]
        acs: [S1.AC1, S1.AC2]
        status: pending
        depends: []
      - id: "1.2"
        p: true
        summary: End sessions after a day
        details:
          - A session knows when it began
          - It counts no more after 24 hours
          - Both sides of the limit are tested
        specs: ["2.1"]
        status: pending
        depends: []
  - id: "2"
    summary: Put login and sessions together
    details:
      - The router asks for a session
      - Whoever has none is asked to log in
      - A test goes the whole way
    specs: ["1", "2"]
    status: pending
    depends: ["1.1", "1.2"]
execution:
  - wave: 1
    groups:
      - id: A
        tasks: ["1.1"]
        files: [src/login.ts, src/login.test.ts]
      - id: B
        tasks: ["1.2"]
        files: [src/sessions.ts, src/sessions.test.ts]
  - wave: 2
    groups:
      - id: C
        tasks: ["2"]
        files: [src/login.ts, src/router.ts]
        depends: [A, B]
`;
