import fs from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { expect, test } from "vitest";
import { DOOR_TABLE, type ToolJsonSchema } from "#doors/catalogue.ts";
import { renderTerminalFix } from "#doors/cli/terminal-render.ts";
import { renderMcpFix } from "#doors/mcp/mcp-render.ts";
import { MCP_TOOLS } from "#doors/mcp/tool-table.ts";
import { temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { findCommandProblem, readInputSchema, splitCommandLine, UTILITIES } from "../kit/suggested-command.ts";

interface SyntaxNode {
  readonly type: string;
  readonly [key: string]: unknown;
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === "object" && value !== null && typeof Reflect.get(value, "type") === "string";

function* walkSyntax(value: unknown): Generator<SyntaxNode> {
  if (Array.isArray(value)) for (const each of value) yield* walkSyntax(each);
  if (!isNode(value)) return;
  yield value;
  for (const [key, each] of Object.entries(value)) if (key !== "type") yield* walkSyntax(each);
}

/** The properties of an object with plain keys; a spread has none. */
const listProperties = (node: unknown): [string, SyntaxNode][] =>
  isNode(node) && node.type === "ObjectExpression"
    ? (node["properties"] as SyntaxNode[]).flatMap((each): [string, SyntaxNode][] => {
        const key = each["key"] as SyntaxNode | undefined;
        const name = key?.["name"] ?? key?.["value"];
        return typeof name === "string" ? [[name, each["value"] as SyntaxNode]] : [];
      })
    : [];

const SOURCES = fs
  .readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !/\.(?:test|contract)\.ts$/.test(path))
  .map((path) => ({ path, program: parseSync(path, fs.readFileSync(join("src", path), "utf8")).program }));

/** A call as the source shows it. With a spread or a variable in it, more may be given than is seen. */
interface SuggestedCall {
  readonly path: string;
  readonly operation: string;
  readonly given: readonly (readonly [string, SyntaxNode])[];
  readonly isOpen: boolean;
}

const SUGGESTED_CALLS: readonly SuggestedCall[] = SOURCES.flatMap(({ path, program }) =>
  [...walkSyntax(program)].flatMap((node): SuggestedCall[] => {
    const properties = new Map(listProperties(node));
    const operation = properties.get("operation")?.["value"];
    if (typeof operation !== "string" || !/^[a-z]+\.[a-z-]+$/.test(operation)) return [];
    const input = properties.get("input");
    const isObject = input?.type === "ObjectExpression";
    const isSpread = isObject && (input["properties"] as SyntaxNode[]).some(({ type }) => type === "SpreadElement");
    return [{ path, operation, given: listProperties(input), isOpen: isSpread || (input !== undefined && !isObject) }];
  }),
);

/** Values that the patterns of fields accept. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  confirm: "0".repeat(64),
  decisions: ["FR-001=change"],
  features: [{ name: "x", description: "x" }],
};

function createTypedSample(field: ToolJsonSchema, name: string): unknown {
  if (Object.hasOwn(SAMPLES, name)) return SAMPLES[name];
  if (field.type === "array") return [createTypedSample(field.items ?? {}, "")];
  if (field.type === "boolean") return true;
  if (field.type === "integer" || field.type === "number") return 1;
  if (field.type !== "object") return field.enum?.[0] ?? "x";
  const { properties: inner = {}, required = [] } = field;
  return Object.fromEntries(required.map((each) => [each, createTypedSample(inner[each] ?? {}, each)]));
}

/** The value in the source, or one of the field's type for an expression. */
function createSampleValue(node: SyntaxNode, field: ToolJsonSchema, name: string): unknown {
  if (node.type === "Literal") return node["value"];
  if (node.type === "ArrayExpression")
    return (node["elements"] as SyntaxNode[]).map((each) => createSampleValue(each, field.items ?? {}, ""));
  if (node.type !== "ObjectExpression") return createTypedSample(field, name);
  const inner = field.properties ?? {};
  return Object.fromEntries(
    listProperties(node).map(([key, each]) => [key, createSampleValue(each, inner[key] ?? {}, key)]),
  );
}

/** What a variable adds to an open call besides its required arguments. */
const OPEN_ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  "handover.decide": ["reason"],
  "memory.relate": ["from_id", "to_id", "relation_type"],
};

/** The call with a value for each argument that it surely has. */
function createSampleCall({ operation, given, isOpen }: SuggestedCall) {
  const { properties: fields = {}, required = [] } = readInputSchema(operation);
  const take = (name: string, value: SyntaxNode) => [name, createSampleValue(value, fields[name] ?? {}, name)] as const;
  const open = [...required, ...(OPEN_ARGUMENTS[operation] ?? [])];
  const more = isOpen ? open.map((name) => take(name, { type: "" })) : [];
  const sample = given.map(([name, value]) => take(name, value));
  return { operation, input: Object.fromEntries([...more, ...sample]) as Record<string, unknown> };
}

test("every call that a fault or answer suggests parses in both doors, with all required arguments", () => {
  const wrong: string[] = [];
  for (const suggested of SUGGESTED_CALLS) {
    const { path, operation, given } = suggested;
    const refuse = (why: string) => wrong.push(`${path}: ${operation}: ${why}`);
    if (!Object.hasOwn(DOOR_TABLE, operation)) {
      refuse("does not exist");
      continue;
    }
    const { properties: fields = {}, required = [] } = readInputSchema(operation);
    for (const [name, value] of given) {
      const choices = fields[name]?.enum;
      const said = value.type === "Literal" ? value["value"] : undefined;
      if (!fields[name]) refuse(`has no ${name}`);
      else if (choices && typeof said === "string" && !choices.includes(said)) refuse(`${name} cannot be ${said}`);
    }
    const call = createSampleCall(suggested);
    const problem = findCommandProblem(renderTerminalFix(call));
    if (problem) refuse(`${renderTerminalFix(call)}: ${problem}`);
    const [tool = "", ...rest] = renderMcpFix(call).split(" ");
    if (tool === "ask") continue;
    const sent = Object.keys(JSON.parse(rest.join(" ")) as object);
    if (!MCP_TOOLS.some(({ name }) => name === tool)) refuse(`${tool} is not a tool`);
    for (const name of required.filter((each) => !sent.includes(each))) refuse(`${tool} needs ${name}`);
  }
  expect(wrong).toEqual([]);
  expect(SUGGESTED_CALLS.length).toBeGreaterThan(200);
});

/** The text of a string with `1` for each expression in it, which is a name, an id and a number. */
function readText(node: SyntaxNode): string | undefined {
  if (node.type === "Literal" && typeof node["value"] === "string") return node["value"];
  if (node.type !== "TemplateLiteral") return undefined;
  return (node["quasis"] as SyntaxNode[]).map(({ value }) => (value as { cooked: string }).cooked).join("1");
}

const TEXT_COMMANDS: readonly { readonly path: string; readonly line: string }[] = SOURCES.flatMap(
  ({ path, program }) =>
    [...walkSyntax(program)].flatMap((node) => {
      const text = readText(node) ?? "";
      // A command is the whole text, or ends it after a colon. Elsewhere the sentence goes on after its name.
      const line = /(?:^|: )(tenon [a-z][^`\n>]*)$/.exec(text)?.[1]?.replace(/\.$/, "");
      return line === undefined || /\. | (?:lists|shows|was|takes|is|has|wrote) /.test(line) ? [] : [{ path, line }];
    }),
);

test("every command that a text suggests parses", () => {
  const wrong = TEXT_COMMANDS.flatMap(({ path, line }) => {
    const problem = findCommandProblem(line);
    return problem ? [`${path}: ${line}: ${problem}`] : [];
  });
  expect(wrong).toEqual([]);
  expect(TEXT_COMMANDS.length).toBeGreaterThan(20);
});

const USAGE_ERROR = /^error\[(?:usage\.|input\.missing|input\.invalid\]: (?:Unknown|Missing|\S+ must))|^defect/m;

test("every suggested command runs in a workspace without a usage error", async () => {
  using folder = temporaryRepository();
  using house = testHouse(folder.path, {}, { save: async () => undefined });
  await house.run("init");
  const file = join(folder.path, "text.md");
  fs.writeFileSync(file, "A text.\n");
  const lines = new Map([
    ...SUGGESTED_CALLS.map((each) => [renderTerminalFix(createSampleCall(each)), each.path] as const),
    ...TEXT_COMMANDS.map(({ path, line }) => [line, path] as const),
  ]);
  const wrong: unknown[] = [];
  for (const [line, path] of lines) {
    const [, ...words] = splitCommandLine(line.replace("<path>", file));
    if (UTILITIES.includes(words[0] ?? "")) continue;
    const { err } = await house.run(...words);
    if (USAGE_ERROR.test(err)) wrong.push({ path, line, err });
  }
  expect(wrong).toEqual([]);
  expect(lines.size).toBeGreaterThan(100);
});

/** Lines that fail in a new workspace. */
const FAILING = [
  "stauts",
  "frobnicate",
  "change strat",
  "status extra",
  "status --verbose",
  "change status",
  "change status no-such-change",
  "change list --limit 0",
  "change start",
  "change start Fix --type fix --size tiny",
  "change advance",
  "change archive",
  "change reopen --stage spec --reason x",
  "ci example",
  "setup claude-code",
  "trace AUTH-009",
  "trace src/nowhere.ts",
  "impact nowhere",
  "impact AUTH-001",
  "workflow advance",
  "workflow status AUTH-009",
  "workflow switch AUTH-009",
  "workflow resume AUTH-009",
  "gate",
  "evidence",
  "verify AUTH-009",
  "conflicts AUTH-001",
  "roadmap run",
  "impl user-login",
  "status no-such-feature",
  "review design",
  "report none",
  "spec validate AUTH-009",
  "stack no-such-profile",
  "adr status ADR-0009 deprecated",
  "memory get 99",
  "memory update 99 --content x",
  "project propose",
  "project validate",
  "knowledge show nothing",
  "steering update --file tech",
  "lock release src/none.ts",
  "import /nowhere/at/all",
];

test("help accepts its own flag", async () => {
  using folder = temporaryRepository();
  using house = testHouse(folder.path);
  expect(await house.run("help", "--help")).toEqual(await house.run("help"));
});

test("suggests a fix that parses, and never the command that failed", async () => {
  using folder = temporaryRepository();
  using house = testHouse(folder.path);
  await house.run("init");
  const wrong: unknown[] = [];
  let fixes = 0;
  for (const line of FAILING) {
    const { code, err } = await house.run(...line.split(" "), "--json");
    if (code === 0 || err === "") continue;
    const { error } = JSON.parse(err.slice(err.indexOf("{"))) as { error: { code: string; fix: string[] } };
    for (const fix of error.fix) {
      if (!fix.startsWith("tenon ")) continue;
      fixes++;
      if (fix === `tenon ${line}`) wrong.push({ line, fix, is: "the call that failed" });
      const [, ...given] = splitCommandLine(fix);
      // With blanks to fill in, help parses the same flags and runs nothing.
      const isOpen = /…|<path>/.test(fix) && !fix.endsWith("--help");
      const answer = await house.run(...given, ...(isOpen ? ["--help"] : []));
      if (/^error\[(?:usage|input)\.|^defect/.test(answer.err)) wrong.push({ line, fix, answer: answer.err });
    }
  }
  expect(wrong).toEqual([]);
  expect(fixes).toBeGreaterThan(30);
});
