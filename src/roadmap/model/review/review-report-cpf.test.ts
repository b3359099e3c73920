import fc from "fast-check";
import { expect, test } from "vitest";
import { AUDIT_FORM, INSPECTION_FORM, parseCpfLines, formatCpfReport } from "./review-report.ts";
import {
  type ReportField,
  isRejectedReport,
  type ReportForm,
  type ParsedReviewReport,
  readReportLines,
  type RejectedReport,
} from "./report-form.ts";

function parseCpfReport(text: string, form: ReportForm): ParsedReviewReport | RejectedReport {
  const read = readReportLines(text);
  return "problems" in read ? read : parseCpfLines(read.lines, form);
}

const SMALL: ReportForm = {
  name: "a small report",
  metadata: [
    { keyword: "KIND", name: "kind", oneOf: ["old", "new"], missing: "refused" },
    { keyword: "TITLE", name: "title", missing: "empty" },
    { keyword: "WHY", name: "why", missing: "absent" },
  ],
  sections: [
    { keyword: "ROWS", name: "rows", fields: [{ name: "who", isList: true }, { name: "what" }] },
    { keyword: "TEXT", name: "text", fields: "free" },
  ],
};

const small = (more: ParsedReviewReport = {}): ParsedReviewReport => ({
  kind: "new",
  title: "",
  rows: [],
  text: [],
  ...more,
});
const rows = (...pairs: (readonly [readonly string[], string])[]): ParsedReviewReport =>
  small({ rows: pairs.map(([who, what]) => ({ who, what })) });

test.each<[string, string, ParsedReviewReport]>([
  ["only required metadata", "KIND:new", small()],
  ["a newline at the end", "KIND:new\n", small()],
  ["all metadata", "KIND:old\nTITLE:A title\nWHY:a: b|c", small({ kind: "old", title: "A title", why: "a: b|c" })],
  ["metadata in a different order", "TITLE:A\nKIND:new", small({ title: "A" })],
  ["metadata after a space", "KIND: new\nTITLE:\t A ", small({ title: "A" })],
  ["metadata without a value", "KIND:new\nTITLE:\nWHY: ", small()],
  ["a row", "KIND:new\nROWS:\na|b", rows([["a"], "b"])],
  ["spaces around fields", "KIND:new\nROWS:\n  a + b | c d \t", rows([["a", "b"], "c d"])],
  ["a section without records", "KIND:new\nROWS:\nTEXT:", small()],
  [
    "sections in a different order",
    "KIND:new\nTEXT:\nx\nROWS:\na|b",
    small({ rows: [{ who: ["a"], what: "b" }], text: ["x"] }),
  ],
  ["empty lines", "\n\nKIND:new\n\nROWS:\n\na|b\n\n\nc|d\n\n", rows([["a"], "b"], [["c"], "d"])],
  ["Windows line ends", "KIND:new\r\nTEXT:\r\nx\r\n", small({ text: ["x"] })],
  ["line ends of an old Macintosh", "KIND:new\rTEXT:\rx", small({ text: ["x"] })],
  ["a byte order mark", "\ufeffKIND:new", small()],
  ["a fence", "```\nKIND:new\n```", small()],
  ["a fence with a word", "\n```cpf\n\nKIND:new\n\n```\n\n", small()],
  ["a fence of tildes", "~~~\nKIND:new\nTEXT:\n```\n~~~", small({ text: ["```"] })],
  ["a longer fence", "````\nKIND:new\nTEXT:\n```\n````", small({ text: ["```"] })],
  ["a fence within the text", "KIND:new\nTEXT:\n```\nx\n```", small({ text: ["```", "x", "```"] })],
  ["an escaped |", String.raw`KIND:new${"\n"}ROWS:${"\n"}a\|b|c\|d\|`, rows([["a|b"], "c|d|"])],
  ["an escaped +", String.raw`KIND:new${"\n"}ROWS:${"\n"}a\+b+c|d+e\+f`, rows([["a+b", "c"], "d+e+f"])],
  ["an escaped backslash", String.raw`KIND:new${"\n"}ROWS:${"\n"}a\\|b\\`, rows([["a\\"], "b\\"])],
  ["a backslash alone", String.raw`KIND:new${"\n"}ROWS:${"\n"}a\b|C:\d\ `, rows([["a\\b"], "C:\\d\\"])],
  ["a | in free text", "KIND:new\nTEXT:\na|b", small({ text: ["a|b"] })],
  ["words with colons in free text", "KIND:new\nTEXT:\nNOTE: x\nTODO:y", small({ text: ["NOTE: x", "TODO:y"] })],
  ["a keyword in free text", "KIND:new\nTEXT:\n\\KIND:old\n\\ROWS:", small({ text: ["KIND:old", "ROWS:"] })],
  ["a backslash and a keyword", "KIND:new\nTEXT:\n\\\\KIND:old", small({ text: ["\\KIND:old"] })],
  ["a keyword within a line", "KIND:new\nTEXT:\nsee KIND:old", small({ text: ["see KIND:old"] })],
  ["a keyword without its colon", "KIND:new\nTEXT:\nKIND\nKINDS:x", small({ text: ["KIND", "KINDS:x"] })],
  ["a keyword in lower case", "KIND:new\nTEXT:\nkind:old", small({ text: ["kind:old"] })],
  ["a keyword in a row", "KIND:new\nROWS:\n\\TEXT:a|b", rows([["TEXT:a"], "b"])],
  ["a word with a colon in a row", "KIND:new\nROWS:\nAPI:a|b", rows([["API:a"], "b"])],
])("reads CPF with %s", (_what, text, told) => {
  expect(parseCpfReport(text, SMALL)).toEqual(told);
});

const begin = "comes before the report, which must begin with a keyword such as KIND:.";

test.each<[string, string, readonly (readonly [number | undefined, string])[]]>([
  ["nothing", "", [[undefined, "The report is empty."]]],
  ["blanks", " \n\t\r\n", [[undefined, "The report is empty."]]],
  ["an empty fence", "\n```\n\n```", [[2, "The report is empty."]]],
  ["an open fence", "```\nKIND:new", [[1, "The fence is not closed: the report may be cut off."]]],
  [
    "words behind a fence",
    "```\nKIND:new\n```\n\nDone.",
    [[5, "There is text after the fence. Put the whole report in one fence, or use none."]],
  ],
  ["words before a fence", "Here:\n```\nKIND:new\n```", [[1, `"Here:" ${begin}`]]],
  ["words before it", "Here is what I found.\n\nKIND:new", [[1, `"Here is what I found." ${begin}`]]],
  ["words with a colon before it", "Note: it is done\nMore.\nKIND:new", [[1, `"Note: it is done" ${begin}`]]],
  ["words and nothing else", "All is well.\nReally.", [[1, `"All is well." ${begin}`]]],
  ["words between", "KIND:new\nhello\nROWS:\na|b", [[2, '"hello" belongs to no section.']]],
  ["zero bytes", "KIND:new\nTEXT:\na\0b", [[3, "The text contains a control character."]]],
  ["colours", "\u001b[32mKIND:new\u001b[0m", [[1, "The text contains a control character."]]],
  ["missing required metadata", "TITLE:x", [[undefined, "KIND is missing."]]],
  ["no value", "KIND:", [[1, "KIND is empty, and may be old or new."]]],
  ["a wrong value", "KIND:News", [[1, 'KIND is "News", and may be old or new.']]],
  [
    "a repeated keyword",
    "KIND:new\nKIND:old",
    [[2, "KIND is there already, on line 1; a text that begins so is written \\KIND:."]],
  ],
  [
    "a repeated section with bad rows",
    "KIND:new\nTEXT:\nx\nROWS:\na|b\nTEXT:\ny",
    [[6, "TEXT is there already, on line 2; a text that begins so is written \\TEXT:."]],
  ],
  [
    "metadata below",
    "KIND:new\nTEXT:\nWHY:x",
    [[3, "WHY belongs above the sections; a text that begins so is written \\WHY:."]],
  ],
  [
    "text behind a section",
    "KIND:new\nTEXT:all is well",
    [[2, "Write nothing after TEXT: on its line. Its entries go on the lines below."]],
  ],
  ["an unknown section", "KIND:new\nROW:\na|b\nc", [[2, '"ROW" is not a keyword of a small report. Write ROWS:.']]],
  [
    "an unknown section after a row",
    "KIND:new\nROWS:\na|b\nFINDINGS:\nc\nTEXT:\nx",
    [[4, '"FINDINGS" is not a keyword of a small report. There are KIND, TITLE, WHY, ROWS, TEXT.']],
  ],
  ["a keyword in lower case", "kind: new", [[1, '"kind" is not a keyword of a small report. Write KIND:.']]],
  ["too few fields", "KIND:new\nROWS:\nnone", [[3, "A row of ROWS has 2 fields, who|what, and this has 1."]]],
  [
    "too many fields",
    "KIND:new\nROWS:\na|b|c",
    [[3, "A row of ROWS has 2 fields, who|what, and this has 3. A | within a text is written \\|."]],
  ],
  [
    "empty fields",
    "KIND:new\nROWS:\n|b\na+|b\n+a|\n",
    [
      [3, "The field who is empty."],
      [4, "The field who is empty."],
      [5, "The field who is empty."],
      [5, "The field what is empty."],
    ],
  ],
  [
    "an endless field",
    `KIND:new\nROWS:\na|${"b".repeat(4_001)}`,
    [[3, "The field what is longer than 4,000 characters."]],
  ],
  [
    "an endless line",
    `KIND:new\nTEXT:\n${"b".repeat(4_001)}`,
    [[3, "A line of TEXT is longer than 4,000 characters."]],
  ],
  [
    "an endless report",
    "KIND:new\n".padEnd(200_001, "x"),
    [[undefined, "The report is longer than 200,000 characters."]],
  ],
])("rejects CPF with %s", (_what, text, problems) => {
  const told = problems.map(([line, problem]) => (line === undefined ? { problem } : { problem, line }));
  expect(parseCpfReport(text, SMALL)).toEqual({ problems: told });
});

test("counts the rest of many problems", () => {
  const told = parseCpfReport(`KIND:new\nROWS:\n${"x\n".repeat(80)}`, SMALL);
  expect("problems" in told && told.problems.at(-1)).toEqual({ problem: "30 more are left out." });
});

test("writes CPF", () => {
  const told = {
    kind: "new",
    title: "a|b\\c",
    rows: [
      { who: ["a+b", "c"], what: "d|e + f\\" },
      { who: ["TEXT:x"], what: "one\n  two" },
    ],
    text: ["KIND: is a word", "\\KIND: too", "a|b", "TODO: nothing"],
  };
  const lines = [
    "KIND:new",
    String.raw`TITLE:a|b\\c`,
    "ROWS:",
    String.raw`a\+b+c|d\|e + f` + "\\\\",
    String.raw`\TEXT:x|one two`,
    "TEXT:",
    String.raw`\KIND: is a word`,
    String.raw`\\KIND: too`,
    "a|b",
    "TODO: nothing",
    "",
  ];
  expect(formatCpfReport(told, SMALL)).toBe(lines.join("\n"));
});

/** One line of text, with what CPF has a meaning for much more often than chance would have it. */
const marks = fc.constantFrom(
  "|",
  "+",
  "\\",
  ":",
  "\\|",
  "```",
  "VERDICT:",
  "NOTES:",
  "KIND:",
  "\\SCOPE:",
  " ",
  "\t",
  "é",
  "🦊",
);
const line = fc
  .array(fc.oneof(marks, fc.string({ unit: "binary", maxLength: 6 })), { minLength: 1, maxLength: 8 })
  .map((parts) =>
    parts
      .join("")
      .toWellFormed()
      .replace(/\p{Cc}/gu, "x")
      .trim(),
  )
  .filter((text) => text !== "");

function toldIn(form: ReportForm): fc.Arbitrary<ParsedReviewReport> {
  const valueOf = (field: ReportField): fc.Arbitrary<string | string[]> => {
    const one = field.oneOf ? fc.constantFrom(...field.oneOf) : field.like ? fc.constant("tech.md") : line;
    return field.isList ? fc.array(one, { minLength: 1, maxLength: 3 }) : one;
  };
  const metadata = form.metadata
    .filter(({ isDropped }) => !isDropped)
    .map((one) => ({ [one.name]: one.missing === "empty" ? fc.oneof(line, fc.constant("")) : valueOf(one) }));
  const sections = form.sections.map(({ name, fields }) => {
    const record: fc.Arbitrary<unknown> =
      fields === "free"
        ? line
        : fc.record(
            Object.fromEntries(fields.filter(({ isJsonOnly }) => !isJsonOnly).map((one) => [one.name, valueOf(one)])),
          );
    return { [name]: fc.array(record, { maxLength: 3 }) };
  });
  const optional = form.metadata.filter(({ missing }) => missing === "absent").map(({ name }) => name);
  const shape: Record<string, fc.Arbitrary<unknown>> = Object.assign({}, ...metadata, ...sections);
  const requiredKeys = Object.keys(shape).filter((name) => !optional.includes(name));
  return fc.record(shape, { requiredKeys }).map((told) => ({ ...told }) as ParsedReviewReport);
}

test.each([
  ["small", SMALL],
  ["inspection", INSPECTION_FORM],
  ["audit", AUDIT_FORM],
])("reads back what it writes: %s", (_name, form) => {
  fc.assert(
    fc.property(toldIn(form), (told) => {
      const text = formatCpfReport(told, form);
      expect(parseCpfReport(text, form)).toEqual(told);
      expect(parseCpfReport(`\ufeff~~~\n${text.replaceAll("\n", "\r\n\r\n")}~~~`, form)).toEqual(told);
    }),
  );
});

test.each([
  ["small", SMALL],
  ["inspection", INSPECTION_FORM],
  ["audit", AUDIT_FORM],
])("reads or rejects any text, and writes and reads it the same: %s", (_name, form) => {
  const words = fc.constantFrom(
    ...[...form.metadata, ...form.sections].map(({ keyword }) => `\n${keyword}:`),
    "\n",
    "H|",
    "GO",
  );
  const text = fc.array(fc.oneof(words, marks, fc.string({ unit: "binary" }))).map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, (any) => {
      const told = parseCpfReport(any, form);
      const again = isRejectedReport(told) ? told : parseCpfReport(formatCpfReport(told, form), form);
      expect(again).toEqual(told);
      expect(told).not.toEqual({ problems: [] });
    }),
    { numRuns: 500 },
  );
});
