import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type TestContext, test } from 'node:test';
import { volume } from '@latchkey/test-kit';
import type { Page, Route } from 'playwright-core';
import { screens } from '../../src/app/screens.ts';
import type { Screen } from '../../src/shared/screen.ts';
import type { Watch } from '../harness/browser.ts';
import { asOperator, asPerson, type ConsolePage, type ConsoleWorld, openConsole } from '../harness/console.ts';
import { fillPath, makeDeveloper } from '../harness/fill-path.ts';
import { type MembersWorld, settleMembers } from '../harness/members-world.ts';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Each width and each theme at least once. */
const looks = (
  [
    [390, 'dark'],
    [1280, 'light'],
    [390, 'light'],
    [1280, 'dark'],
  ] as const
).slice(0, volume(2, 4));

const refusals = [
  [403, 'ROLE_NOT_ALLOWED'],
  [409, 'STATE_CONFLICT'],
  [429, 'RATE_LIMITED'],
] as const;

/** A few screens from all over the list, others with each `turn`; all of them in the deep run. */
function someScreens(usual: number, turn: number): Screen[] {
  const count = Math.min(volume(usual, screens.length), screens.length);
  const step = screens.length / Math.max(1, count);
  return Array.from({ length: count }, (_, n) => screens[(Math.floor(n * step) + turn) % screens.length]).filter(
    (screen) => screen !== undefined,
  );
}

/** What holds for every screen, whatever it shows and whatever the server does. */
export function everyScreenSuite(world: () => ConsoleWorld): void {
  let guild: MembersWorld | undefined;

  interface Opened extends ConsolePage {
    /** Goes to the screen, once the test has said what the server does. */
    show(): Promise<void>;
  }

  /** A community, an application and an organization of one person, so that most screens have something to show. */
  async function settle(): Promise<MembersWorld> {
    const settled = await settleMembers(world(), 99);
    await using opened = await openConsole(world(), { as: await asPerson(world(), settled.adminId), path: '/nowhere' });
    await makeDeveloper({ url: world().server.url, request: opened.page.request });
    return settled;
  }

  /** Signs in as somebody who may see a screen. Passes the test over where nothing is there that its address could name. */
  async function openFor(t: TestContext, { path }: Screen, watch: Watch = {}): Promise<Opened | undefined> {
    guild ??= await settle();
    const as = path.startsWith('/operator') ? asOperator(world()) : await asPerson(world(), guild.adminId);
    const opened = await openConsole(world(), { as, path: '/nowhere', expectsRefusals: true, ...watch });
    const place = { url: world().server.url, request: opened.page.request };
    const filled = await fillPath(place, path, guild.communityId);
    if ('missing' in filled) {
      t.diagnostic(`${path}: nothing is known for ${filled.missing}`);
      await opened[Symbol.asyncDispose]();
      return undefined;
    }
    const show = async () => {
      await opened.page.goto(`${world().server.url}/console${filled.path}`, { waitUntil: 'domcontentloaded' });
    };
    return { ...opened, show };
  }

  /** Answers the calls of a page in another way, but for who is signed in; tells how many there were. */
  async function answerCalls(page: Page, answer: (route: Route) => Promise<void>): Promise<() => number> {
    let calls = 0;
    await page.route(isCall, async (route) => {
      calls += 1;
      await answer(route);
    });
    return () => calls;
  }

  for (const screen of someScreens(3, 0))
    test(`can be used by everybody, on a phone and on a desk, in light and dark: ${screen.path}`, async (t) => {
      // The checker runs in the page, whose policy lets nothing in that was not served with it.
      const opened = await openFor(t, screen, { bypassCSP: true });
      if (opened === undefined) return;
      await using _closes = opened;
      const { page, faults, show } = opened;
      await show();
      await settled(page);
      await page.evaluate(axeSource);
      for (const [width, colorScheme] of looks) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        assert.deepEqual(await findViolations(page), [], `${colorScheme}, ${width} wide`);
        assert.ok(await fits(page), `does not fit into ${width}`);
      }
      assert.deepEqual(faults, []);
    });

  for (const screen of someScreens(1, 1))
    test(`says that it loads while the server takes its time, and then shows what came: ${screen.path}`, async (t) => {
      const opened = await openFor(t, screen);
      if (opened === undefined) return;
      await using _closes = opened;
      const { page, faults, show } = opened;
      const held: Route[] = [];
      let isHeld = true;
      const calls = await answerCalls(page, async (route) => {
        if (isHeld) held.push(route);
        else await route.continue();
      });
      await show();
      await page.locator('main').waitFor();
      await waitsForAnswers(page, calls);
      isHeld = false;
      for (const route of held) await route.continue();
      await settled(page);
      assert.deepEqual(faults, []);
    });

  for (const [index, screen] of someScreens(1, 2).entries())
    test(`says what the server refuses, and does not wait for ever: ${screen.path}`, async (t) => {
      const opened = await openFor(t, screen);
      if (opened === undefined) return;
      await using _closes = opened;
      const { page, faults, show } = opened;
      const [status, code] = refusals[index % refusals.length] ?? refusals[0];
      const message = 'The server says no to this one.';
      const body = JSON.stringify({ error: { statusCode: status, name: 'Refused', message, code } });
      const calls = await answerCalls(page, (route) =>
        route.fulfill({ status, contentType: 'application/json', headers: { 'retry-after': '1' }, body }),
      );
      await show();
      await page.locator('main').waitFor();
      if (await waitsForAnswers(page, calls)) await page.getByText(message).first().waitFor();
      await settled(page);
      assert.deepEqual(faults, []);
    });

  for (const screen of someScreens(1, 3))
    test(`says that the server is away, and goes on when it is back: ${screen.path}`, async (t) => {
      const opened = await openFor(t, screen);
      if (opened === undefined) return;
      await using _closes = opened;
      const { page, show } = opened;
      const calls = await answerCalls(page, (route) => route.abort('connectionrefused'));
      await show();
      await page.locator('main').waitFor();
      if (!(await waitsForAnswers(page, calls))) return;
      await page.getByText('No connection').first().waitFor();
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      const again = page.getByRole('button', { name: 'Try again' });
      if ((await again.count()) > 0) await again.first().click();
      await settled(page);
    });

  for (const screen of someScreens(1, 4))
    test(`keeps what was typed when the session ends: ${screen.path}`, async (t) => {
      const opened = await openFor(t, screen);
      if (opened === undefined) return;
      await using _closes = opened;
      const { page, show } = opened;
      await show();
      await settled(page);
      const field = page.locator('main').locator('input[type=text], input[type=search], textarea').first();
      const isTypedInto = (await field.count()) > 0 && (await field.isEditable());
      if (isTypedInto) await field.fill('typed before the end');
      await page.request.delete(`${world().server.url}/latchkey/session`, { headers: { 'x-latchkey-console': '1' } });
      // A page asks who is signed in when somebody comes back to it.
      await page.evaluate(() => {
        const now = Date.now();
        Date.now = () => now + 120_000;
        window.dispatchEvent(new Event('visibilitychange'));
      });
      await page.getByRole('dialog', { name: 'Your session is over' }).waitFor();
      if (isTypedInto) assert.equal(await field.inputValue(), 'typed before the end');
    });
}

function isCall({ pathname }: URL): boolean {
  return !pathname.startsWith('/console') && !pathname.endsWith('/live') && pathname !== '/latchkey/session';
}

const loading = /^Loading .* …$/;

/** Nothing says that it loads any more, and the screen has its title. */
async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor();
  await page.getByText(loading).first().waitFor({ state: 'hidden' });
}

/** Whether a screen asks the server for anything: it shows its title either way, or says that it loads. */
async function waitsForAnswers(page: Page, calls: () => number): Promise<boolean> {
  await page.locator('h1').first().or(page.getByText(loading).first()).first().waitFor();
  return calls() > 0;
}

function fits(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);
}

/** Colours that are still changing have no contrast to speak of. What moves for ever says that it loads. */
async function standsStill(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const ending = document
      .getAnimations()
      .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime));
    await Promise.allSettled(ending.map(({ finished }) => finished));
  });
}

async function findViolations(page: Page): Promise<string[]> {
  await standsStill(page);
  const { violations } = await page.evaluate(() => {
    const { axe } = window as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    return axe.run();
  });
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
