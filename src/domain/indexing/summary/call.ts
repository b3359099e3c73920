export interface Called {
  /** Parameter names; missing without a parameter list. */
  readonly takes?: readonly string[];
  readonly gives?: string;
}

const NOTHING = /^(?:void|None|\(\)|undefined|Unit|Promise<void>|Task)$/;
const MODIFIERS =
  /^(?:export|default|declare|public|protected|private|internal|static|final|abstract|virtual|override|sealed|async|extern|inline|constexpr|const|unsafe|synchronized|native|partial|readonly|pub(?:\([^()]*\))?|template\s*<[^<>]*>|\[\[[^\]]*\]\]|@\w+(?:\([^()]*\))?)\s+/;
const KEYWORD = /^(?:function\*?|func|fn|def|fun|sub|get|set|class|async|new)$/;

export function calledBy(signature: string, name: string): Called {
  const open = listAfter(signature, name);
  if (open === undefined) return {};
  const close = closing(signature, open);
  if (close === undefined) return {};
  // Go is the only language with `func` where the type follows the name without a separator.
  const isGo = /^func\b/.test(signature);
  const takes = split(signature.slice(open + 1, close), ",").flatMap((each) => nameOfTaken(each, isGo) ?? []);
  const gives = result(signature, name, close);
  return { takes, ...(gives === undefined || NOTHING.test(gives) ? {} : { gives }) };
}

/** The list follows the name, its type parameters, or the `=` of an arrow function. */
function listAfter(signature: string, name: string): number | undefined {
  const at = placeOf(signature, name);
  if (at === undefined) return undefined;
  let next = skipBlank(signature, at + name.length);
  if (signature[next] === "?" || signature[next] === "!") next = skipBlank(signature, next + 1);
  if (signature[next] === "<" || (signature[next] === "[" && /^func\b/.test(signature))) {
    next = skipBlank(signature, (closing(signature, next) ?? next) + 1);
  }
  if (signature[next] === "(") return next;
  const arrow = /^\s*(?::[^=]+)?=\s*(?:async\s+)?(?:function\s*\*?\s*\w*\s*)?(?:<[^<>]*>\s*)?\(/.exec(
    signature.slice(next),
  );
  return arrow ? next + arrow[0].length - 1 : undefined;
}

/** Finds the name as a whole word outside brackets; a receiver may precede it: `func (s *Session) Login`. */
function placeOf(signature: string, name: string): number | undefined {
  if (name === "") return undefined;
  for (let at = signature.indexOf(name); at !== -1; at = signature.indexOf(name, at + 1)) {
    const [before, after] = [signature[at - 1] ?? " ", signature[at + name.length] ?? " "];
    if (!/[\w$]/.test(before) && !/[\w$]/.test(after) && isOutside(signature.slice(0, at))) return at;
  }
  return undefined;
}

const isOutside = (before: string): boolean =>
  ["()", "[]", "{}"].every((pair) => counts(before, pair.charAt(0)) === counts(before, pair.charAt(1)));

const counts = (text: string, sign: string): number => text.split(sign).length - 1;

const skipBlank = (text: string, from: number): number => from + (/^\s*/.exec(text.slice(from))?.[0].length ?? 0);

const PAIRS: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}", "<": ">" };

/** An arrow does not close a bracket. */
function closing(text: string, from: number): number | undefined {
  const open: string[] = [];
  for (let at = from; at < text.length; at++) {
    const sign = text[at] ?? "";
    const isArrow = sign === ">" && /[=-]/.test(text[at - 1] ?? "");
    if (PAIRS[sign] !== undefined && !(sign === "<" && /[\s=<]/.test(text[at + 1] ?? " "))) open.push(PAIRS[sign]);
    else if (!isArrow && sign === open.at(-1)) open.pop();
    if (open.length === 0) return at;
  }
  return undefined;
}

function split(text: string, at: string): string[] {
  const parts: string[] = [""];
  for (let i = 0; i < text.length; i++) {
    const end = PAIRS[text[i] ?? ""] === undefined ? undefined : closing(text, i);
    if (end !== undefined) {
      parts[parts.length - 1] += text.slice(i, end + 1);
      i = end;
    } else if (text[i] === at) parts.push("");
    else parts[parts.length - 1] += text[i] ?? "";
  }
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

/** `token: string = ""`, `const char *token`, `string $token`, `token string`, `&self`. */
function nameOfTaken(taken: string, isGo: boolean): string | undefined {
  const bare = split(taken, "=")[0] ?? taken;
  if (/^(?:self|cls|this|&?(?:'\w+ )?(?:mut )?self(?:\s*:.*)?|void|\*|\/)$/.test(bare)) return undefined;
  if (/^[{[]/.test(bare)) return "…";
  const php = /(?:\.\.\.)?(\$\w+)/.exec(bare);
  if (php) return php[1];
  const typed =
    /^(?:(?:public|private|protected|readonly|mut|ref|in|out|params|vararg)\s+)*(\.{3}|\*{0,2}|&)?([\w$]+)[?!]?\s*(?::(?!:)|$)/.exec(
      bare,
    );
  if (typed) return `${typed[1] === "..." || typed[1]?.startsWith("*") ? typed[1] : ""}${typed[2] ?? ""}`;
  const words = bare.match(/[\w$]+/g) ?? [];
  return isGo ? words[0] : words.at(-1);
}

function result(signature: string, name: string, close: number): string | undefined {
  const rest = signature
    .slice(close + 1)
    .replace(/\s*(?:=>|\{|\bwhere\b|\bthrows\b|\bnoexcept\b).*$/s, "")
    .trim()
    .replace(/[;:]$/, "")
    .trim();
  const said = /^(?::|->)\s*(.+)$/s.exec(rest)?.[1];
  if (said !== undefined) return tidy(said);
  if (/^func\b/.test(signature) && rest !== "") return tidy(rest);
  const before = withoutModifiers(signature.slice(0, placeOf(signature, name) ?? 0)).trim();
  return before === "" || /[=.]$/.test(before) || before.split(/\s+/).some((word) => KEYWORD.test(word))
    ? undefined
    : tidy(before.replace(/\s*(?:\w+(?:<[^<>]*>)?::)+$/, ""));
}

function withoutModifiers(text: string): string {
  const shorter = text.replace(MODIFIERS, "");
  return shorter === text ? text : withoutModifiers(shorter);
}

function tidy(type: string): string | undefined {
  const text = type.replace(/\s+/g, " ").trim();
  return text === "" ? undefined : text;
}
