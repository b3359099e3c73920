import { isPluralWord, toSingular } from "../words.ts";

const ROUTE_PARAMETER = /^(?::|\{|<|\[|\*|\$)/;
const API_PREFIX = /^(?:api|rest|v\d+)$/i;
const METHOD_VERBS: Readonly<Record<string, string>> = {
  GET: "return",
  PUT: "replace",
  PATCH: "change",
  DELETE: "delete",
};

/** The usual meaning of a route's method and path; undefined where they are not enough. */
export function describeRoute(name: string): string | undefined {
  const [method = "", path = ""] = name.split(" ");
  const parts = path.split("/").filter((part) => part !== "" && !API_PREFIX.test(part));
  const [last = "", before = "", above = ""] = parts.toReversed();
  const isWord = (part: string): boolean => /^[a-z][\w-]*$/i.test(part);
  if (ROUTE_PARAMETER.test(last)) {
    const verb = METHOD_VERBS[method];
    return verb !== undefined && isWord(before) ? `${verb} one ${formatResourceName(before)}` : undefined;
  }
  if (!isWord(last)) return undefined;
  const owner = ROUTE_PARAMETER.test(before) && isWord(above) ? ` of one ${formatResourceName(above)}` : "";
  if (isPluralWord(last)) {
    if (method === "GET") return `list the ${last.replaceAll(/[-_]/g, " ")}${owner}`;
    return method === "POST" ? `create one ${formatResourceName(last)}${owner}` : undefined;
  }
  if (method === "POST" && owner !== "") return `${last.replaceAll(/[-_]/g, " ")} one ${formatResourceName(above)}`;
  return undefined;
}

const formatResourceName = (part: string): string => toSingular(part.replaceAll(/[-_]/g, " "));
