import type { ConsentPage as Page } from '@latchkey/kernel';
import { type FormEvent, useState } from 'react';
import { callAs } from '../api.ts';
import { MethodIcon } from '../parts/line-icon.tsx';
import { Name } from '../parts/name.tsx';
import { platformName } from '../parts/names.ts';
import { type Said, Status } from '../parts/status.tsx';
import { describeError } from '../say-error.ts';
import { ClientLine } from './client-line.tsx';
import { limitsOf } from './limits.ts';
import { goOn } from './log-in.ts';

/** Part of every sign-in, so it cannot be declined alone. */
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
    say({ tone: 'busy', text: 'Saving your decision …' });
    try {
      const body = { scopes: [...allowed], rememberDecisions: isRemembered };
      await callAs(token)('POST /user-authorizations/{slug}', { slug, body });
      goOn(slug, token, 'granted');
    } catch (error) {
      say({ tone: 'bad', text: describeError(error) });
    }
  }

  return (
    <section className="card">
      <h1 className="clamped" title={client.name}>
        Allow <bdi>{client.name}</bdi>?
      </h1>
      <ClientLine client={client} />
      <div className="who">
        <MethodIcon method={account.platform} />
        <span className="row-text">
          <small>Your account</small>
          <span>
            <Name>{account.name}</Name> on {platformName(account.platform)}
          </span>
        </span>
        <a href={`/consent/${encodeURIComponent(slug)}/switch-account`}>Use another account</a>
      </div>
      <form onSubmit={approve}>
        <fieldset>
          <legend>If you allow it, this app may:</legend>
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
        {scopes.some(({ scope }) => !isLogin(scope)) && (
          <p className="hint">Clear the box of anything that you do not want to allow.</p>
        )}
        <div className="apart">
          <h2 className="small-title">It may not:</h2>
          <ul className="limits">
            {limitsOf(scopes.map(({ scope }) => scope)).map((words) => (
              <li key={words}>{words}</li>
            ))}
          </ul>
        </div>
        <label className="radio apart">
          <input type="checkbox" checked={isRemembered} onChange={() => setRemembered(!isRemembered)} />
          Do not ask me again when this app wants the same
        </label>
        <div className="actions even">
          <button type="button" className="quiet" onClick={() => goOn(slug, token, 'denied')}>
            Deny
          </button>
          <button type="submit">Allow</button>
        </div>
        <Status said={said} />
        <p className="hint">You can revoke this at any time under My account.</p>
      </form>
    </section>
  );
}
