/** What honest agents write of a feature. Each file of its code has a test of its own, and each test names its criterion. */

/** The groups of a feature, each with a file of code and one of tests. */
export interface Cut {
  readonly feature: string;
  readonly groups: readonly string[];
}

export const codeOf = ({ feature }: Pick<Cut, "feature">, group: string): string => `src/${feature}-${group}.mjs`;
export const testOf = ({ feature }: Pick<Cut, "feature">, group: string): string => `tests/${feature}-${group}.mjs`;
export const filesOf = (cut: Cut): string[] => cut.groups.flatMap((group) => [codeOf(cut, group), testOf(cut, group)]);

export function designOf(cut: Cut, more = ""): string {
  const specs = cut.groups.map(
    (group, i) => `### Spec ${i + 1}: Part ${group}
**Goal:** Users get part ${group}.

**Acceptance Criteria:**
1. When part ${group} is asked, it answers with its own name.
`,
  );
  const components = cut.groups.map(
    (group, i) => `| Part${group} | Answers | ${i + 1}.1 | \`${codeOf(cut, group)}\`, \`${testOf(cut, group)}\` |`,
  );
  const traced = cut.groups.map((group, i) => `| ${i + 1} | Part ${group} | Part${group} |`);
  return `# Design Document

## Specifications

### Introduction
What ${cut.feature} is for. ${more}

${specs.join("\n")}
### Non-Goals
- Anything else.

## Overview
**Purpose**: Users of the shop need ${cut.feature}.

## Architecture
Modules side by side.

## Specifications Traceability

| Specification | Summary | Components |
|---|---|---|
${traced.join("\n")}

## Components and Interfaces

| Component | Intent | Req Coverage | Files |
|---|---|---|---|
${components.join("\n")}

## Error Handling
There is nothing that could fail.

## Testing Strategy
Each criterion has a test that names it.
`;
}

export const researchOf = ({ feature }: Pick<Cut, "feature">): string => `# Research & Design Decisions

## Summary
- **Feature**: ${feature}
- **Discovery Scope**: New Feature

## Research Log
### How others do it
They do it in the same way.

## Architecture Pattern Evaluation
None.

## Design Decisions
### Keep it small
One module a part is enough.

## Risks & Mitigations
- None that is known.

## References
None.
`;

export function tasksOf(cut: Cut): string {
  const tasks = cut.groups.map(
    (group, i) => `  - id: "${i + 1}"
    summary: Build part ${group} # for users
    details:
      - It answers with its own name
      - Nothing else is asked of it
      - It is tested
    specs: ["${i + 1}"]
    acs: [S${i + 1}.AC1]
    status: pending
    depends: []`,
  );
  const groups = cut.groups.map(
    (group, i) => `      - id: ${group}
        tasks: ["${i + 1}"]
        files: [${codeOf(cut, group)}, ${testOf(cut, group)}]`,
  );
  return `# Made from the design.
tasks:
${tasks.join("\n")}
execution:
  - wave: 1
    groups:
${groups.join("\n")}
`;
}

export const code = (cut: Cut, group: string): string =>
  `export const answer = () => ${JSON.stringify(`${cut.feature} ${group}`)};\n`;

export const tests = (cut: Cut, group: string): string => {
  const spec = cut.groups.indexOf(group) + 1;
  return `import { answer } from "../${codeOf(cut, group)}";

// AC: ${cut.feature}.S${spec}.AC1
test("${cut.feature} ${group} answers", () => same(answer(), ${JSON.stringify(`${cut.feature} ${group}`)}));
`;
};
