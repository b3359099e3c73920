import type { ComponentKind, CodeImport } from "../../model/index/code-outline.ts";
import type { ParsedCode, NodeIndex, GrammarVocabulary } from "../syntax/parsed-code.ts";
import tables from "../languages/language-tables.json" with { type: "json" };

/**
 * The rules of one language, as tables by node type; `outlineParsedCode` does the rest. `components` maps a node to a
 * component, to a `ComponentScope` that only names its contents (Rust's `impl`), or to nothing. A node is a `NodeIndex`
 * in the rows of `ParsedCode`; every lookup accepts `NO_NODE` (-1). `imports` lists imports from other files. `calls`
 * adds uses of a name that the scan does not find, such as `new Session()`. `marks` are sibling types that belong to
 * the next node, such as attributes. `exports` lists the names of a separate export list. `normal` defines which
 * differences in writing do not change the hash. The engine handles doc comments, spans, signatures, nesting, order and
 * hashes; a language adds only its own rules, such as docstrings. To add a language, add one file in `languages/`, its
 * node types and file extensions to `language-tables.json`, and one line to `OUTLINES_BY_GRAMMAR`.
 */
export interface LanguageOutline {
  readonly components: NodeTypeTable<ComponentReader>;
  readonly imports: NodeTypeTable<ImportReader>;
  /** The used name as written; empty for none. */
  readonly calls?: NodeTypeTable<NameReader>;
  readonly marks?: readonly string[];
  /** Node types that begin with their first child: a comment above that child comes before them. */
  readonly bodies?: readonly string[];
  /** Whether a sibling belongs to the component after it, such as an earlier overload. Applies to `whole` nodes. */
  readonly belongs?: (code: ParsedCode, sibling: NodeIndex, whole: NodeIndex) => boolean;
  /** Names in an export list. A top-level component with such a name is exported. */
  readonly exports?: (code: ParsedCode) => ReadonlySet<string>;
  /** Whether an existing list is the complete set of exports. */
  readonly isListAll?: boolean;
  /** Statement types that may come between a file's doc and its code: imports, a package clause. */
  readonly heads?: readonly string[];
  /** Removes the markup of the language from a doc comment. */
  readonly doc?: (words: string) => string;
  readonly normal: NormalForm;
}

export type ComponentReader = (
  code: ParsedCode,
  node: NodeIndex,
  around: EnclosingComponent,
) => FoundComponent | readonly FoundComponent[] | ComponentScope | undefined;
export type ImportReader = (code: ParsedCode, node: NodeIndex) => readonly Omit<CodeImport, "line">[];
export type NameReader = (code: ParsedCode, node: NodeIndex) => string;
/** `skip` a node, go `through` it to its contents, or treat it like any other. */
export type NodeRule = (code: ParsedCode, node: NodeIndex) => "skip" | "through" | undefined;

export type NodeTypeTable<T> = Readonly<Partial<Record<string, T>>>;

export interface FoundComponent {
  readonly kind: ComponentKind;
  readonly name: string;
  /** Whether its own modifiers export it. Contents of a function or of an unexported component never are. */
  readonly isExported: boolean;
  /** The complete node if it is larger: an export statement, a decorated definition. */
  readonly whole?: NodeIndex;
  /** The words that several components of a declaration share: `export const` in `export const a = 1, b = 2`. */
  readonly shared?: string;
  /** If more than the component matters, such as a Go constant numbered by the ones before it. */
  readonly hashed?: NodeIndex;
  /** The part its signature leaves out; by default its child `body`. */
  readonly body?: NodeIndex;
  /** The start of its signature, if not the first word after doc and annotations. */
  readonly from?: NodeIndex;
  /** Its enclosing name where the tree does not show it: the receiver of a Go method, `A::b` of C++. */
  readonly within?: string;
  readonly docstring?: NodeIndex;
}

export interface ComponentScope {
  readonly scope: string;
  /** The kind its contents see around them; by default the kind outside. */
  readonly kind?: ComponentKind;
}

export interface EnclosingComponent {
  readonly kind: ComponentKind | undefined;
  readonly name: string;
}

/** Which ways to write code count as the same. Structure always counts; comments and layout never do. */
export interface NormalForm {
  /** Nodes that only group others. They and their brackets do not count: `(a)`. */
  readonly through?: readonly string[];
  /** Tokens that do not count, such as `;`, except directly inside the `keepsLoose` types. */
  readonly loose?: readonly string[];
  readonly keepsLoose?: readonly string[];
  /** Types whose brackets alone do not count: Python's `(a, b)` is `a, b`. */
  readonly bare?: readonly string[];
  /** Types whose members may be separated by a comma or by anything else. */
  readonly parted?: readonly string[];
  /** Types in which a comma after the only element counts: `(a,)` is not `(a)`. */
  readonly keepsComma?: readonly string[];
  /** Types that are equal: `{ expression_list: "tuple" }`. */
  readonly same?: NodeTypeTable<string>;
  /** Nodes replaced by a canonical text: strings, numbers. Undefined means no replacement. */
  readonly as?: NodeTypeTable<(code: ParsedCode, node: NodeIndex) => string | undefined>;
  readonly special?: NodeTypeTable<NodeRule>;
}

export const indexTableByType = <T>(
  { types, isNamed }: GrammarVocabulary,
  table: NodeTypeTable<T> | undefined,
): readonly (T | undefined)[] =>
  types.map((type, id) =>
    isNamed[id] === 1 && table !== undefined && Object.hasOwn(table, type) ? table[type] : undefined,
  );

export const flagNodeTypes = ({ types }: GrammarVocabulary, names: readonly string[] | undefined): Uint8Array =>
  Uint8Array.from(types, (type) => Number(names?.includes(type) ?? false));

export interface NamedComponentRules {
  readonly isExported: (code: ParsedCode, node: NodeIndex, around: EnclosingComponent) => boolean;
  readonly name?: NameReader;
  readonly span?: (code: ParsedCode, node: NodeIndex) => Pick<FoundComponent, "whole" | "from">;
}

export const describeNamedAs =
  (kind: ComponentKind, { isExported, name, span }: NamedComponentRules) =>
  (code: ParsedCode, node: NodeIndex, around: EnclosingComponent): FoundComponent => ({
    kind,
    name: name?.(code, node) ?? code.fieldText(node, "name"),
    isExported: isExported(code, node, around),
    ...span?.(code, node),
  });

/** Node types of a language: those that name components by their kind, and those whose text or brackets do not count. */
interface LanguageTable extends Pick<LanguageOutline, "marks" | "bodies" | "isListAll" | "heads"> {
  readonly components?: Readonly<Partial<Record<ComponentKind, string>>>;
  readonly normal: Omit<NormalForm, "as" | "special"> & {
    readonly integers?: readonly string[];
    readonly numbers?: readonly string[];
    readonly single?: readonly string[];
  };
}

interface LanguageRules extends Omit<LanguageOutline, "normal"> {
  readonly named?: NamedComponentRules;
  readonly normal?: Pick<NormalForm, "as" | "special">;
}

/** With its node types from `language-tables.json`. */
export function defineLanguage(
  name: keyof typeof tables.languages,
  { named, components, normal, ...rules }: LanguageRules,
): LanguageOutline {
  const { components: kinds = {}, normal: lists, ...rest }: LanguageTable = tables.languages[name];
  const { integers = [], numbers = [], single = [], ...form } = lists;
  const tableOf = <T>(types: readonly string[], value: T): NodeTypeTable<T> =>
    Object.fromEntries(types.map((type) => [type, value]));
  const described = Object.entries(kinds).map(([kind, types]) =>
    named ? tableOf(types.split(" "), describeNamedAs(kind as ComponentKind, named)) : {},
  );
  return {
    ...rest,
    ...rules,
    components: Object.assign({}, ...described, components) as LanguageOutline["components"],
    normal: {
      ...form,
      as: { ...tableOf(integers, normalizeInteger), ...tableOf(numbers, lowerNumber), ...normal?.as },
      special: { ...tableOf(single, unwrapSingleChild), ...normal?.special },
    },
  };
}

/** The first component begins where the declaration does; all share the words before it. */
export function describeDeclarator(
  code: ParsedCode,
  declaration: NodeIndex,
  { node, first, from }: { readonly node: NodeIndex; readonly first: NodeIndex; readonly from: NodeIndex },
): Pick<FoundComponent, "whole" | "shared" | "from"> {
  if (!code.has(declaration, ",")) return { whole: declaration, from };
  return {
    whole: node === first ? declaration : node,
    shared: code.text.slice(code.start(from), code.start(first)).trim(),
    from: node,
  };
}

export function skipAnnotations(code: ParsedCode, node: NodeIndex, type: string): NodeIndex {
  let at = node + 1;
  while (code.type(at) === type || code.isComment(at)) at = code.next(at);
  return at;
}

/** `new Session<T>()` uses `Session`. */
export const readCreatedType: NameReader = (code, node) => code.compactField(node, "type").replace(/<.*>$/s, "");

const unwrapSingleChild: NodeRule = (code, node) => (code.children(node, 2).length === 1 ? "through" : undefined);

const lowerNumber: NameReader = (code, node) => code.said(node).toLowerCase();

/** `1_000L` is `1000l`: digit separators and letter case do not count. */
const normalizeInteger: NameReader = (code, node) => lowerNumber(code, node).replace(/(?<=\w)[_'](?=\w)/g, "");

/** A string without escapes or variables is the same in both kinds of quotes. */
export const normalizePlainString =
  (plain: RegExp) =>
  (code: ParsedCode, node: NodeIndex): string | undefined => {
    const inner = plain.exec(code.said(node))?.[1];
    return inner === undefined ? undefined : `"${inner}"`;
  };

/** `@Injectable`; a decorator with parentheses is a call anyway. */
export const readPlainDecorator: NameReader = (code, node) => {
  const said = code.compact(node);
  return /^@[\w$.]+$/.test(said) ? said.slice(1) : "";
};
