import type { Call } from '../api.ts';
import { isInAppBrowser } from '../parts/device.ts';

const type = 'public-key';

/** Whether this browser supports passkeys, including their JSON form. */
export function knowsPasskeys(): boolean {
  return (
    !isInAppBrowser() &&
    // A frame gets them only from the page around it. Ours are framed by Telegram’s web client alone, which gives none.
    window.top === window &&
    typeof PublicKeyCredential === 'function' &&
    typeof PublicKeyCredential.parseRequestOptionsFromJSON === 'function'
  );
}

/** Creates a passkey on this device and registers it. */
export async function registerPasskey(call: Call, name: string): Promise<void> {
  const options = await call('POST /webauthn/registration/options', {});
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const made = answerOf<RegistrationResponseJSON>(await navigator.credentials.create({ publicKey }));
  const { clientDataJSON, attestationObject, transports } = made.response;
  const attachment = ['platform', 'cross-platform'].find((kind) => kind === made.authenticatorAttachment);
  await call('POST /webauthn/registration/verify', {
    body: {
      id: made.id,
      rawId: made.rawId,
      type,
      response: { clientDataJSON, attestationObject, transports: transports.slice(0, 10) },
      clientExtensionResults: { credProps: { rk: made.clientExtensionResults.credProps?.rk } },
      authenticatorAttachment: attachment as 'platform' | 'cross-platform' | undefined,
      name,
      userAgent: navigator.userAgent.slice(0, 512),
    },
  });
}

/** Signs in with a passkey of this device and returns an AE token. */
export async function signInWithPasskey(call: Call): Promise<string> {
  const options = await call('POST /webauthn/authentication/options', {});
  const { idToken } = await call('POST /webauthn/authentication/verify', { body: await answerWith(options) });
  return idToken;
}

/** Approves exactly what these options were created for with a passkey of this device, and returns the proof. */
export async function approveWithPasskey(call: Call, options: PublicKeyCredentialRequestOptionsJSON): Promise<string> {
  return call('POST /webauthn/authentication/store', { body: await answerWith(options) });
}

async function answerWith(options: PublicKeyCredentialRequestOptionsJSON) {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const { id, rawId, response } = answerOf<AuthenticationResponseJSON>(await navigator.credentials.get({ publicKey }));
  const { clientDataJSON, authenticatorData, signature, userHandle } = response;
  const assertion = { clientDataJSON, authenticatorData, signature, ...(userHandle && { userHandle }) };
  return { id, rawId, type, response: assertion } as const;
}

// Which of the two forms it has follows from the request.
function answerOf<Form>(credential: Credential | null): Form {
  if (!(credential instanceof PublicKeyCredential)) throw new DOMException('No passkey answered.', 'NotAllowedError');
  return credential.toJSON() as Form;
}
