import fs from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { expect, test } from "vitest";

const CODES = JSON.parse(fs.readFileSync("src/kernel/model/fault-codes.json", "utf8")) as Record<string, string>;

/** Codes that no command of Tenon fixes, by the reason. `test/door/fixes.test.ts` runs the others' commands. */
const WITHOUT_COMMAND: Readonly<Record<string, readonly string[]>> = {
  "The machine has to change: its disk, its programs, its permissions.": [
    "database.newer",
    "database.old-sqlite",
    "database.unusable",
    "disk.full",
    "files.unwritable",
    "git.missing",
    "git.refused",
    "team.insecure",
    "team.no-repository",
    "team.remote",
    "trust.place",
    "worktree.not-isolated",
  ],
  "The user edits, restores or moves a file that the text names.": [
    "adr.too-many",
    "adr.unreadable",
    "change.in-history",
    "config.invalid",
    "database.corrupt",
    "docs.markers",
    "files.escape",
    "files.not-text",
    "files.too-large",
    "import.bad-manifest",
    "memory.off",
    "receipt.broken",
    "rollback.obstacle",
    "setup.damaged",
    "setup.unfit",
    "summary.unreadable",
    "workspace.unreadable-git",
    "worktree.exists",
  ],
  "The same call works again with another value or another text.": [
    "export.folder-exists",
    "handover.bad-text",
    "knowledge.bad-text",
    "memory.file-exists",
    "memory.too-long",
    "review.no-proposal",
    "review.no-reason",
    "review.unknown-finding",
    "roadmap.cycle",
    "roadmap.duplicate",
    "roadmap.unknown-dependency",
    "steering.bad-text",
    "summary.secret",
    "usage.bad-input",
    "usage.no-file",
    "workspace.is-home",
    "workspace.missing",
    "workspace.outside-roots",
    "worktree.bad-name",
  ],
  "The same call works again as it is.": ["database.busy", "setup.changed", "worktree.busy"],
};

interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === "object" && value !== null && typeof Reflect.get(value, "type") === "string";

const listChildren = (node: SyntaxNode): SyntaxNode[] =>
  Object.values(node).flatMap((each) => (Array.isArray(each) ? each : [each]).filter(isNode));

const CALLS = new Set(["CallExpression", "NewExpression"]);
const DECLARATIONS = new Set(["VariableDeclarator", "FunctionDeclaration"]);

/** The source of each call that names a code of a fault, with the declarations of the names that it uses. */
function listFaultSources(path: string): [code: string, source: string][] {
  const text = fs.readFileSync(path, "utf8");
  const declared = new Map<string, string>();
  const calls: [string, SyntaxNode][] = [];
  const visit = (node: SyntaxNode, call?: SyntaxNode): void => {
    const name = DECLARATIONS.has(node.type) && isNode(node["id"]) ? node["id"]["name"] : undefined;
    if (typeof name === "string") declared.set(name, text.slice(node.start, node.end));
    const value = node.type === "Literal" ? node["value"] : undefined;
    if (call && typeof value === "string" && Object.hasOwn(CODES, value)) calls.push([value, call]);
    for (const child of listChildren(node)) visit(child, CALLS.has(node.type) ? node : call);
  };
  visit(parseSync(path, text).program as unknown as SyntaxNode);
  return calls.map(([code, { start, end }]) => {
    const source = text.slice(start, end);
    const names = new Set(source.match(/\b[A-Za-z_]\w*\b/g));
    return [code, [source, ...[...names].flatMap((name) => declared.get(name) ?? [])].join("\n")];
  });
}

const SOURCES = fs
  .readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !/\.(?:test|contract)\.ts$/.test(path))
  .flatMap((path) => listFaultSources(join("src", path)));

/** A call, the arguments of one, a helper that makes calls, or a command in a text. */
const COMMAND_PATTERN = /\boperation\b|\baction: "|\bflow\.help\b|\bcreateCalls?\b|\$\{command\}|\btenon [a-z]/;

const namesCommand = (source: string): boolean => COMMAND_PATTERN.test(source);

test("every fault suggests a command of Tenon, or is listed with the reason why none helps", () => {
  const listed = Object.values(WITHOUT_COMMAND).flat();
  const without = Object.keys(CODES).filter(
    (code) => !SOURCES.some(([found, source]) => found === code && namesCommand(source)),
  );
  expect(listed.toSorted()).toEqual(without.toSorted());
});

test("every fault without a command gives advice in words", () => {
  const silent = Object.values(WITHOUT_COMMAND)
    .flat()
    .filter((code) => !SOURCES.some(([found, source]) => found === code && /["`][^"`]*[a-z] [^"`]*["`]/.test(source)));
  expect(silent).toEqual([]);
});
