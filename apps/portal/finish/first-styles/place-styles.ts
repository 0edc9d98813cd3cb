import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import postcss, { type AtRule, type ChildNode, type Declaration, type Rule } from 'postcss';
import type { Edit } from '../edit-text.ts';
import type { Page } from '../page.ts';
import { attributeOf, classesOf, type Element, elementsOf, findElement } from '../tree.ts';

export interface PlacedStyles {
  edits: Edit[];
  /** The text of the style element, which the security policy must allow. */
  css: string;
}

/**
 * Writes the rules that a page needs into its head, and the stylesheet itself after the content: a browser paints the page as soon as it
 * has read it, without waiting for anything else.
 */
export class FirstStyles {
  readonly #folder: string;
  readonly #baseUrl: string;
  readonly #sheets = new Map<string, Promise<Stylesheet>>();

  constructor(folder: string, baseUrl: string) {
    this.#folder = folder;
    this.#baseUrl = baseUrl;
  }

  async place(page: Page): Promise<PlacedStyles | undefined> {
    const links = elementsOf(page.head).filter(isStylesheet).toArray();
    if (links.length === 0) return undefined;
    const names = namesIn(page);
    const parts: string[] = [];
    for (const link of links) parts.push(stylesFor(await this.#read(attributeOf(link, 'href') ?? ''), names));
    // Only the end tag is special inside a style element.
    const css = parts.join('').replaceAll('</', '<\\/');
    const places = links.map((link) => placeOf(link, page));
    const [first] = places;
    const tags = places.map(({ start, end }) => page.html.slice(start, end)).join('');
    const styles: Edit = { start: first?.start ?? 0, end: first?.start ?? 0, text: `<style>${css}</style>` };
    const end = endOfBody(page);
    return {
      css,
      edits: [styles, ...places.map((place) => ({ ...place, text: '' })), { start: end, end, text: tags }],
    };
  }

  #read(address: string): Promise<Stylesheet> {
    const read = async () =>
      readStylesheet(await readFile(join(this.#folder, address.slice(this.#baseUrl.length)), 'utf8'));
    const sheet = this.#sheets.get(address) ?? read();
    this.#sheets.set(address, sheet);
    return sheet;
  }
}

function isStylesheet(element: Element): boolean {
  return element.tagName === 'link' && attributeOf(element, 'rel') === 'stylesheet';
}

function namesIn({ tree }: Page): Set<string> {
  const names = new Set<string>();
  for (const element of elementsOf(tree)) {
    names.add(element.tagName);
    for (const name of classesOf(element)) names.add(`.${name}`);
    const id = attributeOf(element, 'id');
    if (id !== undefined) names.add(`#${id}`);
  }
  return names;
}

function placeOf({ sourceCodeLocation: place }: Element, { file }: Page): { start: number; end: number } {
  if (place == null) throw new Error(`${file} has a stylesheet without a placeholder. Rebuild the site.`);
  return { start: place.startOffset, end: place.endOffset };
}

function endOfBody({ tree, html }: Page): number {
  const body = findElement(tree, ({ tagName }) => tagName === 'body');
  return body?.sourceCodeLocation?.endTag?.startOffset ?? html.length;
}

/** A stylesheet from which the part for a page can be selected. It is read once for all pages. */
type Stylesheet = readonly Piece[];

type Piece = RulePiece | GroupPiece | OtherPiece;

interface RulePiece {
  kind: 'rule';
  selectors: readonly { text: string; names: readonly string[] }[];
  declarations: readonly { property: string; text: string }[];
}

/** Rules for some readers, such as those with a wide screen. */
interface GroupPiece {
  kind: 'group';
  prelude: string;
  pieces: readonly Piece[];
}

interface OtherPiece {
  kind: 'other';
  text: string;
}

const groups = new Set(['media', 'supports', 'layer', 'container']);

export function readStylesheet(css: string): Stylesheet {
  return readPieces(postcss.parse(css).nodes);
}

/**
 * Returns the rules that a page with these names (`.class`, `#id`, `tag`) may need before the stylesheet is loaded, in order. Rules that
 * depend on the theme, the screen width or the pointer are always included.
 */
export function stylesFor(sheet: Stylesheet, names: ReadonlySet<string>): string {
  const kept = keepPieces(sheet, names);
  return writePieces(kept, variablesUsedIn(kept));
}

function readPieces(nodes: readonly ChildNode[]): Piece[] {
  return nodes.flatMap((node) => {
    if (node.type === 'rule') return [readRule(node)];
    return node.type === 'atrule' ? readAtRule(node) : [];
  });
}

function readRule(rule: Rule): RulePiece {
  const declarations = rule.nodes.filter((node): node is Declaration => node.type === 'decl');
  return {
    kind: 'rule',
    selectors: rule.selectors.map((text) => ({ text, names: namesOf(text) })),
    declarations: declarations.map((node) => ({ property: node.prop, text: node.toString() })),
  };
}

function readAtRule(node: AtRule): Piece[] {
  // The stylesheet is loaded long before anything is printed, and the file declares its character set itself.
  if (node.name === 'charset' || (node.name === 'media' && node.params === 'print')) return [];
  if (!groups.has(node.name) || node.nodes === undefined) return [{ kind: 'other', text: node.toString() }];
  return [{ kind: 'group', prelude: `@${node.name} ${node.params}`, pieces: readPieces(node.nodes) }];
}

function keepPieces(pieces: readonly Piece[], known: ReadonlySet<string>): Piece[] {
  return pieces.flatMap((piece): Piece[] => {
    if (piece.kind === 'other') return [piece];
    if (piece.kind === 'group') return [{ ...piece, pieces: keepPieces(piece.pieces, known) }];
    const selectors = piece.selectors.filter(({ names }) => names.every((name) => known.has(name)));
    return selectors.length > 0 ? [{ ...piece, selectors }] : [];
  });
}

/** Returns the custom properties in use, directly or through other properties. */
function variablesUsedIn(pieces: readonly Piece[]): Set<string> {
  const made = new Map<string, string[]>();
  const waiting: string[] = [];
  for (const { property, text } of declarationsOf(pieces)) {
    const used = [...text.matchAll(/var\(\s*(--[\w-]+)/g)].map(([, name = '']) => name);
    if (property.startsWith('--')) made.set(property, [...(made.get(property) ?? []), ...used]);
    else waiting.push(...used);
  }
  const found = new Set<string>();
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    waiting.push(...(made.get(name) ?? []));
  }
  return found;
}

function* declarationsOf(pieces: readonly Piece[]): Generator<RulePiece['declarations'][number]> {
  for (const piece of pieces) {
    if (piece.kind === 'rule') yield* piece.declarations;
    else if (piece.kind === 'group') yield* declarationsOf(piece.pieces);
  }
}

function writePieces(pieces: readonly Piece[], variables: ReadonlySet<string>): string {
  return pieces.map((piece) => writePiece(piece, variables)).join('');
}

function writePiece(piece: Piece, variables: ReadonlySet<string>): string {
  if (piece.kind === 'other') return piece.text;
  const inside =
    piece.kind === 'group'
      ? writePieces(piece.pieces, variables)
      : piece.declarations
          .filter(({ property }) => !property.startsWith('--') || variables.has(property))
          .map(({ text }) => text)
          .join(';');
  if (inside === '') return '';
  const before = piece.kind === 'group' ? piece.prelude : piece.selectors.map(({ text }) => text).join(',');
  return `${before}{${inside}}`;
}

const strings = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g;
const attributes = /\[[^\]]*\]/g;
const innermost = /\([^()]*\)/;
const pseudos = /(?<!\\)::?[\w-]+/g;
const simple = /[.#]?(?:\\.|[\w-])+/g;

/**
 * Returns what a page must contain for a selector to match: `.class`, `#id` and `tag`. Optional parts, such as inside `:is()`, set by
 * scripts, or attributes, are not required.
 */
export function namesOf(selector: string): string[] {
  let plain = selector.replaceAll(strings, '').replaceAll(attributes, '');
  while (innermost.test(plain)) plain = plain.replace(innermost, '');
  const names = plain.replaceAll(pseudos, '').match(simple) ?? [];
  return names.map((name) => name.replaceAll('\\', ''));
}
