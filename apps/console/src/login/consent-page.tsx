import type { ConsentPage as Page } from '@latchkey/kernel';
import { type FormEvent, useState } from 'react';
import { callAs } from '../api.ts';
import { t } from '../messages/index.ts';
import { MethodIcon } from '../parts/line-icon.ts';
import { Name } from '../parts/name.tsx';
import { platformName } from '../parts/names.ts';
import { Status, type StatusMessage } from '../parts/status.tsx';
import { describeError } from '../say-error.ts';
import { ClientLine } from './client-line.tsx';
import { limitsOf } from './limits.ts';
import { goOn } from './log-in.ts';

/** Part of every sign-in, so it cannot be declined alone. */
const isLogin = (scope: string) => scope === 'openid';

export function ConsentPage({ data: { slug, token, client, account, scopes } }: { data: Page }) {
  const [allowed, setAllowed] = useState<ReadonlySet<string>>(new Set(scopes.map(({ scope }) => scope)));
  const [isRemembered, setRemembered] = useState(false);
  const [reply, say] = useState<StatusMessage>();

  function toggle(scope: string): void {
    const next = new Set(allowed);
    if (!next.delete(scope)) next.add(scope);
    setAllowed(next);
  }

  async function approve(event: FormEvent): Promise<void> {
    event.preventDefault();
    say({ tone: 'busy', text: t('consent.saving') });
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
      {/* The name has a box of its own, which would put a space before the question mark. */}
      <h1 className="clamped" title={client.name} aria-label={t('consent.title', { name: client.name })}>
        {t.rich('consent.title', { name: <bdi key="name">{client.name}</bdi> })}
      </h1>
      <ClientLine client={client} />
      <div className="who">
        <MethodIcon method={account.platform} />
        <span className="row-text">
          <small>{t('consent.account')}</small>
          <span>
            {t.rich('account.onPlatform', {
              name: <Name key="name">{account.name}</Name>,
              platform: platformName(account.platform),
            })}
          </span>
        </span>
        <a href={`/consent/${encodeURIComponent(slug)}/switch-account`}>{t('consent.otherAccount')}</a>
      </div>
      <form onSubmit={approve}>
        <fieldset>
          <legend>{t('consent.may')}</legend>
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
        {scopes.some(({ scope }) => !isLogin(scope)) && <p className="hint">{t('consent.clearBoxes')}</p>}
        <div className="apart">
          <h2 className="small-title">{t('consent.mayNot')}</h2>
          <ul className="limits">
            {limitsOf(scopes.map(({ scope }) => scope)).map((limit) => (
              <li key={limit}>{t(limit)}</li>
            ))}
          </ul>
        </div>
        <label className="radio apart">
          <input type="checkbox" checked={isRemembered} onChange={() => setRemembered(!isRemembered)} />
          {t('consent.remember')}
        </label>
        <div className="actions even">
          <button type="button" className="quiet" onClick={() => goOn(slug, token, 'denied')}>
            {t('consent.deny')}
          </button>
          <button type="submit">{t('consent.allow')}</button>
        </div>
        <Status status={reply} />
        <p className="hint">{t('consent.revoke')}</p>
      </form>
    </section>
  );
}
