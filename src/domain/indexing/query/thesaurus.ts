import { termOf } from "../../memory/words.ts";

/** How code writes a word, first the word: whoever asks in plain words writes it out. */
const SHORT: readonly string[] = [
  "address addr",
  "application app",
  "argument arg args",
  "asynchronous async",
  "attribute attr",
  "authentication auth",
  "button btn",
  "callback cb fn",
  "character char",
  "command cmd",
  "configuration config conf cfg",
  "connection conn connect",
  "context ctx",
  "coordinate coord",
  "current cur",
  "database db",
  "definition def",
  "delete del",
  "description desc",
  "destination dest dst",
  "directory dir",
  "document doc",
  "element elem el",
  "environment env",
  "error err",
  "execute exec",
  "expression expr",
  "extension ext",
  "format fmt",
  "function fn func",
  "identifier id ident",
  "image img",
  "implementation impl",
  "index idx",
  "information info",
  "initialize init",
  "initial init",
  "integer int",
  "iterator iter",
  "language lang",
  "length len",
  "library lib",
  "manager mgr",
  "maximum max",
  "memory mem",
  "message msg",
  "metadata meta",
  "minimum min",
  "number num",
  "object obj",
  "option opt opts",
  "package pkg",
  "parameter param params",
  "password pwd passwd",
  "position pos",
  "previous prev",
  "process proc",
  "property prop props",
  "query q",
  "reference ref",
  "regex regexp",
  "repository repo",
  "request req",
  "response res resp",
  "second sec",
  "sequence seq",
  "session sess",
  "signature sig",
  "source src",
  "standard std",
  "statistics stats stat",
  "string str",
  "subscription sub",
  "synchronous sync",
  "synchronously sync",
  "system sys",
  "temporary temp tmp",
  "token tok",
  "transaction tx txn",
  "user usr",
  "utility util",
  "value val",
  "variable var",
  "version ver",
  "websocket ws",
];

/** Words for each other in code, besides those that everybody uses so. */
const GROUPS: readonly string[] = [
  "byte buffer binary uint8",
  "check assert ensure guard",
  "child sub nested inner",
  "choice enum allowed",
  "compute calculate determine",
  "deep recursive nested",
  "duplicate identical dedupe deduplicate deduplication",
  "exit quit",
  "field property attribute column",
  "forward redirect",
  "hook before after pre post lifecycle",
  "link url uri href location",
  "list array collection",
  "middleware interceptor plugin",
  "optional partial nullable",
  "parse read decode",
  "people human user",
  "playback replay record snapshot",
  "pretty prettify readable print",
  "promise async await",
  "queue buffer fifo",
  "register add use",
  "suggest similar closest",
  "template view render",
  "watch observe subscribe listen",
  "wrap fold",
];

const RELATED: ReadonlyMap<string, ReadonlySet<string>> = (() => {
  const related = new Map<string, Set<string>>();
  const relate = (word: string, other: string): void => {
    const known = related.get(termOf(word)) ?? new Set<string>();
    related.set(termOf(word), known.add(termOf(other)));
  };
  for (const [word = "", ...forms] of SHORT.map((line) => line.split(" ")))
    for (const form of forms) {
      relate(word, form);
      relate(form, word);
    }
  for (const words of GROUPS.map((line) => line.split(" ")))
    for (const word of words) for (const other of words) if (other !== word) relate(word, other);
  return related;
})();

/** Terms that code may have for this one. */
export const relatedInCode = (term: string): Iterable<string> => RELATED.get(term) ?? [];
