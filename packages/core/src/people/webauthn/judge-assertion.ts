import { readInputAsync } from '@latchkey/kernel';
import type { CredentialRow, DeviceType } from './queries.ts';
import type { AuthenticationResponse } from './response-records.ts';

export interface Asserted {
  challenge: string;
  origin: string;
  rpId: string;
  mustVerifyUser: boolean;
}

/** What an authenticator signed about its own use. */
export interface Use {
  counter: number;
  deviceType: DeviceType;
  isBackedUp: boolean;
  isUserVerified: boolean;
}

/** What the passkey says of its use, if it really signed this answer to this challenge; undefined otherwise. */
export async function judgeAssertion(
  answer: AuthenticationResponse,
  passkey: Pick<CredentialRow, 'credential_id' | 'public_key'>,
  expected: Asserted,
): Promise<Use | undefined> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  if (answer.id !== passkey.credential_id) return undefined;
  // The library refuses by throwing plain errors, whose messages repeat what was sent.
  const judged = await readInputAsync(() =>
    verifyAuthenticationResponse({
      response: { ...answer, clientExtensionResults: {} },
      expectedChallenge: expected.challenge,
      expectedOrigin: expected.origin,
      expectedRPID: expected.rpId,
      requireUserVerification: expected.mustVerifyUser,
      // The counter is compared later, by the database. Here it would be before the signature is known to be good, and
      // anybody could then bring a passkey under suspicion.
      credential: { id: passkey.credential_id, publicKey: new Uint8Array(passkey.public_key), counter: 0 },
    }),
  );
  if (!judged?.verified) return undefined;
  const { authenticationInfo: info } = judged;
  return {
    counter: info.newCounter,
    deviceType: info.credentialDeviceType,
    isBackedUp: info.credentialBackedUp,
    isUserVerified: info.userVerified,
  };
}
