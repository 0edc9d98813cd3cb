export interface Emulator {
  title: string;
  description: string;
  body: string;
}

/** Takes the Markdown version of a page apart: a heading, what it is about as a quotation, its address, the text. */
export function readMarkdown(text: string): Emulator {
  const title = /^# (.+)$/m.exec(text)?.[1] ?? 'Untitled';
  const description = /^> (.+)$/m.exec(text)?.[1] ?? '';
  const address = /^Page: <(.+)>$/m.exec(text)?.[1];
  const start = /^Page: <.+>$/m.exec(text);
  const body = start === null ? text.replace(/^# .+$/m, '') : text.slice(start.index + start[0].length);
  const origin = address === undefined ? undefined : new URL(address).origin;
  return { title, description, body: (origin === undefined ? body : body.replaceAll(`${origin}/`, '/')).trim() };
}
