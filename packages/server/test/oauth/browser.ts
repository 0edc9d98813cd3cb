import assert from 'node:assert/strict';
import { issueAeToken } from '@latchkey/core';
import type { TestServer } from '../harness/test-server.ts';

export interface Answer {
  status: number;
  headers: Headers;
  location: string;
  text: string;
}

/** The parts of a browser that signing in needs: it keeps cookies by path, and follows redirects. */
export interface Browser {
  get(address: string, headers?: Record<string, string>): Promise<Answer>;
  post(address: string, init: RequestInit): Promise<Answer>;
  cookieValues(): string[];
}

export function openBrowser(server: Pick<TestServer, 'url'>): Browser {
  const jar = new Map<string, { name: string; value: string; path: string }>();

  async function send(address: string, init: RequestInit): Promise<Answer> {
    const url = new URL(address, server.url);
    const cookie = [...jar.values()]
      .filter(({ path }) => url.pathname.startsWith(path))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
    const headers = new Headers(init.headers);
    if (cookie !== '') headers.set('cookie', cookie);
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) keep(line);
    return {
      status: response.status,
      headers: response.headers,
      location: response.headers.get('location') ?? '',
      text: await response.text(),
    };
  }

  function keep(line: string): void {
    const [pair = '', ...attributes] = line.split(/;\s*/);
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? '/';
    const isOver = attributes.some((one) => /^expires=Thu, 01 Jan 1970/i.test(one));
    if (isOver) jar.delete(`${name} ${path}`);
    else jar.set(`${name} ${path}`, { name, value, path });
  }

  return {
    get: (address, headers = {}) => send(address, { headers: { accept: 'text/html', ...headers } }),
    post: (address, init) => send(address, { method: 'POST', ...init }),
    cookieValues: () => [...jar.values()].map(({ value }) => value),
  };
}

export interface Person {
  userId: string;
  platform: string;
  name: string;
}

export const alice: Person = { userId: 'DIS#USER#100', platform: 'discord', name: 'alice' };
export const mallory: Person = { userId: 'DIS#USER#666', platform: 'discord', name: 'mallory' };

/** Returns what a sign-in by wallet or passkey issues. */
export function loginToken(server: TestServer, person: Person, scopes: string[] = ['$all']): Promise<string> {
  return issueAeToken(server.services, { ...person, scopes, credential: 'wallet-session', ttlSeconds: 600 });
}

export interface Decision {
  person?: Person;
  /** What the user grants. Defaults to everything. */
  scopes?: readonly string[];
  remember?: boolean;
  denies?: boolean;
}

/** Returns the data that the server embeds in a page. */
export function pageDataOf(html: string): Record<string, unknown> {
  const json = /<script[^>]*type="application\/json"[^>]*>(.*?)<\/script>/s.exec(html)?.[1];
  assert.ok(json, `The page has no data: ${html.slice(0, 300)}`);
  return JSON.parse(json);
}

/** Answers everything that a user is asked, and returns the URL at which the application is called back. */
export async function authorize(
  server: TestServer,
  browser: Browser,
  address: string,
  { person = alice, scopes, remember = false, denies = false }: Decision = {},
): Promise<URL> {
  const first = await browser.get(address);
  let { location } = first;
  const answered = formAddressOf(first);
  if (answered !== undefined) return answered;
  for (let step = 0; step < 8; step += 1) {
    assert.notEqual(location, '', 'The browser was not sent anywhere.');
    const url = new URL(location, server.url);
    if (url.origin !== server.url) return url;
    const [, page, slug = ''] = /^\/(login|consent)\/([^/]+)$/.exec(url.pathname) ?? [];
    if (page === 'login') {
      const token = await loginToken(server, person);
      ({ location } = await browser.get(`/oauth2/callback/${slug}?aeToken=${token}`));
    } else if (page === 'consent') {
      ({ location } = await decide(server, browser, slug, { scopes, remember, denies }));
    } else {
      const onwards = await browser.get(location);
      const posted = formAddressOf(onwards);
      if (posted !== undefined) return posted;
      ({ location } = onwards);
    }
  }
  throw new Error('The browser goes in circles.');
}

/** Returns where a page submits its form by itself, with the fields as a query; undefined for other responses. */
export function formAddressOf({ status, text }: Answer): URL | undefined {
  if (status !== 200 || !text.includes('"page":"form-post"')) return undefined;
  const { action, fields } = pageDataOf(text) as { action: string; fields: Record<string, string> };
  const address = new URL(action);
  for (const [name, value] of Object.entries(fields)) address.searchParams.set(name, value);
  return address;
}

async function decide(
  server: TestServer,
  browser: Browser,
  slug: string,
  { scopes, remember, denies }: { scopes: readonly string[] | undefined; remember: boolean; denies: boolean },
): Promise<Answer> {
  const page = pageDataOf((await browser.get(`/consent/${slug}`)).text);
  const requested = (page.scopes as { scope: string }[]).map(({ scope }) => scope);
  const token = String(page.token);
  if (!denies) {
    const recorded = await server.request('POST', `/user-authorizations/${slug}`, {
      headers: { authorization: `AE ${token}` },
      json: { scopes: scopes ?? requested, rememberDecisions: remember },
    });
    assert.equal(recorded.status, 200, recorded.text);
  }
  return browser.get(`/oauth2/callback/${slug}?aeToken=${token}&userAuthorization=${denies ? 'denied' : 'granted'}`);
}
