/** A secret, or where to get it: asked before every attempt, so that a token can be renewed in time. */
export type Secret = string | (() => string | Promise<string>);

/** Who calls. At most one of the last three. */
export interface Credentials {
  /** The API key of a client application. Never ship it to a browser. */
  apiKey?: Secret;
  /** An OAuth2 access token of a user who agreed. */
  accessToken?: Secret;
  /** An AE token of somebody who signed in with a wallet. */
  aeToken?: Secret;
  /** A whole Authorization header, for what the others do not cover. */
  authorization?: Secret;
}

export function checkCredentials({ accessToken, aeToken, authorization }: Credentials): void {
  if ([accessToken, aeToken, authorization].filter((secret) => secret !== undefined).length > 1)
    throw new TypeError('Give one of accessToken, aeToken and authorization, not several.');
}

export async function credentialHeaders(credentials: Credentials): Promise<[string, string][]> {
  const { apiKey, accessToken, aeToken, authorization } = credentials;
  const headers: [string, string][] = [];
  if (apiKey !== undefined) headers.push(['x-api-key', await readSecret(apiKey)]);
  if (accessToken !== undefined) headers.push(['authorization', `Bearer ${await readSecret(accessToken)}`]);
  if (aeToken !== undefined) headers.push(['authorization', `AE ${await readSecret(aeToken)}`]);
  if (authorization !== undefined) headers.push(['authorization', await readSecret(authorization)]);
  return headers;
}

async function readSecret(secret: Secret): Promise<string> {
  return typeof secret === 'string' ? secret : secret();
}
