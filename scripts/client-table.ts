import fs from "node:fs";
import { CLIENT_IDS, SETUP_CLIENTS } from "#onboarding/model/setup/client-catalog.ts";

const TABLE_MARK = /(<!-- real clients -->\n)[\s\S]*?(<!-- end -->)/;
const COLUMNS = [
  "client",
  "version",
  "server connects",
  "next call reaches the model",
  "edit blocked",
  "session start",
  "false claim challenged",
  "session end",
];

interface TriedClient {
  readonly version: string;
  readonly greeted: boolean;
  readonly challenged: boolean | "sometimes";
  readonly ended: boolean;
}

/** The guide's table of clients that `test/clients` ran, with what each session showed. */
export function createClientTable(): Record<string, string> {
  const guide = "docs/guide/clients.md";
  const tried = JSON.parse(fs.readFileSync("test/clients/tried.json", "utf8")) as Record<string, TriedClient>;
  const rows = CLIENT_IDS.flatMap((id) => {
    const row = tried[id];
    if (!row) return [];
    const { version, greeted, challenged, ended } = row;
    // The tests fail without the first three.
    const facts = [true, true, true, greeted, challenged, ended].map((fact) =>
      typeof fact === "string" ? fact : fact ? "yes" : "no",
    );
    return [[SETUP_CLIENTS[id].title, version, ...facts]];
  });
  const lines = [COLUMNS, COLUMNS.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  const text = fs.readFileSync(guide, "utf8");
  return { [guide]: text.replace(TABLE_MARK, `$1\n${lines.join("\n")}\n\n$2`) };
}
