import { PlatformFailed, type PlatformIdentity, type RedirectIdentityProvider } from '@latchkey/core/ports';
import { isObject } from '@latchkey/kernel';
import { type Answer, createGrantFlow, type GrantFlowOptions } from './create-grant-flow.ts';

export interface CodeFlowOptions extends GrantFlowOptions {
  issuer: string | undefined;
  profileUrl: string;
  /** Returns undefined for a profile without an identity. */
  readProfile(profile: Readonly<Record<string, unknown>>): PlatformIdentity | undefined;
}

/** Identifies a user by the OAuth 2.0 code flow. No token outlives the request. */
export function createCodeFlow(options: CodeFlowOptions): RedirectIdentityProvider {
  const flow = createGrantFlow(options);
  return {
    kind: 'redirect',
    issuer: options.issuer,
    start: flow.start,
    finish: async (answer, signal) => {
      const { accessToken } = await flow.exchange(answer, signal);
      return readIdentity(options, await flow.read(options.profileUrl, accessToken, signal));
    },
  };
}

export function readIdentity(
  { name, readProfile }: Pick<CodeFlowOptions, 'name' | 'readProfile'>,
  { status, body }: Answer,
): PlatformIdentity {
  const identity = status === 200 && isObject(body) ? readProfile(body) : undefined;
  if (identity === undefined) throw new PlatformFailed('forbidden', `${name} did not return the user’s identity.`);
  return identity;
}
