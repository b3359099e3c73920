import type { CliCommand } from "../command.ts";

export const PROJECT_COMMANDS: readonly CliCommand[] = [
  {
    path: "project init",
    operation: "project.init",
    summary: "Begin a new project: from idea to validated tasks",
    positionals: ["name"],
    examples: ['tenon project init "Tide tables" --description "Harbour staff see tomorrow\'s tides" --mode expert'],
  },
  {
    path: "project propose",
    operation: "project.propose",
    summary: "Write sdd/proposal.md and open the next stage",
    examples: ["tenon project propose --input proposal.json"],
  },
  {
    path: "project specify",
    operation: "project.specify",
    summary: "Write sdd/requirements.md; every requirement gets an id",
    examples: ["tenon project specify --input requirements.json"],
  },
  {
    path: "project business-rules",
    operation: "project.business-rules",
    summary: "Write sdd/business-rules.md; every constraint gets an id",
    examples: ["tenon project business-rules --input rules.json"],
  },
  {
    path: "project clarify",
    operation: "project.clarify",
    summary: "See what is unclear, answer it, pass the Clarity Gate",
    examples: ["tenon project clarify", "tenon project clarify --input scores.json"],
  },
  {
    path: "project design",
    operation: "project.design",
    summary: "Write sdd/design.md, with the requirements each component carries",
    examples: ["tenon project design --input design.json"],
  },
  {
    path: "project tasks",
    operation: "project.tasks",
    summary: "Write sdd/tasks.md; the waves are computed",
    examples: ["tenon project tasks --input tasks.json"],
  },
  {
    path: "project validate",
    operation: "project.validate",
    summary: "Compare a verdict with what the documents cover",
    examples: ['tenon project validate --verdict PASS --consistency-issues "None found"'],
  },
  {
    path: "project context",
    operation: "project.context",
    summary: "Show the project: stages, documents, what comes next",
    positionals: ["stage"],
    examples: [
      "tenon project context",
      "tenon project context requirements",
      "tenon project context --detail-level full",
    ],
  },
  {
    path: "project confirm",
    operation: "project.confirm",
    summary: "Keep a stale document as it stands, if it still holds",
    examples: ["tenon project confirm"],
  },
  {
    path: "project reopen",
    operation: "project.reopen",
    summary: "Go back to an earlier stage; what follows goes stale",
    positionals: ["stage"],
    examples: ['tenon project reopen specify --reason "The audit asks for a log"'],
  },
];
