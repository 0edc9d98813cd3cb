import { createHash } from 'node:crypto';
import type { Limits } from '../limits/limits.ts';
import type { Application, Bearer, User } from '../state/types.ts';
import type { World } from '../state/world.ts';

const accessLivesSeconds = 604_800;

interface Code {
  application: Application;
  user: User;
  scopes: ReadonlySet<string>;
  redirectUri: string;
  challenge: string | undefined;
  expiresAtMs: number;
}

interface Refresh {
  application: Application;
  user: User;
  scopes: ReadonlySet<string>;
  accessToken: string;
}

type Exchanged = { token: unknown } | { error: string; description: string };

const invalidCode = { error: 'invalid_grant', description: 'Invalid "code" in request.' };

/** Codes and tokens of users who sign in with Discord. */
export class Grants {
  readonly #world: World;
  readonly #limits: Pick<Limits, 'codeSeconds'>;
  /** Every pair of tokens issued, including those that are no longer valid. */
  readonly given: { accessToken: string; refreshToken: string }[] = [];
  readonly #codes = new Map<string, Code>();
  readonly #refreshes = new Map<string, Refresh>();

  constructor(world: World, limits: Pick<Limits, 'codeSeconds'>) {
    this.#world = world;
    this.#limits = limits;
  }

  /** Records the user's approval and returns the code for the redirect. */
  approve(options: Omit<Code, 'expiresAtMs'>): string {
    const code = this.#world.nextToken('code');
    this.#codes.set(code, { ...options, expiresAtMs: this.#world.clock() + this.#limits.codeSeconds * 1000 });
    return code;
  }

  /** A code is valid once, for the application and the redirect URI it was issued for. */
  exchange(application: Application, code: string, redirectUri: string, verifier: string | undefined): Exchanged {
    const found = this.#codes.get(code);
    this.#codes.delete(code);
    const isRight = found?.application === application && found.redirectUri === redirectUri;
    if (found === undefined || !isRight || found.expiresAtMs <= this.#world.clock()) return invalidCode;
    const fault = found.challenge === undefined ? undefined : faultOfProof(found.challenge, verifier);
    return fault ?? { token: this.issue(application, found.user, found.scopes, true) };
  }

  refresh(application: Application, token: string) {
    const found = this.#refreshes.get(token);
    if (found === undefined || found.application !== application) return undefined;
    this.#refreshes.delete(token);
    this.#world.bearers.delete(found.accessToken);
    return this.issue(application, found.user, found.scopes, true);
  }

  issue(application: Application, user: User, scopes: ReadonlySet<string>, canRefresh: boolean) {
    const accessToken = this.#world.nextToken('access token');
    const expiresAtMs = this.#world.clock() + accessLivesSeconds * 1000;
    const bearer: Bearer = { application, user, scopes, expiresAtMs };
    this.#world.bearers.set(accessToken, bearer);
    const answer = {
      token_type: 'Bearer',
      access_token: accessToken,
      expires_in: accessLivesSeconds,
      scope: [...scopes].join(' '),
    };
    if (!canRefresh) return answer;
    const refreshToken = this.#world.nextToken('refresh token');
    this.#refreshes.set(refreshToken, { application, user, scopes, accessToken });
    this.given.push({ accessToken, refreshToken });
    return { ...answer, refresh_token: refreshToken };
  }

  revoke(application: Application, token: string): void {
    const refresh = this.#refreshes.get(token);
    if (refresh?.application === application) {
      this.#refreshes.delete(token);
      this.#world.bearers.delete(refresh.accessToken);
    }
    if (this.#world.bearers.get(token)?.application === application) this.#world.bearers.delete(token);
  }
}

/** A code verifier has 43 to 128 characters (RFC 7636, section 4.1), which Discord enforces. */
function faultOfProof(challenge: string, verifier: string | undefined) {
  if (verifier === undefined) return { error: 'invalid_request', description: 'Missing "code_verifier"' };
  if (!/^[\w.~-]{43,128}$/.test(verifier)) return { error: 'invalid_request', description: 'Invalid "code_verifier"' };
  return challengeOf(verifier) === challenge ? undefined : invalidCode;
}

/** RFC 7636, S256. */
function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}
