import fs from "node:fs";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import { MCP_TOOLS } from "#doors/mcp/tool-table.ts";
import { COMMAND_PAGE_NAMES, parseCommandPage, createCommandFile } from "#onboarding/model/setup/command-pages.ts";
import {
  type SetupClient,
  CLIENT_IDS,
  SETUP_CLIENTS,
  type SetupScope,
} from "#onboarding/model/setup/client-catalog.ts";

const GUIDE = "docs/guide/clients.md";
const code = (text: string | undefined): string => (text === undefined ? "" : `\`${text}\``);

/** What a client gets, as the guide says it. */
function getRow({ id, title, server, rules, commands, hooks }: SetupClient, scope: SetupScope): string[] {
  const folder = commands?.folder[scope];
  const file =
    commands && folder !== undefined
      ? `${folder}/${createCommandFile(commands.form, "NAME", { description: "", argumentHint: "", body: "" }).name}`
      : undefined;
  return [
    title,
    code(id),
    server?.files[scope] ? `${code(server.files[scope].at(-1))} (${code(server.way.join("."))})` : "",
    code(rules?.files[scope]?.at(-1)),
    code(file?.replace("NAME", "*")),
    code(hooks?.files[scope]),
  ];
}

function getTable(scope: SetupScope): string {
  const rows = CLIENT_IDS.map((id) => getRow(SETUP_CLIENTS[id], scope)).filter((row) =>
    row.slice(2).some((cell) => cell !== ""),
  );
  const lines = [["client", "name", "server", "rules", "commands", "hooks"], ...rows].map((row) =>
    `| ${row.join(" | ")} |`.replaceAll(/ {2,}/g, " "),
  );
  return [lines[0], "|---|---|---|---|---|---|", ...lines.slice(1)].join("\n");
}

test.each<SetupScope>(["project", "user"])("the guide's table of a %s matches what setup writes", (scope) => {
  const guide = fs.readFileSync(GUIDE, "utf8");
  const [, shown = ""] = new RegExp(`<!-- clients: ${scope} -->\\n([^]*?)\\n?<!-- end -->`).exec(guide) ?? [];
  if (process.env["UPDATE"]) {
    fs.writeFileSync(
      GUIDE,
      guide.replace(new RegExp(`(<!-- clients: ${scope} -->\\n)[^]*?(<!-- end -->)`), `$1\n${getTable(scope)}\n\n$2`),
    );
    return;
  }
  expect(shown.trim()).toBe(getTable(scope));
});

test("the rules name only existing tools, in at most 350 tokens", () => {
  const rules = fs.readFileSync("assets/setup/rules.md", "utf8");
  const named = [...rules.matchAll(/\b(?:sdd|mem)_[a-z_]+[a-z]/g)].map(([name]) => name);
  expect(named.filter((name) => !MCP_TOOLS.some((tool) => tool.name === name))).toEqual([]);
  expect(encode(rules).length).toBeLessThanOrEqual(350);
});

const FORMS = [...new Set(Object.values(SETUP_CLIENTS).flatMap(({ commands }) => commands?.form ?? []))];
const pages = COMMAND_PAGE_NAMES.map(
  (name) => [name, parseCommandPage(fs.readFileSync(`assets/pages/${name}.md`, "utf8"))] as const,
);

test.each(FORMS)("no page contains syntax that the client would act on, in the form of %s", (form) => {
  for (const [name, page] of pages) {
    const { text } = createCommandFile(form, name, page);
    const argument = { claude: "$ARGUMENTS", opencode: "$ARGUMENTS", gemini: "{{args}}" }[form as string];
    expect(text.replaceAll(argument ?? "\0", "")).not.toMatch(
      /\$(?:ARGUMENTS|\d)|\{\{|!\{|@\{|!`|(?:^|\s)@[\w./]|\$\{/m,
    );
    expect(text.length).toBeLessThan(12_000);
    expect(text.includes("/sdd:") && form !== "gemini").toBe(false);
  }
});
