type PlainYamlScalar = string | number | boolean | null;
export type PlainYamlNode = PlainYamlScalar | readonly PlainYamlNode[] | { readonly [key: string]: PlainYamlNode };

/** Quotes every text, so that all YAML parsers read it the same way. */
export function formatPlainYaml(node: { readonly [key: string]: PlainYamlNode }, indent = ""): string {
  return Object.entries(node)
    .map(([key, value]) => `${indent}${formatYamlKey(key)}:${formatYamlValue(value, indent)}`)
    .join("");
}

/** Quotes keys such as `1e3`, `2026-01-31` or `no`, which YAML does not read as text. */
function formatYamlKey(key: string): string {
  const isPlain = /^[A-Za-z_][\w-]*$/.test(key) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(key);
  return isPlain ? key : formatYamlScalar(key);
}

function formatYamlValue(value: PlainYamlNode, indent: string): string {
  if (isSingleLineNode(value)) return ` ${formatSingleLineNode(value)}\n`;
  return Array.isArray(value)
    ? `\n${formatYamlList(value, `${indent}  `)}`
    : `\n${formatPlainYaml(value as PlainYamlMapping, `${indent}  `)}`;
}

const formatYamlList = (items: readonly PlainYamlNode[], indent: string): string =>
  items.map((item) => `${indent}- ${formatYamlItem(item, `${indent}  `)}`).join("");

function formatYamlItem(item: PlainYamlNode, indent: string): string {
  if (isSingleLineNode(item)) return `${formatSingleLineNode(item)}\n`;
  return (
    Array.isArray(item) ? formatYamlList(item, indent) : formatPlainYaml(item as PlainYamlMapping, indent)
  ).trimStart();
}

type PlainYamlMapping = { readonly [key: string]: PlainYamlNode };

const isSingleLineNode = (value: PlainYamlNode): boolean =>
  value === null || typeof value !== "object" || Object.keys(value).length === 0;

const formatSingleLineNode = (value: PlainYamlNode): string =>
  value !== null && typeof value === "object" ? (Array.isArray(value) ? "[]" : "{}") : formatYamlScalar(value);

/** JSON is valid YAML, except for characters that YAML requires to be escaped. */
const formatYamlScalar = (value: PlainYamlScalar): string =>
  JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
