/** A node of the Markdown tree, as far as the plugins here look at it. */
export interface Node {
  type: string;
  value?: string;
  name?: string | null;
  url?: string;
  lang?: string | null;
  meta?: string | null;
  children?: Node[];
  attributes?: { type: string; name?: string; value?: unknown }[];
  depth?: number;
  ordered?: boolean;
  spread?: boolean;
  data?: Record<string, unknown>;
  position?: { start: { line: number } };
}

/** Calls a function for every node with its parent; what it returns takes the node's place. */
export function replaceNodes(parent: Node, replace: (node: Node, parent: Node) => Node[] | undefined): void {
  if (parent.children === undefined) return;
  parent.children = parent.children.flatMap((child) => {
    const replacement = replace(child, parent);
    if (replacement !== undefined) return replacement;
    replaceNodes(child, replace);
    return [child];
  });
}

/** The value of an attribute such as `of="scopes"`, of an element. Directives such as `:::note` keep theirs as an object. */
export function attributeOf(node: Node, name: string): string | undefined {
  const value = node.attributes?.find((attribute) => attribute.name === name)?.value;
  return typeof value === 'string' ? value : undefined;
}

/** The name of a `<Component />`, wherever it stands. */
export function elementName(node: Node): string | undefined {
  return node.type === 'mdxJsxFlowElement' || node.type === 'mdxJsxTextElement' ? (node.name ?? undefined) : undefined;
}
