import assert from 'node:assert/strict';
import { test } from 'node:test';
import { volume } from '@latchkey/test-kit';
import { asOperator, asPerson, type ConsoleWorld, openConsole } from '../harness/console.ts';
import { findViolations, fits, focusFaults, movingParts } from '../harness/look-at.ts';
import { playServer } from '../harness/play-server.ts';
import { someScreens } from '../harness/some-screens.ts';

/** Each width and each theme at least once. */
const looks = (
  [
    [390, 'dark'],
    [1280, 'light'],
    [390, 'light'],
    [1280, 'dark'],
  ] as const
).slice(0, volume(2, 4));

/** What is left of a window of 1280 pixels at a zoom of 200 %, and a large window. */
const widths = [640, 1920];

/** Every screen with something in all of its lists. */
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
        assert.ok(await fits(page), `does not fit into ${width}`);
      }
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        assert.ok(await fits(page), `does not fit into ${width}`);
      }
      assert.deepEqual(await movingParts(page), []);
      assert.deepEqual(await focusFaults(page), []);
      assert.deepEqual(faults, []);
    });
}
