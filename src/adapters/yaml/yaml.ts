import { isAlias, isMap, isScalar, isSeq, LineCounter, type ParsedNode, parseDocument, type YAMLMap } from "yaml";
import { quote } from "#domain/quote.ts";
import type { LocatedEntry, LocatedNode, LocatedScalar } from "#domain/spec/yaml/located.ts";
import type { YamlEditor, YamlReading } from "#operations/ports/yaml.ts";
import { editYamlText } from "./edit.ts";
import { type YamlProblem, findYamlProblem } from "./guard.ts";

export const yamlAdapter: YamlEditor = { read: readYaml, edit: editYamlText };

function readYaml(text: string): YamlReading {
  const refused = findYamlProblem(text);
  if (refused) return { problems: [refused] };
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "silent",
  });
  const errors = [...document.errors, ...document.warnings].map(({ message, pos }) => ({
    problem: `It is not YAML: ${message.split("\n")[0]}.`,
    line: lines.linePos(pos[0]).line,
  }));
  if (errors.length > 0) return { problems: errors };
  if (document.directives?.yaml.explicit) return { problems: [{ problem: "Directives are not read.", line: 1 }] };
  if (document.contents === null || text.trim() === "") return { problems: [{ problem: "It is empty.", line: 1 }] };
  const problems: YamlProblem[] = [];
  const tree = new YamlTreeReader(lines, problems).locate(document.contents);
  return problems.length > 0 ? { problems } : { tree, problems };
}

class YamlTreeReader {
  readonly #lines: LineCounter;
  readonly #problems: YamlProblem[];

  constructor(lines: LineCounter, problems: YamlProblem[]) {
    this.#lines = lines;
    this.#problems = problems;
  }

  locate(node: ParsedNode | null, around = 1): LocatedNode {
    const line = node ? this.#lineOf(node) : around;
    if (node === null) return { kind: "scalar", line, value: null, text: "" };
    if (isAlias(node)) this.#tell(line, "Aliases are not read: say it again instead.");
    else if (node.anchor !== undefined)
      this.#tell(line, `The anchor ${quote(node.anchor, 40)} is of no use: aliases are not read.`);
    if (node.tag !== undefined) this.#tell(line, `The tag ${quote(node.tag, 40)} is not read.`);
    if (isMap(node)) return { kind: "mapping", line, entries: this.#entries(node, line) };
    if (isSeq(node)) {
      return { kind: "sequence", line, items: node.items.map((item) => this.locate(item as ParsedNode | null, line)) };
    }
    return readYamlScalar(node, line);
  }

  #entries(node: YAMLMap.Parsed, line: number): LocatedEntry[] {
    const seen = new Set<string>();
    return node.items.flatMap((pair): LocatedEntry[] => {
      const at = this.#lineOf(pair.key);
      if (!isScalar(pair.key)) {
        this.#tell(at, "A key must be a word.");
        return [];
      }
      const { text, value } = readYamlScalar(pair.key, at);
      const key = typeof value === "string" ? value : text;
      if (seen.has(key)) this.#tell(at, `${quote(key, 40)} is there twice.`);
      seen.add(key);
      return [{ key, line: at, value: this.locate(pair.value, at ?? line) }];
    });
  }

  #lineOf(node: ParsedNode): number {
    return this.#lines.linePos(node.range[0]).line;
  }

  #tell(line: number, problem: string): void {
    this.#problems.push({ problem, line });
  }
}

function readYamlScalar(node: unknown, line: number): LocatedScalar {
  const { value, source } = isScalar(node) ? node : { value: null, source: "" };
  const known = typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null;
  return { kind: "scalar", line, value: known, text: source ?? String(known) };
}
