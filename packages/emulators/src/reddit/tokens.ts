import { createHash } from 'node:crypto';
import type { Clock } from '../clock.ts';

const lifetimeSeconds = 86_400;
const codeLifetimeSeconds = 600;

interface Code extends CodeOptions {
  userName: string;
  scopes: readonly string[];
  endsAtMs: number;
}

export interface CodeOptions {
  /** The address that the code was sent to, which must be named again when it is exchanged. */
  redirectUri?: string;
  /** Whether a refresh token comes with it. */
  isPermanent?: boolean;
}

interface Token {
  userName: string | undefined;
  scopes: readonly string[];
  endsAtMs: number;
  /** What it was made with. */
  refresh?: string;
}

export interface TokenAnswer {
  access_token: string;
  token_type: 'bearer';
  expires_in: number;
  scope: string;
  refresh_token?: string;
}

/** Codes, refresh tokens and access tokens of one application. */
export class Tokens {
  readonly #clock: Clock;
  readonly #codes = new Map<string, Code>();
  readonly #refresh = new Map<string, { userName: string; scopes: readonly string[] }>();
  readonly #access = new Map<string, Token>();
  readonly #secret: string;
  #made = 0;

  constructor(clock: Clock, secret = 'emulator') {
    this.#clock = clock;
    this.#secret = secret;
  }

  /** What a user gets after pressing "allow": a code that works once. */
  authorize(userName: string, scopes: readonly string[], options: CodeOptions = {}): string {
    const code = this.#next('code');
    this.#codes.set(code, { userName, scopes, endsAtMs: this.#clock() + codeLifetimeSeconds * 1000, ...options });
    return code;
  }

  /** A permanent grant, as if the user had gone through the pages. */
  grant(userName: string, scopes: readonly string[]): string {
    const refresh = this.#next('refresh');
    this.#refresh.set(refresh, { userName, scopes });
    return refresh;
  }

  /** Ends a token and, with a refresh token, every access token that came of it. */
  revoke(token: string): void {
    this.#refresh.delete(token);
    for (const [access, { refresh }] of this.#access)
      if (access === token || refresh === token) this.#access.delete(access);
  }

  /** The permanent grants that still work, as refresh tokens. */
  granted(): string[] {
    return [...this.#refresh.keys()];
  }

  /** Answers the token endpoint; a string is Reddit's word for what is wrong. */
  exchange(fields: Readonly<Record<string, string>>): TokenAnswer | string {
    switch (fields.grant_type) {
      case 'refresh_token': {
        const { refresh_token: refresh = '' } = fields;
        const held = this.#refresh.get(refresh);
        return held === undefined ? 'invalid_grant' : this.#issue(held.userName, held.scopes, refresh);
      }
      case 'authorization_code': {
        const held = this.#codes.get(fields.code ?? '');
        this.#codes.delete(fields.code ?? '');
        if (held === undefined || held.endsAtMs <= this.#clock()) return 'invalid_grant';
        if (held.redirectUri !== undefined && held.redirectUri !== fields.redirect_uri) return 'invalid_grant';
        if (held.isPermanent === false) return this.#issue(held.userName, held.scopes);
        const refresh = this.grant(held.userName, held.scopes);
        return { ...this.#issue(held.userName, held.scopes, refresh), refresh_token: refresh };
      }
      case 'client_credentials':
        return this.#issue(undefined, ['*']);
      default:
        return 'unsupported_grant_type';
    }
  }

  find(accessToken: string): Token | undefined {
    const token = this.#access.get(accessToken);
    return token !== undefined && token.endsAtMs > this.#clock() ? token : undefined;
  }

  #issue(userName: string | undefined, scopes: readonly string[], refresh?: string): TokenAnswer {
    const access = this.#next('access');
    const endsAtMs = this.#clock() + lifetimeSeconds * 1000;
    this.#access.set(access, { userName, scopes, endsAtMs, ...(refresh !== undefined && { refresh }) });
    return { access_token: access, token_type: 'bearer', expires_in: lifetimeSeconds, scope: scopes.join(' ') };
  }

  #next(kind: string): string {
    this.#made += 1;
    const text = createHash('sha256').update(`${this.#secret} ${kind} ${this.#made}`).digest('base64url');
    return `emulator-${kind}-${text}`;
  }
}
