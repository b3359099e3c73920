import fs from "node:fs";
import { join } from "node:path";
import * as change from "../change/stand.ts";
import { git } from "../kit/folder.ts";
import type { Lie } from "./lie-table.ts";

type ChangeStand = change.ChangeStand;

const HISTORY = "sdd/history/add-right";
const DECISION = {
  title: "Sums are whole",
  context: "Sums of fractions drift",
  decision: "Sum whole numbers only",
  rationale: "Whole numbers are exact",
};
const formatFlags = (fields: Readonly<Record<string, string>>): string[] =>
  Object.entries(fields).flatMap(([name, text]) => [`--${name}`, text]);

/** On a new branch after a change was archived and a decision was made. */
export async function openFinishedProject(): Promise<ChangeStand> {
  const at = change.openChangeStand({
    "sdd/requirements.md": change.REQUIREMENTS,
    "src/add.mjs": "export const add = (a, b) => a - b;\n",
    "tests/add.mjs": 'import { add } from "../src/add.mjs";\n\ntest("adds nothing", () => same(add(1, 0), 1));\n',
  });
  await at.trust();
  await at.begin("fix", "small", ["The sum is wrong.\n", change.CONTEXT, change.TASKS]);
  at.write("src/add.mjs", "export const add = (a, b) => a + b;\n");
  at.write("tests/add.mjs", `${at.read("tests/add.mjs")}test("adds", () => same(add(1, 2), 3));\n`);
  await at.must("change", "advance", "--content", change.EVIDENCE);
  await at.must("change", "archive", "add-right");
  await at.must("adr", "record", ...formatFlags(DECISION));
  at.commit("Finish");
  git(at.root, "checkout", "-qb", "next");
  return at;
}

const findDecision = (at: ChangeStand): string => {
  const [name = ""] = fs.readdirSync(join(at.root, "sdd/adrs"));
  return `sdd/adrs/${name}`;
};

/** Found by `tenon ci --strict`, and by `tenon doctor` before they are committed. */
export const RECORD_LIES: readonly Lie<ChangeStand>[] = [
  {
    lie: "The evidence of an archived change is reworded",
    message: `${HISTORY}/verify.md was edited; archived work does not change.`,
    tell: async (at) => at.write(`${HISTORY}/verify.md`, `${at.read(`${HISTORY}/verify.md`)}\nReviewed by the user.\n`),
  },
  {
    lie: "The evidence of an archived change is removed",
    message: `${HISTORY}/verify.md was removed.`,
    tell: async (at) => at.remove(`${HISTORY}/verify.md`),
  },
  {
    lie: "An archived change is removed as a whole",
    message: `${HISTORY}/change.json was removed.`,
    tell: async (at) => fs.rmSync(join(at.root, HISTORY), { recursive: true }),
  },
  {
    lie: "The receipts of an archived change are emptied",
    message: `${HISTORY}/receipts.jsonl lost or changed receipts`,
    tell: async (at) => at.write(`${HISTORY}/receipts.jsonl`, ""),
  },
  {
    lie: "An accepted decision is reworded",
    message: "was edited after the decision; record a new one that supersedes it.",
    async tell(at) {
      const path = findDecision(at);
      at.write(path, at.read(path).replace("whole numbers only", "whatever comes"));
    },
  },
  {
    lie: "An accepted decision is set aside by hand",
    message: "got another status by hand",
    async tell(at) {
      const path = findDecision(at);
      at.write(path, at.read(path).replace("- Status: accepted", "- Status: deprecated"));
    },
  },
  {
    lie: "An accepted decision is removed",
    message: "was removed.",
    tell: async (at) => at.remove(findDecision(at)),
  },
];

export const HONEST_RECORDS: readonly {
  readonly honest: string;
  readonly tell: (at: ChangeStand) => Promise<unknown>;
}[] = [
  {
    honest: "A decision is deprecated by its command",
    tell: (at) => at.must("adr", "status", "ADR-0001", "--status", "deprecated", "--reason", "We need fractions"),
  },
  {
    honest: "A new decision supersedes an old one",
    tell: (at) =>
      at.must("adr", "record", ...formatFlags({ ...DECISION, title: "Sums are exact", supersedes: "ADR-0001" })),
  },
  {
    honest: "Archived work gets other line ends in this checkout",
    tell: async (at) => at.write(`${HISTORY}/verify.md`, at.read(`${HISTORY}/verify.md`).replaceAll("\n", "\r\n")),
  },
];
