import { REVIEW_INSPECTORS } from "#roadmap/model/agent/agent-roles.ts";
import { parseFeatureName } from "#kernel/model/ids/feature-name.ts";
import {
  type FeatureRecord,
  type TaskGroupRecord,
  createFeatureRecord,
  applyAcceptedDesign,
  applyCompletedImplementation,
  applyAcceptedTasks,
} from "#roadmap/model/feature/feature-record.ts";
import { formatStoredReview } from "#roadmap/model/review/stored-review.ts";
import type { ReviewKind } from "#roadmap/model/review/review-kinds.ts";
import type { ReviewFinding, StoredReview } from "#roadmap/model/review/review-finding.ts";
import type { SpawnAction, Lead, ReviewScope } from "#roadmap/model/lead/lead-state.ts";
import { composeActionBrief } from "#roadmap/operations/agent/role-brief.ts";
import { DESIGN, RESEARCH, TASKS } from "../kit/feature.ts";
import { createTestLead } from "../kit/features.ts";
import { temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { put } from "../kit/repository.ts";

export const AT = "2026-01-31T12:00:00Z";
export const LOGIN = parseFeatureName("user-login");
const ACCOUNTS = parseFeatureName("accounts");
const AUDIT = parseFeatureName("audit-log");
const REPORTS = parseFeatureName("reports");

const INTERFACES = `
### LoginService

\`\`\`ts
login(name: string, password: string): Session | "Name or password is wrong"
\`\`\`

### Sessions

\`\`\`ts
begin(user: UserId): Session
find(token: string): Session | undefined
\`\`\`
`;

export const LOGIN_DESIGN = DESIGN.replace("\n## Error Handling", `${INTERFACES}\n## Error Handling`);
const ACCOUNTS_DESIGN = `# Design Document

## Specifications

### Introduction
People have an account each.

### Spec 1: Accounts
**Goal:** A name stands for one person.

**Acceptance Criteria:**
1. [contract] A name is found whatever its capitals are.

### Non-Goals
- Passwords.

## Overview
**Purpose**: Names for people.

## Architecture
One table.

## Specifications Traceability

| Specification | Summary | Components |
|---|---|---|
| 1 | Accounts | AccountStore |

## Components and Interfaces

| Component | Intent | Req Coverage | Files |
|---|---|---|---|
| AccountStore | Keeps who there is | 1.1 | \`src/accounts.ts\` |

### AccountStore

\`\`\`ts
find(name: string): Account | undefined
\`\`\`

## Error Handling
A name that nobody has is nothing, not an error.

## Testing Strategy
A test of its own for each criterion.
`;

const learned = (summary: string, phases: string, of: "incident" | "pattern" | "reference"): string =>
  `# Learned

## Metadata

| Field | Value |
|---|---|
| ${of === "incident" ? "Should Detect At" : "Applicable Phases"} | ${phases} |

## ${of === "incident" ? "Problem Summary" : of === "pattern" ? "Pattern Summary" : "Overview"}

${summary}
`;

/** What earlier waves taught: some of it is of use for a login, and some is not. */
const KNOWLEDGE: Readonly<Record<string, string>> = {
  "sdd/knowledge/pattern-security-renew-sessions.md": learned(
    "The session token is made anew at each login, so that nobody can set it before.",
    "design, impl",
    "pattern",
  ),
  "sdd/knowledge/incident-security-names-told.md": learned(
    "A wrong password was answered otherwise than a wrong name, and told which users there are.",
    "design, impl",
    "incident",
  ),
  "sdd/knowledge/reference-api-status-codes.md": learned(
    "A login that fails is answered with 401 by RFC 9110, and never with 403.",
    "design",
    "reference",
  ),
  "sdd/knowledge/incident-data-tide-tables.md": learned(
    "Tide tables were read in local time.",
    "design, impl",
    "incident",
  ),
  "sdd/knowledge/index.md": "# Knowledge\n",
};

export const FILES: Readonly<Record<string, string>> = {
  "package.json": '{ "name": "harbour", "devDependencies": { "typescript": "5.9.0", "vitest": "4.0.0" } }\n',
  "tsconfig.json": "{}\n",
  "src/accounts.ts": "export {};\n",
  "sdd/steering/product.md": `# Product

Berths of a small harbour, booked online.

## User Intent

### Vision

Skippers book a berth in a minute, from a phone, in bad weather.

### Success Criteria

- A booking takes at most four taps.

### Anti-Goals

- No accounts for companies.

## Spec Rationale

- accounts: everything else needs to know who somebody is.
- user-login: apart from accounts, since harbours may bring their own login later.

## Decision Log

- 2026-01-20 D2: Passwords before passkeys
`,
  "sdd/steering/tech.md": "# Technology\n\n- TypeScript, Node 24, Vitest.\n- Times are UTC.\n",
  "sdd/steering/structure.md": "# Structure\n\n- A test stands beside its file.\n",
  "sdd/steering/security.md": "# Security\n\n- Passwords are hashed with scrypt.\n",
  "sdd/handover/decisions.md": `# Decisions

[2026-01-19T09:00:00Z] D1: SESSION_START | Session started

[2026-01-20T09:00:00Z] D2: USER_DECISION | Passwords before passkeys
- Context: Half of the skippers have old phones
- Decision: Begin with passwords
- Reason: Everybody can use them
- Impact: user-login
- Source: user instruction

[2026-01-21T09:00:00Z] D3: STEERING_EXCEPTION | Sessions may be kept in memory
- Decision: No database for sessions yet
- Reason: One process serves the harbour
- Source: review of user-login
- Steering-ref: tech.md
`,
  ...KNOWLEDGE,
  "sdd/features/accounts/design.md": ACCOUNTS_DESIGN,
  "sdd/features/user-login/design.md": LOGIN_DESIGN,
  "sdd/features/user-login/research.md": RESEARCH,
  "sdd/features/user-login/tasks.yaml": TASKS,
};

export const GROUPS: readonly TaskGroupRecord[] = [
  { id: "A", wave: 1, tasks: ["1.1"], files: ["src/login.ts", "src/login.test.ts"], depends: [], status: "done" },
  { id: "B", wave: 1, tasks: ["1.2"], files: ["src/sessions.ts", "src/sessions.test.ts"], depends: [], status: "done" },
  { id: "C", wave: 2, tasks: ["2"], files: ["src/login.ts", "src/router.ts"], depends: ["A", "B"], status: "pending" },
];

export const finding = (
  severity: ReviewFinding["severity"],
  category: string,
  location: string,
  description: string,
): ReviewFinding => ({
  severity,
  category,
  location,
  description,
  sources: ["test"],
});

export const FINDINGS = {
  ambiguous: finding("M", "ambiguous-language", "Spec 2.AC1", "Whether 24 hours is the last or the first moment"),
  missing: finding("C", "missing-spec", "Spec 1.AC2", "What a locked account is answered | nobody says"),
  leaking: finding("H", "security-concern", "src/login.ts:14", "The password is in the log"),
  late: finding("M", "naming-violation", "src/sessions.ts", "`begin` begins nothing"),
};

const review = (
  batch: string,
  kind: ReviewKind,
  scope: ReviewScope,
  changes: Partial<StoredReview> = {},
): StoredReview => ({
  batch,
  kind,
  scope,
  at: AT,
  of: "0f3a",
  verdict: "NO-GO",
  computed: "NO-GO",
  override: null,
  disposition: "NO-GO-RETURNED",
  counts: { C: 1, H: 0, M: 1, L: 0 },
  inspectors: [...REVIEW_INSPECTORS[kind]],
  missing: [],
  findings: [],
  removed: [],
  resolved_conflicts: [],
  unresolved: [],
  spec_feedback: [],
  steering: [],
  mended: [],
  notes: [],
  ...changes,
});

export const createStoredFindings = (found: readonly ReviewFinding[]) =>
  found.map((each, i) => ({ ...each, id: `F${i + 1}`, seen: "new" as const }));
export const OF_LOGIN = { of: "feature", feature: LOGIN } as const satisfies ReviewScope;

/** The batches that the fixes of the actions name. */
export const BATCHES: Readonly<Record<string, StoredReview>> = {
  "sdd/features/user-login/reviews/B1.yaml": review("B1", "design", OF_LOGIN, {
    findings: createStoredFindings([FINDINGS.missing, FINDINGS.ambiguous]),
    unresolved: ["architecture and consistency: whose is the clock?"],
  }),
  "sdd/features/user-login/reviews/B2.yaml": review("B2", "design", OF_LOGIN, {
    verdict: "GO",
    findings: createStoredFindings([FINDINGS.ambiguous]),
  }),
  "sdd/features/user-login/reviews/B3.yaml": review("B3", "impl", OF_LOGIN, {
    findings: createStoredFindings([FINDINGS.leaking, FINDINGS.late]),
  }),
  "sdd/features/user-login/reviews/B4.yaml": review("B4", "impl", OF_LOGIN, {
    verdict: "SPEC-UPDATE-NEEDED",
    spec_feedback: [{ part: "specifications", spec: "Spec 2.AC1", description: "A day is not always 24 hours" }],
  }),
  "sdd/reviews/B1.yaml": review(
    "B1",
    "impl",
    { of: "wave", wave: 2 },
    {
      findings: createStoredFindings([FINDINGS.late, { ...FINDINGS.leaking, location: "src/accounts.ts" }]),
    },
  ),
};

export const createPlacedFeature = (
  record: FeatureRecord,
  wave: number,
  ...dependencies: FeatureRecord["feature_name"][]
): FeatureRecord => ({
  ...record,
  roadmap: { wave, dependencies, skipped: [] },
});

/** A record of each feature of the harbour; what is changed is that of the login. */
export function harbour(changes: Partial<FeatureRecord> = {}): Lead {
  const begin = (name: FeatureRecord["feature_name"], description: string) =>
    createFeatureRecord(name, description, "en", AT);
  const design = { hash: "d1", files: [], basis: {} };
  const accounts = applyCompletedImplementation(
    applyAcceptedDesign(begin(ACCOUNTS, "Everybody has an account."), design, AT),
    { hash: "i1", files: ["src/accounts.ts"] },
    AT,
  );
  const login = applyAcceptedTasks(
    applyAcceptedDesign(begin(LOGIN, "Users log in with a name and a password."), design, AT),
    { hash: "t1", groups: GROUPS },
    AT,
  );
  const records = [
    createPlacedFeature(accounts, 1),
    { ...createPlacedFeature(login, 2, ACCOUNTS), ...changes },
    createPlacedFeature(begin(AUDIT, "Who did what, for the harbour master."), 2, ACCOUNTS),
    createPlacedFeature(begin(REPORTS, "How many berths were taken."), 3, LOGIN),
  ];
  return createTestLead(records);
}

/** Something to be briefed, and the state of things in which it is. */
export interface Situation {
  readonly lead: Lead;
  readonly action: SpawnAction;
}

/** A workspace of the harbour, and briefs from it. */
export function openHarbour(files: Readonly<Record<string, string | undefined>> = {}) {
  const repository = temporaryRepository();
  const tenon = testHouse(repository.path);
  const batches = Object.entries(BATCHES).map(([path, each]): [string, string] => [path, formatStoredReview(each)]);
  for (const [path, text] of Object.entries({ ...FILES, ...Object.fromEntries(batches), ...files }))
    if (text !== undefined) put(repository.path, path, text);
  return {
    root: repository.path,
    /** With these texts of roles, or with our own. */
    async brief({ lead, action }: Situation, text?: (name: string) => Promise<string>) {
      const engine = await tenon.house.open({});
      return composeActionBrief(text ? { ...engine, assets: { text } } : engine, lead, action);
    },
    counter: async () => (await tenon.house.open({})).tokens.counter(),
    [Symbol.dispose]: () => {
      tenon[Symbol.dispose]();
      repository[Symbol.dispose]();
    },
  };
}
