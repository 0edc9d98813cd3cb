import { type DefaultTreeAdapterTypes, parse } from 'parse5';

type Child = DefaultTreeAdapterTypes.ChildNode;
export type Element = DefaultTreeAdapterTypes.Element;
export type Parent = DefaultTreeAdapterTypes.ParentNode;

/** Parses a whole HTML file. Every element has its position in the text. */
export function readTree(html: string): DefaultTreeAdapterTypes.Document {
  return parse(html, { sourceCodeLocationInfo: true });
}

export function isElement(node: Child): node is Element {
  return 'tagName' in node;
}

export function isText(node: Child): node is DefaultTreeAdapterTypes.TextNode {
  return node.nodeName === '#text';
}

export function attributeOf(element: Element, name: string): string | undefined {
  return element.attrs.find((attribute) => attribute.name === name)?.value;
}

export function classesOf(element: Element): string[] {
  return (attributeOf(element, 'class') ?? '').split(/\s+/);
}

/** Iterates over every element below a node, in document order. */
export function* elementsOf(parent: Parent): Generator<Element> {
  for (const child of parent.childNodes) {
    if (!isElement(child)) continue;
    yield child;
    yield* elementsOf(child);
  }
}

export function findElement(parent: Parent, isWanted: (element: Element) => boolean): Element | undefined {
  return elementsOf(parent).find(isWanted);
}

export function textOf(parent: Parent): string {
  return parent.childNodes
    .map((child) => (isText(child) ? child.value : isElement(child) ? textOf(child) : ''))
    .join('');
}
