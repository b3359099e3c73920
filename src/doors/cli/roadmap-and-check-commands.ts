import type { CliCommand } from "./command-types.ts";

export const ROADMAP_COMMANDS: readonly CliCommand[] = [
  {
    path: "roadmap",
    operation: "roadmap.manage",
    summary: "Plan features in waves, run them, stop, change the plan, or see where it stands",
    positionals: ["action", "names"],
    asks: { field: "confirm", token: "token", question: "Do all of this, as shown?" },
    examples: [
      "tenon roadmap",
      "tenon roadmap create --input roadmap.json",
      `tenon roadmap create --features '[{"name":"tide-model","description":"Ports, and the tides of each day"}]'`,
      "tenon roadmap run --plan",
      "tenon roadmap run --gate --cap-tokens 2000000",
      "tenon roadmap stop",
      "tenon roadmap update --apply all",
      'tenon roadmap revise user-login --intent "Passkeys instead of passwords"',
      "tenon roadmap unblock user-login --how fix",
      "tenon roadmap delete --confirm RESET",
    ],
  },
  {
    path: "next",
    operation: "roadmap.next",
    summary: "What the roadmap asks for now: roles to take, gates to run, questions, commits",
    examples: [
      "tenon next",
      "tenon next --peek",
      "tenon next --limit 3 --feature user-login",
      "tenon next --action user-login/build-A/1",
    ],
  },
  {
    path: "report",
    operation: "roadmap.report",
    summary: "Say how an action ended; the engine looks for itself before it believes it",
    positionals: ["action"],
    fileFor: "report",
    runsChecks: true,
    examples: [
      "tenon report user-login/architect/1 --file report.txt",
      "tenon report user-login/gate/1",
      'tenon report user-login/escalation/1 --answer fix --said "Try once more"',
      "tenon report wave-1/commit --declined",
      "tenon report user-login/build-A/1 --lost",
    ],
  },
];

export const FEATURE_COMMANDS: readonly CliCommand[] = [
  {
    path: "design",
    operation: "feature.design",
    summary: "Begin a feature of the roadmap from a description, or design one anew",
    positionals: ["feature", "description"],
    examples: [
      'tenon design "Users log in with a second factor"',
      'tenon design two-factor-login "Users log in with a second factor"',
      "tenon design two-factor-login --confirm",
    ],
  },
  {
    path: "impl",
    operation: "feature.impl",
    summary: "Build a feature that is designed: what is left of it, or certain tasks again",
    positionals: ["feature", "tasks"],
    examples: ["tenon impl two-factor-login", "tenon impl two-factor-login 1.2 2.1"],
  },
];

export const REVIEW_COMMANDS: readonly CliCommand[] = [
  {
    path: "review",
    operation: "review.begin",
    summary: "Have a design, an implementation or dead code reviewed, or show the reviews so far",
    positionals: ["kind", "feature", "tasks"],
    examples: [
      "tenon review design two-factor-login",
      "tenon review impl two-factor-login 1.2 2.1",
      "tenon review impl --wave 2",
      "tenon review design --cross-check",
      "tenon review dead-code",
      "tenon review dead-code settings",
      "tenon review design two-factor-login --history",
    ],
  },
  {
    path: "review waive",
    operation: "review.waive",
    summary: "Let a finding stay, with your reason; never for an agent to do",
    positionals: ["scope", "batch", "finding"],
    examples: [
      'tenon review waive two-factor-login B2 F1 --reason "The provider guarantees it"',
      'tenon review waive all B1 F3 --reason "Kept for the migration in May"',
    ],
  },
];

export const STEERING_COMMANDS: readonly CliCommand[] = [
  {
    path: "steering",
    operation: "steering.manage",
    summary: "Say what all work follows: product, technology, structure and further topics",
    positionals: ["action", "name"],
    fileFor: "text",
    examples: [
      'tenon steering create --purpose "Tide tables for harbours" --vision "No table is copied by hand"',
      "tenon steering show",
      'tenon steering update --success-criteria "Tides of 48 hours within a second"',
      'tenon steering update tech --section Architecture --text "One server, one page"',
      "tenon steering custom api-standards",
      "tenon steering profile go",
      "tenon steering delete api-standards",
    ],
  },
];

export const HANDOVER_COMMANDS: readonly CliCommand[] = [
  {
    path: "handover",
    operation: "handover.write",
    summary: "Say where the work stands, for who goes on with it",
    examples: [
      "tenon handover",
      'tenon handover --accomplished "Passkeys work" --next "Review passkeys" --warnings "The tides API is slow"',
      "tenon handover --resume --max-tokens 1000",
    ],
  },
  {
    path: "decide",
    operation: "handover.decide",
    summary: "Record a decision, with its reason",
    positionals: ["summary"],
    examples: [
      'tenon decide "Keep state in SQLite" --reason "Two stores drift"',
      'tenon decide "SQL in the report" --type STEERING_EXCEPTION --steering-ref "tech.md: no SQL" --reason "One query"',
    ],
  },
];

export const KNOWLEDGE_COMMANDS: readonly CliCommand[] = [
  {
    path: "knowledge",
    operation: "knowledge.manage",
    summary: "Show what was learned, add to it, review what waits, and see what might become a skill",
    positionals: ["action", "name"],
    fileFor: "text",
    examples: [
      "tenon knowledge",
      'tenon knowledge add --type pattern --text "Input is parsed at the edge" --why "Where others call us"',
      "tenon knowledge review",
      "tenon knowledge review 3f9a1c --answer accept",
      "tenon knowledge skills",
      "tenon knowledge show input-parsed-edge",
    ],
  },
  {
    path: "knowledge approve",
    operation: "knowledge.approve",
    summary: "Make a skill of a pattern that several features share; never for an agent to do",
    positionals: ["candidate"],
    examples: [
      "tenon knowledge approve input-parsed-edge",
      'tenon knowledge approve input-parsed-edge --name parsing --description "Use it at every edge"',
    ],
  },
];

export const GATE_COMMANDS: readonly CliCommand[] = [
  {
    path: "gate",
    operation: "gate.run",
    summary: "Run the checks of the stage that is open, mend what a tool can, and leave a receipt",
    positionals: ["id"],
    runsChecks: true,
    examples: ["tenon gate", "tenon gate AUTH-001", "tenon gate AUTH-001 --json"],
  },
  {
    path: "evidence",
    operation: "gate.evidence",
    summary: "See the new tests fail without the implementation, for the right reason, and pass with it",
    positionals: ["id"],
    runsChecks: true,
    examples: ["tenon evidence", "tenon evidence BUG-042"],
  },
  {
    path: "bite",
    operation: "gate.bite",
    summary: "Make the code of a spec wrong, one small way at a time, and see whether its tests notice",
    positionals: ["id"],
    runsChecks: true,
    examples: ["tenon bite AUTH-001", "tenon bite AUTH-001.AC-1 --most 50 --minutes 10"],
  },
  {
    path: "verify",
    operation: "gate.verify",
    summary: "Check the receipts of passed gates: whole, of these files, and with --run still true",
    positionals: ["id"],
    runsChecks: true,
    ownFlags: {
      annotations: {
        type: "boolean",
        description: "Print GitHub annotations too; default: where GITHUB_ACTIONS is true",
      },
      junit: { type: "string", description: "Write what was found as JUnit XML, over whatever is there" },
    },
    afterwards: async () => (await import("./ci-output.ts")).writeVerificationReports,
    examples: ["tenon verify", "tenon verify AUTH-001 --strict", "tenon verify --run --junit verify.xml"],
  },
];

export const STACK_COMMANDS: readonly CliCommand[] = [
  {
    path: "stack",
    operation: "stack.detect",
    summary: "Show what the code is written in and which checks would run; runs nothing",
    positionals: ["profile"],
    examples: ["tenon stack", "tenon stack python-fastapi", "tenon stack --json"],
  },
  {
    path: "trust",
    operation: "stack.trust",
    summary: "Look at what this repository would run, and let it run; never for an agent to do",
    asks: { field: "confirm", token: "token", question: "Let all of this run, as shown?" },
    examples: [
      "tenon trust",
      "tenon trust --confirm 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      "tenon trust --pass DATABASE_URL",
      "tenon trust --revoke",
    ],
  },
];

export const CI_COMMANDS: readonly CliCommand[] = [
  {
    path: "ci",
    operation: "ci.run",
    summary: "Validate, verify receipts, look for drift and trace in one run; runs nothing of the repository",
    isCheck: true,
    ownFlags: {
      annotations: {
        type: "string",
        value: "github|none",
        choices: ["github", "none"],
        description: "Default: github where GITHUB_ACTIONS is true",
      },
    },
    afterwards: async () => (await import("./ci-output.ts")).printCiAnnotations,
    examples: ["tenon ci", "tenon ci --strict", "tenon ci --annotations github"],
  },
  {
    path: "ci example",
    operation: "ci.example",
    summary: "Show a file to copy: a workflow for GitHub, or an entry for pre-commit",
    positionals: ["for"],
    examples: ["tenon ci example github", "tenon ci example pre-commit"],
  },
];
