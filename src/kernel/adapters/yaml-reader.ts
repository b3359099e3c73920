import { isAlias, isMap, isScalar, isSeq, LineCounter, type ParsedNode, parseDocument, type YAMLMap } from "yaml";
import { quote, formatCount, sanitizeText } from "../model/text-format.ts";
import type { LocatedEntry, LocatedNode, LocatedScalar } from "../model/yaml-tree.ts";
import type { YamlEditor, YamlReading } from "../operations/ports/yaml.ts";
import { editYamlText } from "./yaml-editor.ts";
import { CORE_SCHEMA, loadAll } from "js-yaml";

export const yamlAdapter: YamlEditor = { read: readYaml, edit: editYamlText };

function readYaml(text: string): YamlReading {
  const refused = findYamlProblem(text);
  if (refused) return { problems: [refused] };
  const lines = new LineCounter();
  const options = { lineCounter: lines, uniqueKeys: false, prettyErrors: false, logLevel: "silent" } as const;
  const document = parseDocument(text, options);
  const errors = [...document.errors, ...document.warnings].map(({ message, pos }) => ({
    problem: `It is not YAML: ${message.split("\n")[0]}.`,
    line: lines.linePos(pos[0]).line,
  }));
  if (errors.length > 0) return { problems: errors };
  if (document.directives?.yaml.explicit) return { problems: [{ problem: "Directives are not supported.", line: 1 }] };
  if (document.contents === null || text.trim() === "") return { problems: [{ problem: "It is empty.", line: 1 }] };
  const problems: YamlProblem[] = [];
  const tree = locateYamlNode(document.contents, lines, problems);
  return problems.length > 0 ? { problems } : { tree, problems };
}

function locateYamlNode(node: ParsedNode | null, lines: LineCounter, problems: YamlProblem[], around = 1): LocatedNode {
  const line = node ? lines.linePos(node.range[0]).line : around;
  if (node === null) return { kind: "scalar", line, value: null, text: "" };
  if (isAlias(node)) problems.push({ problem: "Aliases are not supported: repeat the value.", line });
  else if (node.anchor !== undefined) {
    const problem = `The anchor ${quote(node.anchor, 40)} has no use: aliases are not supported.`;
    problems.push({ problem, line });
  }
  if (node.tag !== undefined) problems.push({ problem: `The tag ${quote(node.tag, 40)} is not read.`, line });
  if (isMap(node)) return { kind: "mapping", line, entries: locateYamlEntries(node, lines, problems) };
  if (!isSeq(node)) return readYamlScalar(node, line);
  const items = node.items.map((item) => locateYamlNode(item as ParsedNode | null, lines, problems, line));
  return { kind: "sequence", line, items };
}

function locateYamlEntries(node: YAMLMap.Parsed, lines: LineCounter, problems: YamlProblem[]): LocatedEntry[] {
  const seen = new Set<string>();
  return node.items.flatMap((pair): LocatedEntry[] => {
    const { line } = lines.linePos(pair.key.range[0]);
    if (!isScalar(pair.key)) {
      problems.push({ problem: "A key must be a word.", line });
      return [];
    }
    const { text, value } = readYamlScalar(pair.key, line);
    const key = typeof value === "string" ? value : text;
    if (seen.has(key)) problems.push({ problem: `${quote(key, 40)} appears twice.`, line });
    seen.add(key);
    return [{ key, line, value: locateYamlNode(pair.value, lines, problems, line) }];
  });
}

function readYamlScalar(node: unknown, line: number): LocatedScalar {
  const { value, source } = isScalar(node) ? node : { value: null, source: "" };
  const known = typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null;
  return { kind: "scalar", line, value: known, text: source ?? String(known) };
}

const MOST_YAML_CHARACTERS = 262_144;
const MOST_YAML_LINES = 10_000;
const MOST_YAML_VALUES = 10_000;

type YamlProblem = YamlReading["problems"][number];

/** Undefined if valid. The parser with positions is slow on hostile input, so js-yaml checks every text first. */
function findYamlProblem(text: string): YamlProblem | undefined {
  if (text.length > MOST_YAML_CHARACTERS) {
    return { problem: `It has ${text.length} characters, and at most ${MOST_YAML_CHARACTERS} are read.`, line: 1 };
  }
  const alone = text.split(/\r(?!\n)/);
  if (alone.length > 1)
    return { problem: "A line ends in a carriage return alone.", line: alone[0]?.split("\n").length ?? 1 };
  const lines = text.split("\n").length;
  if (lines > MOST_YAML_LINES)
    return { problem: `It has ${lines} lines, and at most ${MOST_YAML_LINES} are read.`, line: MOST_YAML_LINES };
  let documents: unknown[];
  try {
    documents = loadAll(text, { schema: CORE_SCHEMA, maxAliases: 0 });
  } catch (error) {
    const { reason, message, mark } = error as { reason?: string; message?: string; mark?: { line?: number } };
    const why = sanitizeText((reason ?? message ?? String(error)).split("\n")[0] ?? "", 200);
    const [, problem = `It is not YAML: ${why}.`] = CLEARER_YAML_MESSAGES.find(([said]) => said.test(why)) ?? [];
    // Errors at the end of the file are reported on the last line.
    return { problem, line: Math.min((mark?.line ?? 0) + 1, text.trimEnd().split("\n").length) };
  }
  if (documents.length > 1) return { problem: "It holds more than one document.", line: findSecondDocument(text) };
  const values = countYamlValues(documents[0]);
  if (values <= MOST_YAML_VALUES) return undefined;
  return { problem: `It has ${formatCount(values, "value")}, and at most ${MOST_YAML_VALUES} are read.`, line: 1 };
}

const CLEARER_YAML_MESSAGES: readonly (readonly [said: RegExp, problem: string])[] = [
  [/maxAliases/, "Aliases are not supported: repeat the value."],
  [/maxDepth/, "It is nested too deeply."],
  [/duplicated mapping key/, "A key appears twice."],
  [/complex keys/, "A key must be a word."],
];

function findSecondDocument(text: string): number {
  const lines = text.split("\n");
  const first = lines.findIndex((line) => line.trim() !== "" && !/^(?:#|---)/.test(line));
  const second = lines.findIndex((line, i) => i > first && line.startsWith("---"));
  return second + 1 || 1;
}

function countYamlValues(value: unknown): number {
  const waiting = [value];
  let total = 0;
  for (let next = waiting.pop(); next !== undefined || waiting.length > 0; next = waiting.pop()) {
    total++;
    if (typeof next === "object" && next !== null) for (const inner of Object.values(next)) waiting.push(inner);
  }
  return total;
}
