/** One step through an HTML document: a tag that opens, a tag that closes, or text between tags. */
export type HtmlPiece =
  | { kind: 'open'; name: string; attributes: ReadonlyMap<string, string> }
  | { kind: 'close'; name: string }
  | { kind: 'text'; text: string };

const piece = /<!--[\s\S]*?-->|<!doctype[^>]*>|<(\/?)([a-z][^\s/>]*)((?:"[^"]*"|'[^']*'|[^"'>])*)>|([^<]+|<)/gi;
const attribute = /([^\s=/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+)))?/g;
const rawText = new Set(['script', 'style']);

/**
 * Reads HTML as the site's own build writes it, in order: minified, with optional closing tags and quotes left out.
 * What scripts and styles contain is passed over.
 */
export function* readHtml(html: string): Generator<HtmlPiece> {
  piece.lastIndex = 0;
  let position = 0;
  while (position < html.length) {
    piece.lastIndex = position;
    const match = piece.exec(html);
    if (match === null) return;
    position = piece.lastIndex;
    const [, slash, rawName, rawAttributes = '', text] = match;
    if (text !== undefined) yield { kind: 'text', text: decode(text) };
    if (rawName === undefined) continue;
    const name = rawName.toLowerCase();
    if (slash === '/') yield { kind: 'close', name };
    else yield { kind: 'open', name, attributes: readAttributes(rawAttributes) };
    if (slash !== '/' && rawText.has(name)) position = endOfRawText(html, name, position);
  }
}

function endOfRawText(html: string, name: string, from: number): number {
  const end = html.indexOf(`</${name}`, from);
  return end < 0 ? html.length : end;
}

function readAttributes(text: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name, double, single, bare] of text.matchAll(attribute))
    if (name !== undefined) attributes.set(name.toLowerCase(), decode(double ?? single ?? bare ?? ''));
  return attributes;
}

const named: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ZeroWidthSpace: '',
};

function decode(text: string): string {
  return text
    .replace(/&(?:#x([\da-f]+)|#(\d+)|([a-z]+));/gi, (whole, hex, decimal, name) => {
      if (name !== undefined) return named[name] ?? whole;
      return String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
    })
    .replace(/[\u200b\ufeff]/g, '');
}
