import fs from "node:fs";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import { TOOLS } from "#adapters/mcp/toolsets.ts";
import { PAGES, parsePage } from "#domain/plugin/page.ts";
import { type Client, CLIENT_IDS, CLIENTS, type Scope } from "#domain/setup/clients.ts";
import { commandFile } from "#domain/setup/command-file.ts";

const GUIDE = "docs/guide/clients.md";
const code = (text: string | undefined): string => (text === undefined ? "" : `\`${text}\``);

/** What a client gets, as the guide says it. */
function rowOf({ id, title, server, rules, commands, hooks }: Client, scope: Scope): string[] {
  const folder = commands?.folder[scope];
  const file =
    commands && folder !== undefined
      ? `${folder}/${commandFile(commands.form, "NAME", { description: "", argumentHint: "", body: "" }).name}`
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

function tableOf(scope: Scope): string {
  const rows = CLIENT_IDS.map((id) => rowOf(CLIENTS[id], scope)).filter((row) =>
    row.slice(2).some((cell) => cell !== ""),
  );
  const lines = [["client", "name", "server", "rules", "commands", "hooks"], ...rows].map((row) =>
    `| ${row.join(" | ")} |`.replaceAll(/ {2,}/g, " "),
  );
  return [lines[0], "|---|---|---|---|---|---|", ...lines.slice(1)].join("\n");
}

test.each<Scope>(["project", "user"])("the guide's table of a %s is what setup writes", (scope) => {
  const guide = fs.readFileSync(GUIDE, "utf8");
  const [, shown = ""] = new RegExp(`<!-- clients: ${scope} -->\\n([^]*?)\\n?<!-- end -->`).exec(guide) ?? [];
  if (process.env["UPDATE"]) {
    fs.writeFileSync(
      GUIDE,
      guide.replace(new RegExp(`(<!-- clients: ${scope} -->\\n)[^]*?(<!-- end -->)`), `$1\n${tableOf(scope)}\n\n$2`),
    );
    return;
  }
  expect(shown.trim()).toBe(tableOf(scope));
});

test("the rules name only tools that there are, and are short enough to be read by every agent every time", () => {
  const rules = fs.readFileSync("assets/setup/rules.md", "utf8");
  const named = [...rules.matchAll(/\b(?:sdd|mem)_[a-z_]+[a-z]/g)].map(([name]) => name);
  expect(named.filter((name) => !TOOLS.some((tool) => tool.name === name))).toEqual([]);
  expect(encode(rules).length).toBeLessThanOrEqual(350);
});

const FORMS = [...new Set(Object.values(CLIENTS).flatMap(({ commands }) => commands?.form ?? []))];
const pages = PAGES.map((name) => [name, parsePage(fs.readFileSync(`assets/pages/${name}.md`, "utf8"))] as const);

test.each(FORMS)("no page says in the form of %s what its client would act on", (form) => {
  for (const [name, page] of pages) {
    const { text } = commandFile(form, name, page);
    const argument = { claude: "$ARGUMENTS", opencode: "$ARGUMENTS", gemini: "{{args}}" }[form as string];
    expect(text.replaceAll(argument ?? "\0", "")).not.toMatch(
      /\$(?:ARGUMENTS|\d)|\{\{|!\{|@\{|!`|(?:^|\s)@[\w./]|\$\{/m,
    );
    expect(text.length).toBeLessThan(12_000);
    expect(text.includes("/sdd:") && form !== "gemini").toBe(false);
  }
});
