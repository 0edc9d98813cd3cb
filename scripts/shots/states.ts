import { join } from 'node:path';
import { startPageServer } from '@latchkey/console/testing/page-server';
import { samplePages } from '@latchkey/console/testing/sample-pages';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { communityId, type SampleServer, settings } from './sample-server.ts';
import { settled } from './settled.ts';

/** A picture that is no screen of the lists as it usually looks: how to get there, in a page of its own. */
interface State {
  name: string;
  path: string;
  /** What the page needs before it opens. */
  before?(page: Page, sample: SampleServer): Promise<void>;
  /** Leads to the state once the page is open. */
  lead?(page: Page, sample: SampleServer): Promise<void>;
  as?: 'operator';
}

const community = encodeURIComponent(communityId);
const inCommunity = (path: string) => `/communities/${community}${path}`;
const roleChanges = inCommunity('/role-changes');

/** What people are called whose names are hard to lay out. */
const hardNames: Readonly<Record<string, string>> = {
  'member-01': `${'Longest name of all, '.repeat(5).slice(0, 99)}!`,
  'member-02': 'مجتمع القطط السعيدة في المدينة القديمة',
  'member-03': '👩‍👩‍👧‍👦🏴‍☠️'.repeat(12),
  'member-04': '</a><b>bold</b><!-- <script>ran(1)</script>',
  'member-05': 'w'.repeat(100),
  Collector: `${'A role with a long name '.repeat(4)}!`,
};

/** Changes what the server answers to reads, but for live streams. */
async function rewriteReads(page: Page, change: (text: string, path: string) => string): Promise<void> {
  const isRead = ({ pathname }: URL) => !pathname.startsWith('/console') && !pathname.endsWith('/live');
  await page.route(isRead, async (route: Route) => {
    if (route.request().method() !== 'GET') return route.continue();
    const response = await route.fetch();
    const { pathname } = new URL(route.request().url());
    return route.fulfill({ response, body: change(await response.text(), pathname) });
  });
}

const withHardNames = (page: Page) =>
  rewriteReads(page, (text) =>
    Object.entries(hardNames).reduce(
      (changed, [name, hard]) => changed.replaceAll(name, JSON.stringify(hard).slice(1, -1)),
      text,
    ),
  );

const withEmptyLists = (page: Page) =>
  rewriteReads(page, (text, path) => {
    if (/\/(session|communities\/[^/]+)$/.test(path)) return text;
    return text.startsWith('[') ? '[]' : text.replace(/^\{"items":\[.*\]/s, '{"items":[]');
  });

const toFirstChangeSet = async (page: Page) => {
  await page
    .getByRole('main')
    .getByRole('link', { name: /to remove/ })
    .first()
    .click();
  await page.getByRole('heading', { name: 'By role' }).waitFor();
};

const states: readonly State[] = [
  {
    name: 'state-offline',
    path: '/developers',
    lead: async (page) => {
      await page.getByRole('button', { name: 'New application' }).click();
      await page.getByLabel('Name').fill('Typed offline');
      await page.context().setOffline(true);
      await page.getByRole('button', { name: 'Create application' }).click();
      await page.getByText('You are offline.', { exact: true }).waitFor();
    },
  },
  {
    name: 'state-server-away',
    path: '/',
    lead: async (page, { url }) => {
      await page.route(
        ({ origin }) => origin === new URL(url).origin,
        (route) => route.abort('connectionrefused'),
      );
      await page.getByRole('link', { name: 'My account' }).first().click();
      await page.getByText('The server can’t be reached.', { exact: true }).waitFor();
      await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor();
    },
  },
  {
    name: 'state-newer-version',
    path: '/me',
    lead: async (page) => {
      await page.route('**/latchkey/**', async (route) => {
        if (route.request().url().includes('/live')) return route.continue();
        const response = await route.fetch();
        return route.fulfill({ response, headers: { ...response.headers(), 'x-latchkey-build': 'newer' } });
      });
      await page.getByRole('link', { name: 'My roles' }).first().click();
      await page.getByText('A newer version of the console is available.').waitFor();
    },
  },
  {
    name: 'state-session-ended',
    path: '/developers',
    lead: async (page) => {
      await page.getByRole('button', { name: 'New application' }).click();
      await page.getByLabel('Name').fill('Typed before the end');
      await page.context().clearCookies();
      await page.getByRole('button', { name: 'Create application' }).click();
      await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    },
  },
  {
    name: 'state-refused',
    path: '/operator/keys',
  },
  { name: 'state-not-found', path: '/nowhere' },
  { name: 'state-no-community', path: '/communities/DIS%23COMM%231' },
  { name: 'empty-home', path: '/', before: withEmptyLists },
  { name: 'empty-overview', path: inCommunity(''), before: withEmptyLists },
  { name: 'empty-rules', path: inCommunity('/rules'), before: withEmptyLists },
  { name: 'empty-members', path: inCommunity('/members'), before: withEmptyLists },
  { name: 'empty-role-changes', path: roleChanges, before: withEmptyLists },
  { name: 'empty-passes', path: inCommunity('/passes'), before: withEmptyLists },
  { name: 'empty-developers', path: '/developers', before: withEmptyLists },
  { name: 'hard-names-members', path: inCommunity('/members'), before: withHardNames },
  {
    name: 'hard-names-member',
    path: inCommunity('/members/DIS%23USER%23200000000000000001'),
    before: withHardNames,
  },
  { name: 'hard-names-overview', path: inCommunity(''), before: withHardNames },
  { name: 'hard-names-rules', path: inCommunity('/rules'), before: withHardNames },
  { name: 'hard-names-role-changes', path: roleChanges, before: withHardNames },
  { name: 'hard-names-change-set', path: roleChanges, before: withHardNames, lead: toFirstChangeSet },
  {
    name: 'change-set-approve',
    path: roleChanges,
    lead: async (page) => {
      await toFirstChangeSet(page);
      await page.getByRole('button', { name: /^Approve/ }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'change-set-focus',
    path: roleChanges,
    lead: async (page) => {
      await toFirstChangeSet(page);
      // After a key, the focus is shown.
      await page.keyboard.press('Tab');
      await page.getByRole('link', { name: 'member-03' }).focus();
    },
  },
  { name: 'change-sets-all', path: `${roleChanges}?show=all` },
  {
    name: 'change-set-done-undo',
    path: roleChanges,
    lead: async (page) => {
      await page.getByText('All', { exact: true }).click();
      await page.getByRole('main').getByRole('link', { name: /given/ }).first().click();
      await page.getByRole('button', { name: /^Undo/ }).first().click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'rule-undecidable',
    path: inCommunity('/rules'),
    before: (page) =>
      rewriteReads(page, (text, path) => {
        if (!path.endsWith('/rules')) return text;
        const list = JSON.parse(text);
        const [first, second] = list.items;
        if (first !== undefined)
          first.health = {
            ...first.health,
            state: 'undecidable',
            problems: [
              {
                code: 'chain-not-read',
                message: 'No node is configured for Polygon.',
                action: 'The operator can add one in LATCHKEY_EVM_RPC_URLS.',
              },
            ],
          };
        if (second !== undefined) second.health = { ...second.health, state: 'degraded', unknownMembers: 12 };
        return JSON.stringify(list);
      }),
  },
];

/** Shown by the page server, in other languages as well. */
const ways = [
  ['connect', 'ar'],
  ['join', 'ar'],
  ['consent', 'ar'],
  ['login', 'ja'],
  ['connect', 'de'],
] as const;

type Shoot = (
  context: BrowserContext,
  address: string,
  file: string,
  then?: (page: Page) => Promise<void>,
) => Promise<void>;

/** Takes what no list of screens has: states of the connection, empty lists, hard names, dialogs and other languages. */
export async function shootStates(sample: SampleServer, folder: string, only: RegExp, shoot: Shoot): Promise<void> {
  for (const { name, path, before, lead } of states.filter(({ name }) => only.test(name))) {
    const context = await sample.browser.newContext({ ...settings, storageState: await sample.owner.storageState() });
    const opened = context.newPage.bind(context);
    context.newPage = async () => {
      const page = await opened();
      await before?.(page, sample);
      return page;
    };
    await shoot(context, `${sample.url}/console${path}`, join(folder, name), async (page) => lead?.(page, sample));
    await context.close();
  }
  await using pages = await startPageServer();
  for (const [name, locale] of ways.filter(([name, locale]) => only.test(`language-${name}-${locale}`))) {
    const context = await sample.browser.newContext({ ...settings, locale });
    await shoot(context, pages.show(samplePages[name]), join(folder, `language-${name}-${locale}`), settled);
    await context.close();
  }
}
