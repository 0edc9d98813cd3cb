import type { BlockContent, List, ListItem, PhrasingContent } from 'mdast';
import { attributeOf, type Element, elementsOf, isElement, type Parent } from '../tree.ts';
import { blocksOf, isBlock, paragraph } from './blocks.ts';
import { inlineNode, inlineOf, isPassedOver, type Resolve, tidyLine } from './inline.ts';

export function listOf(element: Element, resolve: Resolve): BlockContent[] {
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

/** Terms and what they mean, as a list of lines `**term**: meaning`. */
export function definitionsOf(element: Element, resolve: Resolve): BlockContent[] {
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

/** A table with a head stays one. One without is a list of its rows, nested as deep as the rows say they are. */
export function tableOf(element: Element, resolve: Resolve): BlockContent[] {
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

/** A cell holds one line: blocks in it follow each other. */
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
