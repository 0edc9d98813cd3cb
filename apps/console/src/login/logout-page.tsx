import type { LogoutPage as Page } from '@latchkey/kernel';
import { t } from '../messages/index.ts';
import { Name } from '../parts/name.tsx';

/** Asks before a browser is logged out: any page could have sent the person here. */
export function LogoutPage({ data: { action, proof, client } }: { data: Page }) {
  return (
    <section className="card">
      <h1>{t('logout.title')}</h1>
      <p>
        {client === undefined ? t('logout.own') : t.rich('logout.client', { name: <Name key="name">{client}</Name> })}
      </p>
      <form method="post" action={action} className="actions">
        <input type="hidden" name="xsrf" value={proof} />
        <button type="submit" name="logout" value="yes">
          {t('logout.button')}
        </button>
        <button type="submit" className="quiet">
          {t('logout.stay')}
        </button>
      </form>
    </section>
  );
}
