import fc from "fast-check";
import { parse } from "smol-toml";
import { expect, test } from "vitest";
import { addTomlTable, findTomlTable, removeTomlTable, replaceTomlTable, listTomlTables } from "./text-insertion.ts";

const WAY = ["mcp_servers", "tenon"];
const TABLE = '[mcp_servers.tenon]\ncommand = "tenon"\nargs = ["mcp"]';

test.each([
  ["nothing", "", `${TABLE}\n`],
  ["an open last line", "a = 1", `a = 1\n\n${TABLE}\n`],
  ["a table", "[b]\nc = 1\n", `[b]\nc = 1\n\n${TABLE}\n`],
  ["Windows lines", "a = 1\r\n", `a = 1\r\n\r\n${TABLE.replaceAll("\n", "\r\n")}\r\n`],
])("adds a table behind %s, and removes it to the byte", (_, before, after) => {
  const { text, seam } = addTomlTable(before, TABLE);
  expect(text).toBe(after);
  expect(removeTomlTable(text, WAY, seam)).toBe(before);
});

test.each([
  ["its header is spaced and quoted", '[ "mcp_servers" . tenon ]\ncommand = "x"\n', true],
  ["a comment follows its header", '[mcp_servers.tenon] # ours\ncommand = "x"\n', true],
  ["a text holds the same line", 'a = """\n[mcp_servers.tenon]\n"""\n', false],
  ["a literal text holds it", "a = '''\n[mcp_servers.tenon]\n'''\n", false],
  ["a list holds it", "a = [\n[1],\n]\n", false],
  ["the user made it a separate table", '[mcp_servers.tenon]\na = 1\n[mcp_servers.tenon.env]\nB = "c"\n', false],
])("finds a table or not where %s", (_, text, isFound) => {
  parse(text);
  expect(findTomlTable(text, WAY) !== undefined).toBe(isFound);
});

test("leaves comments and blank lines below a table to the next one", () => {
  const text = `${TABLE}\n\n# about b\n[b]\n`;
  expect(findTomlTable(text, WAY)?.text).toBe(TABLE);
  expect(removeTomlTable(text, WAY, { lead: "", tail: "" })).toBe("\n# about b\n[b]\n");
});

test("keeps a line that the user wrote right below separate", () => {
  const { text, seam } = addTomlTable("a = 1", TABLE);
  expect(removeTomlTable(`${text}[b]\nc = 2\n`, WAY, seam)).toBe("a = 1\n[b]\nc = 2\n");
});

test("replaces a table in place", () => {
  const { text } = addTomlTable("a = 1\r\n", TABLE);
  expect(replaceTomlTable(`${text}[b]\r\n`, WAY, "[mcp_servers.tenon]\ncommand = 'other'")).toBe(
    "a = 1\r\n\r\n[mcp_servers.tenon]\r\ncommand = 'other'\r\n[b]\r\n",
  );
});

const line = fc.constantFrom(
  "",
  "# [x]",
  "a = 1",
  'b = "[b] # no"',
  "c = '''\n[c]\n'''",
  'd = """\n[d]\n\\"""\n"""""',
  "e = [\n  [1], # ]\n  [2],\n]",
  "f = { g = [1] }",
  "h.i = 'x'",
);
const toml = fc
  .tuple(
    fc.uniqueArray(line, { maxLength: 5 }),
    fc.uniqueArray(fc.tuple(fc.constantFrom("[t]", "[t.u]", '["v.w"]', "[[x]]", "[ y ] # z"), fc.uniqueArray(line)), {
      maxLength: 4,
      selector: ([header]) => header,
    }),
    fc.constantFrom("\n", "\r\n"),
    fc.boolean(),
  )
  .map(([top, tables, newline, isClosed]) => {
    const text = [...top, ...tables.flatMap(([header, lines]) => [header, ...lines])].join("\n");
    return `${text}${isClosed ? "\n" : ""}`.replaceAll("\n", newline);
  });

test("adds and removes a table to the byte and finds all headers, for any TOML", () => {
  fc.assert(
    fc.property(toml, (original) => {
      const before = parse(original);
      const { text, seam } = addTomlTable(original, TABLE);
      expect(parse(text)).toEqual({ ...before, mcp_servers: { tenon: { command: "tenon", args: ["mcp"] } } });
      expect(listTomlTables(text).length).toBe((original.match(/^\[(?:t|t\.u|"v\.w"|\[x\]| y )\]/gm) ?? []).length + 1);
      expect(removeTomlTable(text, WAY, seam)).toBe(original);
    }),
  );
});
