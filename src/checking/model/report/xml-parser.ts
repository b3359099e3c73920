import { SaxesParser } from "saxes";
import { stripTerminalColours } from "./test-report.ts";

/** A string returned by `open` stops the parser and becomes the problem. */
interface XmlListener {
  open(name: string, attributes: ReadonlyMap<string, string>): string | void;
  close(name: string): void;
  text(text: string): void;
}

const MAX_XML_DEPTH = 32;
const MAX_XML_ATTRIBUTES = 64;

/** Errors of the parser that stop it. Runners get other rules of XML wrong, and their reports are read all the same. */
const XML_ERRORS: readonly (readonly [RegExp, string])[] = [
  [/root element|^unclosed|unexpected end/, "The XML is cut off."],
  [/only one root/, "The XML has two roots."],
  [/outside of root/, "The XML has text outside its root."],
  [/clos(?:e|ing) tag/, "The XML closes an element that is not open."],
  [/entity/, "The XML has an unknown entity."],
  [/^duplicate attribute|^disallowed character\.$/, "The XML has a broken attribute."],
  [/tag name|opening tag|attribute/, "The XML has a broken tag."],
];

class XmlSyntaxError extends Error {}

/** In one pass. Rejects a document type, so that a report cannot define or fetch entities. */
export function parseXml(text: string, listener: XmlListener): string | undefined {
  // Version 1.1 allows references to control characters, which runners write for colours.
  const parser = new SaxesParser({ position: false, defaultXMLVersion: "1.1", forceXMLVersion: true });
  let depth = 0;
  const refuse = (problem: string | void): void => {
    if (typeof problem === "string") throw new XmlSyntaxError(problem);
  };
  parser.on("error", ({ message }) => refuse(XML_ERRORS.find(([pattern]) => pattern.test(message))?.[1]));
  parser.on("doctype", () => refuse("The XML declares a document type, which Tenon does not read."));
  parser.on("opentag", ({ name, attributes }) => {
    const entries = Object.entries(attributes);
    if ((depth += 1) > MAX_XML_DEPTH) refuse(`The XML is more than ${MAX_XML_DEPTH} levels deep.`);
    if (entries.length > MAX_XML_ATTRIBUTES) refuse("The XML has a broken attribute.");
    refuse(listener.open(name, new Map(entries)));
  });
  parser.on("closetag", ({ name }) => {
    depth -= 1;
    listener.close(name);
  });
  const hearText = (words: string): void => {
    if (depth > 0) listener.text(words);
  };
  parser.on("text", hearText);
  parser.on("cdata", hearText);
  // XML has no control characters, but test output has.
  const cleaned = stripTerminalColours(text).replace(/[^\P{Cc}\t\n\r]|[\uFFFE\uFFFF]/gu, "");
  try {
    parser.write(cleaned.toWellFormed()).close();
    return undefined;
  } catch (error) {
    if (error instanceof XmlSyntaxError) return error.message;
    throw error;
  }
}
