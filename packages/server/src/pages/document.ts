import type { PageData } from '@latchkey/kernel';

/** The addresses of what a page is made of. */
export interface BuiltPage {
  script: string;
  /** What the script imports, so that browsers fetch it at once. */
  preloads: readonly string[];
  styles: readonly string[];
  /** What the page is set in, asked for at once so that it is there for the first paint. */
  fonts: readonly string[];
  icon: string;
}

/** Writes the HTML of a page. All that people or applications have named goes through one of the two escapes below. */
export function writeDocument(data: PageData, { script, preloads, styles, fonts, icon }: BuiltPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${escapeHtml(titleOf(data))}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex, nofollow">
<link rel="icon" type="image/svg+xml" href="${icon}">
${fonts.map((font) => `<link rel="preload" as="font" type="font/woff2" href="${font}" crossorigin>`).join('\n')}
${styles.map((style) => `<link rel="stylesheet" href="${style}">`).join('\n')}
${preloads.map((file) => `<link rel="modulepreload" href="${file}">`).join('\n')}
<script type="application/json" id="page-data">${escapeJson(data)}</script>
<script type="module" src="${script}"></script>
</head>
<body>
<div id="root"></div>
<noscript><main><h1>${escapeHtml(titleOf(data))}</h1><p>${escapeHtml(plainText(data))}</p></main></noscript>
</body>
</html>
`;
}

function titleOf(data: PageData): string {
  switch (data.page) {
    case 'connect':
      return 'Your wallets';
    case 'hand-over':
      return data.purpose === 'link' ? 'Link a wallet' : `Sign in to ${data.server}`;
    case 'console':
      return data.server;
    case 'enter':
      return `Sign in to ${data.server}`;
    case 'x-return':
      return 'Back from X';
    case 'logout':
      return 'Log out?';
    case 'login':
      return `Log in to ${data.client.name}`;
    case 'consent':
      return `Allow ${data.client.name}?`;
    case 'notice':
      return data.title;
  }
}

function plainText(data: PageData): string {
  return data.page === 'notice' ? data.text : 'This page needs JavaScript to talk to your wallet or passkey.';
}

// With no < there is neither an end tag nor a comment in it that a browser would look for inside a script.
function escapeJson(data: PageData): string {
  return JSON.stringify(data).replaceAll('<', '\\u003c');
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? '');
}
