import fs from "node:fs";
import { parseSync } from "oxc-parser";

/** A source file as the laws see it: by syntax, not by text. */
export interface Source {
  /** Relative to `src/`. */
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  readonly imports: readonly string[];
  readonly functions: readonly { readonly name: string; readonly lines: number }[];
  /** Names that stand for something outside: `process`, `Date`, `await`… with the member used, as `process.argv`. */
  readonly names: ReadonlySet<string>;
  readonly strings: readonly string[];
  /** Whether the file only hands on what others export. */
  readonly isBarrel: boolean;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

export const sources: readonly Source[] = filesIn("src")
  .filter((path) => path.endsWith(".ts") && !/\.(?:test|contract)\.ts$/.test(path))
  .map((path) => readSource(path));

export function readSource(path: string, text = fs.readFileSync(`src/${path}`, "utf8")): Source {
  const { program } = parseSync(path, text);
  const found = {
    imports: [] as string[],
    functions: [] as Source["functions"][number][],
    names: new Set<string>(),
    strings: [] as string[],
  };
  const lineOf = (at: number): number => text.slice(0, at).split("\n").length;
  visit(program as unknown as Node, undefined, (node, parent) => {
    const source = node["source"] as { value?: unknown } | null | undefined;
    if (typeof source?.value === "string") found.imports.push(source.value);
    if (/Function/.test(node.type) && node["body"]) {
      found.functions.push({ name: nameOf(node, parent), lines: lineOf(node.end) - lineOf(node.start) + 1 });
      if (node["async"]) found.names.add("async");
    }
    if (node.type === "AwaitExpression") found.names.add("await");
    if (readsClock(node)) found.names.add("new Date");
    if (node.type === "Identifier" && !isMemberName(node, parent)) found.names.add(withMember(node, parent));
    if (node.type === "Literal" && typeof node["value"] === "string") found.strings.push(node["value"]);
    if (node.type === "TemplateElement") found.strings.push(String((node["value"] as { raw?: unknown }).raw));
  });
  const body = (program as unknown as { body: Node[] }).body;
  const isBarrel =
    body.length > 0 && body.every((statement) => statement.type.startsWith("Export") && statement["source"]);
  return { path, text, lines: text.split("\n").length - 1, isBarrel, ...found };
}

/** Every file below a folder, relative to it, with forward slashes; without the projects in `test/fixtures`. */
export function filesIn(folder: string): string[] {
  const entries = fs.readdirSync(folder, { withFileTypes: true }).filter(({ name }) => name !== "fixtures");
  const below = entries.filter((entry) => entry.isDirectory()).flatMap(({ name }) => filesBelow(folder, name));
  return [...entries.filter((entry) => entry.isFile()).map(({ name }) => name), ...below].toSorted();
}

function filesBelow(folder: string, name: string): string[] {
  return fs
    .readdirSync(`${folder}/${name}`, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.replaceAll("\\", "/").slice(folder.length + 1));
}

function visit(node: Node, parent: Node | undefined, see: (node: Node, parent: Node | undefined) => void): void {
  see(node, parent);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child === "object" && child !== null && typeof (child as Node).type === "string")
        visit(child as Node, node, see);
    }
  }
}

function nameOf(node: Node, parent: Node | undefined): string {
  const id = (node["id"] ?? parent?.["key"] ?? parent?.["id"]) as { name?: unknown } | null | undefined;
  return typeof id?.name === "string" ? id.name : "anonymous";
}

/** `new Date()` reads the clock; with arguments it only computes. */
function readsClock(node: Node): boolean {
  if (node.type !== "NewExpression" || (node["callee"] as { name?: unknown }).name !== "Date") return false;
  return (node["arguments"] as readonly unknown[]).length === 0;
}

function isMemberName(node: Node, parent: Node | undefined): boolean {
  if (parent?.type === "MemberExpression") return parent["property"] === node && !parent["computed"];
  return parent?.type === "Property" && parent["key"] === node && !parent["computed"];
}

function withMember(node: Node, parent: Node | undefined): string {
  const name = String(node["name"]);
  const property = parent?.type === "MemberExpression" ? (parent["property"] as { name?: unknown }) : undefined;
  return typeof property?.name === "string" ? `${name}.${property.name}` : name;
}
