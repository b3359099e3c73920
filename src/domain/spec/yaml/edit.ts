import { childOf, type Entry, type Located, locate, type Mapping, nodeAt, type Place, type Plain } from "./located.ts";

/** One edit of a document. Paths refer to the document after the previous edits. */
export type Edit =
  | { readonly kind: "rename"; readonly at: Place; readonly to: string }
  | { readonly kind: "replace"; readonly at: Place; readonly value: Plain }
  | {
      readonly kind: "insert";
      readonly at: Place;
      readonly key: string;
      readonly value: Plain;
      readonly isFirst?: boolean;
    }
  | { readonly kind: "remove"; readonly at: Place }
  /**
   * Moves a key with its value to the end of another mapping. An emptied source mapping is removed. A missing target
   * mapping is created.
   */
  | { readonly kind: "move"; readonly from: Place; readonly to: Place };

/** Applies an edit to the tree. The text editor must produce the same document. */
export function applyEdit(root: Located, edit: Edit): Located {
  switch (edit.kind) {
    case "rename":
      return changeEntries(root, edit.at.slice(0, -1), (entries) =>
        entries.map((entry) => (entry.key === edit.at.at(-1) ? { ...entry, key: edit.to } : entry)),
      );
    case "replace":
      return change(root, edit.at, (node) => locate(edit.value, node.line));
    case "insert":
      return changeEntries(root, edit.at, (entries, { line }) => {
        const fresh = { key: edit.key, line, value: locate(edit.value, line) };
        return edit.isFirst ? [fresh, ...entries] : [...entries, fresh];
      });
    case "remove":
      return changeEntries(root, edit.at.slice(0, -1), (entries) =>
        entries.filter((entry) => entry.key !== edit.at.at(-1)),
      );
    case "move":
      return move(root, edit.from, edit.to);
  }
}

function move(root: Located, from: Place, to: Place): Located {
  const parent = from.slice(0, -1);
  const entry = entriesAt(root, parent).find(({ key }) => key === from.at(-1));
  if (!entry) return root;
  const isLast = entriesAt(root, parent).length === 1 && parent.length > 0;
  const gone = isLast ? parent : from;
  const without = changeEntries(root, gone.slice(0, -1), (entries) => entries.filter(({ key }) => key !== gone.at(-1)));
  const target = to.slice(0, -1);
  const moved: Entry = { ...entry, key: String(to.at(-1)) };
  if (nodeAt(without, target) === undefined) {
    const made: Entry = {
      key: String(target[0]),
      line: entry.line,
      value: { kind: "mapping", line: entry.line, entries: [moved] },
    };
    return changeEntries(without, [], (entries) => [...entries, made]);
  }
  return changeEntries(without, target, (entries) => [...entries, moved]);
}

const entriesAt = (root: Located, place: Place): readonly Entry[] => {
  const node = nodeAt(root, place);
  return node?.kind === "mapping" ? node.entries : [];
};

function changeEntries(
  root: Located,
  place: Place,
  how: (entries: readonly Entry[], node: Mapping) => readonly Entry[],
): Located {
  return change(root, place, (node) =>
    node.kind === "mapping" ? { ...node, entries: how(node.entries, node) } : node,
  );
}

function change(node: Located, [step, ...rest]: Place, how: (node: Located) => Located): Located {
  if (step === undefined) return how(node);
  if (childOf(node, step) === undefined) return node;
  if (node.kind === "sequence") {
    return { ...node, items: node.items.map((item, i) => (i === step ? change(item, rest, how) : item)) };
  }
  if (node.kind !== "mapping") return node;
  const entries = node.entries.map((entry) =>
    entry.key === step ? { ...entry, value: change(entry.value, rest, how) } : entry,
  );
  return { ...node, entries };
}
