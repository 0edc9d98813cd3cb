import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Edit } from '../edit-text.ts';
import type { Page } from '../page.ts';
import { attributeOf, classesOf, type Element, elementsOf, findElement } from '../tree.ts';
import { readStylesheet, type Stylesheet, stylesFor } from './stylesheet.ts';

export interface PlacedStyles {
  edits: Edit[];
  /** The text of the style element, which the security policy must allow. */
  css: string;
}

/**
 * Writes the rules that a page needs into its head, and the stylesheet itself behind all that it shows: a browser paints
 * the page as soon as it has read it, and waits for nothing else.
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
    // Inside of a style element nothing but its end is special.
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
  if (place == null) throw new Error(`${file} has a stylesheet without a place. Build the site again.`);
  return { start: place.startOffset, end: place.endOffset };
}

function endOfBody({ tree, html }: Page): number {
  const body = findElement(tree, ({ tagName }) => tagName === 'body');
  return body?.sourceCodeLocation?.endTag?.startOffset ?? html.length;
}
