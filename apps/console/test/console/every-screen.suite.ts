import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import type { Screen } from '../../src/shared/screen.ts';
import type { Watch } from '../harness/browser.ts';
import { asOperator, asPerson, type ConsolePage, type ConsoleWorld, signIn } from '../harness/console.ts';
import { fillPath, makeDeveloper } from '../harness/fill-path.ts';
import { type MembersWorld, setUpMembers } from '../harness/members-world.ts';
import { someScreens } from '../harness/some-screens.ts';

/** What people type into; fields of a part that is folded up are there as well, and not to be seen. */
const typedInto = 'input[type=text], input[type=search], textarea';

const refusals = [
  [403, 'ROLE_NOT_ALLOWED'],
  [409, 'STATE_CONFLICT'],
  [429, 'RATE_LIMITED'],
] as const;

/** What holds for every screen, whatever it shows and whatever the server does. */
export function everyScreenSuite(world: () => ConsoleWorld): void {
  let guild: MembersWorld | undefined;

  interface Opened extends ConsolePage {
    /** Goes to the screen, once the test has said what the server does. */
    show(): Promise<void>;
  }

  /** A community, an application and an organization of one person, so that most screens have something to show. */
  async function settle(): Promise<MembersWorld> {
    const settled = await setUpMembers(world(), 99);
    await using opened = await signIn(world(), { as: await asPerson(world(), settled.adminId) });
    await makeDeveloper({ url: world().server.url, request: opened.page.request });
    return settled;
  }

  /** Signs in as a person who may see a screen; what the community has none of is named by an id that nothing has. */
  async function openFor({ path }: Screen, watch: Watch = {}): Promise<Opened> {
    guild ??= await settle();
    const as = path.startsWith('/operator') ? asOperator(world()) : await asPerson(world(), guild.adminId);
    const opened = await signIn(world(), { as, expectsRefusals: true, ...watch });
    const place = { url: world().server.url, request: opened.page.request };
    const found = await fillPath(place, path, guild.communityId);
    const filled = 'missing' in found ? { path: path.replaceAll(/\$\w+/g, '1') } : found;
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

  for (const screen of someScreens(1, 1))
    test(`says that it loads while the server takes its time, and then shows what came: ${screen.path}`, async () => {
      await using opened = await openFor(screen);
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
    test(`says what the server refuses, and does not wait for ever: ${screen.path}`, async () => {
      await using opened = await openFor(screen);
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
    test(`says that the server is away, and continues by itself when it is back: ${screen.path}`, async () => {
      await using opened = await openFor(screen);
      const { page, show } = opened;
      const calls = await answerCalls(page, (route) => route.abort('connectionrefused'));
      await show();
      await page.locator('main').waitFor();
      if (!(await waitsForAnswers(page, calls))) return;
      const away = page.getByText('The server can’t be reached.');
      await away.waitFor();
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await away.waitFor({ state: 'detached' });
      await page.getByText('No connection').first().waitFor({ state: 'detached' });
      await settled(page);
    });

  for (const screen of someScreens(1, 4))
    test(`keeps what was typed when the session ends: ${screen.path}`, async () => {
      await using opened = await openFor(screen);
      const { page, show } = opened;
      await show();
      await settled(page);
      const field = page.locator('main').locator(typedInto).filter({ visible: true }).first();
      const isTypedInto = (await field.count()) > 0 && (await field.isEditable());
      if (isTypedInto) await field.fill('typed before the end');
      await page.request.delete(`${world().server.url}/latchkey/session`, { headers: { 'x-latchkey-console': '1' } });
      // A page checks who is signed in when the person comes back to it.
      await page.evaluate(() => {
        const now = Date.now();
        Date.now = () => now + 120_000;
        window.dispatchEvent(new Event('visibilitychange'));
      });
      await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
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
