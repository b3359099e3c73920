import { expect, test } from "vitest";
import { formatVerificationAnnotations, formatVerificationJunit } from "./verification-reports.ts";
import type { ReceiptVerification, VerifiedChain } from "./receipt-verification.ts";

const AUTH: VerifiedChain = {
  id: "AUTH-001",
  path: "sdd/receipts/AUTH-001.jsonl",
  finished: true,
  receipts: 2,
  matching: 1,
  earlier: 1,
  failed: 0,
  problems: [
    { problem: '"AUTH-001.R-2" was edited: its hash does not match.', line: 2 },
    { problem: "1 receipt that this machine wrote here is not in it." },
  ],
  unproved: [],
  findings: ["It is finished, but no receipt shows that gate-4-verify passed."],
  reruns: [
    { receipt: "AUTH-001.R-1", check: "lint", passed: true },
    { receipt: "AUTH-001.R-1", check: "tests", passed: false, problem: "100 % of <all>\n::error::“failed”\u001b[31m" },
  ],
};
const WHOLE: VerifiedChain = { ...AUTH, id: "BUG-042", receipts: 1, problems: [], findings: [], reruns: [] };
const FOUND: ReceiptVerification = {
  strict: false,
  workflows: [AUTH, { ...WHOLE, path: "sdd/receipts/BUG-042.jsonl" }],
  findings: ["The newest receipt, AUTH-001.R-2, is for an older version of the files."],
  strays: [{ path: "sdd/receipts/a,b:c\n&.txt", problem: "It & its name are not “that” of receipts." }],
};
const NOTHING: ReceiptVerification = { strict: false, workflows: [], findings: [], strays: [] };

test("writes each annotation on one line, and no text can end one or start the next", () => {
  expect(formatVerificationAnnotations(FOUND).join("\n")).toMatchInlineSnapshot(`
    "::error file=sdd/receipts/a%2Cb%3Ac%0A&.txt,title=tenon verify::It & its name are not “that” of receipts.
    ::error file=sdd/receipts/AUTH-001.jsonl,line=2,title=tenon verify::"AUTH-001.R-2" was edited: its hash does not match.
    ::error file=sdd/receipts/AUTH-001.jsonl,title=tenon verify::1 receipt that this machine wrote here is not in it.
    ::error file=sdd/receipts/AUTH-001.jsonl,title=tenon verify::AUTH-001.R-1: tests: 100 %25 of <all>%0A::error::“failed”\\u001b[31m
    ::warning file=sdd/receipts/AUTH-001.jsonl,title=tenon verify::AUTH-001: It is finished, but no receipt shows that gate-4-verify passed.
    ::warning title=tenon verify::The newest receipt, AUTH-001.R-2, is for an older version of the files."
  `);
  expect(formatVerificationAnnotations({ ...FOUND, strict: true }).map((line) => line.split(" ")[0])).toEqual(
    Array.from({ length: 6 }, () => "::error"),
  );
  expect(formatVerificationAnnotations(NOTHING)).toEqual([]);
});

test("JUnit shows each workflow as a suite", () => {
  expect(formatVerificationJunit(FOUND)).toMatchInlineSnapshot(`
    "<?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="tenon verify" tests="7" failures="3" skipped="2">
      <testsuite name="AUTH-001" tests="4" failures="2" skipped="1">
        <testcase classname="AUTH-001" name="chain of 2 receipts" file="sdd/receipts/AUTH-001.jsonl">
          <failure message="line 2: &quot;AUTH-001.R-2&quot; was edited: its hash does not match.">line 2: &quot;AUTH-001.R-2&quot; was edited: its hash does not match.
    1 receipt that this machine wrote here is not in it.</failure>
        </testcase>
        <testcase classname="AUTH-001" name="AUTH-001.R-1 lint"/>
        <testcase classname="AUTH-001" name="AUTH-001.R-1 tests">
          <failure message="100 % of &lt;all&gt;\\u000a::error::“failed”\\u001b[31m">100 % of &lt;all&gt;
    ::error::“failed”\\u001b[31m</failure>
        </testcase>
        <testcase classname="AUTH-001" name="It is finished, but no receipt shows that gate-4-verify passed.">
          <skipped message="It is finished, but no receipt shows that gate-4-verify passed."/>
        </testcase>
      </testsuite>
      <testsuite name="BUG-042" tests="1" failures="0" skipped="0">
        <testcase classname="BUG-042" name="chain of 1 receipt" file="sdd/receipts/BUG-042.jsonl"/>
      </testsuite>
      <testsuite name="workspace" tests="2" failures="1" skipped="1">
        <testcase classname="workspace" name="sdd/receipts/a,b:c\\u000a&amp;.txt" file="sdd/receipts/a,b:c\\u000a&amp;.txt">
          <failure message="It &amp; its name are not “that” of receipts.">It &amp; its name are not “that” of receipts.</failure>
        </testcase>
        <testcase classname="workspace" name="The newest receipt, AUTH-001.R-2, is for an older version of the files.">
          <skipped message="The newest receipt, AUTH-001.R-2, is for an older version of the files."/>
        </testcase>
      </testsuite>
    </testsuites>
    "
  `);
  expect(formatVerificationJunit(NOTHING)).toMatchInlineSnapshot(`
    "<?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="tenon verify" tests="0" failures="0" skipped="0">
    </testsuites>
    "
  `);
});

test("counts a finding as a failure with --strict", () => {
  const { findings } = FOUND;
  expect(formatVerificationJunit({ ...NOTHING, strict: true, findings })).toMatchInlineSnapshot(`
    "<?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="tenon verify" tests="1" failures="1" skipped="0">
      <testsuite name="workspace" tests="1" failures="1" skipped="0">
        <testcase classname="workspace" name="The newest receipt, AUTH-001.R-2, is for an older version of the files.">
          <failure message="The newest receipt, AUTH-001.R-2, is for an older version of the files.">The newest receipt, AUTH-001.R-2, is for an older version of the files.</failure>
        </testcase>
      </testsuite>
    </testsuites>
    "
  `);
});

test("writes well-formed XML for any message", () => {
  const every = String.fromCodePoint(...Array.from({ length: 0x100 }, (_, i) => i), 0xfffe, 0xffff, 0x1f600, 0xd800);
  const xml = formatVerificationJunit({ ...NOTHING, strays: [{ path: every, problem: every }] });
  // Nothing that XML 1.0 does not know, no mark that is not an entity, and every element closed.
  expect(xml).not.toMatch(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u);
  expect(xml).not.toMatch(/&(?!(?:amp|lt|gt|quot|apos);)/);
  const elements = [...xml.matchAll(/<(\/?)(\w+)(?: \w+="[^"<]*")*(\/?)>/g)];
  const open: string[] = [];
  const crossed = elements.filter(([, close, name = "", single]) => {
    if (close) return open.pop() !== name;
    if (!single) open.push(name);
    return false;
  });
  expect([elements.length, crossed, open]).toEqual([8, [], []]);
});
