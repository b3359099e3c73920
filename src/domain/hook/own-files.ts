import { canGlobsOverlap } from "../workflow/glob.ts";

export interface HookRefusal {
  readonly what: string;
  readonly why: string;
  readonly instead: string;
}

const SEALED_RECORD_REASON = "It is a record: it is sealed, and only Tenon writes it.";
const REVIEW_RESULT_REASON = "It says what a review came to: only Tenon writes it, from what was reported.";
const CHECK_RESULT_REASON = "It says what was checked: only Tenon writes it, when it has checked.";
const MACHINE_DATA_REASON = "It is what Tenon keeps for this machine.";

interface ProtectedFile {
  readonly glob: string;
  readonly why: string;
  readonly instead: string;
}

/** Files that only the engine writes. The first match wins. */
const PROTECTED_FILES: readonly ProtectedFile[] = [
  { glob: "sdd/sdd.json", why: SEALED_RECORD_REASON, instead: "Run: tenon project --help." },
  {
    glob: "sdd/changes/*/change.json",
    why: SEALED_RECORD_REASON,
    instead: "Run: tenon change advance, or tenon change --help.",
  },
  {
    glob: "sdd/history/**",
    why: "It is archived, and what is archived stays as it was.",
    instead: "Start another change: tenon change start.",
  },
  {
    glob: "sdd/features/*/spec.yaml",
    why: SEALED_RECORD_REASON,
    instead: "Edit the documents beside it, and let Tenon advance it.",
  },
  {
    glob: "sdd/waves/*.yaml",
    why: SEALED_RECORD_REASON,
    instead: "Report what was done, and let Tenon advance the wave.",
  },
  {
    glob: "sdd/features/*/reviews/**",
    why: REVIEW_RESULT_REASON,
    instead: "Report what was found, and let Tenon store it.",
  },
  { glob: "sdd/reviews/**", why: REVIEW_RESULT_REASON, instead: "Report what was found, and let Tenon store it." },
  { glob: "sdd/receipts/**", why: CHECK_RESULT_REASON, instead: "Let the gate run: tenon workflow advance." },
  { glob: "sdd/features/*/receipts.jsonl", why: CHECK_RESULT_REASON, instead: "Let the gate run: tenon next." },
  {
    glob: "sdd/trace/*.json",
    why: "It says what somebody accepted: only Tenon writes it, with the reason.",
    instead: "Say why: tenon drift --accept AUTH-001 --reason.",
  },
  {
    glob: "sdd/roadmap.md",
    why: "It is generated from the features, so that an edit would be lost.",
    instead: "Change the feature that it shows.",
  },
  {
    glob: "sdd/handover/buffer.md",
    why: "It is generated from what agents reported, so that an edit would not count.",
    instead: "Answer what waits: tenon knowledge review.",
  },
  {
    glob: "sdd/knowledge/index.md",
    why: "It is generated from the files beside it, so that an edit would be lost.",
    instead: "Edit the file that it names, or add one: tenon knowledge add.",
  },
  { glob: "sdd/setup.json", why: "It says which files setup wrote.", instead: "Ask the user to run tenon setup." },
  { glob: ".sdd/**", why: MACHINE_DATA_REASON, instead: "Look at it with tenon status; mend it with tenon doctor." },
  {
    glob: ".git/tenon/**",
    why: MACHINE_DATA_REASON,
    instead: "Look at it with tenon status; mend it with tenon doctor.",
  },
  { glob: ".git/**/refs/**", why: "Refs are git's.", instead: "Use git." },
  { glob: ".git/packed-refs", why: "Refs are git's.", instead: "Use git." },
];
const WORKTREE_GLOB = ".sdd/worktrees/*/**";

export function refuseProtectedFileEdit(path: string, isCaseBlind: boolean): HookRefusal | undefined {
  const said = isCaseBlind ? path.toLowerCase() : path;
  if (canGlobsOverlap(WORKTREE_GLOB, said)) return undefined;
  const own = PROTECTED_FILES.find(({ glob }) => canGlobsOverlap(glob, said));
  return own && { what: `${path} is not edited by hand.`, why: own.why, instead: own.instead };
}

/** The ledger lies in git's folder, which may be outside the workspace. */
export const createLedgerRefusal = (path: string): HookRefusal => ({
  what: `${path} is not edited by hand.`,
  why: MACHINE_DATA_REASON,
  instead: "Look at it with tenon status; mend it with tenon doctor.",
});
