import { omitted } from './raw-http.ts';
import type { WireRequest } from './write-request.ts';

const shownHeaderLength = 60;
const shownBodyLength = 300;

/** Returns a command line that sends the request again; long tokens and bodies are truncated, and marked. */
export function writeCurl(url: string, { method, target, headers, body }: WireRequest): string {
  const isPlainGet = method === 'GET' && body === undefined;
  const parts = ['curl', '-i', '--path-as-is', ...(isPlainGet ? [] : ['-X', quote(method)])];
  for (const [name, value] of headers) {
    const shown = value === omitted ? `${name}:` : `${name}: ${cut(value, shownHeaderLength)}`;
    parts.push('-H', quote(shown));
  }
  if (body !== undefined)
    parts.push('--data-binary', quote(cut(Buffer.from(body).toString('latin1'), shownBodyLength)));
  return [...parts, quote(url + shorten(target))].join(' ');
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${shorten(text).slice(0, length)}…`;
}

/** Replaces a run of one character with that character and a count. */
function shorten(text: string): string {
  return text.replace(/(.)\1{50,}/g, (run: string, character: string) => `${character}{${run.length} times}`);
}

function quote(text: string): string {
  if (/^[\w:/.?=&%@,+-]+$/.test(text)) return text;
  const escaped = text.replace(/[\\']/g, '\\$&').replace(/[^ -~…]/g, hexOf);
  return escaped === text ? `'${text}'` : `$'${escaped}'`;
}

function hexOf(character: string): string {
  const code = character.charCodeAt(0);
  return code > 0xff ? `\\u${code.toString(16).padStart(4, '0')}` : `\\x${code.toString(16).padStart(2, '0')}`;
}
