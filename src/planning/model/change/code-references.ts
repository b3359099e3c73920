/** Names of code: `res.links`, `max_length`, `compileETag`, `parse()`, or anything in backticks that is one word. */
const CODE_NAME = /^[\p{L}_$][\p{L}\p{N}_$]*(?:(?:\.|::|#|->)[\p{L}_$][\p{L}\p{N}_$]*)*$/u;
/** `lib/utils.js` and `utils.js`, but not `res.links`. */
const FILE_NAME = /^[\w@.-]+(?:\/[\w@.-]+)*\.[a-z][a-z0-9]{0,4}$/;
const MOST_REFERENCES = 10;

/** The pieces of code that a description names. Plain words are not names. */
export function extractCodeReferences(description: string): string[] {
  const quoted = [...description.matchAll(/`([^`\s]+)`/g)].map(([, name = ""]) => name);
  const plain = description
    .replaceAll("`", " ")
    .split(/\s+/)
    .map((word) => word.replace(/^[("'[]+|[)"'\],;:.!?]+$/g, ""))
    .filter(
      (word) => /[a-z0-9][._][a-z0-9]|[a-z][A-Z]|::|\(\)?$/i.test(word) && !/^\d|^[a-z]\.[a-z]$|^https?:/i.test(word),
    )
    .filter((word) => /[._:(]/.test(word) || /\p{Ll}\p{Lu}/u.test(word));
  const names = [...quoted, ...plain].map((name) => name.replace(/\(\)?$/, ""));
  return [...new Set(names)].filter((name) => CODE_NAME.test(name) || FILE_NAME.test(name)).slice(0, MOST_REFERENCES);
}

const DECLARING_WORDS =
  "function|def|class|const|let|var|val|fn|func|type|interface|struct|enum|trait|object|record|module|protocol";

const escapeName = (name: string): string => name.replace(/[$.]/g, "\\$&");

/** 2 as a path or under its whole name, 1 under its last name only, as `links` for `res.links`, 0 not at all. */
export function rateDefinition(path: string, text: string, reference: string): 0 | 1 | 2 {
  if (FILE_NAME.test(reference) && (path === reference || path.endsWith(`/${reference}`))) return 2;
  if (!CODE_NAME.test(reference)) return 0;
  const last = reference.split(/\.|::|#|->/).at(-1) ?? reference;
  const name = escapeName(last);
  const matches = (form: string): boolean => new RegExp(form, "m").test(text);
  if (matches(`(?:^|[^\\w$.])${escapeName(reference)}\\s*=(?![=>])`)) return 2;
  const forms = [
    `(?:^|[^\\w$.])(?:${DECLARING_WORDS})\\s+(?:\\([^)\\n]*\\)\\s*)?${name}(?![\\w$])`,
    `\\.${name}\\s*=\\s*(?:async\\s*)?(?:function|\\()`,
    `^\\s+(?:(?:async|static|public|private|protected|override|get|set)\\s+)*${name}\\s*\\([^;\\n]*\\)[^;\\n]*\\{\\s*$`,
  ];
  if (!forms.some(matches)) return 0;
  return reference === last ? 2 : 1;
}
