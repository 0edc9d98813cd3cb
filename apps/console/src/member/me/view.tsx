import { platformName } from '../../parts/names.ts';
import { useLive } from '../../shared/api/index.ts';
import { useSession } from '../../shared/session.ts';
import { Page } from '../../shared/ui/index.ts';
import { Applications } from './applications.tsx';
import { Authenticators } from './authenticators.tsx';
import { ChatAccounts } from './chat-accounts.tsx';
import { OwnData } from './own-data.tsx';
import { Passkeys } from './passkeys.tsx';
import { Sessions } from './sessions.tsx';
import { Signatures } from './signatures.tsx';
import { Wallets } from './wallets.tsx';

/** Where a person sees what belongs to their account and every way in to it, and ends what they do not want. */
export function View() {
  useLive('account');
  const { name, accountId, platform } = useSession();
  const where = platform === undefined ? '' : ` on ${platformName(platform)}`;
  return (
    <Page title="My account" lead={`You are signed in as ${name ?? accountId ?? 'the operator'}${where}.`}>
      <Wallets />
      <ChatAccounts />
      <Passkeys />
      <Authenticators />
      <Applications />
      <Sessions />
      <Signatures />
      <OwnData />
    </Page>
  );
}
