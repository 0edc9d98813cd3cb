import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Actor } from '@latchkey/kernel';
import { verifying } from '../../port-guards/index.ts';
import { ensureSigningKeys } from '../../services/signing-keys/index.ts';
import { nobody, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { generateRegistrationOptions } from './generate-options.ts';
import { verifyResponse } from './open-response.ts';
import { getCredential, verifyAuthenticationResponse } from './operations.ts';
import type { AuthenticationResponse } from './records.ts';
import {
  answerOptions,
  badChallenge,
  badOrigin,
  badResponse,
  type Device,
  personOf,
  settle,
  signAnew,
  usualFlags,
  withClientData,
} from './testing.ts';

describe('an invalid passkey response', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('passkey-wrong-answers');
    await ensureSigningKeys(t.services);
  });
  after(() => t.close());

  /** Returns the user that a response signs in. */
  async function signIn(body: AuthenticationResponse): Promise<Actor> {
    const { idToken } = await verifyAuthenticationResponse(t.as(nobody), { body });
    return personOf(t.services, idToken);
  }

  /** Each entry changes one thing in an otherwise valid response. */
  const wrongs: Record<
    string,
    [error: object, make: (device: Device, user: Actor) => Promise<AuthenticationResponse>]
  > = {
    'a challenge that was never given': [
      badChallenge,
      async (device) => signAnew(device, await ask(device), { clientData: { challenge: 'AAAA' } }),
    ],
    'a challenge of a registration': [
      badChallenge,
      async (device, user) => {
        const { challenge } = await generateRegistrationOptions(t.as(user), {});
        return signAnew(device, await ask(device), { clientData: { challenge } });
      },
    ],
    'a page elsewhere': [badOrigin, (device) => ask(device, 'https://evil.test')],
    'a page under the domain that no application is registered for': [
      badOrigin,
      (device) => ask(device, 'https://evil.latchkey.test'),
    ],
    'a page that was not loaded securely': [badOrigin, (device) => ask(device, 'http://latchkey.test')],
    'a page inside another page': [
      badOrigin,
      async (device) => signAnew(device, await ask(device), { clientData: { crossOrigin: true } }),
    ],
    'another kind of ceremony': [
      badResponse,
      async (device) => signAnew(device, await ask(device), { clientData: { type: 'webauthn.create' } }),
    ],
    'another domain in what is signed': [
      badResponse,
      async (device) => signAnew(device, await ask(device), { rpId: 'evil.test' }),
    ],
    'a passkey that moves between devices all at once': [
      badResponse,
      async (device) => signAnew(device, await ask(device), { flags: 0x05 }),
    ],
    'nobody at the device': [
      badResponse,
      async (device) => signAnew(device, await ask(device), { flags: usualFlags & ~1 }),
    ],
    'client data that was altered': [badResponse, async (device) => withClientData(await ask(device), { extra: 'x' })],
    'authenticator data that was altered': [
      badResponse,
      async (device) => altered(await ask(device), 'authenticatorData', 36),
    ],
    'a signature that was altered': [badResponse, async (device) => altered(await ask(device), 'signature', 20)],
    'a signature of nothing': [
      badResponse,
      async (device) => {
        const answer = await ask(device);
        return { ...answer, response: { ...answer.response, signature: 'AAAA' } };
      },
    ],
    'the passkey of another user': [
      badResponse,
      async (device) => {
        const { user, id } = await settle(t);
        const { credentialID = '' } = await getCredential(t.as(user), { id });
        return { ...(await ask(device)), id: credentialID, rawId: credentialID };
      },
    ],
    'the handle of another user': [
      badResponse,
      async (device) => {
        const answer = await ask(device);
        return { ...answer, response: { ...answer.response, userHandle: 'A'.repeat(43) } };
      },
    ],
    'no handle of a user': [
      badResponse,
      async (device) => {
        const { response, ...rest } = await ask(device);
        const { userHandle: _left, ...others } = response;
        return { ...rest, response: others };
      },
    ],
    'client data that is no JSON': [
      badResponse,
      async (device) => {
        const answer = await ask(device);
        return { ...answer, response: { ...answer.response, clientDataJSON: 'AAAA' } };
      },
    ],
  };

  const ask = (device: Device, origin?: string) =>
    answerOptions(t, nobody, device, origin === undefined ? {} : { origin });

  function altered(
    answer: AuthenticationResponse,
    part: 'authenticatorData' | 'signature',
    at: number,
  ): AuthenticationResponse {
    const bytes = Buffer.from(answer.response[part], 'base64url');
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    return { ...answer, response: { ...answer.response, [part]: bytes.toString('base64url') } };
  }

  for (const [what, [error, make]] of Object.entries(wrongs)) {
    test(`${what} is refused, and the passkey stays in use`, async () => {
      const { user, device } = await settle(t);
      await assert.rejects(signIn(await make(device, user)), error);
      assert.deepEqual(await signIn(await ask(device)), user);
    });
  }

  test('a failing verifier refuses nothing, and the same response signs in once it works', async () => {
    const { user, device } = await settle(t);
    const answer = await ask(device);
    const broken = () => {
      throw new TypeError('Cannot read properties of undefined');
    };
    const verify = () => verifying(t.services, 'passkeys', broken);
    const { clientDataJSON } = answer.response;
    await assert.rejects(verifyResponse(t.as(nobody), 'authentication', clientDataJSON, verify), {
      code: 'UNAVAILABLE',
    });
    assert.deepEqual(await signIn(answer), user);
    await assert.rejects(signIn(answer), badChallenge);
  });

  test('re-signing a response changes nothing by itself, so the changes above are what was refused', async () => {
    const { user, device } = await settle(t);
    const answer = signAnew(device, await ask(device), { flags: usualFlags });
    assert.deepEqual(await signIn(answer), user);
  });
});
