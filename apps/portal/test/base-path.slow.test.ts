import assert from 'node:assert/strict';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openPage } from '@latchkey/console/testing';
import { siteFolder } from '../config/folders.ts';
import { openSite, siteForSuite, withoutBrowser } from './site.ts';

describe('a site under another path than it was built for', { skip: withoutBrowser }, () => {
  const own = siteForSuite();

  test('says that it did not load properly, and for which path it was built', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'latchkey-elsewhere-'));
    await symlink(siteFolder, join(folder, 'elsewhere'));
    const site = await openSite(folder);
    try {
      await using opened = await openPage(own.browser, { expectsRefusals: true });
      const { page } = opened;
      await page.goto(`${site.url}/elsewhere/docs/intro`);
      const banner = page.getByRole('alert');
      await banner.waitFor();
      assert.match(await banner.innerText(), /did not load properly.*it was built for “\/”/);
      assert.equal(await banner.count(), 1);
    } finally {
      await site.close();
      await rm(folder, { recursive: true });
    }
  });
});
