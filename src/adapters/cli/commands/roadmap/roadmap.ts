import type { CliCommand } from "../../command.ts";

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
