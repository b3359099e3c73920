import { expect, test } from "vitest";
import { parseXml } from "./xml-parser.ts";

function told(text: string): string[] {
  const heard: string[] = [];
  const problem = parseXml(text, {
    open: (name, attributes) =>
      void heard.push(`<${name}${[...attributes].map(([key, value]) => ` ${key}=${value}`).join("")}>`),
    close: (name) => void heard.push(`</${name}>`),
    text: (words) => void heard.push(words),
  });
  return problem === undefined ? heard : [problem];
}

test.each([
  ["an element", "<a/>", ["<a>", "</a>"]],
  ["a prologue and comments", '\ufeff<?xml version="1.0"?>\n<!-- > --><a><!--x--></a>\n<!-- y -->', ["<a>", "</a>"]],
  ["attributes in both quotes", `<a b="1 &lt; '2'" c='"' />`, [`<a b=1 < '2' c=">`, "</a>"]],
  ["the five entities and numbers", "<a>&amp;&lt;&gt;&quot;&apos;&#65;&#x1F600;</a>", ["<a>", "&<>\"'A😀", "</a>"]],
  ["CDATA as it stands", "<a>x<![CDATA[<b>&amp;]]]></a>", ["<a>", "x", "<b>&amp;]", "</a>"]],
  ["names of prototypes", '<a __proto__="1" constructor="2"/>', ["<a __proto__=1 constructor=2>", "</a>"]],
])("reads XML: %s", (_, text, expected) => {
  expect(told(text)).toEqual(expected);
});

const ENDS_EARLY = "The XML is cut off.";
const BROKEN_TAG = "The XML has a broken tag.";
const BROKEN_ATTRIBUTE = "The XML has a broken attribute.";
const NO_ENTITY = "The XML has an unknown entity.";
const DOCTYPE = "The XML declares a document type, which Tenon does not read.";
const NOT_OPEN = "The XML closes an element that is not open.";

test.each([
  ["", ENDS_EARLY],
  ["<a>", ENDS_EARLY],
  ['<a b="', ENDS_EARLY],
  ["<a><!-- ", ENDS_EARLY],
  ["<a><![CDATA[ ]]", ENDS_EARLY],
  ["<a", ENDS_EARLY],
  ["<1/>", BROKEN_TAG],
  ["<a b/>", BROKEN_TAG],
  ["<a b=1/>", BROKEN_TAG],
  ['<a b="1"c="2"/>', BROKEN_TAG],
  ['<a b="<"/>', BROKEN_ATTRIBUTE],
  ['<a b="1" b="2"/>', BROKEN_ATTRIBUTE],
  [`<a${Array.from({ length: 65 }, (_, at) => ` a${at}=""`).join("")}/>`, BROKEN_ATTRIBUTE],
  ["<a>&nbsp;</a>", NO_ENTITY],
  ["<a>a & b;</a>", NO_ENTITY],
  ["<a>a & b</a>", ENDS_EARLY],
  ["<a>&#x110000;</a>", NO_ENTITY],
  ['<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>', DOCTYPE],
  ["<a></b>", NOT_OPEN],
  ["</a>", NOT_OPEN],
  ["<a/><b/>", "The XML has two roots."],
  ["x<a/>", "The XML has text outside its root."],
  ["<a>".repeat(33), "The XML is more than 32 levels deep."],
])("rejects XML: %s", (text, problem) => {
  expect(told(text)).toEqual([problem]);
});
