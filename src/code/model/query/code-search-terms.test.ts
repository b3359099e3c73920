import { expect, test } from "vitest";
import { extractIndexTerms } from "./code-search-terms.ts";

test.each([
  ["validateToken", ["validatetoken", "valid", "token"]],
  ["HTTPServer", ["httpserver", "http", "server"]],
  ["parse_date parseDate", ["pars", "date", "parsed"]],
  ["AUTH-001 sha256sum", ["authent", "001", "sha256sum"]],
  ["Schlüsselbund öffnen", ["schlusselbund", "offnen"]],
  ["parseÜbersicht", ["parseubersicht"]],
  ["", []],
])("finds the terms of %s: %j", (text, terms) => {
  expect([...extractIndexTerms(text)].toSorted()).toEqual(terms.toSorted());
});
