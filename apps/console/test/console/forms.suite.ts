import assert from 'node:assert/strict';
import { test } from 'node:test';
import { volume } from '@latchkey/test-kit';
import type { Locator, Page, Route } from 'playwright-core';
import { screens } from '../../src/app/screens.ts';
import { asOperator, asPerson, type ConsoleWorld, openConsole } from '../harness/console.ts';
import { distinctOpeners, openersIn, pressAtOnce, twoFrames } from '../harness/openers.ts';
import { type PlayedServer, playServer } from '../harness/play-server.ts';

const refusals = [
  [409, 'STATE_CONFLICT'],
  [422, 'VALIDATION_FAILED'],
  [500, 'INTERNAL_ERROR'],
  [401, 'INVALID_CREDENTIAL'],
  [0, 'no connection'],
] as const;

const refused = /The server says no to this one|could not be reached|session has ended/;

/** What people type into: no boxes to tick, no lists to pick from, no searches. */
const fields =
  'input:not([type=checkbox], [type=radio], [type=search], [type=file], [readonly], [disabled], [role=combobox], [aria-haspopup]), textarea:not([readonly], [disabled])';

/** The screens of an ordinary run; the deep one takes all. */
const usual = ['/communities/$communityId/settings', '/developers', '/operator/plans', '/operator/waiting-list'];

/** Forms that were sent and refused: all that was typed must still be there. */
interface Tried {
  sent: string[];
  lost: string[];
}

/** Every form of every screen, whatever the server says to it. */
export function formsSuite(world: () => ConsoleWorld): void {
  const groups = [
    ['people', screens.filter(({ path }) => !path.startsWith('/operator')), () => asPerson(world(), 'DIS#USER#931')],
    ['the operator', screens.filter(({ path }) => path.startsWith('/operator')), async () => asOperator(world())],
  ] as const;
  for (const [who, all, signIn] of groups)
    test(`forms of ${who} keep what was typed when the server refuses, fails or is away`, async (t) => {
      await using opened = await openConsole(world(), { as: await signIn(), path: '/nowhere', expectsRefusals: true });
      const { page } = opened;
      await page.evaluate(countChanges);
      let turn = 0;
      const server = await playServer(page, (route) => refuse(route, turn));
      const tried: Tried = { sent: [], lost: [] };
      for (const { path } of all.filter((screen) => volume(0, 1) === 1 || usual.includes(screen.path))) {
        await server.show(path);
        await tryForms(page, server, path, tried, () => {
          turn += 1;
        });
      }
      t.diagnostic(`${tried.sent.length} forms were sent: ${tried.sent.join(', ')}`);
      assert.deepEqual(tried.lost, []);
      assert.ok(tried.sent.length > 0);
    });
}

async function refuse(route: Route, turn: number): Promise<void> {
  const [status, code] = refusals[turn % refusals.length] ?? refusals[0];
  if (status === 0) return route.abort('connectionrefused');
  const error = { statusCode: status, name: 'Refused', message: 'The server says no to this one.', code };
  return route.fulfill({ status, json: { error } });
}

/** The forms on a screen itself, and those behind its buttons. */
async function tryForms(page: Page, server: PlayedServer, path: string, tried: Tried, next: () => void): Promise<void> {
  const main = page.getByRole('main');
  await tryForm(page, main, path, tried, next);
  const openers = openersIn(main);
  for (const [index, name] of await distinctOpeners(openers, volume(3, 200))) {
    await server.show(path);
    const opener = openers.nth(index);
    if (!(await opener.isVisible())) continue;
    await pressAtOnce(opener);
    await twoFrames(page);
    const dialog = page.getByRole('dialog');
    if ((await dialog.count()) === 1) await tryForm(page, dialog, `${path} → ${name}`, tried, next);
  }
}

async function tryForm(page: Page, scope: Locator, name: string, tried: Tried, next: () => void): Promise<void> {
  const inputs = await scope.locator(`:is(${fields}):visible`).all();
  if (inputs.length === 0) return;
  for (const input of inputs) await input.fill(await valueFor(input));
  const typed = await Promise.all(inputs.map((input) => input.inputValue()));
  const send = scope.locator('button[type=submit]:not([disabled]):visible').first();
  if ((await send.count()) === 0) return;
  next();
  const before = await changesSent(page);
  await pressAtOnce(send);
  await twoFrames(page);
  // A form that lacks something it needs says so itself, and sends nothing.
  if ((await changesSent(page)) === before) return;
  await page.getByText(refused).first().waitFor();
  tried.sent.push(name);
  const kept = await Promise.all(
    inputs.map(async (input) => ((await input.count()) === 1 ? input.inputValue() : 'gone')),
  );
  if (kept.join('\n') !== typed.join('\n')) tried.lost.push(`${name}: ${typed} became ${kept}`);
}

async function valueFor(input: Locator): Promise<string> {
  const [type, mode, length] = await input.evaluate((element) => [
    element.getAttribute('type'),
    element.getAttribute('inputmode'),
    Number(element.getAttribute('maxlength') ?? 100),
  ]);
  if (type === 'email') return 'ann@example.org';
  if (type === 'url') return 'https://app.example/';
  if (type === 'date') return '2026-11-20';
  if (type === 'datetime-local') return '2026-11-20T10:00';
  if (type === 'number' || mode === 'numeric' || mode === 'decimal') return '123456'.slice(0, Number(length));
  return 'typed before'.slice(0, Number(length));
}

/** Notes each request that changes something at the moment when a script makes it. */
function countChanges(): void {
  const real = window.fetch;
  Object.assign(window, { changesSent: 0 });
  window.fetch = (input, init) => {
    const counter = window as unknown as { changesSent: number };
    const method = init?.method ?? (input instanceof Request ? input.method : 'GET');
    if (method !== 'GET') counter.changesSent += 1;
    return real(input, init);
  };
}

function changesSent(page: Page): Promise<number> {
  return page.evaluate(() => (window as unknown as { changesSent: number }).changesSent);
}
