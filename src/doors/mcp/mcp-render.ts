import type { OperationCall, Fault, SuggestedFix } from "#kernel/model/fault.ts";
import { formatPageLine, renderPageMarkdown, type Page } from "#kernel/model/page.ts";
import { escapeUnprintable, quoteShellWord } from "#kernel/model/text-format.ts";
import { DOOR_TABLE } from "../catalogue.ts";
import type { McpTool } from "./tool-table.ts";

/** Renders a page for a client. It names only tools that are offered. */
export function renderMcpPage(page: Page, offered: readonly McpTool[]): string {
  const name = (text: string): string => nameOfferedTools(text, offered);
  const { title, facts = [], quotes = [], points = [], guide } = page;
  const named = {
    ...page,
    title: name(title),
    facts: facts.map(([label, value]) => [label, name(value)] as const),
    quotes: quotes.map((each) => (each.namesCalls ? { ...each, text: name(each.text) } : each)),
    points: points.map(name),
    ...(guide === undefined || page.isGuideVerbatim ? {} : { guide: nameGuideTools(guide, offered) }),
  };
  return renderPageMarkdown(named, (fix) => renderMcpFix(fix, offered));
}

export function renderMcpFault(fault: Fault, offered: readonly McpTool[]): string {
  const fixes = fault.fixes.map((fix) => `Next: ${renderMcpFix(fix, offered)}`);
  return [formatPageLine(nameOfferedTools(fault.message, offered)), ...fixes].join("\n");
}

/** Operations that list work. The overview, which every client has, lists it too. */
const WORK_LISTS: ReadonlySet<string> = new Set(["change.list", "workflow.status"]);

/** Renders a call for a client: `sdd_change_status {"change_id":"fix-login"}`. */
export function renderMcpFix(fix: SuggestedFix, offered: readonly McpTool[]): string {
  if (typeof fix === "string") {
    const named = formatPageLine(nameOfferedTools(fix, offered));
    return named.startsWith("tenon ") ? `ask the user to run: ${named}` : named;
  }
  const findTool = (operation: string) => offered.find((candidate) => candidate.operation === operation);
  const tool = findTool(fix.operation);
  const overview = WORK_LISTS.has(fix.operation) ? findTool("workspace.status") : undefined;
  if (!tool && overview) return `${overview.name} {}`;
  return tool
    ? `${tool.name} ${escapeUnprintable(JSON.stringify(fix.input ?? fix.sample ?? {}))}`
    : `ask the user to run: ${formatCommandLine(fix)}`;
}

function formatCommandLine({ operation, input = {} }: OperationCall): string {
  const row = Object.entries(DOOR_TABLE).find(([id]) => id === operation)?.[1];
  const flags = Object.entries(input).map(([name, value]) => {
    const flag = `--${name.replaceAll("_", "-")}`;
    const word = quoteShellWord(typeof value === "string" ? value : JSON.stringify(value));
    if (row?.positionals?.includes(name) && typeof value === "string") return word;
    return value === true ? flag : `${flag} ${word}`;
  });
  return escapeUnprintable(["tenon", row?.command ?? operation.replace(".", " "), ...flags].join(" "));
}

/** A command or a tool. Words behind it are its arguments if they end at a backtick, or else part of the sentence. */
const NAMED_CALL = new RegExp(
  String.raw`(?:\btenon (?<path>[a-z]+(?:-[a-z]+)*(?: [a-z]+(?:-[a-z]+)*)?)|(?<![/.\w-])(?<tool>(?:sdd|mem)_[a-z]+(?:_[a-z]+)*))` +
    String.raw`(?<words>(?: [\w.-]+)+(?=\`))?(?<flags>(?: --[a-z]+(?:-[a-z]+)*(?: [\w./*-]*\w)?)*)`,
  "g",
);

/** Names tools for commands that a client has a tool for, and commands for tools that it does not have. */
export const nameOfferedTools = (text: string, offered: readonly McpTool[]): string =>
  text.replaceAll(NAMED_CALL, (whole: string, ...found: unknown[]) => {
    const { path = "", tool, words = "", flags = "" } = found.at(-1) as Readonly<Record<string, string | undefined>>;
    const rows = Object.entries(DOOR_TABLE);
    const [id, row] =
      tool === undefined
        ? ([path, path.split(" ", 1)[0]]
            .map((each) => rows.find(([, { command }]) => command === each))
            .find(Boolean) ?? [])
        : (rows.find((each) => each[1].tool === tool) ?? []);
    const given = [...flags.matchAll(/--([a-z-]+)(?: (\S+))?/g)].map(([, flag = "", value]) => [flag, value] as const);
    // A flag of the command line alone is for people.
    if (!row || given.some(([flag]) => row.ownFlags?.[flag])) return whole;
    const rest = `${tool === undefined ? path.slice(row.command.length) : ""}${words}`;
    const known = offered.find(({ operation }) => operation === id)?.name;
    if (known === undefined) return tool === undefined ? whole : `tenon ${row.command}${rest}${flags}`;
    const isCall = words !== "" || text[text.indexOf(whole) + whole.length] === "`";
    const values = isCall ? rest.trim().split(" ").filter(Boolean) : [];
    const input = Object.fromEntries([
      ...values.map((value, at) => [row.positionals?.[at] ?? "", value]),
      ...given.map(([flag, value]) => [flag.replaceAll("-", "_"), value ?? true]),
    ]);
    const left = isCall ? "" : rest;
    return `${known}${left}${Object.keys(input).length > 0 ? ` ${JSON.stringify(input)}` : ""}`;
  });

/** In a guide only text in backticks is a call. */
export const nameGuideTools = (guide: string, offered: readonly McpTool[]): string =>
  guide.replaceAll(/`(?:tenon |sdd_|mem_)[^`\n]+`/g, (call) => nameOfferedTools(call, offered));
