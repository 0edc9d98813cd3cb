import type { Operation } from '@latchkey/kernel';
import { seedNumber, until } from '@latchkey/test-kit';
import type { Page, Route } from 'playwright-core';
import { hostileAnswer, operationAt } from './hostile-answers.ts';
import { inEitherLocale, saysLoading } from './look-at-language.ts';
import { callsOfScreens } from './screen-calls.ts';

/** In the place of the server: each answer is made up from the contract of its operation. */
export interface PlayedServer {
  /** Goes to a screen as a link does, and waits for all that it asks for. */
  show(screen: string): Promise<void>;
  /** Waits until nothing is asked any more and nothing says that it loads. */
  settle(): Promise<void>;
  /** Calls that the code of the screen does not name. */
  unnamed: string[];
  /** How many answers were made up. */
  count(): number;
}

const values: Readonly<Record<string, string>> = { communityId: 'DIS#COMM#1', userId: 'DIS#USER#1' };

/** Answers all that a page of the console asks for but who is signed in. What changes something is left to `change`. */
export async function playServer(
  page: Page,
  change: (route: Route) => Promise<void>,
  makeUp: (operation: Operation, turn: number) => unknown = hostileAnswer,
): Promise<PlayedServer> {
  let [shown, before, open, made] = ['', '', 0, 0];
  const unnamed: string[] = [];
  const answer = async (route: Route) => {
    // Links out of the console are not followed.
    if (route.request().isNavigationRequest()) return route.abort('aborted');
    const [method, { pathname, search }] = [route.request().method(), new URL(route.request().url())];
    const operation = operationAt(method, pathname);
    // What the screen before has asked for may be heard of late.
    const isNamed = [shown, before, ''].some((screen) => callsOfScreens.get(screen)?.has(operation?.route ?? ''));
    if (!isNamed) unnamed.push(`${shown} calls ${method} ${pathname}`);
    // A live line stays open and says nothing.
    if (operation === undefined || pathname.endsWith('/live')) return;
    if (method !== 'GET') return change(route);
    made += 1;
    // The same question has the same answer, in whatever order a page asks.
    await route.fulfill({ json: makeUp(operation, seedNumber(`${pathname}${search}`) % 1000) });
  };
  await page.route(
    ({ pathname }) => !pathname.startsWith('/console') && pathname !== '/latchkey/session',
    async (route) => {
      open += 1;
      await answer(route).finally(() => {
        open -= 1;
      });
    },
  );
  const settle = async () => {
    await until('nothing is asked any more', () => open === 0);
    await page.getByText(saysLoading).first().waitFor({ state: 'hidden' });
  };
  const goTo = (path: string) => page.evaluate((to) => history.pushState({}, '', to), `/console${path}`);
  const nowhere = page.getByRole('heading', { level: 1, name: inEitherLocale('Page not found') });
  return {
    show: async (screen) => {
      // By way of a page that asks for nothing, so that no answer is taken for one of the next screen.
      await goTo('/nowhere');
      await nowhere.waitFor();
      await settle();
      [before, shown] = [shown, screen];
      await goTo(screen.replaceAll(/\$(\w+)/g, (_, name) => encodeURIComponent(values[name] ?? '1')));
      await nowhere.waitFor({ state: 'detached' });
      await page.locator('h1').or(page.getByRole('alert')).first().waitFor();
      await settle();
    },
    settle,
    unnamed,
    count: () => made,
  };
}
