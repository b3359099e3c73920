import { REQUIREMENT_LIES, SMALL_LIES } from "./change-lies.ts";
import { END_LIES, FOUND_END_LIES } from "./end-lies.ts";
import { GIT_LIES } from "./git-lies.ts";
import { GATE_LIES } from "./gate-lies.ts";
import { ARTIFACT_LIES, PROJECT_LIES } from "./document-lies.ts";
import { FOUND_LIES } from "./found-lies.ts";
import { SILENCED_TESTS } from "./silenced-tests.ts";
import { TEST_DECEPTIONS } from "./test-deceptions.ts";
import { RECORD_LIES } from "./record-lies.ts";
import { CARRIER_LIES, FOUND_CARRIER_LIES } from "./requirement-lies.ts";
import { RUN_LIES } from "./run-lies.ts";

/** A way to end a change or a project without having done it. */
export interface Lie<At> {
  readonly lie: string;
  /** Part of the message that refuses it, or with which ci finds it. */
  readonly message: string;
  /** Tells the lie, and gives what Tenon answers. */
  readonly tell: (at: At) => Promise<unknown>;
}

/** The table of the documentation. */
export function formatLieTable(): string {
  const listRows = (lies: readonly Pick<Lie<never>, "lie" | "message">[], answer: string): string[] =>
    lies.map(({ lie, message }) => `| ${lie} | ${answer} | \`${message.trim()}\` |`);
  return [
    "| attempt | result | message |",
    "|---|---|---|",
    ...listRows([...SMALL_LIES, ...TEST_DECEPTIONS, ...SILENCED_TESTS, ...GIT_LIES, ...REQUIREMENT_LIES], "refused"),
    ...listRows([...END_LIES, ...CARRIER_LIES], "refused"),
    ...listRows(GATE_LIES, "refused"),
    ...listRows(ARTIFACT_LIES, "refused"),
    ...listRows(PROJECT_LIES, "refused"),
    ...listRows([...FOUND_LIES, ...FOUND_END_LIES, ...FOUND_CARRIER_LIES], "found by `tenon ci --strict`"),
    ...listRows(RECORD_LIES, "found by `tenon doctor` and `tenon ci --strict`"),
    ...listRows(RUN_LIES, "found by `tenon ci --run`"),
    "",
  ].join("\n");
}
