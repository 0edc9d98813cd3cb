import type { PhrasingContent } from 'mdast';
import { attributeOf, classesOf, type Element, isElement, isText, type Parent, textOf } from '../tree.ts';

/** Turns an address of a page into one that is good anywhere. */
export type Resolve = (address: string) => string;

const passedOver = new Set([
  'button',
  'dialog',
  'footer',
  'form',
  'input',
  'nav',
  'noscript',
  'script',
  'select',
  'style',
  'template',
  'textarea',
]);
const passedOverClasses = [
  'hash-link',
  'table-of-contents',
  'theme-doc-toc-mobile',
  'theme-doc-version-badge',
  'theme-doc-version-banner',
  'avatar__photo-link',
  'sample-bar',
];

/** Whether an element serves the reader of the page on a screen and says nothing by itself. */
export function isPassedOver(element: Element): boolean {
  if (passedOver.has(element.tagName)) return true;
  const classes = classesOf(element);
  if (passedOverClasses.some((name) => classes.includes(name))) return true;
  if (attributeOf(element, 'aria-hidden') === 'true') return true;
  // The same picture is there for the light theme.
  if (attributeOf(element, 'data-shown-in') === 'dark') return true;
  // What changes while the page is open says nothing yet when it is built.
  if (attributeOf(element, 'aria-live') !== undefined || attributeOf(element, 'role') === 'status') return true;
  // A tab that is not shown first is hidden, yet it is a part of the page.
  return attributeOf(element, 'hidden') !== undefined && attributeOf(element, 'role') !== 'tabpanel';
}

/** What stands in a line, with single spaces and none at its ends. */
export function inlineOf(parent: Parent, resolve: Resolve): PhrasingContent[] {
  return tidyLine(parent.childNodes.flatMap((child) => inlineNode(child, resolve)));
}

export function inlineNode(node: Parent['childNodes'][number], resolve: Resolve): PhrasingContent[] {
  if (isText(node)) return [{ type: 'text', value: node.value.replaceAll('\u200b', '').replace(/\s+/g, ' ') }];
  if (!isElement(node) || isPassedOver(node)) return [];
  const inner = () => node.childNodes.flatMap((child) => inlineNode(child, resolve));
  switch (node.tagName) {
    case 'strong':
    case 'b':
      return wrapped(inner(), (children) => ({ type: 'strong', children }));
    case 'em':
    case 'i':
      return wrapped(inner(), (children) => ({ type: 'emphasis', children }));
    case 'code':
    case 'kbd':
    case 'samp':
      return [{ type: 'inlineCode', value: textOf(node) }];
    case 'br':
      return [{ type: 'break' }];
    case 'a':
      return linkOf(node, inner(), resolve);
    case 'img':
      return imageOf(node, resolve);
    case 'svg':
      return [];
    case 'span':
      return isCount(node) ? [{ type: 'text', value: ` (${textOf(node)})` }] : inner();
    default:
      return inner();
  }
}

/** How many pages have a tag, which only its looks keep apart from the name of the tag. */
function isCount({ parentNode }: Element): boolean {
  return parentNode !== null && 'attrs' in parentNode && attributeOf(parentNode, 'rel') === 'tag';
}

function linkOf(element: Element, children: PhrasingContent[], resolve: Resolve): PhrasingContent[] {
  const address = attributeOf(element, 'href');
  if (address === undefined) return children;
  return wrapped(children, (inside) => ({
    type: 'link',
    url: resolve(address),
    children: inside.filter((child) => child.type !== 'link'),
  }));
}

function imageOf(element: Element, resolve: Resolve): PhrasingContent[] {
  const alt = attributeOf(element, 'alt') ?? '';
  const source = attributeOf(element, 'src') ?? '';
  return alt === '' || source.startsWith('data:') ? [] : [{ type: 'image', url: resolve(source), alt }];
}

/** Marks a part of a line. Spaces at its ends move outside, where Markdown wants them. */
function wrapped(
  children: PhrasingContent[],
  wrap: (children: PhrasingContent[]) => PhrasingContent,
): PhrasingContent[] {
  const tidied = tidyLine(children);
  const space: PhrasingContent = { type: 'text', value: ' ' };
  if (tidied.length === 0) return children.length === 0 ? [] : [space];
  const first = children[0];
  const last = children.at(-1);
  return [
    ...(first?.type === 'text' && first.value.startsWith(' ') ? [space] : []),
    wrap(tidied),
    ...(last?.type === 'text' && last.value.endsWith(' ') ? [space] : []),
  ];
}

/** Joins neighbouring texts, makes one space of many, and trims the line. */
export function tidyLine(nodes: readonly PhrasingContent[]): PhrasingContent[] {
  const line: PhrasingContent[] = [];
  for (const node of nodes) {
    const last = line.at(-1);
    // Links that only their looks keep apart, such as buttons.
    if (node.type === 'link' && last?.type === 'link') line.push({ type: 'text', value: ' ' });
    if (node.type !== 'text') line.push(node);
    else if (last?.type === 'text') last.value = `${last.value}${node.value}`.replace(/ +/g, ' ');
    else line.push({ ...node });
  }
  const first = line[0];
  if (first?.type === 'text') first.value = first.value.trimStart();
  const last = line.at(-1);
  if (last?.type === 'text') last.value = last.value.trimEnd();
  return line.filter((node) => node.type !== 'text' || node.value !== '');
}
