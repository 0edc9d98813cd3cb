import type { ConsentPage as Page } from '@latchkey/kernel';
import { type FormEvent, useState } from 'react';
import { callAs } from '../api.ts';
import { platformName } from '../parts/names.ts';
import { type Said, Status } from '../parts/status.tsx';
import { sayError } from '../say-error.ts';
import { ClientLine } from './client-line.tsx';
import { goOn } from './log-in.ts';

/** Whoever allows a login allows this: it is the login. */
const isLogin = (scope: string) => scope === 'openid';

export function ConsentPage({ data: { slug, token, client, account, scopes } }: { data: Page }) {
  const [allowed, setAllowed] = useState<ReadonlySet<string>>(new Set(scopes.map(({ scope }) => scope)));
  const [isRemembered, setRemembered] = useState(false);
  const [said, say] = useState<Said>();

  function toggle(scope: string): void {
    const next = new Set(allowed);
    if (!next.delete(scope)) next.add(scope);
    setAllowed(next);
  }

  async function approve(event: FormEvent): Promise<void> {
    event.preventDefault();
    say({ tone: 'busy', text: 'Noting your decision …' });
    try {
      const body = { scopes: [...allowed], rememberDecisions: isRemembered };
      await callAs(token)('POST /user-authorizations/{slug}', { slug, body });
      goOn(slug, token, 'granted');
    } catch (error) {
      say({ tone: 'bad', text: sayError(error) });
    }
  }

  return (
    <section className="card">
      <h1>Allow {client.name}?</h1>
      <ClientLine client={client} />
      <p>
        You are logged in as <strong>{account.name}</strong> on {platformName(account.platform)}.
      </p>
      <form onSubmit={approve}>
        <fieldset>
          <legend>{client.name} may, if you allow it:</legend>
          {scopes.map(({ scope, description }) => (
            <label key={scope} className="radio">
              <input
                type="checkbox"
                checked={allowed.has(scope)}
                disabled={isLogin(scope)}
                onChange={() => toggle(scope)}
              />
              {description}
            </label>
          ))}
        </fieldset>
        {scopes.some(({ scope }) => !isLogin(scope)) && <p className="hint">Untick what you do not want to allow.</p>}
        <label className="radio apart">
          <input type="checkbox" checked={isRemembered} onChange={() => setRemembered(!isRemembered)} />
          Do not ask me again when {client.name} wants the same
        </label>
        <div className="actions">
          <button type="submit">Allow</button>
          <button type="button" className="quiet" onClick={() => goOn(slug, token, 'denied')}>
            Deny
          </button>
        </div>
        <Status said={said} />
      </form>
    </section>
  );
}
