import type { Problem } from "../verdict.ts";
import { quote } from "../text-format.ts";

const MERMAID_FENCE_PATTERN = /^ {0,3}(`{3,}|~{3,})[ \t]*(\w*)/;
const MERMAID_GRAPH_PATTERN = /^(?:graph|flowchart)\b/;
const MERMAID_KEYWORD_PATTERN = /^(?:graph|flowchart|subgraph|end|direction)\b|^%%(?!\{)/;
const MERMAID_STYLE_PATTERN = /^(?:style|classDef|class|linkStyle|click)\b|^%%\{/;
const LABELLED_ARROW_PATTERN = /(?:--|==|-\.)[ \t]+[^-=.|>]{1,200}[ \t]+(?:-->|---|==>|\.->)/g;
const MERMAID_ARROW_PATTERN = /[ \t]*(?:<?--+[>xo]?|<?==+>?|<?-\.+->?|&)[ \t]*/;
const NODE_SHAPE_PATTERN = /^(?:\[\(|\(\[|\(\(|\{\{|\[\[|\[|\(|\{)(.*?)(?:\)\]|\]\)|\)\)|\}\}|\]\]|\]|\)|\})$/;
const MAX_MERMAID_LINE_LENGTH = 1_000;

/** Reports syntax that some viewers cannot draw: unusual names, labels with brackets, quotes or slashes, styling. */
export function findMermaidProblems(markdown: string): Problem[] {
  const problems: Problem[] = [];
  let fence: string | undefined;
  let isGraph: boolean | undefined;
  for (const [i, raw] of markdown.split(/\r\n|\r|\n/).entries()) {
    const [, mark, language] = MERMAID_FENCE_PATTERN.exec(raw) ?? [];
    if (fence === undefined) {
      if (mark === undefined) continue;
      fence = mark;
      isGraph = language === "mermaid" ? undefined : false;
    } else if (mark?.startsWith(fence) && raw.trim() === mark) fence = undefined;
    else if (raw.trim() !== "") {
      isGraph ??= MERMAID_GRAPH_PATTERN.test(raw.trim());
      if (isGraph) problems.push(...findMermaidLineProblems(raw.trim().slice(0, MAX_MERMAID_LINE_LENGTH), i + 1));
    }
  }
  return problems;
}

function findMermaidLineProblems(text: string, line: number): Problem[] {
  const styled = `${quote(text, 40)} styles the diagram: remove it, so that every viewer can draw the diagram.`;
  if (MERMAID_STYLE_PATTERN.test(text)) return [{ problem: styled, line }];
  if (MERMAID_KEYWORD_PATTERN.test(text)) return [];
  const labels = [...text.matchAll(/\|([^|]*)\|/g)].map(([, label = ""]) => label);
  const nodes = text
    .replace(/\|[^|]*\|/g, " ")
    .replace(LABELLED_ARROW_PATTERN, "-->")
    .replace(/;$/, "")
    .split(MERMAID_ARROW_PATTERN)
    .map((node) => node.trim());
  const problems = [...nodes.flatMap(checkMermaidNode), ...labels.flatMap(checkMermaidLabel)];
  return problems.map((problem) => ({ problem, line }));
}

function checkMermaidNode(node: string): string[] {
  const begin = node.search(/[[({]/);
  const id = begin < 0 ? node : node.slice(0, begin).trim();
  const label = begin < 0 ? undefined : NODE_SHAPE_PATTERN.exec(node.slice(begin))?.[1];
  const bad = `${quote(id, 40)} is not a valid node name: use letters, digits and underscores, and put the words into its label.`;
  return [...(/^\w*$/.test(id) ? [] : [bad]), ...(label === undefined ? [] : checkMermaidLabel(label))];
}

function checkMermaidLabel(label: string): string[] {
  const bad = `The label ${quote(label, 60)} has brackets, quotes or a slash, which break diagrams: use plain words.`;
  return /[()[\]"/]/.test(label) ? [bad] : [];
}
