/** The content is between `start` and `end`, the marker lines between `from` and `to`. */
type AutoSection = Readonly<Record<"line" | "start" | "end" | "from" | "to", number>> & { readonly name: string };

type SectionSearch =
  | { readonly sections: readonly AutoSection[] }
  | { readonly problem: { readonly line: number; readonly problem: string } };

type DocumentLine = Readonly<{ text: string; number: number; start: number; end: number }>;

/** `AUTO:END:x` must close `AUTO:BEGIN:x`, the long form. A marker without a name closes any section. */
type SectionMarker = Readonly<{ kind: "open" | "close"; name?: string; isLong: boolean }>;

const SECTION_NAME = String.raw`[A-Za-z][\w.-]{0,99}(?::[\w.-]{1,100})?`;
const LONG_MARKER = new RegExp(String.raw`^ {0,3}<!--\s*AUTO:(BEGIN|END):\s?(${SECTION_NAME})\s*-->\s*$`, "i");
const SHORT_MARKER = new RegExp(String.raw`^ {0,3}<!--\s*AUTO:\s?(${SECTION_NAME})\s*-->\s*$`, "i");
const END_MARKER = new RegExp(String.raw`^ {0,3}<!--\s*/AUTO(?::\s?(${SECTION_NAME}))?\s*-->\s*$`, "i");
const DOCUMENT_CODE_FENCE = /^\s*(`{3,}|~{3,})(.*)$/;

/** A marker needs its own line outside code blocks. An unclosed one is a problem: the section's extent is unclear. */
export function findAutoSections(text: string): SectionSearch {
  const sections: AutoSection[] = [];
  let open: (SectionMarker & { readonly line: DocumentLine }) | undefined;
  for (const line of iterateLinesOutsideCode(text)) {
    const marker = parseSectionMarker(line.text);
    if (!marker) continue;
    if (marker.kind === "open") {
      if (open)
        return createSectionProblem(
          line,
          `opens "${marker.name}" inside of "${open.name}", which line ${open.line.number} opens`,
        );
      open = { ...marker, line };
      continue;
    }
    if (!open) return createSectionProblem(line, "closes a section that nothing opens");
    const isOwn =
      marker.isLong === open.isLong &&
      (marker.name === undefined || marker.name.toLowerCase() === open.name?.toLowerCase());
    if (!isOwn)
      return createSectionProblem(line, `does not close "${open.name}", which line ${open.line.number} opens`);
    const { number, start: from, end: start } = open.line;
    sections.push({ name: open.name ?? "", line: number, start, end: line.start, from, to: line.end });
    open = undefined;
  }
  return open ? createSectionProblem(open.line, `opens "${open.name}", and nothing closes it`) : { sections };
}

const createSectionProblem = ({ number }: DocumentLine, what: string): SectionSearch => ({
  problem: { line: number, problem: `The marker ${what}.` },
});

function parseSectionMarker(text: string): SectionMarker | undefined {
  const [, word = "", long] = LONG_MARKER.exec(text) ?? [];
  if (long !== undefined) return { kind: word.toUpperCase() === "BEGIN" ? "open" : "close", name: long, isLong: true };
  const short = SHORT_MARKER.exec(text)?.[1];
  if (short !== undefined) return { kind: "open", name: short, isLong: false };
  const end = END_MARKER.exec(text);
  return end ? { kind: "close", isLong: false, ...(end[1] === undefined ? {} : { name: end[1] }) } : undefined;
}

function* iterateLinesOutsideCode(text: string): Generator<DocumentLine> {
  let fence: string | undefined;
  let [number, start] = [0, 0];
  for (const [whole, inner = ""] of text.matchAll(/([^\r\n]*)(?:\r\n|\n|\r|$)/g)) {
    if (whole === "") return;
    const line = { text: inner.replace(/^\ufeff/, ""), number: ++number, start, end: start + whole.length };
    start = line.end;
    const [, marks, behind = ""] = DOCUMENT_CODE_FENCE.exec(line.text) ?? [];
    if (fence !== undefined) {
      if (marks?.startsWith(fence) && behind.trim() === "") fence = undefined;
      continue;
    }
    // Backticks after a backtick fence make it inline code.
    if (marks !== undefined && !(marks.startsWith("`") && behind.includes("`"))) fence = marks;
    else yield line;
  }
}

/** Everything outside the sections stays identical to the byte, and so does a section that a formatter changed. */
export function fillAutoSections(
  text: string,
  sections: readonly AutoSection[],
  contentOf: (name: string) => string | undefined,
): { readonly text: string; readonly unknown: readonly string[] } {
  const unknown: string[] = [];
  let [filled, from] = ["", 0];
  for (const { name, start, end } of sections) {
    const content = contentOf(name);
    if (content === undefined) {
      unknown.push(name);
      continue;
    }
    const ending = /\r\n|\n|\r/.exec(text.slice(0, start).match(/(?:\r\n|\n|\r)$/)?.[0] ?? "\n")?.[0] ?? "\n";
    const lines = content.split(/\r\n|\n|\r/).filter((line, i, all) => line !== "" || (i > 0 && i < all.length - 1));
    const put = ["", ...lines, ""].map((line) => `${line}${ending}`).join("");
    const old = text.slice(start, end);
    filled += `${text.slice(from, start)}${removeLayout(old) === removeLayout(put) ? old : put}`;
    from = end;
  }
  return { text: filled + text.slice(from), unknown };
}

/** The content without the layout that a formatter chooses: rules of tables, list marks, emphasis, escapes, space. */
const removeLayout = (text: string): string =>
  text
    .replaceAll(/^\|[ \t|:-]+\|$/gm, "")
    .replaceAll(/^[ \t]*[-*+] /gm, "")
    .replaceAll(/[\s\\*_]+/g, "");

export function blankAutoSections(text: string): string {
  const found = /AUTO:/i.test(text) ? findAutoSections(text) : { sections: [] };
  if ("problem" in found) return text;
  let [kept, at] = ["", 0];
  for (const { from, to } of found.sections) {
    kept += text.slice(at, from) + text.slice(from, to).replace(/[^\r\n]+/g, " ");
    at = to;
  }
  return kept + text.slice(at);
}

/** What people wrote: without AUTO sections and without comments, which a generated page has below its section. */
export const readHandwrittenText = (text: string): string =>
  blankAutoSections(text)
    .replaceAll(/<!--[^]*?-->/g, (comment) => comment.replaceAll(/[^\r\n]+/g, " "))
    .trimEnd();
