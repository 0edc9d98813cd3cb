import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { ChatMessage } from './chat.ts';

const { resolve } = createRequire(import.meta.resolve('@latchkey/console/package.json'));
const font = readFileSync(resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'), 'base64');

const style = `
  @font-face { font-family: Inter; font-weight: 100 900; src: url(data:font/woff2;base64,${font}); }
  :root { color-scheme: light dark; --page: #fff; --text: #1f2328; --faint: #59636e; --line: #d7dce1; --soft: #eef1f4; --link: #0b57a4; }
  @media (prefers-color-scheme: dark) {
    :root { --page: #1d2026; --text: #e8eaed; --faint: #a8b0ba; --line: #3a4049; --soft: #2b3038; --link: #8ec2ff; }
  }
  body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.45 Inter, sans-serif; }
  h1 { position: absolute; clip-path: inset(50%); }
  main { width: 600px; padding: 4px; }
  article { display: grid; grid-template-columns: 40px minmax(0, 1fr); gap: 14px; }
  .typed { margin: 0 0 10px; color: var(--faint); font-size: 13px; }
  .typed code { padding: 2px 6px; border-radius: 5px; background: var(--soft); font: inherit; }
  .face { width: 40px; height: 40px; border-radius: 10px; background: #175c4c; color: #fff; font: 700 19px/40px Inter; text-align: center; }
  .who { font-weight: 650; }
  .who small { margin-inline-start: 6px; padding: 1px 6px; border-radius: 5px; background: var(--soft); color: var(--faint); font-size: 11px; font-weight: 600; }
  .text { margin: 0; white-space: pre-line; overflow-wrap: anywhere; }
  .text span { color: var(--link); }
  .buttons { display: flex; flex-wrap: wrap; gap: 8px; margin-top: 8px; }
  .buttons b { padding: 7px 15px; border: 1px solid var(--line); border-radius: 8px; background: var(--soft); font-size: 14px; font-weight: 600; }
  .note { margin-top: 6px; color: var(--faint); font-size: 12.5px; }
`;

/** A message of the bot in a plain chat of our own drawing. */
export function messagePage({ command, text, buttons, isPrivate }: ChatMessage): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><style>${style}</style><h1>Chat</h1>
<main>
${command === undefined ? '' : `<p class="typed">You typed <code>${asText(command)}</code></p>`}
<article><div class="face">L</div><div>
<div class="who">Latchkey<small>Bot</small></div>
<p class="text">${asText(text).replace(/https:\/\/\S+/g, '<span>$&</span>')}</p>
${buttons.length === 0 ? '' : `<div class="buttons">${buttons.map((label) => `<b>${asText(label)}</b>`).join('')}</div>`}
${isPrivate ? '<div class="note">Only you can see this message.</div>' : ''}
</div></article>
</main></html>`;
}

function asText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
