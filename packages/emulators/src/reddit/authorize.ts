import { choosePerson, writePage } from '../http/html.ts';
import type { RedditWorld } from './subreddits.ts';
import type { Tokens } from './tokens.ts';

export interface AuthorizePage {
  status: number;
  html?: string;
  location?: string;
}

interface Asked {
  redirectUri: string;
  scopes: readonly string[];
  state: string;
  isPermanent: boolean;
}

const knownScopes = new Set([
  ...['identity', 'read', 'flair', 'modflair', 'modcontributors', 'mysubreddits', 'modmail', 'privatemessages'],
  '*',
]);

/** Reddit's page of consent, without a login: it asks who of the emulator's people you are. */
export class Authorize {
  readonly #app: { clientId: string; redirectUris: ReadonlySet<string> };
  readonly #world: RedditWorld;
  readonly #tokens: Tokens;

  constructor(app: { clientId: string; redirectUris: ReadonlySet<string> }, world: RedditWorld, tokens: Tokens) {
    this.#app = app;
    this.#world = world;
    this.#tokens = tokens;
  }

  /** The page, or where the browser goes once somebody decided on it. */
  answer(method: string, query: URLSearchParams, fields: Readonly<Record<string, string>>): AuthorizePage {
    const asked = this.#read(query);
    if (typeof asked === 'string')
      return { status: 400, html: writePage('bad request (reddit.com)', `<p>${asked}</p>`) };
    if (method !== 'POST') return { status: 200, html: this.#page(asked) };
    const target = new URL(asked.redirectUri);
    target.searchParams.set('state', asked.state);
    if (fields.decision !== 'allow') {
      target.searchParams.set('error', 'access_denied');
      return { status: 302, location: target.href };
    }
    const user = this.#world.user(fields.user);
    if (user === undefined) return { status: 400, html: writePage('bad request (reddit.com)', '<p>Nobody.</p>') };
    const { redirectUri, scopes, isPermanent } = asked;
    target.searchParams.set('code', this.#tokens.authorize(user.name, scopes, { redirectUri, isPermanent }));
    return { status: 302, location: `${target.href}#_` };
  }

  /** A text says what is wrong; then the browser stays where it is. */
  #read(query: URLSearchParams): Asked | string {
    const redirectUri = query.get('redirect_uri') ?? '';
    const scopes = (query.get('scope') ?? '').split(/[ ,]+/);
    const duration = query.get('duration') ?? 'temporary';
    if (query.get('client_id') !== this.#app.clientId) return 'invalid client id.';
    if (!this.#app.redirectUris.has(redirectUri)) return 'invalid redirect_uri parameter.';
    if (query.get('response_type') !== 'code') return 'invalid response type.';
    if (!scopes.every((scope) => knownScopes.has(scope))) return 'invalid scope.';
    if ((query.get('state') ?? '') === '') return 'you must provide a state.';
    if (duration !== 'temporary' && duration !== 'permanent') return 'invalid duration.';
    return { redirectUri, scopes, state: query.get('state') ?? '', isPermanent: duration === 'permanent' };
  }

  #page({ scopes }: Asked): string {
    const people = this.#world.users.values().map(({ name }) => ({ id: name, name }));
    const form = choosePerson(people, [
      { text: 'Allow', decision: 'allow' },
      { text: 'Decline', decision: 'deny' },
    ]);
    const text = `<p>This is an emulator of Reddit. It asks for: ${scopes.join(', ')}.</p>`;
    return writePage('Latchkey would like to connect with your Reddit account', `${text}\n${form}`);
  }
}
