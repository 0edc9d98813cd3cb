/** Complete requests of the OAuth2 endpoints, which take the credentials of the application itself. */
export interface OauthSample {
  title: string;
  /** What comes before it. */
  text: string;
  fields: Readonly<Record<string, string>>;
}

/** The names of the shell variables that the samples use. */
export const variables = ['CLIENT_ID', 'CLIENT_SECRET', 'CODE', 'CODE_VERIFIER', 'REFRESH_TOKEN', 'AE_TOKEN', 'TOKEN'];

const sampleOf = (title: string, text: string, fields: Record<string, string>): OauthSample => ({
  title,
  text,
  fields,
});

/** By the id of the operation. */
export const oauthSamples: Readonly<Record<string, readonly OauthSample[]>> = {
  token: [
    sampleOf('Client credentials', 'A token for the application itself. No user takes part.', {
      grant_type: 'client_credentials',
      scope: 'token-gating',
    }),
    sampleOf(
      'Authorization code',
      'After the user allowed access, the browser returns to your redirect URI with a code. Exchange it within a minute.',
      {
        grant_type: 'authorization_code',
        code: '$CODE',
        code_verifier: '$CODE_VERIFIER',
        redirect_uri: 'https://app.example/callback',
      },
    ),
    sampleOf(
      'Refresh token',
      'New tokens without asking the user again. Store the new refresh token: the old one works once.',
      {
        grant_type: 'refresh_token',
        refresh_token: '$REFRESH_TOKEN',
      },
    ),
    sampleOf('Password', 'For applications that the operator allows to: a user’s AE token in place of a password.', {
      grant_type: 'password',
      username: '0x52908400098527886E0F7030069857D2E4169EE7',
      password: '$AE_TOKEN',
    }),
  ],
  introspect: [sampleOf('Introspect', 'Returns whether a token of your application is active.', { token: '$TOKEN' })],
  revoke: [sampleOf('Revoke', 'Responds with 200 even if the token was inactive before.', { token: '$TOKEN' })],
};

/** Returns a sample as a command. */
export function oauthCurl(path: string, address: string, { fields }: OauthSample): string {
  const lines = Object.entries(fields).map(([name, value]) => `--data-urlencode "${name}=${value}"`);
  return [`curl -s -X POST '${address}${path}'`, '-u "$CLIENT_ID:$CLIENT_SECRET"', ...lines].join(' \\\n  ');
}
