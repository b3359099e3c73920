type Scalar = string | number | boolean | null;
export type Node = Scalar | readonly Node[] | { readonly [key: string]: Node };

/** Data as YAML that any parser reads alike, for people and scripts: every text stands in quotes. */
export function plainYaml(node: { readonly [key: string]: Node }, indent = ""): string {
  return Object.entries(node)
    .map(([key, value]) => `${indent}${scalarKey(key)}:${inner(value, indent)}`)
    .join("");
}

/** Ids such as `1e3`, `2026-01-31` or `no` are text, which YAML believes only in quotes. */
function scalarKey(key: string): string {
  const isPlain = /^[A-Za-z_][\w-]*$/.test(key) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(key);
  return isPlain ? key : scalar(key);
}

function inner(value: Node, indent: string): string {
  if (value === null || typeof value !== "object") return ` ${scalar(value)}\n`;
  if (Array.isArray(value)) {
    if (value.length === 0) return " []\n";
    return `\n${value.map((item: Node) => `${indent}  - ${listed(item, `${indent}    `)}`).join("")}`;
  }
  const entries = value as { readonly [key: string]: Node };
  return Object.keys(entries).length === 0 ? " {}\n" : `\n${plainYaml(entries, `${indent}  `)}`;
}

function listed(item: Node, indent: string): string {
  if (item === null || typeof item !== "object" || Array.isArray(item)) return inner(item, indent).trimStart();
  return plainYaml(item as { readonly [key: string]: Node }, indent).trimStart();
}

/** JSON is YAML, but for characters that YAML wants to be escaped. */
const scalar = (value: Scalar): string =>
  JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
