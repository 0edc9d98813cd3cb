import type { BlockContent, PhrasingContent } from 'mdast';
import {
  attributeOf,
  classesOf,
  type Element,
  elementsOf,
  findElement,
  isElement,
  type Parent,
  textOf,
} from '../tree.ts';
import { inlineNode, inlineOf, isPassedOver, type Resolve, tidyLine } from './inline.ts';
import { definitionsOf, listOf, tableOf } from './lists.ts';

const blockNames = new Set(
  'address article aside blockquote dd details div dl dt figcaption figure h1 h2 h3 h4 h5 h6 header hr li main ol p pre section summary svg table ul'.split(
    ' ',
  ),
);

export function isBlock(node: Parent['childNodes'][number]): node is Element {
  return isElement(node) && (blockNames.has(node.tagName) || node.childNodes.some(isBlock));
}

/** The blocks inside an element. Text that stands beside blocks becomes a paragraph. */
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

/** A heading without the link to itself. */
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

/** All tabs one after the other, each under its label. */
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

/** The caption first, since in plain text it introduces what follows. */
function figureOf(element: Element, resolve: Resolve): BlockContent[] {
  const caption = element.childNodes.filter(isElement).find(({ tagName }) => tagName === 'figcaption');
  const words = caption === undefined ? [] : inlineOf(caption, resolve);
  const rest = { ...element, childNodes: element.childNodes.filter((child) => child !== caption) };
  const drawing = findElement(element, ({ tagName }) => tagName === 'svg');
  const saysTheSame = drawing !== undefined && caption !== undefined && nameOf(drawing) === textOf(caption).trim();
  return [...(saysTheSame ? [] : paragraph(words)), ...blocksOf(rest, resolve)];
}

/** What a drawing says to people who cannot see it. */
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
  // The theme puts a picture sign before the title.
  const [start] = children;
  if (start?.type === 'text') start.value = start.value.replace(/^\p{Extended_Pictographic}\ufe0f?\s*/u, '');
  return [{ type: 'paragraph', children: [{ type: 'link', url, children }] }, ...rest];
}
