import type { AccountPage as Page } from '@latchkey/kernel';
import { useEffect, useMemo, useState } from 'react';
import { callAs } from '../api.ts';
import { LoginWays } from '../login/login-page.tsx';
import { platformName } from '../parts/names.ts';
import { PasskeySection } from '../passkeys/passkey-section.tsx';
import { ApplicationSection } from './application-section.tsx';
import { SessionSection } from './session-section.tsx';
import { WalletSection } from './wallet-section.tsx';
import { XSection } from './x-section.tsx';

/** Where a person sees every way in to their account, and ends those they do not want. */
export function AccountPage({ data: { session, server, ways } }: { data: Page }) {
  const [token, setToken] = useState(session?.token);
  // The address that a chat platform sent the person back to works once; this one can be opened again.
  useEffect(() => history.replaceState(null, '', '/account'), []);
  if (token !== undefined) return <Account token={token} onEnd={() => setToken(undefined)} />;
  return (
    <section className="card">
      <h1>Your account</h1>
      <p>Sign in to {server} to see who has access to your account, and to end what you no longer want.</p>
      <LoginWays ways={ways} slug="account" onToken={setToken} />
    </section>
  );
}

function Account({ token, onEnd }: { token: string; onEnd: () => void }) {
  const call = useMemo(() => callAs(token), [token]);
  const [name, setName] = useState<string>();
  useEffect(() => {
    call('GET /account/me', {}).then(
      ({ platform = '', userName, id }) => setName(`${userName ?? id} on ${platformName(platform)}`),
      () => undefined,
    );
  }, [call]);
  return (
    <>
      <section className="intro">
        <h1>Your account</h1>
        {name !== undefined && (
          <p>
            You are signed in as <strong>{name}</strong>.
          </p>
        )}
      </section>
      <WalletSection call={call} />
      <XSection call={call} />
      <PasskeySection call={call} />
      <ApplicationSection call={call} />
      <SessionSection call={call} onEnd={onEnd} />
    </>
  );
}
