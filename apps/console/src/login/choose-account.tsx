import { t } from '../messages/index.ts';
import { MethodIcon } from '../parts/line-icon.ts';
import { platformName } from '../parts/names.ts';
import type { SeveralAccounts } from './log-in.ts';

type Step = (text: string) => void;

/** For a wallet that signs in to several accounts. */
export function ChooseAccount({
  several: { accounts, again },
  logIn,
}: {
  several: SeveralAccounts;
  logIn(work: (onStep: Step) => Promise<string>): Promise<void>;
}) {
  return (
    <section aria-labelledby="accounts-title">
      <h2 id="accounts-title">{t('login.whichAccount')}</h2>
      <p>{t('login.severalAccounts')}</p>
      <ul className="choices">
        {accounts.map(({ userId, platform, name, resource }) => (
          <li key={userId}>
            <button type="button" className="choice" onClick={() => logIn((onStep) => again(resource, onStep))}>
              <MethodIcon method={platform} />
              <span className="row-text">
                <span className="clamped">{name ?? userId}</span>
                <small>{platformName(platform)}</small>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
