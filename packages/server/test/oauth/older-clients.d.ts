// Neither of these packages has types; here are the parts that the tests use.
declare module 'passport-oauth2' {
  interface Options {
    authorizationURL: string;
    tokenURL: string;
    clientID: string;
    clientSecret: string;
    callbackURL: string;
    scope?: string;
    state?: boolean;
    pkce?: boolean | 'plain' | 'S256';
  }
  type Verified = (error: Error | null, user?: object) => void;

  export default class Strategy {
    constructor(
      options: Options,
      verify: (accessToken: string, refreshToken: string, profile: object, verified: Verified) => void,
    );
    authenticate(request: { query: Record<string, string>; session: object }): void;
    redirect(address: string): void;
    success(user: object): void;
    fail(challenge: unknown): void;
    error(error: Error): void;
  }
}

declare module 'simple-oauth2' {
  interface AccessToken {
    token: { access_token: string; refresh_token: string; scope: string };
    refresh(): Promise<AccessToken>;
    revoke(kind: 'access_token' | 'refresh_token'): Promise<void>;
  }
  interface Options {
    client: { id: string; secret: string };
    auth: Record<'tokenHost' | 'tokenPath' | 'authorizePath' | 'revokePath', string>;
  }

  export class AuthorizationCode {
    constructor(options: Options);
    authorizeURL(params: { redirect_uri: string; scope?: string; state?: string }): string;
    getToken(params: { code: string; redirect_uri: string }): Promise<AccessToken>;
  }
  export class ClientCredentials {
    constructor(options: Pick<Options, 'client'> & { auth: Pick<Options['auth'], 'tokenHost' | 'tokenPath'> });
    getToken(params: { scope: string }): Promise<AccessToken>;
  }
}
