import type { BlockContent, List, ListItem, PhrasingContent } from 'mdast';
import {
  attributeOf,
  classesOf,
  type Element,
  elementsOf,
  findElement,
  isElement,
  isText,
  type Parent,
  textOf,
} from '../tree.ts';

const blockNames = new Set(
  'address article aside blockquote dd details div dl dt figcaption figure h1 h2 h3 h4 h5 h6 header hr li main ol p pre section summary svg table ul'.split(
    ' ',
  ),
);

export function isBlock(node: Parent['childNodes'][number]): node is Element {
  return isElement(node) && (blockNames.has(node.tagName) || node.childNodes.some(isBlock));
}

/** Returns the blocks inside an element. Text beside blocks becomes a paragraph. */
export function blocksOf(parent: Parent, resolve: Resolve): BlockContent[] {
  const blocks: BlockContent[] = [];
  let line: PhrasingContent[] = [];
  const endLine = () => {
    blocks.push(...paragraph(tidyLine(line)));
    line = [];
  };
  for (const child of parent.childNodes) {
    if (!isBlock(child)) {
      line.push(...inlineNode(child, resolve));
      continue;
    }
    endLine();
    if (!isPassedOver(child)) blocks.push(...blockOf(child, resolve));
  }
  endLine();
  return blocks;
}

export function paragraph(children: PhrasingContent[]): BlockContent[] {
  return children.length === 0 ? [] : [{ type: 'paragraph', children }];
}

function blockOf(element: Element, resolve: Resolve): BlockContent[] {
  const { tagName } = element;
  const depth = headingDepths[tagName];
  if (depth !== undefined) return [{ type: 'heading', depth, children: headingOf(element, resolve) }];
  if (element.childNodes.some((child) => isElement(child) && attributeOf(child, 'role') === 'tablist'))
    return tabsOf(element, resolve);
  if (classesOf(element).includes('theme-admonition')) return admonitionOf(element, resolve);
  switch (tagName) {
    case 'p':
      return paragraph(inlineOf(element, resolve));
    case 'ul':
    case 'ol':
      return listOf(element, resolve);
    case 'dl':
      return definitionsOf(element, resolve);
    case 'table':
      return tableOf(element, resolve);
    case 'pre':
      return [codeOf(element)];
    case 'blockquote':
      return [{ type: 'blockquote', children: blocksOf(element, resolve) }];
    case 'hr':
      return [{ type: 'thematicBreak' }];
    case 'figure':
      return figureOf(element, resolve);
    case 'svg':
      return pictureOf(element);
    case 'summary':
      return paragraph([{ type: 'strong', children: inlineOf(element, resolve) }]);
    case 'a':
      return cardOf(element, resolve);
    default:
      return blocksOf(element, resolve);
  }
}

const headingDepths: Readonly<Record<string, 1 | 2 | 3 | 4 | 5 | 6>> = { h1: 1, h2: 2, h3: 3, h4: 4, h5: 5, h6: 6 };

/** Returns a heading without its anchor link. */
function headingOf(element: Element, resolve: Resolve): PhrasingContent[] {
  const isToItself = (child: Parent['childNodes'][number]) =>
    isElement(child) && child.tagName === 'a' && attributeOf(child, 'href')?.startsWith('#') === true;
  return tidyLine(
    element.childNodes.filter((child) => !isToItself(child)).flatMap((child) => inlineNode(child, resolve)),
  );
}

function codeOf(element: Element): BlockContent {
  const inside = [element, ...elementsOf(element)].flatMap(classesOf);
  const lang = inside.find((name) => name.startsWith('language-'))?.slice('language-'.length);
  return { type: 'code', ...(lang === undefined ? {} : { lang }), value: textOf(element).replace(/\n$/, '') };
}

/** Returns all tabs in order, each under its label. */
function tabsOf(element: Element, resolve: Resolve): BlockContent[] {
  const withRole = (role: string) => elementsOf(element).filter((inside) => attributeOf(inside, 'role') === role);
  const labels = withRole('tab')
    .map((tab) => inlineOf(tab, resolve))
    .toArray();
  return withRole('tabpanel')
    .toArray()
    .flatMap((panel, index) => [
      ...paragraph([{ type: 'strong', children: labels[index] ?? [] }]),
      ...blocksOf(panel, resolve),
    ]);
}

function admonitionOf(element: Element, resolve: Resolve): BlockContent[] {
  const [heading, ...rest] = element.childNodes.filter(isElement);
  const title: PhrasingContent[] = heading === undefined ? [] : inlineOf(heading, resolve);
  const children = rest.flatMap((content) => blocksOf(content, resolve));
  return [{ type: 'blockquote', children: [...paragraph([{ type: 'strong', children: title }]), ...children] }];
}

/** The caption comes first, since in plain text it introduces what follows. */
function figureOf(element: Element, resolve: Resolve): BlockContent[] {
  const caption = element.childNodes.filter(isElement).find(({ tagName }) => tagName === 'figcaption');
  const words = caption === undefined ? [] : inlineOf(caption, resolve);
  const rest = { ...element, childNodes: element.childNodes.filter((child) => child !== caption) };
  const drawing = findElement(element, ({ tagName }) => tagName === 'svg');
  const saysTheSame = drawing !== undefined && caption !== undefined && nameOf(drawing) === textOf(caption).trim();
  return [...(saysTheSame ? [] : paragraph(words)), ...blocksOf(rest, resolve)];
}

/** Returns the alternative text of a drawing. */
function pictureOf(element: Element): BlockContent[] {
  const name = nameOf(element);
  if (name === '') return [];
  const description = findElement(element, ({ tagName }) => tagName === 'desc');
  const words = [endSentence(name), description === undefined ? '' : textOf(description)]
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
  return paragraph([{ type: 'emphasis', children: [{ type: 'text', value: `Picture: ${words}` }] }]);
}

function endSentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}

function nameOf(drawing: Element): string {
  const title = findElement(drawing, ({ tagName }) => tagName === 'title');
  return (title === undefined ? (attributeOf(drawing, 'aria-label') ?? '') : textOf(title)).trim();
}

/** A card that is a link as a whole: its first block becomes the link, the others follow. */
function cardOf(element: Element, resolve: Resolve): BlockContent[] {
  const [first, ...rest] = blocksOf(element, resolve);
  const url = resolve(attributeOf(element, 'href') ?? '');
  if (first?.type !== 'heading' && first?.type !== 'paragraph') return first === undefined ? [] : [first, ...rest];
  const children = first.children.filter((child) => child.type !== 'link');
  // The theme puts an icon before the title.
  const [start] = children;
  if (start?.type === 'text') start.value = start.value.replace(/^\p{Extended_Pictographic}\ufe0f?\s*/u, '');
  return [{ type: 'paragraph', children: [{ type: 'link', url, children }] }, ...rest];
}

function listOf(element: Element, resolve: Resolve): BlockContent[] {
  const items = element.childNodes
    .filter(isElement)
    .filter((child) => child.tagName === 'li' && !isPassedOver(child))
    .map((item) => blocksOf(item, resolve))
    .filter((children) => children.length > 0)
    .map((children) => itemOf(children));
  if (items.length === 0) return [];
  const start = Number(attributeOf(element, 'start') ?? 1);
  return [list(items, element.tagName === 'ol' ? { ordered: true, start } : {})];
}

function itemOf(children: BlockContent[]): ListItem {
  return { type: 'listItem', spread: children.filter(({ type }) => type !== 'list').length > 1, children };
}

function list(children: ListItem[], more: Partial<List> = {}): List {
  return { type: 'list', spread: children.some(({ spread }) => spread), children, ...more };
}

/** Returns terms and their meanings as a list of lines `**term**: meaning`. */
function definitionsOf(element: Element, resolve: Resolve): BlockContent[] {
  const items: ListItem[] = [];
  for (const part of elementsOf(element)) {
    if (part.tagName === 'dt') {
      const term: PhrasingContent = { type: 'strong', children: inlineOf(part, resolve) };
      items.push(itemOf(paragraph([term])));
    }
    const item = items.at(-1);
    if (part.tagName === 'dd' && item !== undefined) define(item, part, resolve);
  }
  return items.length === 0 ? [] : [list(items)];
}

function define(item: ListItem, meaning: Element, resolve: Resolve): void {
  const term = item.children[0];
  if (meaning.childNodes.some(isBlock)) item.children.push(...blocksOf(meaning, resolve));
  else if (term?.type === 'paragraph') term.children.push({ type: 'text', value: ': ' }, ...inlineOf(meaning, resolve));
}

/** A table with a header stays one. One without becomes a list of its rows, nested by their depth. */
function tableOf(element: Element, resolve: Resolve): BlockContent[] {
  const rows = elementsOf(element)
    .filter(({ tagName }) => tagName === 'tr')
    .map((row) => row.childNodes.filter(isElement))
    .toArray();
  const [head] = rows;
  if (head === undefined) return [];
  const hasHead = head.every(({ tagName }) => tagName === 'th');
  if (!hasHead) return [rowsAsList(rows, resolve)];
  return [
    {
      type: 'table',
      align: head.map(() => null),
      children: rows.map((cells) => ({
        type: 'tableRow',
        children: cells.map((cell) => ({ type: 'tableCell', children: cellOf(cell, resolve) })),
      })),
    },
  ];
}

/** A cell holds one line, so its blocks are joined. */
function cellOf(cell: Parent, resolve: Resolve): PhrasingContent[] {
  const space: PhrasingContent = { type: 'text', value: ' ' };
  return tidyLine(
    cell.childNodes.flatMap((child) =>
      isBlock(child) ? [space, ...cellOf(child, resolve), space] : inlineNode(child, resolve),
    ),
  );
}

function rowsAsList(rows: readonly Element[][], resolve: Resolve): List {
  const open: List[] = [list([])];
  for (const [name, ...cells] of rows) {
    if (name === undefined) continue;
    const depth = Number(attributeOf(name, 'data-depth') ?? 0);
    open.length = Math.min(open.length, depth + 1);
    if (open.length <= depth) open.push(nestedIn(open.at(-1)));
    open.at(-1)?.children.push(itemOf(paragraph(rowLine(name, cells, resolve))));
  }
  return open[0] ?? list([]);
}

function nestedIn(above: List | undefined): List {
  const nested = list([]);
  above?.children.at(-1)?.children.push(nested);
  return nested;
}

function rowLine(name: Element, cells: readonly Element[], resolve: Resolve): PhrasingContent[] {
  const rest = cells.map((cell) => cellOf(cell, resolve)).filter((line) => line.length > 0);
  return [
    {
      type: 'strong',
      children: cellOf(name, resolve).flatMap((node) => (node.type === 'link' ? node.children : [node])),
    },
    ...rest.flatMap((line, index): PhrasingContent[] => [{ type: 'text', value: index === 0 ? ': ' : '. ' }, ...line]),
  ];
}

/** Converts a page's link to an absolute URL. */
type Resolve = (address: string) => string;

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

/** Whether an element is only useful on screen and has no content of its own. */
function isPassedOver(element: Element): boolean {
  if (passedOver.has(element.tagName)) return true;
  const classes = classesOf(element);
  if (passedOverClasses.some((name) => classes.includes(name))) return true;
  if (attributeOf(element, 'aria-hidden') === 'true') return true;
  // The same picture exists for the light theme.
  if (attributeOf(element, 'data-shown-in') === 'dark') return true;
  // Live content is empty at build time.
  if (attributeOf(element, 'aria-live') !== undefined || attributeOf(element, 'role') === 'status') return true;
  // A tab that is not shown first is hidden, but still part of the page.
  return attributeOf(element, 'hidden') !== undefined && attributeOf(element, 'role') !== 'tabpanel';
}

/** Returns inline content, with single spaces and none at its ends. */
function inlineOf(parent: Parent, resolve: Resolve): PhrasingContent[] {
  return tidyLine(parent.childNodes.flatMap((child) => inlineNode(child, resolve)));
}

function inlineNode(node: Parent['childNodes'][number], resolve: Resolve): PhrasingContent[] {
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

/** Whether this is the page count of a tag, which only styling separates from the name of the tag. */
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

/** Marks part of a line. Spaces at its ends move outside, as Markdown requires. */
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

/** Joins neighboring texts, collapses spaces, and trims the line. */
function tidyLine(nodes: readonly PhrasingContent[]): PhrasingContent[] {
  const line: PhrasingContent[] = [];
  for (const node of nodes) {
    const last = line.at(-1);
    // Adjacent links that only styling separates, such as buttons.
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
