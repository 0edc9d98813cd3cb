import type { Answer } from '../../shared/api/index.ts';
import { IconTicket, IconWallet } from '../../shared/icons.tsx';
import { CopyText, Time } from '../../shared/ui/index.ts';
import styles from './member.module.css';

type Member = Answer<'GET /latchkey/communities/{communityId}/members/{userId}'>;

const families: Readonly<Record<string, string>> = {
  evm: 'Ethereum and EVM chains',
  xrpl: 'XRPL',
  ton: 'TON',
  near: 'NEAR',
};

/** What is linked and lent. Admins see that there is a wallet, not which. */
export function Facts({ member }: { member: Member }) {
  const { wallets, guestPasses, checkedTime, lastActiveTime } = member;
  return (
    <ul className={styles.facts}>
      {wallets.length === 0 && <li>No linked wallet counts in this community.</li>}
      {wallets.map(({ namespace, connectedTime, address }) => (
        <li key={`${namespace} ${connectedTime} ${address ?? ''}`}>
          <IconWallet size={18} aria-hidden="true" />
          {families[namespace] ?? namespace.charAt(0).toUpperCase() + namespace.slice(1)} wallet
          {address !== undefined && <CopyText text={address} what="the address" />}
          <span className={styles.time}>
            linked <Time at={connectedTime} isRelative />
          </span>
        </li>
      ))}
      {guestPasses.map(({ name, endsTime }) => (
        <li key={`${name} ${endsTime}`}>
          <IconTicket size={18} aria-hidden="true" />
          Guest pass “{name}”
          <span className={styles.time}>
            until <Time at={endsTime} />
          </span>
        </li>
      ))}
      <li className={styles.time}>
        {checkedTime === undefined ? (
          'Never checked'
        ) : (
          <>
            Last checked <Time at={checkedTime} isRelative />
          </>
        )}
        {lastActiveTime !== undefined && (
          <>
            {' '}
            · last active <Time at={lastActiveTime} isRelative />
          </>
        )}
      </li>
    </ul>
  );
}
