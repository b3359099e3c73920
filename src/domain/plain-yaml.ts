type Scalar = string | number | boolean | null;
export type Node = Scalar | readonly Node[] | { readonly [key: string]: Node };

/** Quotes every text, so that all YAML parsers read it the same way. */
export function plainYaml(node: { readonly [key: string]: Node }, indent = ""): string {
  return Object.entries(node)
    .map(([key, value]) => `${indent}${scalarKey(key)}:${inner(value, indent)}`)
    .join("");
}

/** Quotes keys such as `1e3`, `2026-01-31` or `no`, which YAML does not read as text. */
function scalarKey(key: string): string {
  const isPlain = /^[A-Za-z_][\w-]*$/.test(key) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(key);
  return isPlain ? key : scalar(key);
}

function inner(value: Node, indent: string): string {
  if (isOneWord(value)) return ` ${word(value)}\n`;
  return Array.isArray(value) ? `\n${list(value, `${indent}  `)}` : `\n${plainYaml(value as Entries, `${indent}  `)}`;
}

const list = (items: readonly Node[], indent: string): string =>
  items.map((item) => `${indent}- ${listed(item, `${indent}  `)}`).join("");

function listed(item: Node, indent: string): string {
  if (isOneWord(item)) return `${word(item)}\n`;
  return (Array.isArray(item) ? list(item, indent) : plainYaml(item as Entries, indent)).trimStart();
}

type Entries = { readonly [key: string]: Node };

const isOneWord = (value: Node): boolean =>
  value === null || typeof value !== "object" || Object.keys(value).length === 0;

const word = (value: Node): string =>
  value !== null && typeof value === "object" ? (Array.isArray(value) ? "[]" : "{}") : scalar(value);

/** JSON is valid YAML, except for characters that YAML requires to be escaped. */
const scalar = (value: Scalar): string =>
  JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
