import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { withoutBrowser } from '@latchkey/console/testing';
import { servePortal } from '@latchkey/server/portal';
import { WorthlessBaseline } from '../baseline.ts';
import { allowScripts } from './allow-scripts.ts';
import { expectSight, lookAt } from './expect-page.ts';

const text = 'Latchkey gives roles by what wallets own. '.repeat(20);
const page = `<!doctype html><html><head><meta charset="utf-8"><title>Page</title><style>p { color: red }</style></head>
<body><p>${text}</p><script src="/page.js"></script></body></html>`;

test('a site whose scripts a security policy blocks is refused as a baseline, and accepted once they are allowed', {
  skip: withoutBrowser,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-'));
  try {
    mkdirSync(join(folder, 'docs'));
    writeFileSync(join(folder, 'docs/index.html'), page);
    writeFileSync(join(folder, 'page.js'), 'document.documentElement.dataset.hasHydrated = "true";');
    const sight = async () => {
      const site = await servePortal({ folder, host: '127.0.0.1', port: 0 });
      try {
        return await lookAt(`${site.url}/docs`);
      } finally {
        await site.close();
      }
    };
    const blocked = await sight();
    allowScripts(folder);
    const allowed = await sight();
    assert.throws(() => expectSight('The stock page', blocked, allowed), WorthlessBaseline);
    expectSight('The stock page', allowed, allowed);
    assert.throws(() => expectSight('The stock page', { ...allowed, words: 20 }, allowed), /shows 20 words/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
