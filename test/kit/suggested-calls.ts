import fs from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import type { ToolJsonSchema } from "#doors/catalogue.ts";
import { readInputSchema } from "./suggested-command.ts";

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
export interface SuggestedCall {
  readonly path: string;
  readonly operation: string;
  readonly given: readonly (readonly [string, SyntaxNode])[];
  readonly isOpen: boolean;
}

export const SUGGESTED_CALLS: readonly SuggestedCall[] = SOURCES.flatMap(({ path, program }) =>
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
export function createSampleCall({ operation, given, isOpen }: SuggestedCall) {
  const { properties: fields = {}, required = [] } = readInputSchema(operation);
  const take = (name: string, value: SyntaxNode) => [name, createSampleValue(value, fields[name] ?? {}, name)] as const;
  const open = [...required, ...(OPEN_ARGUMENTS[operation] ?? [])];
  const more = isOpen ? open.map((name) => take(name, { type: "" })) : [];
  const sample = given.map(([name, value]) => take(name, value));
  return { operation, input: Object.fromEntries([...more, ...sample]) as Record<string, unknown> };
}

/** The text of a string with `1` for each expression in it, which is a name, an id and a number. */
function readText(node: SyntaxNode): string | undefined {
  if (node.type === "Literal" && typeof node["value"] === "string") return node["value"];
  if (node.type !== "TemplateLiteral") return undefined;
  return (node["quasis"] as SyntaxNode[]).map(({ value }) => (value as { cooked: string }).cooked).join("1");
}

/** Texts that name a command or a tool. */
export const SOURCE_TEXTS: readonly { readonly path: string; readonly text: string }[] = SOURCES.flatMap(
  ({ path, program }) =>
    [...walkSyntax(program)].flatMap((node) => {
      const text = readText(node) ?? "";
      return /\b(?:tenon [a-z]|(?:sdd|mem)_[a-z])/.test(text) ? [{ path, text }] : [];
    }),
);

export const TEXT_COMMANDS: readonly { readonly path: string; readonly line: string }[] = SOURCE_TEXTS.flatMap(
  ({ path, text }) => {
    // A command is the whole text, or ends it after a colon. Elsewhere the sentence goes on after its name.
    const line = /(?:^|: )(tenon [a-z][^`\n>]*)$/.exec(text)?.[1]?.replace(/\.$/, "");
    return line === undefined || /\. | (?:lists|shows|was|takes|is|has|wrote) /.test(line) ? [] : [{ path, line }];
  },
);
