import { createHash } from 'node:crypto';
import { type Edit, escapeAttribute } from './edit-text.ts';
import { attributeOf, type Element, elementsOf, type Parent, textOf } from './tree.ts';

/** Readers send requests from the API reference to their own server, on their machine or anywhere over HTTPS. */
const connections = "'self' https: http://localhost:* http://127.0.0.1:*";
/** Script types that browsers run. Others contain data, which no policy applies to. */
const scriptTypes = new Set(['', 'module', 'text/javascript', 'importmap', 'speculationrules']);

/** Returns the policy of a file: only the site's own files, and the inline scripts and styles that were there at build time. */
export function policyFor(document: Parent, css?: string): string {
  const inline = elementsOf(document)
    .filter((element) => element.tagName === 'script' && attributeOf(element, 'src') === undefined)
    .filter((script) => scriptTypes.has((attributeOf(script, 'type') ?? '').toLowerCase()))
    .map((script) => sourceOf(textOf(script)));
  return [
    "default-src 'none'",
    ["script-src 'self'", ...new Set(inline)].join(' '),
    ["style-src 'self'", ...(css === undefined ? [] : [sourceOf(css)])].join(' '),
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src ${connections}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "object-src 'none'",
  ].join('; ');
}

/** Returns the hash source of an inline text. */
function sourceOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

export function policyTag(policy: string): string {
  return `<meta http-equiv="Content-Security-Policy" content="${escapeAttribute(policy)}">`;
}

export interface StyleRemoval {
  edits: Edit[];
  /** Elements whose style the policy would ignore, as they are in the file. */
  left: string[];
}

/** Replaces the theme's style for hidden drawings with an attribute. Other styles are kept and reported. */
export function removeStyles(document: Parent, html: string): StyleRemoval {
  const edits: Edit[] = [];
  const left: string[] = [];
  for (const element of elementsOf(document)) {
    const place = element.sourceCodeLocation?.attrs?.style;
    if (place === undefined) continue;
    const { startOffset: start, endOffset: end } = place;
    if (isHiddenSprite(element)) edits.push({ start, end, text: 'display="none"' });
    else left.push(tagOf(element, html));
  }
  return { edits, left };
}

function isHiddenSprite(element: Element): boolean {
  const isHidden = /^display:\s*none;?$/.test(attributeOf(element, 'style') ?? '');
  return element.tagName === 'svg' && element.attrs.length === 1 && isHidden;
}

function tagOf({ tagName, sourceCodeLocation: place }: Element, html: string): string {
  return place?.startTag === undefined
    ? `<${tagName}>`
    : html.slice(place.startTag.startOffset, place.startTag.endOffset);
}
