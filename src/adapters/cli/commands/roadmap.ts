import type { Command } from "../command.ts";

export const roadmapCommands: readonly Command[] = [
  {
    path: "roadmap",
    operation: "roadmap.manage",
    summary: "Plan features in waves, run them, stop, change the plan, or see where it stands",
    positionals: ["action", "names"],
    asks: { field: "confirm", token: "token", question: "Do all of this, as shown?" },
    examples: [
      "tenon roadmap",
      "tenon roadmap create --input roadmap.json",
      "tenon roadmap run --plan",
      "tenon roadmap run --gate --cap-tokens 2000000",
      "tenon roadmap stop",
      "tenon roadmap update --apply all",
      'tenon roadmap revise user-login --intent "Passkeys instead of passwords"',
      "tenon roadmap unblock user-login --how fix",
      "tenon roadmap delete --confirm RESET",
    ],
  },
];
