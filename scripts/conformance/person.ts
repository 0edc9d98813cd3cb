import { setTimeout as sleep } from 'node:timers/promises';
import { PlainBrowser, pageData, type Shown } from '@latchkey/server/testing/plain-browser';
import { privateKeyToAccount } from 'viem/accounts';

export interface Visit {
  /** Stops before the browser visits a URL with this prefix. */
  until?: string;
  decision?: 'granted' | 'denied';
  /** Signs in with an account of this platform instead of the wallet. */
  way?: 'discord' | 'telegram' | 'reddit';
}

const mostSteps = 20;
/** The identity that the user chooses on an emulator's page. */
const memberName = 'member-01';
const botPatienceMs = 15_000;

/** A user with a browser and a wallet that really signs, who approves or denies requests. */
export class Person {
  readonly browser = new PlainBrowser();
  readonly #server: string;
  readonly #wallet: ReturnType<typeof privateKeyToAccount>;
  /** How often they signed in with the wallet, and how often they were asked for consent. */
  readonly requests = { logins: 0, consents: 0 };

  constructor(server: string, privateKey: `0x${string}`) {
    this.#server = server;
    this.#wallet = privateKeyToAccount(privateKey);
  }

  /** Their user id once they have signed in. */
  get userId(): string {
    return `ETH#USER#${this.#wallet.address}`;
  }

  /** Follows redirects, signs in and decides on the way, and returns what the user sees in the end. */
  async go(url: string, visit: Visit = {}): Promise<Shown> {
    const { until } = visit;
    let shown = await this.browser.get(url);
    for (let step = 0; step < mostSteps; step++) {
      if (shown.location !== '' && until !== undefined && shown.location.startsWith(until)) return shown;
      const next = shown.location === '' ? await this.#answer(shown, visit) : await this.browser.get(shown.location);
      if (next === undefined) return shown;
      shown = next;
    }
    throw new Error(`The browser was sent around ${mostSteps} times, last to ${new URL(shown.url).pathname}.`);
  }

  /** Signs in with the wallet and returns the proof. */
  async logIn(): Promise<string> {
    const accountId = `evm:1:${this.#wallet.address}`;
    const { requestId, message } = await this.#post('/ethereum-login/challenges', { accountId });
    const signature = await this.#wallet.signMessage({ message: String(message) });
    const { idToken } = await this.#post('/ethereum-login/id-tokens', { requestId, signature, accountId });
    return String(idToken);
  }

  /** Responds to the server's pages; undefined for a page that asks nothing. */
  async #answer(shown: Shown, { decision = 'granted', way }: Visit): Promise<Shown | undefined> {
    if (way !== undefined && !shown.url.startsWith(this.#server)) return this.#answerPlatform(shown);
    const data = pageData(shown) as { page?: string; slug?: string; token?: string; scopes?: { scope: string }[] };
    const callback = (aeToken: string, more: Record<string, string> = {}) =>
      this.browser.get(`${this.#server}/oauth2/callback/${data.slug}?${new URLSearchParams({ aeToken, ...more })}`);
    if (data.page === 'login') {
      this.requests.logins += 1;
      if (way !== undefined) return this.browser.get(`${this.#server}/login/${data.slug}/with/${way}`);
      return callback(await this.logIn());
    }
    if (data.page !== 'consent' || data.token === undefined) return undefined;
    this.requests.consents += 1;
    if (decision === 'granted') {
      const scopes = (data.scopes ?? []).map(({ scope }) => scope);
      await this.#post(`/user-authorizations/${data.slug}`, { scopes, rememberDecisions: true }, data.token);
    }
    return callback(data.token, { userAuthorization: decision });
  }

  /** Responds to an emulator's consent page, or the conversation with its bot. */
  async #answerPlatform(shown: Shown): Promise<Shown | undefined> {
    const [, user] = new RegExp(`<option value="([^"]+)">${memberName}</option>`).exec(shown.text) ?? [];
    if (user !== undefined) return this.browser.submit(shown, { user, decision: 'allow' });
    if (!shown.url.includes('/conversations/')) return undefined;
    const deadline = performance.now() + botPatienceMs;
    for (let page = shown; performance.now() < deadline; page = await this.browser.get(shown.url)) {
      const link = [...page.text.matchAll(/<a href="([^"]+)">/g)].at(-1)?.[1];
      if (link !== undefined) return this.browser.get(link.replaceAll('&amp;', '&'));
      await sleep(100);
    }
    return undefined;
  }

  async #post(path: string, body: unknown, token?: string): Promise<Record<string, unknown>> {
    const response = await fetch(this.#server + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `AE ${token}` }) },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`POST ${path} answered ${response.status}: ${await response.text()}`);
    return response.json();
  }

  /** Registers an application as its developer. It works once the operator has approved it. */
  async createApp(app: Record<string, unknown>): Promise<{ id: string; clientSecret: string }> {
    const made = await this.#post('/client-apps', app, await this.logIn());
    return { id: String(made.id), clientSecret: String(made.clientSecret) };
  }
}
