import assert from 'node:assert/strict';
import { test } from 'node:test';
import { volume } from '@latchkey/test-kit';
import type { Page } from 'playwright-core';
import { asOperator, asPerson, type ConsoleWorld, openConsole } from '../harness/console.ts';
import { findCutOff, findViolations, fits, focusFaults, movingParts } from '../harness/look-at.ts';
import { findOverflow } from '../harness/look-at-language.ts';
import { playServer } from '../harness/play-server.ts';
import { someScreens } from '../harness/some-screens.ts';

/** Each width and each theme at least once. */
const looks = (
  [
    [390, 'dark'],
    [1440, 'light'],
    [390, 'light'],
    [1440, 'dark'],
  ] as const
).slice(0, volume(2, 4));

/** What is left of a window of 1280 by 800 pixels at a zoom of 200 %. */
const zoomed = { width: 640, height: 400 };

/** Every screen with something in all of its lists. An ordinary run looks at a few, and consecutive turns at all. */
export function looksSuite(world: () => ConsoleWorld): void {
  for (const { path } of someScreens(3, 0))
    test(`is accessible, at any width, in light and dark, and by keyboard: ${path}`, async () => {
      await using opened = await openConsole(world(), {
        as: path.startsWith('/operator') ? asOperator(world()) : await asPerson(world(), 'DIS#USER#932'),
        path: '/nowhere',
        expectsRefusals: true,
        bypassCSP: true,
      });
      const { page, faults } = opened;
      const server = await playServer(page, (route) => route.abort());
      await server.show(path);
      for (const [width, colorScheme] of looks) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        assert.deepEqual(await findViolations(page), [], `${colorScheme}, ${width} wide`);
        await assertReadable(page);
      }
      for (const size of [{ width: 1920, height: 1080 }, zoomed]) {
        await page.setViewportSize(size);
        await assertReadable(page);
      }
      assert.deepEqual(await movingParts(page), []);
      assert.deepEqual(await focusFaults(page), [], 'at a zoom of 200 %');
      assert.deepEqual(faults, []);
    });
}

async function assertReadable(page: Page): Promise<void> {
  const { width = 0 } = page.viewportSize() ?? {};
  assert.ok(await fits(page), `does not fit into ${width}`);
  assert.deepEqual([...(await findOverflow(page)), ...(await findCutOff(page))], [], `${width} wide`);
}
