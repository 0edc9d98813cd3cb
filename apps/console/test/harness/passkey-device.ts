import type { CDPSession, Page } from 'playwright-core';

export interface StoredPasskey {
  credentialId: string;
  isResidentCredential: boolean;
  rpId?: string;
  privateKey: string;
  userHandle?: string;
  signCount: number;
}

/** The virtual authenticator of Chromium, built into the device of a page. */
export interface PasskeyDevice {
  passkeys(): Promise<StoredPasskey[]>;
  put(passkey: StoredPasskey): Promise<void>;
  clear(): Promise<void>;
  /** Whether its owner unlocks it when asked. */
  setUnlocked(isUnlocked: boolean): Promise<void>;
}

export async function givePasskeyDevice(page: Page): Promise<PasskeyDevice> {
  const session: CDPSession = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    passkeys: async () => (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
    put: async (credential) => {
      await session.send('WebAuthn.addCredential', { authenticatorId, credential });
    },
    clear: async () => {
      await session.send('WebAuthn.clearCredentials', { authenticatorId });
    },
    setUnlocked: async (isUserVerified) => {
      await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
    },
  };
}
