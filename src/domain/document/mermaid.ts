import type { Problem } from "../gate/verdict.ts";
import { quote } from "../quote.ts";

const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*(\w*)/;
const GRAPH = /^(?:graph|flowchart)\b/;
const OTHER_WORDS = /^(?:graph|flowchart|subgraph|end|direction)\b|^%%(?!\{)/;
const DRESS = /^(?:style|classDef|class|linkStyle|click)\b|^%%\{/;
const SAID = /(?:--|==|-\.)[ \t]+[^-=.|>]{1,200}[ \t]+(?:-->|---|==>|\.->)/g;
const ARROW = /[ \t]*(?:<?--+[>xo]?|<?==+>?|<?-\.+->?|&)[ \t]*/;
const SHAPE = /^(?:\[\(|\(\[|\(\(|\{\{|\[\[|\[|\(|\{)(.*?)(?:\)\]|\]\)|\)\)|\}\}|\]\]|\]|\)|\})$/;
const LONGEST = 1_000;

/**
 * Reports syntax that some Mermaid viewers cannot draw: unusual node names, labels with brackets, quotes or slashes,
 * and styling.
 */
export function mermaidProblems(markdown: string): Problem[] {
  const problems: Problem[] = [];
  let fence: string | undefined;
  let isGraph: boolean | undefined;
  for (const [i, raw] of markdown.split(/\r\n|\r|\n/).entries()) {
    const [, mark, language] = FENCE.exec(raw) ?? [];
    if (fence === undefined) {
      if (mark === undefined) continue;
      fence = mark;
      isGraph = language === "mermaid" ? undefined : false;
    } else if (mark?.startsWith(fence) && raw.trim() === mark) fence = undefined;
    else if (raw.trim() !== "") {
      isGraph ??= GRAPH.test(raw.trim());
      if (isGraph) problems.push(...lineProblems(raw.trim().slice(0, LONGEST), i + 1));
    }
  }
  return problems;
}

function lineProblems(text: string, line: number): Problem[] {
  if (DRESS.test(text))
    return [
      { problem: `${quote(text, 40)} dresses the diagram: leave it out, plain Mermaid is drawn everywhere.`, line },
    ];
  if (OTHER_WORDS.test(text)) return [];
  const labels = [...text.matchAll(/\|([^|]*)\|/g)].map(([, label = ""]) => label);
  const nodes = text
    .replace(/\|[^|]*\|/g, " ")
    .replace(SAID, "-->")
    .replace(/;$/, "")
    .split(ARROW)
    .map((node) => node.trim());
  return [...nodes.flatMap((node) => nodeProblem(node)), ...labels.flatMap((label) => labelProblem(label))].map(
    (problem) => ({ problem, line }),
  );
}

function nodeProblem(node: string): string[] {
  const begin = node.search(/[[({]/);
  const id = begin < 0 ? node : node.slice(0, begin).trim();
  const label = begin < 0 ? undefined : SHAPE.exec(node.slice(begin))?.[1];
  return [
    ...(/^\w*$/.test(id)
      ? []
      : [`${quote(id, 40)} is no name of a node: use letters, digits and underscores, and put words into its label.`]),
    ...(label === undefined ? [] : labelProblem(label)),
  ];
}

function labelProblem(label: string): string[] {
  if (!/[()[\]"/]/.test(label)) return [];
  return [
    `The label ${quote(label, 60)} has brackets, quotes or a slash, which break diagrams: say it in plain words.`,
  ];
}
