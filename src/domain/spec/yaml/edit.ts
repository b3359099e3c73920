import {
  getYamlChild,
  type LocatedEntry,
  type LocatedNode,
  createYamlNode,
  type LocatedMapping,
  findYamlNode,
  type YamlPath,
  type YamlValue,
} from "./located.ts";

/** One edit of a document. Paths refer to the document after the previous edits. */
export type YamlEdit =
  | { readonly kind: "rename"; readonly at: YamlPath; readonly to: string }
  | { readonly kind: "replace"; readonly at: YamlPath; readonly value: YamlValue }
  | {
      readonly kind: "insert";
      readonly at: YamlPath;
      readonly key: string;
      readonly value: YamlValue;
      readonly isFirst?: boolean;
    }
  | { readonly kind: "remove"; readonly at: YamlPath }
  /**
   * Moves a key with its value to the end of another mapping. An emptied source mapping is removed. A missing target
   * mapping is created.
   */
  | { readonly kind: "move"; readonly from: YamlPath; readonly to: YamlPath };

/** Applies an edit to the tree. The text editor must produce the same document. */
export function applyYamlEdit(root: LocatedNode, edit: YamlEdit): LocatedNode {
  switch (edit.kind) {
    case "rename":
      return updateYamlEntries(root, edit.at.slice(0, -1), (entries) =>
        entries.map((entry) => (entry.key === edit.at.at(-1) ? { ...entry, key: edit.to } : entry)),
      );
    case "replace":
      return updateYamlNode(root, edit.at, (node) => createYamlNode(edit.value, node.line));
    case "insert":
      return updateYamlEntries(root, edit.at, (entries, { line }) => {
        const fresh = { key: edit.key, line, value: createYamlNode(edit.value, line) };
        return edit.isFirst ? [fresh, ...entries] : [...entries, fresh];
      });
    case "remove":
      return updateYamlEntries(root, edit.at.slice(0, -1), (entries) =>
        entries.filter((entry) => entry.key !== edit.at.at(-1)),
      );
    case "move":
      return moveYamlEntry(root, edit.from, edit.to);
  }
}

function moveYamlEntry(root: LocatedNode, from: YamlPath, to: YamlPath): LocatedNode {
  const parent = from.slice(0, -1);
  const entry = listYamlEntries(root, parent).find(({ key }) => key === from.at(-1));
  if (!entry) return root;
  const isLast = listYamlEntries(root, parent).length === 1 && parent.length > 0;
  const gone = isLast ? parent : from;
  const without = updateYamlEntries(root, gone.slice(0, -1), (entries) =>
    entries.filter(({ key }) => key !== gone.at(-1)),
  );
  const target = to.slice(0, -1);
  const moved: LocatedEntry = { ...entry, key: String(to.at(-1)) };
  if (findYamlNode(without, target) === undefined) {
    const made: LocatedEntry = {
      key: String(target[0]),
      line: entry.line,
      value: { kind: "mapping", line: entry.line, entries: [moved] },
    };
    return updateYamlEntries(without, [], (entries) => [...entries, made]);
  }
  return updateYamlEntries(without, target, (entries) => [...entries, moved]);
}

const listYamlEntries = (root: LocatedNode, place: YamlPath): readonly LocatedEntry[] => {
  const node = findYamlNode(root, place);
  return node?.kind === "mapping" ? node.entries : [];
};

function updateYamlEntries(
  root: LocatedNode,
  place: YamlPath,
  how: (entries: readonly LocatedEntry[], node: LocatedMapping) => readonly LocatedEntry[],
): LocatedNode {
  return updateYamlNode(root, place, (node) =>
    node.kind === "mapping" ? { ...node, entries: how(node.entries, node) } : node,
  );
}

function updateYamlNode(
  node: LocatedNode,
  [step, ...rest]: YamlPath,
  how: (node: LocatedNode) => LocatedNode,
): LocatedNode {
  if (step === undefined) return how(node);
  if (getYamlChild(node, step) === undefined) return node;
  if (node.kind === "sequence") {
    return { ...node, items: node.items.map((item, i) => (i === step ? updateYamlNode(item, rest, how) : item)) };
  }
  if (node.kind !== "mapping") return node;
  const entries = node.entries.map((entry) =>
    entry.key === step ? { ...entry, value: updateYamlNode(entry.value, rest, how) } : entry,
  );
  return { ...node, entries };
}
